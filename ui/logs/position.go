package logs

import (
	"fmt"
	"math"
	"strings"
	"time"

	"rung/engine/logs"

	"rung/model/logline"

	"rung/model/words"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// filePlace is where among the lines of the log files the page stands.
type filePlace struct {
	pos    logs.Position
	ok     bool        // there are log files in which one can go to a time
	target *logs.Entry // the line that is gone to, nil for the first there is
	files  []logline.Stream
}

// sourceStates is how what lines come from stands.
type sourceStates struct {
	stats   logs.Stats
	streams []logline.Stream // of nodes
	losses  []logs.MeterLoss // of the ACLs at their limits, all policies'
	place   filePlace
}

// takeStore takes how files and streams stand.
func (v *sourceStates) takeStore(l *logs.Store) {
	v.stats, v.losses = l.Stats(), l.Losses()
	v.place.pos, v.place.ok = l.Position()
	v.streams, v.place.files = nil, nil
	for _, s := range l.Streams() {
		if s.File == "" {
			v.streams = append(v.streams, s)
		} else {
			v.place.files = append(v.place.files, s)
		}
	}
}

// askTime asks for a time to go to.
func (v *logPage) askTime(env *view.Env) {
	l := env.Console.Logs()
	if l == nil {
		env.SayFailure("%s", logs.ErrNoFiles)
		return
	}
	pos, ok := l.Position()
	if !ok {
		env.SayFailure("%s", logs.ErrNoFiles)
		return
	}
	at := pos.At
	if e := v.selectedEntry(); e != nil {
		at = e.Line.At
	}
	at = at.In(env.Now.Location())
	parse := func(text string) (time.Time, string) { return timeToGoTo(text, at, pos, env.Now) }
	env.AskDialog(&view.PromptDialog{Title: "go to a time", Label: fmt.Sprintf("The log files have lines from %s to %s. Type a time (14:05, 2026-11-03 14:05), how long ago (5m), a step (-10m, +1h), start or end.",
		words.Clock(pos.From.In(env.Now.Location()), env.Now), words.Clock(pos.To.In(env.Now.Location()), env.Now)),
		Value: at.Format("2006-01-02 15:04:05"),
		Check: func(text string) string { _, wrong := parse(text); return wrong },
		Done: func(env *view.Env, text string) {
			to, _ := parse(text)
			v.goTo(env, to)
		}})
}

// goTo shows the lines from a time on, or the end and what is added.
func (v *logPage) goTo(env *view.Env, to time.Time) {
	l := env.Console.Logs()
	if v.hunt.shownSearch != nil && !to.Equal(logs.TheEnd) { // among what was found
		v.setPaused(true)
		v.sel = v.feed.sameLine(&logs.Entry{Line: logline.Line{At: to}})
		return
	}
	v.going, v.place.target = max(1, l.LastNumber()), nil
	if to.Equal(logs.TheEnd) {
		v.going = 0
		v.setPaused(false)
	}
	v.list.marks = nil
	if err := l.Seek(to); err != nil {
		env.SayFailure("%s", err)
	}
}

// arriveAtTime puts the cursor on the first line of the time that was gone to.
func (v *logPage) arriveAtTime() {
	if p := &v.place; v.going > 0 && v.feed.firstHeld() > v.going && v.feed.countMatches() > 0 {
		if p.target != nil && v.feed.held[len(v.feed.held)-1].Line.At.Before(p.target.Line.At) {
			return // it has not come yet
		}
		v.follow, v.untilLine, v.top = false, math.MaxUint64, 0
		v.updateList()
		v.sel = v.list.idAt(0)
		if p.target != nil {
			v.sel = v.feed.sameLine(p.target)
		}
		v.going, p.target = 0, nil
	}
}

// atEnd goes back to the end of the files where another time was gone to; false says that
// nothing has to be done for that.
func (v *logPage) atEnd(env *view.Env) bool {
	l := env.Console.Logs()
	if l == nil {
		return false
	}
	if pos, ok := l.Position(); !ok || !pos.Sought || pos.Speed > 0 {
		return false
	}
	v.goTo(env, logs.TheEnd)
	return true
}

// placeBar is where the line e is among the lines of the log files; nil where there are none.
func (p *filePlace) placeBar(env *view.Env, e *logs.Entry, w int) widget.Line {
	if !p.ok || p.pos.From.IsZero() {
		return nil
	}
	st := env.Styles
	at := p.pos.At
	if e != nil {
		at = e.Line.At
	}
	clock := func(t time.Time) string { return words.Clock(t.In(env.Now.Location()), env.Now) }
	from, to := clock(p.pos.From), clock(p.pos.To)
	note := ""
	if !at.IsZero() {
		note = " at " + clock(at)
	}
	switch {
	case p.pos.Speed > 0:
		note += fmt.Sprintf(" · %gx", p.pos.Speed)
	case p.pos.Sought:
		note += " · " + env.Keys.ActionByID(action.Bottom).HintKey() + " end"
	}
	hint := " · " + env.Keys.ActionByID(action.LogsSeek).HintKey() + " go to a time"
	room := w - widget.TextWidth(from) - widget.TextWidth(to) - widget.TextWidth(note) - 4
	if room-widget.TextWidth(hint) >= 5 {
		note, room = note+hint, room-widget.TextWidth(hint)
	}
	if room < 5 {
		return widget.StyledLine(" "+strings.TrimSpace(note), st.Dim)
	}
	l := widget.StyledLine(" "+from+" ", st.Dim)
	l = append(l, widget.ProgressBar(st, st.Info, int64(at.Sub(p.pos.From)), max(1, int64(p.pos.To.Sub(p.pos.From))), min(room, 40))...)
	return l.Add(" "+to, st.Dim).Add(note, st.Info)
}

// fileLine says how many log files are read, and what keeps others away; nil without any.
func (v *sourceStates) fileLine(env *view.Env) widget.Line {
	if len(v.place.files) == 0 {
		return nil
	}
	st := env.Styles
	var behind int64
	var bad []string
	for i := range v.place.files {
		s := &v.place.files[i]
		behind += max(0, s.Behind)
		if !s.IsUp() {
			bad = append(bad, s.File[strings.LastIndexAny(s.File, `/\`)+1:]+" "+string(s.State))
		}
	}
	text := words.Count(uint64(len(v.place.files)), "log file") + " read"
	if behind > 0 && !v.place.pos.Sought {
		text += ", " + words.Size(behind) + " behind"
	}
	if len(bad) == 0 && (behind == 0 || v.place.pos.Sought) && env.H < 30 && v.place.ok {
		return nil // the bar says that there are files
	}
	if len(bad) > 0 {
		return widget.StyledLine(" "+words.Warned+" "+text+" · "+words.ListFew(bad, 2), st.Warn)
	}
	return widget.StyledLine(" "+words.Live+" ", st.OK).Add(text, st.Dim)
}

// timeToGoTo reads a time, as moment.Parse does from the line at, or the start or end of what the files have.
func timeToGoTo(text string, at time.Time, pos logs.Position, now time.Time) (to time.Time, wrong string) {
	switch strings.TrimSpace(text) {
	case "start":
		return pos.From, ""
	case "end":
		return logs.TheEnd, ""
	}
	to, err := words.ParseMoment(text, now, at)
	if err != nil {
		return to, err.Error() + "; or a step such as -10m, start or end"
	}
	return to, ""
}

package logs

import (
	"fmt"
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
	pos   logs.Position
	ok    bool // there are log files, and none is a pipe
	files []logline.Stream
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
	if p.pos.Speed > 0 {
		note += fmt.Sprintf(" · %gx", p.pos.Speed)
	}
	room := w - widget.TextWidth(from) - widget.TextWidth(to) - widget.TextWidth(note) - 4
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
	if behind > 0 {
		text += ", " + words.Size(behind) + " behind"
	}
	if len(bad) == 0 && behind == 0 && env.H < 30 && v.place.ok {
		return nil // the bar says that there are files
	}
	if len(bad) > 0 {
		return widget.StyledLine(" "+words.Warned+" "+text+" · "+words.ListFew(bad, 2), st.Warn)
	}
	return widget.StyledLine(" "+words.Live+" ", st.OK).Add(text, st.Dim)
}

// unfilteredLine says that the filter leaves out older lines of the log files; nil if it does not.
func (v *logPage) unfilteredLine(env *view.Env) widget.Line {
	if v.feed.query.ShowsAll() || !v.place.ok || v.place.pos.ReadWhole || v.place.pos.Speed > 0 {
		return nil
	}
	text := " older lines of the files are not filtered here; rung logs --log PATH --filter prints them"
	return widget.StyledLine(text, env.Styles.Dim)
}

// TakeText answers the removed key that went to a time in log files.
func (v *logPage) TakeText(env *view.Env, text string) bool {
	if text != "@" {
		return false
	}
	env.SayText("@ was removed: %s", action.NoSeek)
	return true
}

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

// sourceStates holds the states of the sources of lines.
type sourceStates struct {
	stats    logs.Stats
	streams  []logline.Stream // of nodes
	files    []logline.Stream // log files
	losses   []logs.MeterLoss // of ACLs at their meter limits, of all policies
	speed    float64          // replay speed of log files; 0: not replayed
	playedAt time.Time        // time of the line replayed last
	cut      bool             // log files have more lines than are kept
}

// takeStore updates the states from the store.
func (v *sourceStates) takeStore(l *logs.Store) {
	v.stats, v.losses = l.Stats(), l.Losses()
	v.speed, v.playedAt = l.Playing()
	v.cut = l.HasCutFiles()
	v.streams, v.files = logs.NodesAndFiles(l.Streams())
}

// fileLine says how many log files are read, and which have problems; nil without any.
func (v *sourceStates) fileLine(env *view.Env) widget.Line {
	if len(v.files) == 0 {
		return nil
	}
	st := env.Styles
	var behind int64
	var bad []string
	for i := range v.files {
		s := &v.files[i]
		behind += max(0, s.Behind)
		if !s.IsUp() {
			bad = append(bad, s.File[strings.LastIndexAny(s.File, `/\`)+1:]+" "+string(s.State))
		}
	}
	text := words.Count(uint64(len(v.files)), "log file") + " read"
	if behind > 0 {
		text += ", " + words.Size(behind) + " behind"
	}
	if v.speed > 0 && !v.playedAt.IsZero() {
		text += fmt.Sprintf(" · at %s, %gx", words.Clock(v.playedAt.In(env.Now.Location()), env.Now), v.speed)
	}
	if len(bad) > 0 {
		return widget.StyledLine(" "+words.Warned+" "+text+" · "+words.ListFew(bad, 2), st.Warn)
	}
	return widget.StyledLine(" "+words.Live+" ", st.OK).Add(text, st.Dim)
}

// unfilteredLine warns that the filter misses older lines of the log files; nil if it does not.
func (v *logPage) unfilteredLine(env *view.Env) widget.Line {
	if v.feed.query.ShowsAll() || !v.cut || v.speed > 0 {
		return nil
	}
	text := " older lines of the files are not filtered here; rung logs --log PATH --filter prints them"
	return widget.StyledLine(text, env.Styles.Dim)
}

// TakeText explains the removed key @, which went to a time in log files.
func (v *logPage) TakeText(env *view.Env, text string) bool {
	if text != "@" {
		return false
	}
	env.ShowText("@ was removed: %s", action.NoSeek)
	return true
}

package trace

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"rung/model/words"
	"rung/revision"
	"rung/system"
	"rung/ui/detail"
	"rung/ui/view"
)

// ovnRun holds a run of ovn-trace and its result.
type ovnRun struct {
	view.LatestWork
	isWanted bool // run when the page opens
	doing    *atomic.Pointer[string]
	seenStep string // last drawn value of doing
	result   *revision.OVNTrace
	err      error
}

// drawnRun is the drawn part of ovnRun.
type drawnRun struct {
	asks   bool
	doing  string
	result *revision.OVNTrace
	err    error
}

func (a *ovnRun) drawnState() drawnRun {
	a.seenStep = a.stepNow()
	return drawnRun{a.IsUnderWay(), a.seenStep, a.result, a.err}
}

// stepNow returns the current step of ovn-trace, empty if none.
func (a *ovnRun) stepNow() string {
	if a.doing == nil || a.doing.Load() == nil {
		return ""
	}
	return *a.doing.Load()
}

// askOVN runs ovn-trace; closing the page stops it.
func (v *tracePage) askOVN(env *view.Env) {
	v.ovn.isWanted = false
	switch {
	case v.problem != "":
		env.ShowFailure("cannot ask: %s", v.problem)
		return
	case !env.Rev.System.HasFeature(system.Rows):
		env.ShowFailure("cannot ask OVN: %s", env.Rev.System.WhyLacking(system.Rows))
		return
	case v.ovn.IsUnderWay():
		return
	}
	doing, c, ask := &atomic.Pointer[string]{}, v.connection, env.Console.OVNTrace
	v.ovn.doing = doing
	view.BeginWork(&v.ovn.LatestWork, env, "asking OVN", func(ctx context.Context) (*revision.OVNTrace, error) {
		return ask(ctx, c, func(s string) { doing.Store(&s) })
	})
}

// addOVN adds ovn-trace's answer stage by stage, with differing answers of the rows below.
func (v *tracePage) addOVN(s *detail.Sheet) {
	a, st := &v.ovn, s.St
	switch {
	case a.IsUnderWay():
		text := "asking OVN"
		text += words.Between(": ", a.seenStep, "")
		s.AddNote("ovn", 0, words.Noted, st.Dim, st.Dim, text)
	case a.err != nil:
		s.AddNote("ovn", 0, words.Failed, st.Error, st.Text, "OVN: "+a.err.Error())
	case a.result != nil:
		v.ovnWords(s, a.result)
	}
}

func (v *tracePage) ovnWords(s *detail.Sheet, t *revision.OVNTrace) {
	st, w := s.St, t.InWords()
	sign, look := words.Yes, st.OK
	switch {
	case w.Disagrees:
		sign, look = words.Differs, st.Warn
	case !w.Agrees:
		sign, look = words.Unknown, st.Warn
	}
	s.AddNote("ovn", 0, sign, look, st.Text, fmt.Sprintf("ovn-trace at %s: %s", t.At.Format(time.TimeOnly), w.Headline))
	for i := range w.Paths {
		way := &w.Paths[i]
		if way.To != "" {
			s.AddNote(fmt.Sprintf("ovn.%d", i), 2, "", st.Dim, st.Text, "to "+way.To)
		}
		for j, l := range way.Lines {
			id := fmt.Sprintf("ovn.%d.%d", i, j)
			s.AddNote(id, 2, "", st.Dim, st.Dim, l.Zone+" "+l.Stage+": "+l.OVN)
			if l.Agreement != revision.Agree {
				s.AddNote(id+".rows", 4, words.Differs, st.Warn, st.Text, "rows: "+l.Rows)
			}
		}
		for j, n := range way.Notes {
			s.AddNote(fmt.Sprintf("ovn.%d.note.%d", i, j), 2, words.Noted, st.Dim, st.Text, n)
		}
	}
}

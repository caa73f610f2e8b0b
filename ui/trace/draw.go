package trace

import (
	"fmt"

	"rung/engine/trace"
	"rung/model/verdict"
	"rung/model/words"
	pages "rung/pages/trace"
	"rung/themes"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
)

// drawLines draws the verdict in words, then the former one, the ends, the rows, and the path.
func (v *tracePage) drawLines(env *view.Env) {
	second := int64(0)
	if !v.changedAt.IsZero() {
		second = env.Now.Unix()
	}
	f := lineInputs{v.current, v.err, env.Styles, env.W, v.showsAll, second, v.rev, v.ovn.drawnState()}
	if f == v.drawn && v.problem == "" {
		return
	}
	v.drawn = f
	st := env.Styles
	s := &detail.Sheet{St: st, W: env.W}
	switch {
	case v.problem != "":
		s.AddNote("wrong", 0, words.Failed, st.Error, st.Text, "cannot ask: "+v.problem)
	case v.err != nil:
		s.AddNote("wrong", 0, words.Failed, st.Error, st.Text, v.err.Error())
		v.addBefore(env, s)
	case v.current == nil:
		s.Add("wait", nil, nav.Page{})
	default:
		v.addAnswer(env, s)
	}
	v.Pane.SetItems(s.Lines)
}

// Prefixes of the ids of lines with a verdict.
const (
	verdictLine  = "verdict"
	familyLine   = "family."
	endpointLine = "endpoint."
)

// addBefore adds the former answer and when it changed.
func (v *tracePage) addBefore(env *view.Env, s *detail.Sheet) {
	if !v.changedAt.IsZero() {
		s.AddNote("was", 0, words.Warned, s.St.Warn, s.St.Text, "changed "+words.Age(env.Now.Sub(v.changedAt))+" ago: "+v.formerAnswer)
	}
}

// shownOmissions bounds the omissions named.
const shownOmissions = 5

// addAnswer adds the whole answer.
func (v *tracePage) addAnswer(env *view.Env, s *detail.Sheet) {
	t := v.current
	whole := pages.VerdictPoint(t, verdictLine)
	whole.Role = themes.Title
	v.addPoints(s, 0, whole)
	v.addBefore(env, s)
	v.addPoints(s, 0, pages.ServicePoints(t)...)
	if len(t.Families) == 0 {
		v.addDifferences(s, t, "")
	}
	v.addOVN(s)
	detail.AddOmissions(s, t.NotConsidered, shownOmissions)
	if len(t.Families) == 0 {
		v.addPaths(s, t, "")
	}
	for _, one := range t.Families {
		name := one.Connection.Family.String()
		s.AddHead(name)
		v.addPoints(s, 0, pages.VerdictPoint(one, familyLine+name))
		v.addDifferences(s, one, name+".")
		v.addPaths(s, one, name+".")
	}
}

// addDifferences says whether the rows agree, and if not, why; at is the prefix of its line ids.
func (v *tracePage) addDifferences(s *detail.Sheet, t *trace.Trace, at string) {
	v.addPoints(s, 0, pages.DifferencePoints(t, at)...)
	if rows := pages.RowsPoint(t, at); rows.Text != "" && (len(t.Disagree) == 0 || t.Rows.Verdict == verdict.Unknown) {
		v.addPoints(s, 0, rows)
	}
}

// addPaths draws the paths of a connection, alike ones once; at is the prefix of their line ids.
func (v *tracePage) addPaths(s *detail.Sheet, t *trace.Trace, at string) {
	groups := pages.AlikePaths(t)
	if endpoints := pages.EndpointPoints(groups, at+endpointLine); len(endpoints) > 0 {
		s.AddHead(words.Count(len(t.Paths), "endpoint"))
		v.addPoints(s, 0, endpoints...)
	}
	for i, alike := range groups {
		p, id := alike[0], fmt.Sprint(at, i)
		if len(groups) > 1 {
			s.AddHead("to " + pages.EndpointNames(alike))
		}
		v.addPoints(s, 0, pages.EndPoints(t, alike, id)...)
		for j, stage := range pages.VisibleStages(p) {
			v.addStage(s, fmt.Sprintf("%s.%d", id, j), p, stage)
		}
	}
}

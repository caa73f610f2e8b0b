package trace

import (
	"fmt"
	"slices"
	"strings"

	"rung/engine/trace"
	"rung/model"
	"rung/model/signs"
	"rung/model/verdict"
	"rung/model/words"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
)

// drawLines makes the lines: the verdict in words first, then what it was, the ends, the rows,
// and the path.
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
		s.AddParagraph("wrong", 0, signs.Failed, st.Error, st.Text, "cannot ask: "+v.problem, nav.Page{})
	case v.err != nil:
		s.AddParagraph("wrong", 0, signs.Failed, st.Error, st.Text, v.err.Error(), nav.Page{})
		v.addBefore(env, s)
	case v.current == nil:
		s.Add("wait", nil, nav.Page{})
	default:
		v.addAnswer(env, s)
	}
	v.Pane.SetItems(s.Lines)
}

// The beginnings of the ids of lines that say a verdict.
const (
	verdictLine  = "verdict"
	familyLine   = "family."
	endpointLine = "endpoint."
)

// addBefore says what the answer was until when.
func (v *tracePage) addBefore(env *view.Env, s *detail.Sheet) {
	if !v.changedAt.IsZero() {
		s.AddParagraph("was", 0, signs.Warned, s.St.Warn, s.St.Text, "changed "+words.Age(env.Now.Sub(v.changedAt))+" ago: "+v.was, nav.Page{})
	}
}

// addAnswer is the whole.
func (v *tracePage) addAnswer(env *view.Env, s *detail.Sheet) {
	t, st := v.current, s.St
	sign, look := detail.VerdictSign(t.Verdict, st)
	d := &detail.PathDrawing{Sheet: s, Rev: v.rev, All: v.showsAll}
	var to nav.Page
	if len(t.Paths) == 1 && len(t.Families) == 0 {
		to = d.DecidingPage(&t.Paths[0])
	}
	s.AddParagraph(verdictLine, 0, sign, look, st.Title, t.Sentence(), to)
	v.addBefore(env, s)
	if text := t.ServiceInFront(); text != "" {
		s.AddParagraph("front", 0, signs.Noted, st.Dim, st.Text, text, nav.Page{})
	}
	if h := t.Through; h != nil {
		sign, look := detail.VerdictSign(h.Verdict, st)
		q := v.question
		q.To = trace.EndText(h.Service)
		s.AddParagraph("through", 0, sign, look, st.Text, h.Hint(), nav.ToTrace(q.String()))
	}
	if text := t.IdleOutcome(); text != "" {
		s.AddParagraph("otherwise", 0, signs.Warned, st.Warn, st.Text, text, nav.Page{})
	}
	if len(t.Families) == 0 {
		v.byRows(s, t, "")
	}
	v.byOVN(s)
	detail.AddOmissions(s, t.NotConsidered)
	if len(t.Families) == 0 {
		v.addPaths(s, d, t, "")
		return
	}
	for _, one := range t.Families {
		sign, look := detail.VerdictSign(one.Verdict, st)
		name := one.Connection.Family.String()
		s.AddHead(name)
		s.AddParagraph(familyLine+name, 0, sign, look, st.Text, one.Sentence(), nav.Page{})
		v.byRows(s, one, name+".")
		v.addPaths(s, d, one, name+".")
	}
}

// addPaths draws the ways of a connection; at begins the names of their lines.
func (v *tracePage) addPaths(s *detail.Sheet, d *detail.PathDrawing, t *trace.Trace, at string) {
	st := s.St
	if len(t.Paths) == 0 {
		return
	}
	service := t.Answer.Front != nil || t.Connection.To.Key.Kind == model.KindService
	if !service || len(t.Paths) == 1 && t.Paths[0].To.Key == t.Connection.To.Key {
		d.AddEnds(at+"0", &t.Paths[0], t.Connection)
		d.AddStages(at+"0", &t.Paths[0])
		return
	}
	if len(t.Paths) > 1 {
		s.AddHead(words.Count(len(t.Paths), "endpoint"))
		for i := range t.Paths {
			p := &t.Paths[i]
			sign, look := detail.VerdictSign(p.Verdict, st)
			s.AddParagraph(fmt.Sprint(at+endpointLine, i), 0, sign, look, st.Text, trace.EndName(p.To.Endpoint)+": "+briefPath(p), v.endpointTrace(p))
		}
	}
	for i := range t.Paths {
		id := fmt.Sprint(at, i)
		if len(t.Paths) > 1 {
			s.AddHead("to " + trace.EndName(t.Paths[i].To.Endpoint))
		}
		d.AddEnds(id, &t.Paths[i], t.Connection)
		d.AddStages(id, &t.Paths[i])
	}
}

// briefPath says what becomes of the way to an endpoint: who allows it stands below.
func briefPath(p *trace.Path) string {
	if p.Verdict == verdict.Allow {
		return p.Verdict.DoneText()
	}
	return p.Sentence()
}

// endpointTrace is the trace to one endpoint of a Service, as if it was asked for itself.
func (v *tracePage) endpointTrace(p *trace.Path) nav.Page {
	q := v.question
	q.To, q.Port = p.To.Addr.String(), int(p.To.Port)
	if p.To.Key.Name != "" {
		q.To = trace.EndText(p.To.Key)
	}
	return nav.ToTrace(q.String())
}

// byRows says in a line whether the rows say the same, and where they do not, why; at begins the
// names of its lines.
func (v *tracePage) byRows(s *detail.Sheet, t *trace.Trace, at string) {
	st := s.St
	for i := range t.Disagree {
		g := &t.Disagree[i]
		sign, look := detail.SeveritySign(g.Finding.Severity, st)
		s.AddParagraph(fmt.Sprintf("%sdisagree.%d", at, i), 0, sign, look, st.Text, g.Finding.Message, detail.DisagreementPage(v.rev, g))
		s.AddParagraph(fmt.Sprintf("%sremedy.%d", at, i), 2, signs.Remedy, st.Dim, st.Dim, g.Finding.Remedy, nav.Page{})
	}
	var unknown []string
	asked := false
	for i := range t.Paths {
		for j := range t.Paths[i].Stages {
			by := t.Paths[i].Stages[j].Rows
			asked = asked || by != nil
			if by != nil && by.Verdict == verdict.Unknown && !slices.Contains(unknown, by.Reason) {
				unknown = append(unknown, by.Reason)
			}
		}
	}
	switch {
	case len(unknown) > 0:
		s.AddParagraph(at+"rows", 0, signs.Unknown, st.Warn, st.Text, "rows unknown: "+strings.Join(unknown, "; "), nav.Page{})
	case asked && t.Verdict == verdict.Unknown:
		s.AddParagraph(at+"rows", 0, signs.Noted, st.Dim, st.Dim, "rows say "+string(t.Rows.Verdict), nav.Page{})
	case asked && len(t.Disagree) == 0:
		s.AddParagraph(at+"rows", 0, signs.Yes, st.OK, st.Dim, "rows agree in "+words.List(t.Zones(), 3), nav.Page{})
	}
}

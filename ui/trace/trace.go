package trace

import (
	"context"
	"slices"
	"time"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/revision/flows"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// page is the view.
type page struct {
	detail.PanePage
	question trace.Question
	asks     verdict.Connection
	wrong    string // why the question cannot be asked
	tracer   *trace.Tracer
	all      bool

	asked   inputs // what the answer, or the one under way, was worked out from
	running bool
	since   time.Time // when the answer under way was asked for
	next    time.Time // when it may be asked again

	rev   *revision.Revision // of the answer
	now   *trace.Trace       // the answer, nil without
	err   error              // why there is none
	ovn   asking
	was   string    // what it was before it changed
	when  time.Time // when it changed, zero where it did not
	drawn frame

	turned time.Time // when the verdict changed, and not only whether the rows agree
}

// inputs are the inputs of an answer: it is asked for again when one of them changes.
type inputs struct {
	cluster *model.Cluster
	desired any                // *compiler.Desired: another one where options changed
	zones   []*model.ZoneState // those that the connection comes through
}

func (in inputs) same(o inputs) bool {
	return in.cluster == o.cluster && in.desired == o.desired && slices.Equal(in.zones, o.zones)
}

// frame holds the inputs that the lines were last made from.
type frame struct {
	now    *trace.Trace
	err    error
	st     *themes.StyleSet
	w      int
	all    bool
	second int64
	rev    *revision.Revision
	ovn    shown
}

// New makes the view of a question.
func New(p nav.Page) view.View {
	v := &page{PanePage: detail.NewPage(), tracer: &trace.Tracer{}}
	v.ovn.wanted = p.AskOVN
	q, err := trace.ParseQuestion(p.ID)
	v.question = q
	if err != nil {
		v.wrong = err.Error()
		return v
	}
	v.wrong = q.Check()
	if v.wrong == "" {
		v.asks, _ = q.Connection() // checked
	}
	return v
}

// answer is the answer of a Tracer for a revision.
type answer struct {
	rev   *revision.Revision
	trace *trace.Trace
	err   error
	took  time.Duration
}

// Sync asks again where something changed, and draws the answer.
func (v *page) Sync(env *view.Env) {
	if v.wrong == "" {
		if v.now != nil {
			env.Console.LookAt(v.now.Zones()...)
		}
		if v.due(env) {
			v.ask(env)
		}
		if v.ovn.wanted {
			v.askOVN(env)
		}
	}
	v.draw(env)
}

// inputs returns a revision's inputs of the answer.
func (v *page) inputs(r *revision.Revision) inputs {
	return inputs{cluster: r.Cluster, desired: r.Desired, zones: zonesOf(r, v.now)}
}

// due reports whether there is something to ask again, and it may be asked. Rows that are
// settling may count as wrong later without any change.
func (v *page) due(env *view.Env) bool {
	switch {
	case v.running || env.Now.Before(v.next):
		return false
	case !v.inputs(env.Rev).same(v.asked):
		return true
	}
	return v.settling() && env.Now.Sub(v.since) >= time.Second
}

// settling says whether rows disagree that just changed.
func (v *page) settling() bool {
	return v.now != nil && slices.ContainsFunc(v.now.AllDisagree(), func(d trace.Disagreement) bool { return d.Settling })
}

// HasNews says whether what changed meanwhile may be asked about now.
func (v *page) HasNews(env *view.Env) bool { return v.wrong == "" && v.due(env) || v.ovn.heard() }

// WorkingSince is since when an answer is worked out.
func (v *page) WorkingSince() time.Time {
	if v.running {
		return v.since
	}
	return v.ovn.BeganAt()
}

// ask works the answer out, away from the screen: on a large cluster it takes a while.
func (v *page) ask(env *view.Env) {
	v.running, v.since, v.asked = true, env.Now, v.inputs(env.Rev)
	r, t, c, now, clock := env.Rev, v.tracer, v.asks, env.Now, env.Console.Now
	env.Run("tracing", func(context.Context) any {
		began := clock()
		out, err := t.AskAllFamilies(r, c, trace.Both, true, now)
		return answer{r, out, err, clock().Sub(began)}
	})
}

// rest is how many times as long as an answer took is waited until the next: where every
// pod that comes brings a revision, the machine has other work as well.
const rest = 4

// ReceiveResult takes an answer, and notices what became another.
func (v *page) ReceiveResult(env *view.Env, msg any) {
	if t, err, ok := view.TakeResult[*flows.OVNTrace](&v.ovn.LatestWork, msg); ok {
		v.ovn.take(t, err)
		return
	}
	a, ok := msg.(answer)
	if !ok {
		return
	}
	first := v.now == nil && v.err == nil
	before := v.said()
	v.running, v.next = false, env.Now.Add(rest*a.took)
	v.rev, v.now, v.err = a.rev, a.trace, a.err
	if after := v.said(); !first && after != before && !v.follows(before, after, env.Now) {
		v.was, v.when = before.until(after), env.Now
		if before.text != after.text {
			v.turned = env.Now
		}
	}
	// Which zones count is known only once the way is.
	v.asked.zones = zonesOf(a.rev, v.now)
}

// said is an answer in brief: its sentence, and whether the rows disagreed.
type said struct {
	text     string
	disagree bool
}

// said returns the state of the current answer.
func (v *page) said() said {
	switch {
	case v.err != nil:
		return said{text: v.err.Error()}
	case v.now == nil:
		return said{}
	}
	return said{v.now.Sentence(), slices.ContainsFunc(v.now.AllDisagree(), func(d trace.Disagreement) bool { return !d.Settling && !d.KnownFrom2016 })}
}

// follow is how long after a change of the verdict the rows may be on their way.
const follow = time.Minute

// follows reports whether only the rows changed sides, and that soon after the verdict did:
// they follow the policies. The line about the verdict before is then worth more and stays.
func (v *page) follows(before, after said, now time.Time) bool {
	return before.text == after.text && !v.turned.IsZero() && now.Sub(v.turned) < follow
}

// until describes the answer s, which held until after: the part that changed.
func (s said) until(after said) string {
	rows := "rows agreed before"
	if s.disagree {
		rows = "rows disagreed before"
	}
	switch {
	case s.text == after.text:
		return rows
	case s.disagree:
		return "was " + s.text + "; " + rows
	}
	return "was " + s.text
}

// Do asks for other ends, leads on, or walks.
func (v *page) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.TraceAsk:
		view.AskTrace(env, v.question)
	case action.TraceOVN:
		v.askOVN(env)
		v.draw(env)
	case action.TraceAll:
		v.all = !v.all
		v.draw(env)
	default:
		return v.PanePage.Do(env, id)
	}
	return true
}

// Crumb names the connection.
func (v *page) Crumb() string {
	if v.wrong != "" {
		return "trace"
	}
	return "trace " + v.asks.String()
}

// BriefCrumb leaves the ends out.
func (v *page) BriefCrumb() string { return "trace" }

// Copies are the answer and the commands that ask the same.
func (v *page) Copies(env *view.Env) []view.CopyItem {
	var out []view.CopyItem
	if v.now != nil {
		out = append(out, view.CopyItem{What: "answer", Text: v.now.Connection.String() + ": " + v.now.Sentence()})
	}
	if v.wrong == "" {
		out = append(out, view.CopyItem{What: "rung trace command", Text: v.question.Command()})
		if line, _ := trace.OvnkubeTrace(v.asks); line != "" {
			out = append(out, view.CopyItem{What: "ovnkube-trace command", Text: line})
		}
	}
	if v.now != nil {
		lines, _ := v.now.OVNTrace(v.rev) // where there are none, there is nothing to copy
		for _, l := range lines {
			out = append(out, view.CopyItem{What: "ovn-trace command for zone " + l.Zone, Text: l.Line})
		}
	}
	return append(out, view.CopiesOf(env, v.SelectedPage())...)
}

// TellState says whether policies and rows agree.
func (v *page) TellState(env *view.Env) widget.Line {
	if v.running {
		if busy := env.BusyLine(v.since, "tracing"); busy != nil {
			return busy
		}
	}
	if v.ovn.IsUnderWay() {
		if busy := env.BusyLine(v.ovn.BeganAt(), "asking OVN"); busy != nil {
			return busy
		}
	}
	return nil
}

// zonesOf are the states of zones as they are now.
func zonesOf(r *revision.Revision, t *trace.Trace) (out []*model.ZoneState) {
	if t == nil {
		return nil
	}
	for _, name := range t.Zones() {
		out = append(out, r.Zone(name))
	}
	return out
}

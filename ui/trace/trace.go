package trace

import (
	"context"
	"slices"
	"strings"
	"time"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// tracePage is the view.
type tracePage struct {
	detail.PanePage
	question   trace.Question
	connection verdict.Connection
	problem    string // why the question is invalid
	tracer     *trace.Tracer
	showsAll   bool

	askedInputs answerInputs // inputs of the present or running answer
	running     bool
	askedAt     time.Time // when the running answer was asked for
	next        time.Time // earliest time of the next question

	rev          *revision.Revision // of the answer
	current      *trace.Trace       // the answer, nil if none
	err          error              // why there is no answer
	ovn          ovnRun
	formerAnswer string    // the former answer
	changedAt    time.Time // when the answer changed, or zero for never
	drawn        lineInputs

	verdictChangedAt time.Time // when the verdict itself changed, not only the rows' agreement
}

// answerInputs holds the inputs of an answer, which is asked for again when one changes.
type answerInputs struct {
	cluster *model.Cluster
	desired any                // *compiler.Desired, another one after changed options
	zones   []*model.ZoneState // zones that the connection passes
}

func (in answerInputs) isSame(o answerInputs) bool {
	return in.cluster == o.cluster && in.desired == o.desired && slices.Equal(in.zones, o.zones)
}

// lineInputs holds the inputs of the lines.
type lineInputs struct {
	current  *trace.Trace
	err      error
	st       *themes.StyleSet
	w        int
	showsAll bool
	second   int64
	rev      *revision.Revision
	ovn      drawnRun
}

// New makes the view of a question.
func New(p nav.Page) view.View {
	v := &tracePage{PanePage: detail.NewPage(), tracer: &trace.Tracer{}}
	v.ovn.isWanted = p.AskOVN
	q, err := trace.ParseQuestion(p.ID)
	v.question = q
	if err != nil {
		v.problem = err.Error()
		return v
	}
	v.problem = q.Check()
	if v.problem == "" {
		v.connection, _ = q.Connection() // checked
	}
	return v
}

// traceAnswer is the answer of a Tracer for a revision.
type traceAnswer struct {
	rev   *revision.Revision
	trace *trace.Trace
	err   error
	took  time.Duration
}

// Sync asks again if an input changed, and draws the answer.
func (v *tracePage) Sync(env *view.Env) {
	if v.problem == "" {
		if v.current != nil {
			env.Console.LookAt(v.current.Zones()...)
		}
		if v.isDue(env) {
			v.askTrace(env)
		}
		if v.ovn.isWanted {
			v.askOVN(env)
		}
	}
	v.drawLines(env)
}

// newInputs returns the answer's inputs in a revision.
func (v *tracePage) newInputs(r *revision.Revision) answerInputs {
	return answerInputs{cluster: r.Cluster, desired: r.Desired, zones: traceZones(r, v.current)}
}

// isDue reports whether to ask again now. Settling rows may count as wrong later without any change.
func (v *tracePage) isDue(env *view.Env) bool {
	switch {
	case v.running || env.Now.Before(v.next):
		return false
	case !v.newInputs(env.Rev).isSame(v.askedInputs):
		return true
	}
	return v.isSettling() && env.Now.Sub(v.askedAt) >= time.Second
}

// isSettling reports whether disagreeing rows have just changed.
func (v *tracePage) isSettling() bool {
	return v.current != nil && slices.ContainsFunc(v.current.AllDisagree(), func(d trace.Disagreement) bool { return d.Settling })
}

// HasNews reports whether to ask again, or whether ovn-trace progressed.
func (v *tracePage) HasNews(env *view.Env) bool {
	return v.problem == "" && v.isDue(env) || v.ovn.IsUnderWay() && v.ovn.stepNow() != v.ovn.seenStep
}

// WorkingSince returns when the running work began.
func (v *tracePage) WorkingSince() time.Time {
	if v.running {
		return v.askedAt
	}
	return v.ovn.BeganAt()
}

// askTrace computes the answer in a goroutine: on a large cluster it takes a while.
func (v *tracePage) askTrace(env *view.Env) {
	v.running, v.askedAt, v.askedInputs = true, env.Now, v.newInputs(env.Rev)
	r, t, c, now, clock := env.Rev, v.tracer, v.connection, env.Now, env.Console.Now
	env.Run("tracing", func(context.Context) any {
		began := clock()
		out, err := t.AskAllFamilies(r, c, trace.Both, true, now)
		return traceAnswer{r, out, err, clock().Sub(began)}
	})
}

// pauseFactor is the pause before the next answer, in multiples of the last answer's time: with a revision for every
// new pod, the machine needs time for other work.
const pauseFactor = 4

// ReceiveResult takes an answer, and notes whether it changed.
func (v *tracePage) ReceiveResult(env *view.Env, msg any) {
	if t, err, ok := view.TakeResult[*revision.OVNTrace](&v.ovn.LatestWork, msg); ok {
		v.ovn.doing, v.ovn.result, v.ovn.err = nil, t, err
		return
	}
	a, ok := msg.(traceAnswer)
	if !ok {
		return
	}
	first := v.current == nil && v.err == nil
	before := v.currentBrief()
	v.running, v.next = false, env.Now.Add(pauseFactor*a.took)
	v.rev, v.current, v.err = a.rev, a.trace, a.err
	if after := v.currentBrief(); !first && after != before && !v.isFollowing(before, after, env.Now) {
		v.formerAnswer, v.changedAt = before.untilText(after), env.Now
		if before.text != after.text {
			v.verdictChangedAt = env.Now
		}
	}
	// Which zones the connection passes is known only after the answer.
	v.askedInputs.zones = traceZones(a.rev, v.current)
}

// briefAnswer is an answer in brief: its sentence, and whether the rows disagreed.
type briefAnswer struct {
	text     string
	disagree bool
}

// currentBrief returns the current answer in brief.
func (v *tracePage) currentBrief() briefAnswer {
	switch {
	case v.err != nil:
		return briefAnswer{text: v.err.Error()}
	case v.current == nil:
		return briefAnswer{}
	}
	return briefAnswer{v.current.Sentence(), slices.ContainsFunc(v.current.AllDisagree(), func(d trace.Disagreement) bool {
		return !d.Settling && !d.KnownFrom2016
	})}
}

// follow is how long after a change of the verdict the rows may lag.
const follow = time.Minute

// isFollowing reports whether only the rows' agreement changed, soon after the verdict: the rows follow the
// policies. The line about the former verdict then matters more and stays.
func (v *tracePage) isFollowing(before, after briefAnswer, now time.Time) bool {
	return before.text == after.text && !v.verdictChangedAt.IsZero() && now.Sub(v.verdictChangedAt) < follow
}

// untilText describes the former answer s, as far as it differs from after.
func (s briefAnswer) untilText(after briefAnswer) string {
	rows := words.Choose(s.disagree, "rows disagreed before", "rows agreed before")
	switch {
	case s.text == after.text:
		return rows
	case s.disagree:
		return "was " + s.text + "; " + rows
	}
	return "was " + s.text
}

// Do asks for other ends, runs ovn-trace, or opens lines.
func (v *tracePage) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.TraceAsk:
		view.AskTrace(env, v.question)
	case action.TraceOVN:
		v.askOVN(env)
		v.drawLines(env)
	case action.TraceNetwork:
		view.AskNetwork(env, view.NetworkChoice{Now: v.question.Network, Default: "the network that both ends are on",
			Page: func(network string) nav.Page {
				q := v.question
				q.Network = network
				return nav.ToTrace(q.String())
			}})
	case action.TraceAll:
		v.showsAll = !v.showsAll
		v.drawLines(env)
	case action.Open:
		if !v.goToEndpoints() {
			return v.PanePage.Do(env, id)
		}
	default:
		return v.PanePage.Do(env, id)
	}
	return true
}

// goToEndpoints moves from the verdict on a Service, which no single rule decides, to its first endpoint.
func (v *tracePage) goToEndpoints() bool {
	l, ok := v.Pane.SelectedItem()
	if !ok || !v.SelectedPage().IsNone() || l.ID != verdictLine && !strings.HasPrefix(l.ID, familyLine) {
		return false
	}
	at := ""
	if family, ok := strings.CutPrefix(l.ID, familyLine); ok {
		at = family + "."
	}
	return v.Pane.SelectID(at+endpointLine+"0") || v.Pane.SelectID(verdict.IPv4.String()+"."+endpointLine+"0") || v.Pane.SelectID(at+"0.to")
}

// Crumb names the connection.
func (v *tracePage) Crumb() string {
	if v.problem != "" {
		return "trace"
	}
	return "trace " + v.connection.String() + words.OnNetwork(v.question.Network)
}

// BriefCrumb leaves the ends out.
func (v *tracePage) BriefCrumb() string { return "trace" }

// Copies offers the answer and equivalent commands.
func (v *tracePage) Copies(env *view.Env) []view.CopyItem {
	var out []view.CopyItem
	if v.current != nil {
		out = append(out, view.CopyItem{What: "answer", Text: v.current.Connection.String() + ": " + v.current.Sentence()})
	}
	if v.problem == "" {
		out = append(out, view.CopyItem{What: "rung trace command", Text: v.question.Command()})
		if line, _ := trace.OvnkubeTrace(v.connection); line != "" {
			out = append(out, view.CopyItem{What: "ovnkube-trace command", Text: line})
		}
	}
	if v.current != nil {
		lines, _ := v.current.OVNTrace(v.rev) // without commands there is nothing to copy
		for _, l := range lines {
			out = append(out, view.CopyItem{What: "ovn-trace command for zone " + l.Zone, Text: l.Line})
		}
	}
	return append(out, view.PageCopies(env, v.SelectedPage())...)
}

// StateLine shows the running work.
func (v *tracePage) StateLine(env *view.Env) widget.Line {
	if busy := env.BusyLine(v.askedAt, "tracing"); v.running && busy != nil {
		return busy
	}
	if v.ovn.IsUnderWay() {
		return env.BusyLine(v.ovn.BeganAt(), "asking OVN")
	}
	return nil
}

// traceZones returns the present states of a trace's zones.
func traceZones(r *revision.Revision, t *trace.Trace) (out []*model.ZoneState) {
	if t == nil {
		return nil
	}
	for _, name := range t.Zones() {
		out = append(out, r.Zone(name))
	}
	return out
}

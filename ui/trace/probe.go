package trace

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"rung/engine/trace"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
)

// View sends one connection and shows the outcome.
type View struct {
	detail.PanePage
	page nav.Page

	sends     view.LatestWork
	phase     *atomic.Value
	cancelled bool
	result    *trace.Result
	err       error
	rev       *revision.Revision // of the lines
}

// NewProbe makes the view; the page has the question.
func NewProbe(page nav.Page) view.View { return &View{PanePage: detail.NewPage(), page: page} }

// Sync sends the packets when the page is first seen, and makes the lines.
func (v *View) Sync(env *view.Env) {
	if !v.sends.WasBegun() {
		v.sendPackets(env)
	}
	v.Pane.SetItems(v.pageLines(env))
}

// sendPackets sends the packets in a goroutine.
func (v *View) sendPackets(env *view.Env) {
	v.sends.StopWork()
	q, err := trace.ParseQuestion(v.page.ID)
	c, err2 := q.Connection()
	v.err = cmp.Or(err, err2)
	if v.err != nil {
		return
	}
	v.cancelled, v.phase = false, &atomic.Value{}
	console, phase := env.Console, v.phase
	phase.Store(trace.Waits)
	view.BeginWork(&v.sends, env, "sending packets", func(ctx context.Context) (*trace.Result, error) {
		return console.Probe(ctx, c, func(p trace.ProbePhase) { phase.Store(p) })
	})
}

// WorkingSince returns when sending began.
func (v *View) WorkingSince() time.Time { return v.sends.BeganAt() }

// ReceiveResult takes the outcome; an error leaves the earlier one.
func (v *View) ReceiveResult(env *view.Env, msg any) {
	result, err, ok := view.TakeResult[*trace.Result](&v.sends, msg)
	if !ok {
		return
	}
	v.err = err
	if err == nil {
		v.result = result
	}
	v.Sync(env)
}

// CanLeave stops the probe.
func (v *View) CanLeave(*view.Env) bool {
	v.sends.StopWork()
	return true
}

// Do sends again, asks for other ends, and cancels.
func (v *View) Do(env *view.Env, id action.ID) bool {
	switch {
	case id == action.ProbeAgain:
		v.sendPackets(env)
		v.Sync(env)
	case id == action.ProbeAsk:
		q, _ := trace.ParseQuestion(v.page.ID) // the dialog asks for unreadable parts
		view.AskProbe(env, q)
	case id == action.Back && v.sends.IsUnderWay():
		v.sends.StopWork()
		v.cancelled = true
		v.Sync(env)
	default:
		return v.PanePage.Do(env, id)
	}
	return true
}

// Crumb names the connection, as a trace does.
func (v *View) Crumb() string {
	q, err := trace.ParseQuestion(v.page.ID)
	c, err2 := q.Connection()
	if err != nil || err2 != nil {
		return "probe"
	}
	return "probe " + c.String()
}

// BriefCrumb leaves the ends out.
func (v *View) BriefCrumb() string { return "probe" }

// Copies offers the question as text and as a command.
func (v *View) Copies(env *view.Env) []view.CopyItem {
	q, err := trace.ParseQuestion(v.page.ID)
	if err != nil {
		return nil
	}
	return []view.CopyItem{{What: "connection", Text: q.String()}, {What: "rung probe command", Text: trace.CommandFor(q)}}
}

// podPage returns the page of a pod at an end, the zero Page for other ends.
func podPage(k model.Key) nav.Page {
	return words.Choose(k.Kind != model.KindPod, nav.Page{}, nav.ToPod(k))
}

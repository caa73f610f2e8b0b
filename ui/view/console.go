package view

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/history"
	"rung/engine/logs"
	"rung/engine/trace"
	"rung/model"
	"rung/model/plan"
	"rung/model/verdict"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// Console is the part of the engine that the screen needs.
type Console interface {
	// Revision is the current state, never nil; Subscribe ticks when there is
	// a new one, and when a state of it changes by the time alone.
	Revision() *revision.Revision
	Subscribe() (<-chan struct{}, func())
	Now() time.Time

	Preview(ctx context.Context, m change.Mutation) (*gate.Preview, error)
	Commit(ctx context.Context, p *gate.Preview, c gate.Confirm) (*gate.Result, error)
	// ConfirmTrial keeps the change that was made on trial, and says which it was.
	ConfirmTrial(by string) (title string, err error)
	SetWrites(on bool) error

	// Contexts are the contexts of the kubeconfig and the one run on.
	Contexts() (names []string, current string, err error)

	// LookAt says which zones are on the screen, in every frame if one likes: a zone
	// that is only read in turn is followed then.
	LookAt(zones ...string)
	// LookAtFlows says the same of zones whose logical flows are on the screen: their
	// Southbound databases are read then.
	LookAtFlows(zones ...string)

	Activity(after uint64) []model.Activity
	// Changes are the changes that were made, failed or were refused, the oldest first.
	Changes() []history.Change
	Logs() *logs.Store
	// ControllerLog reads what a zone's ovnkube-controller wrote about a policy.
	ControllerLog(ctx context.Context, zone string, policy model.PolicyKey) (*logs.Log, error)
	// OVNTrace asks ovn-trace about a connection, and holds it against the rows. told hears
	// what is being done, from another goroutine.
	OVNTrace(ctx context.Context, c verdict.Connection, told func(doing string)) (*revision.OVNTrace, error)
	History() []history.Entry

	// Probe puts a connection into the sandbox as packets and judges what became of
	// them; at is told what it is at.
	Probe(ctx context.Context, c verdict.Connection, at func(trace.ProbePhase)) (*trace.Result, error)

	// PreviewPlan is the preview of a whole plan, ContinuePreview of the steps that a
	// stopped plan has left, or of its way back. Confirming one of
	// them (ConfirmName once, for all guards) starts the plan, and no step asks again.
	PreviewPlan(ctx context.Context, p *plan.Plan) (*gate.Preview, error)
	StartPlan(ctx context.Context, p *plan.Plan, read *gate.Preview, c gate.Confirm) error
	ContinuePreview(ctx context.Context, back bool) (*gate.Preview, error)
	ContinuePlan(ctx context.Context, back bool, read *gate.Preview, c gate.Confirm) error
	// StopPlan stops a running plan of this Rung after the step under way.
	StopPlan()
	// KeepPlan ends a plan that stopped: the policies stay as they are, and what was
	// done is one change of the history. One that is done is put away. read is the
	// revision that was on the screen.
	KeepPlan(read *revision.Revision) error
}

// StateStyle is the look of a policy's state.
func StateStyle(s model.PolicyState, st *themes.StyleSet) themes.Style {
	return st.StyleOf(page.StateRole(s))
}

// ActionStyle is the look of what a rule does.
func ActionStyle(a model.Action, st *themes.StyleSet) themes.Style {
	return st.StyleOf(page.ActionRole(a))
}

// The questions that several views ask before a change is previewed.

// AskDelete previews the removal of a policy.
func AskDelete(env *Env, k model.PolicyKey) {
	env.PreviewChange(change.Mutation{Op: change.OpDelete, Policy: k})
}

// AskMove asks for another place of a policy that has one.
func AskMove(env *Env, k model.PolicyKey) {
	p := env.Rev.Cluster.Policy(k)
	if p == nil || !k.Kind.CanMove() {
		env.SayFailure("%s has no priority", k.Label())
		return
	}
	label := fmt.Sprintf("New priority (now %s; lower decides first):", p.PlaceText())
	if p.Tiered != nil {
		label = fmt.Sprintf("New priority, or TIER/PRIORITY (now %s):", p.PlaceText())
	}
	move := func(s string) (change.Mutation, string) {
		m := change.Mutation{Op: change.OpMove, Policy: k}
		if err := m.ParsePlace(s); err != nil {
			return m, err.Error()
		}
		if _, at, why := m.PlaceOf(p); why != "" || p.Tiered == nil && at > 1000 {
			return m, cmp.Or(why, "a number from 0 to 1000")
		}
		return m, ""
	}
	env.AskDialog(&PromptDialog{Title: "Move " + k.Label(), Label: label,
		Check: func(s string) string { _, why := move(s); return why },
		Done: func(env *Env, s string) {
			m, _ := move(s) // checked above
			env.PreviewChange(m)
		}})
}

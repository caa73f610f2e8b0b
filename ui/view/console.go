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
	"rung/model/verdict"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// Console is the part of the engine that the screen needs.
type Console interface {
	// Revision returns the current state, never nil; Subscribe ticks for each new one, and when a state
	// changes by time alone.
	Revision() *revision.Revision
	Subscribe() (<-chan struct{}, func())
	Now() time.Time

	// Preview works out a change, or a plan. Committing a plan starts it, and no step asks again.
	Preview(ctx context.Context, m change.Mutation) (*gate.Preview, error)
	Commit(ctx context.Context, p *gate.Preview, c gate.Confirm) (*gate.Result, error)
	// ConfirmTrial keeps the change on trial and returns its title.
	ConfirmTrial(by string) (title string, err error)
	SetWrites(on bool) error

	// Contexts returns the contexts of the kubeconfig and the current one.
	Contexts() (names []string, current string, err error)

	// LookAt says which zones are on the screen, possibly in every frame: swept zones are then followed.
	LookAt(zones ...string)
	// LookAtFlows says which zones' logical flows are on the screen: their Southbound databases are then read.
	LookAtFlows(zones ...string)

	Activity(after uint64) []model.Activity
	// Changes returns the changes made, failed or refused, oldest first.
	Changes() []history.Change
	Logs() *logs.Store
	// ControllerLog reads what a zone's ovnkube-controller wrote about a policy.
	ControllerLog(ctx context.Context, zone string, policy model.PolicyKey) (*logs.Log, error)
	// OVNTrace runs ovn-trace for a connection and compares it with the rows. told receives progress, from
	// another goroutine.
	OVNTrace(ctx context.Context, c verdict.Connection, told func(doing string)) (*revision.OVNTrace, error)
	History() []history.Entry

	// Probe sends a connection as packets into the sandbox and judges the outcome; at receives the phases.
	Probe(ctx context.Context, c verdict.Connection, at func(trace.ProbePhase)) (*trace.Result, error)

	// StopPlan stops this Rung's running plan after the current step.
	StopPlan()
	// KeepPlan ends a stopped plan without changing policies; the steps done become one change of the history.
	// A finished plan is put away. read is the revision on the screen.
	KeepPlan(read *revision.Revision) error
}

// StateStyle returns the style of a policy's state.
func StateStyle(s model.PolicyState, st *themes.StyleSet) themes.Style {
	return st.TokenStyle(page.StateRole(s))
}

// ActionStyle returns the style of a rule's action.
func ActionStyle(a model.Action, st *themes.StyleSet) themes.Style {
	return st.TokenStyle(page.ActionRole(a))
}

// Questions that several views ask before previewing a change.

// AskDelete previews the removal of a policy.
func AskDelete(env *Env, k model.PolicyKey) {
	env.PreviewChange(change.Mutation{Op: change.OpDelete, Policy: k})
}

// PreviewFix previews the change that fixes a finding.
func PreviewFix(env *Env, f *model.Finding) {
	m, err := change.FixMutation(env.Rev, f)
	if err != nil {
		env.ShowFailure("%v", err)
		return
	}
	env.PreviewChange(m)
}

// AskMove asks for another place of a policy: priority or tier.
func AskMove(env *Env, k model.PolicyKey) {
	p := env.Rev.Cluster.Policy(k)
	if p == nil || !k.Kind.CanMove() {
		env.ShowFailure("%s has no priority", k.Label())
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
		if _, at, why := m.TargetPlace(p); why != "" || p.Tiered == nil && at > 1000 {
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

package gate

import (
	"context"
	"fmt"

	"rung/change"
	"rung/change/effect"
	"rung/change/guard"
	"rung/change/history"
	"rung/change/rewrite"
	"rung/model"
	"rung/model/plan"
	"rung/model/verdict/diff"
	"rung/revision"
)

// Interfaces of the packages above the gate. They change policies in several steps, each through the gate, and
// the gate asks them how a change affects their work.

// PlanRunner runs plans.
type PlanRunner interface {
	// PreviewPlan previews a whole plan, also the undo or redo of one. BeginPlan starts the previewed steps once
	// they are confirmed.
	PreviewPlan(ctx context.Context, m change.Mutation) (*Preview, error)
	BeginPlan(ctx context.Context, read *Preview, c Confirm) error
	// PlanConsequences returns what a change means for the unfinished plan, if there is one. next returns the
	// revision after the change.
	PlanConsequences(rev *revision.Revision, next func() *revision.Revision, p *Preview) []effect.Consequence
	// EntryAtBegin returns the newest history entry at the time the unfinished plan began; ok is false if
	// unknown.
	EntryAtBegin() (id uint64, ok bool)
	// RolledBackTitle returns the title of the plan rolled back last, or "" if history entry id was made after
	// it.
	RolledBackTitle(id uint64) string
}

// TrialKeeper records on disk how to put back or finish an unfinished change that is on trial or has several
// objects.
type TrialKeeper interface {
	// BeginTrial writes the record before the change is made. The id is empty if the change needs no way back.
	BeginTrial(p *Preview, c Confirm, step bool) (id string, err error)
	// ChangeFailed reports that the change of an id could not be made. ChangeMade reports success, with the
	// history entry, and returns the change waiting for confirmation.
	ChangeFailed(id string)
	ChangeMade(id string, entry uint64, files []change.FileChange) *revision.UnconfirmedChange
	// ChangeUndone ends the trial of a change that p undid.
	ChangeUndone(p *Preview)
	// ReasonToWait returns why a change has to wait, or "".
	ReasonToWait(p *Preview) string
	// TrialEntry returns the change on trial as a history entry, without objects if none is on trial.
	TrialEntry() history.Entry
}

// noTrials is the TrialKeeper of a gate without trials.
type noTrials struct{}

func (noTrials) BeginTrial(_ *Preview, c Confirm, _ bool) (string, error) {
	if c.TrialTime > 0 {
		return "", change.Blocked("it cannot be made on trial")
	}
	return "", nil
}
func (noTrials) ChangeFailed(string) {}
func (noTrials) ChangeMade(string, uint64, []change.FileChange) *revision.UnconfirmedChange {
	return nil
}
func (noTrials) ChangeUndone(*Preview)        {}
func (noTrials) ReasonToWait(*Preview) string { return "" }
func (noTrials) TrialEntry() history.Entry    { return history.Entry{} }

// UsePlans sets the runner that undoes plans.
func (g *Gate) UsePlans(r PlanRunner) { g.plans = r }

// UseTrials sets the keeper of changes on trial.
func (g *Gate) UseTrials(k TrialKeeper) { g.trials = k }

func (g *Gate) planNotes(rev *revision.Revision, next func() *revision.Revision, p *Preview) []effect.Consequence {
	if g.plans == nil {
		return nil
	}
	return g.plans.PlanConsequences(rev, next, p)
}

// PreviewSteps fills in what the moves of out.Steps do together, each made after the steps before it. why
// returns why a step, given by index and revision before it, cannot be made, or "".
func (g *Gate) PreviewSteps(ctx context.Context, rev *revision.Revision, out *Preview,
	why func(rev *revision.Revision, i int) string) error {
	out.compared = newComparedState(rev)
	if out.Blocked != "" {
		return nil
	}
	log := g.Config.LogConnections(false)
	limit, cancel := context.WithTimeout(ctx, 3*effect.MaxTime)
	defer cancel()
	if err := g.addStepEffects(ctx, limit, rev, log, out, why); err != nil {
		return err
	}
	if out.Blocked == "" {
		next := effect.RevisionAfter(rev, out.Objects)
		out.Effect = effect.JudgeChanges(limit, rev, next, out.Objects, g.clusterFacts()).AgainstLog(limit, log, rev, next)
		whole := &Preview{Objects: out.Objects} // steps that each do little may do much together
		g.judgeEffect(whole, out.Effect, rev)
		out.NotConsidered = out.Effect.NotConsidered(rev)
		out.addGuards(whole.Guards)
	}
	out.ConfirmName = guard.ConfirmName(out.Guards, out.Objects)
	g.dryRunPlan(ctx, rev, out)
	out.compared.addEffect(out.Effect)
	out.compared.addNotes(out.Notes...)
	out.compared.facts = append(out.compared.facts, effect.ReachConsequences(rev, change.FirstPerKey(out.Objects))...)
	if out.Blocked == "" && len(out.Objects) > 0 {
		out.Rows = effect.ChangedRows(rev, effect.RevisionAfter(rev, out.Objects), out.Objects)
		out.compared.addRows(out.Rows)
	}
	return nil
}

// addStepEffects adds the changes of every step to a preview. The effects on connections, also of the log, are
// worked out until limit ends.
func (g *Gate) addStepEffects(ctx, limit context.Context, rev *revision.Revision, log *diff.LogConnections, out *Preview,
	why func(rev *revision.Revision, i int) string) error {
	for i, s := range out.Steps {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("previewing the plan: %w", err)
		}
		name := fmt.Sprintf("step %d, %s", out.FirstStep+i, change.StepText(s))
		if why := why(rev, i); why != "" {
			out.block("%s: %s", name, why)
			return nil
		}
		one := g.resolveMutation(rev, change.StepMutation(s))
		if one.Blocked != "" {
			out.block("%s: %s", name, one.Blocked)
		}
		next := effect.RevisionAfter(rev, one.Objects)
		g.judgeEffect(one, effect.JudgeChanges(limit, rev, next, one.Objects, g.clusterFacts()), rev)
		out.addGuards(one.Guards)
		if one.Effect.FlipsVerdicts() {
			one.Effect = one.Effect.AgainstLog(limit, log, rev, next)
		}
		out.StepEffects = append(out.StepEffects, one.Effect)
		out.Objects = append(out.Objects, one.Objects...)
		out.Commands = append(out.Commands, one.Commands...)
		out.Script += one.Script
		rev = next
	}
	return nil
}

// addGuards adds guard rails that the preview does not have yet.
func (p *Preview) addGuards(guards []change.Guard) {
	for _, g := range guards {
		if !isConfirmed(p.Guards, g) {
			p.Guards = append(p.Guards, g)
		}
	}
}

// CommitStep makes one step of a plan. guards were confirmed with the plan.
func (g *Gate) CommitStep(ctx context.Context, rev *revision.Revision, s plan.Step, guards []change.Guard, c Confirm) (*Result, error) {
	p := g.resolveMutation(rev, change.StepMutation(s))
	p.Guards = append(p.Guards, guards...) // the guards that a server reports were confirmed with the plan
	c.isPlanStep, c.guards = true, guards
	return g.Commit(ctx, p, c)
}

// ReadFromServer reads a policy from the API server; p is nil if it does not exist, ok is false if the gate
// has no server.
func (g *Gate) ReadFromServer(ctx context.Context, k model.PolicyKey) (p *model.Policy, ok bool, err error) {
	if g.server == nil {
		return nil, false, nil
	}
	live, err := g.server.LivePolicies(ctx, []model.PolicyKey{k})
	if l := live[k]; l != nil {
		p = l.Policy
	}
	return p, true, err
}

// PreviewRest previews the rest of the change on trial: putting it back (OpRevert) or finishing it (OpFinish).
func (g *Gate) PreviewRest(ctx context.Context, op change.Op) *Preview {
	p, _ := g.resolveOnServer(ctx, g.Config.CurrentRevision(), change.Mutation{Op: op}, nil)
	return p
}

// CommitRest commits a preview of PreviewRest. Its guard rails were answered when the change on trial was
// made.
func (g *Gate) CommitRest(ctx context.Context, p *Preview, by string) (*Result, error) {
	return g.Commit(ctx, p, Confirm{Yes: true, By: by, Finish: true, reverts: true})
}

// CountWritten counts a change's objects that match their state after the change, and before it.
func (g *Gate) CountWritten(objects []history.Object) (written, missing int) {
	c := g.Config.CurrentRevision().Cluster
	is := func(o history.Object, text string) bool {
		now := c.Changeable(o.Key)
		if text == "" || now == nil {
			return text == "" && now == nil
		}
		p, _ := rewrite.TextAsObject(o.Key, text, g.judgingOptions())
		return now.YAML == text || model.SameContent(now, p)
	}
	for _, o := range objects {
		switch {
		case is(o, o.After):
			written++
		case is(o, o.Before):
			missing++
		}
	}
	return written, missing
}

package planrun

import (
	"cmp"
	"context"
	"fmt"

	"rung/change"
	"rung/change/gate"
	"rung/model/plan"
	"rung/revision"
)

// PreviewPlan previews a plan, the rest or the rollback of the stopped one, or the undo of one in the history:
// its final changes, and the guard rails of all steps. Its ConfirmName confirms all of them.
func (r *Plans) PreviewPlan(ctx context.Context, m change.Mutation) (*gate.Preview, error) {
	r.Refresh()
	r.mu.Lock()
	job, why := r.job, r.notStoppedError()
	r.mu.Unlock()
	if m.Op == change.OpMove && m.NewPlan == nil && why != nil {
		return nil, why
	}
	a, err := r.newAsk(m, job)
	if err != nil {
		return nil, err
	}
	return r.previewAsk(ctx, a)
}

// askUndo requests the undo of a plan in the history.
func (r *Plans) askUndo(m change.Mutation) (planAsk, error) {
	e, why := r.gate.HistoryEntry(r.gate.Config.CurrentRevision(), m)
	if why == "" && e.Plan == nil {
		why = "it is not a plan"
	}
	if why != "" {
		return planAsk{}, change.Blocked("undoing the plan: %s", why)
	}
	h := e.Plan
	a := newJob(m, &plan.PlanProgress{Context: r.cfg.Context, Plan: h.Plan, Done: h.To, Part: &plan.PlanPart{From: h.To, To: h.From}},
		e.UndoTitle())
	a.request.Undo, a.Undoes = e.ID, e.ID
	// The file's contents are not trusted.
	if _, err := a.Progress.Encode(); err != nil {
		return planAsk{}, change.Blocked("undoing the plan: %w", err)
	}
	return a, nil
}

// notStoppedError returns why no plan is stopped, or nil. The caller holds mu.
func (r *Plans) notStoppedError() error {
	switch {
	case r.state.RunsElsewhere():
		return fmt.Errorf("%w: the plan is %s", ErrPlan, r.state.RunBy())
	case r.isRunning:
		return fmt.Errorf("%w: the plan is running: stop it first", ErrPlan)
	case r.job == nil || r.state.State == revision.PlanDone:
		return fmt.Errorf("%w: no plan has stopped", ErrPlan)
	}
	return nil
}

// previewAsk works out what the remaining steps do.
func (r *Plans) previewAsk(ctx context.Context, a planAsk) (*gate.Preview, error) {
	rev := r.gate.Config.CurrentRevision()
	out := &gate.Preview{Title: cmp.Or(a.heading, a.Title), Mutation: a.request, Steps: a.Progress.StepsLeft(), FirstStep: 1}
	if !a.Progress.Back {
		out.FirstStep += a.Progress.StepsMade(a.Progress.Done)
	}
	if a.request.NewPlan != nil {
		out.Notes = append(out.Notes, a.Progress.Plan.Notes...)
	} else if b, err := planBoard(rev); err == nil {
		out.Notes = append(out.Notes, plan.TieNotes(b.Placements(), out.Steps, out.FirstStep)...)
	}
	out.Notes = append(out.Notes, r.gate.UndoNotes(a.request.Op, a.Undoes)...)
	r.mu.Lock()
	open, lockless := r.state.IsOpen(), r.work.Lockless
	if open && a.isUndo() {
		a.refused = gate.PlanFirstReason(&r.state)
	}
	r.mu.Unlock()
	if lockless {
		out.Notes = append(out.Notes, "the state folder has no file locks: another Rung on it cannot see that this plan runs; run no other")
	}
	out.Blocked = a.reasonToRefuse(rev)
	p := *a.Progress
	err := r.gate.PreviewSteps(ctx, rev, out, func(rev *revision.Revision, i int) string {
		why := reasonMisplaced(rev, &p, out.Steps[i], a.isNew())
		p.Advance()
		return why
	})
	return out, err
}

// reasonMisplaced returns why a step would not do what it did when the plan was made; for a stopped plan also
// what can be done.
func reasonMisplaced(rev *revision.Revision, p *plan.PlanProgress, s plan.Step, anew bool) string {
	b, err := planBoard(rev)
	if err != nil {
		return err.Error()
	}
	if err := displacedError(rev, s); err != nil {
		return err.Error()
	}
	a, ok := p.BlockingPolicy(s, b.Placements())
	switch {
	case !ok:
		return ""
	case anew:
		return a.String()
	}
	return a.String() + ": " + remedyText(*p, b.Placements(), a)
}

// displacedError returns an error if the policy of a step has left the step's start.
func displacedError(rev *revision.Revision, s plan.Step) error {
	a := plan.MisplacedPolicy{Policy: s.Policy, Expected: s.From, IsGone: true}
	if p := rev.Cluster.Policy(change.StepMutation(s).Policy); p != nil {
		a.Priority, a.IsGone = p.Priority, false
	}
	if !a.IsGone && a.Priority == s.From {
		return nil
	}
	return &plan.MisplacedError{Policies: []plan.MisplacedPolicy{a}}
}

// reasonToRefuse returns why a plan cannot be run at all.
func (a *planAsk) reasonToRefuse(rev *revision.Revision) string {
	switch {
	case a.refused != "":
		return a.refused
	case a.isNew() && a.Progress.IsFinished():
		return "nothing to apply"
	case len(rev.Zones) == 0:
		return "a plan needs zones: their rows show when a step is done"
	}
	for _, z := range rev.Zones {
		if z.IsStored() {
			return fmt.Sprintf("zone %s is a file: its rows never change", z.Name)
		}
	}
	if a.request.NewPlan == nil {
		return ""
	}
	b, err := planBoard(rev)
	if err == nil {
		err = plan.VerifySteps(a.Progress.Plan.Steps, b.Placements(), rev.Flags.MaxPriority)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

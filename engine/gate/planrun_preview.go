package gate

import (
	"context"
	"crypto/rand"
	"fmt"

	"rung/engine/revision"
	"rung/model"
	"rung/model/plan"
)

// Preview is one preview of a whole plan: what it changes in the end, and every
// guard rail a step runs into. Its ConfirmName confirms all of them.
func (r *Plans) Preview(ctx context.Context, p *plan.Plan) (*Preview, error) {
	r.Look()
	return r.preview(ctx, r.newPlan(p))
}

// ResumePreview is the preview of what a plan that stopped has left, BackPreview that of
// its way back. They are as those of a new plan: all guard rails of all steps, and one
// ConfirmName for them.
func (r *Plans) ResumePreview(ctx context.Context) (*Preview, error) { return r.again(ctx, false) }

// BackPreview is described at ResumePreview.
func (r *Plans) BackPreview(ctx context.Context) (*Preview, error) { return r.again(ctx, true) }

func (r *Plans) again(ctx context.Context, back bool) (*Preview, error) {
	r.Look()
	r.mu.Lock()
	job, why := r.job, r.notStopped()
	r.mu.Unlock()
	if why != nil {
		return nil, why
	}
	a, err := r.further(job, back)
	if err != nil {
		return nil, err
	}
	return r.preview(ctx, a)
}

// undoPreview is the preview of taking a plan of the history back.
func (r *Plans) undoPreview(ctx context.Context, op Op, e HistoryEntry) (*Preview, error) {
	r.Look()
	starts := func(*planJob) (planAsk, error) { return r.undoing(op, e.ID) }
	a, err := starts(nil)
	if err != nil {
		return nil, err
	}
	p, err := r.preview(ctx, a)
	if err != nil {
		return nil, err
	}
	p.starts = starts
	return p, nil
}

// undoing asks for the way back of a plan of the history.
func (r *Plans) undoing(op Op, id uint64) (planAsk, error) {
	e, why := r.gate.entryOf(r.gate.cfg.Current(), Mutation{Op: op, Undo: id})
	if why == "" && e.Plan == nil {
		why = "it is no plan"
	}
	if why != "" {
		return planAsk{}, fmt.Errorf("undoing the plan: %w: %s", ErrBlocked, why)
	}
	h := e.Plan
	a := planAsk{anew: true, op: op, id: rand.Text(), title: titleOfUndo(e), undoes: e.ID, shown: h.To,
		progress: plan.Progress{Context: r.cfg.Context, Plan: h.Plan, Done: h.To, Part: &plan.Part{From: h.To, To: h.From}}}
	// What stands in a file is not trusted.
	if _, err := a.progress.Encode(); err != nil {
		return planAsk{}, fmt.Errorf("undoing the plan: %w: %w", ErrBlocked, err)
	}
	return a, nil
}

// notStopped says why no plan has stopped. The caller holds mu.
func (r *Plans) notStopped() error {
	switch {
	case r.state.Elsewhere():
		return fmt.Errorf("%w: the plan is %s", ErrPlan, r.state.RunBy())
	case r.running:
		return fmt.Errorf("%w: the plan is running: stop it first", ErrPlan)
	case r.job == nil || r.state.State == PlanDone:
		return fmt.Errorf("%w: no plan has stopped", ErrPlan)
	}
	return nil
}

// preview works out what the steps do that are left.
func (r *Plans) preview(ctx context.Context, a planAsk) (*Preview, error) {
	rev := r.gate.cfg.Current()
	out := &Preview{Title: a.heading, Mutation: Mutation{Op: OpMove, Plan: true}, Steps: a.progress.Left(), FirstStep: 1, seen: see(rev)}
	if !a.progress.Back {
		out.FirstStep += a.progress.Made(a.progress.Done)
	}
	if out.Title == "" {
		out.Title = a.title
	}
	if a.op != "" {
		out.Mutation.Op, out.Mutation.Undo = a.op, a.undoes
	}
	if a.anew && a.op == "" {
		out.Notes = append(out.Notes, a.progress.Plan.Notes...)
	}
	if why := a.refuses(rev); why != "" {
		out.Blocked = why
		return out, nil
	}
	if err := r.steppedOver(ctx, rev, a.progress, out); err != nil {
		return nil, err
	}
	out.ConfirmName = confirmName(out.Guards, out.Objects)
	r.gate.tryPlan(ctx, rev, out)
	out.seen.note(out.Notes...)
	out.seen.reach(rev.Cluster, firstOf(out.Objects))
	if out.Blocked == "" && len(out.Objects) > 0 {
		out.Rows = rowsOf(rev, after(rev, out.Objects), out.Objects)
		out.seen.rows(out.Rows)
	}
	return out, nil
}

// steppedOver takes what every step that is left changes into a preview, each on what
// the ones before it leave.
func (r *Plans) steppedOver(ctx context.Context, rev *revision.Revision, p plan.Progress, out *Preview) error {
	for i, s := range out.Steps {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("previewing the plan: %w", err)
		}
		name := fmt.Sprintf("step %d, %s", out.FirstStep+i, stepText(s))
		if why := misplaced(rev, &p, s); why != "" {
			out.block("%s: %s", name, why)
			return nil
		}
		one := r.gate.resolve(rev, stepMutation(s))
		if one.Blocked != "" {
			out.block("%s: %s", name, one.Blocked)
		}
		for _, g := range one.Guards {
			if !confirmed(out.Guards, g) {
				out.Guards = append(out.Guards, g)
			}
		}
		out.Objects = append(out.Objects, one.Objects...)
		out.Commands = append(out.Commands, one.Commands...)
		rev = after(rev, one.Objects)
		p.Advance()
	}
	return nil
}

// misplaced says why a step would not do what it did when the plan was made.
func misplaced(rev *revision.Revision, p *plan.Progress, s plan.Step) string {
	b, err := boardOf(rev)
	if err != nil {
		return err.Error()
	}
	switch at, ok := b.Priority(s.Policy); {
	case !ok:
		return fmt.Sprintf("%v: %s is gone", plan.ErrElsewhere, s.Policy)
	case at != s.From:
		return fmt.Sprintf("%v: %s stands at %d, not %d", plan.ErrElsewhere, s.Policy, at, s.From)
	}
	return p.Hinders(s, b.Slots())
}

// refuses says why a plan cannot be run at all.
func (a *planAsk) refuses(rev *revision.Revision) string {
	switch {
	case a.refused != "":
		return a.refused
	case a.anew && a.progress.Finished():
		return "nothing to do"
	case len(rev.Zones) == 0:
		return "there is no zone whose rows could show that a step is done"
	}
	for _, z := range rev.Zones {
		if z.Conn == model.ConnReadOnly {
			return fmt.Sprintf("zone %s is a file: its rows never follow", z.Name)
		}
	}
	if !a.anew || a.op != "" {
		return ""
	}
	b, err := boardOf(rev)
	if err == nil {
		err = plan.Verify(a.progress.Plan.Steps, b.Slots(), rev.Flags.MaxPriority)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

package gate

import (
	"context"
	"crypto/rand"
	"fmt"

	"rung/change/guard"
	"rung/model"
	"rung/model/plan"
	"rung/model/verdict"
	"rung/revision"
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
	} else if b, err := boardOf(rev); err == nil {
		out.Notes = append(out.Notes, plan.TieNotes(b.Slots(), out.Steps, out.FirstStep)...)
	}
	out.Notes = append(out.Notes, r.gate.aboutUndo(a.op, a.undoes)...)
	r.mu.Lock()
	open, lockless := r.state.Open(), r.lockless
	if open && a.op != "" {
		a.refused = openPlan(&r.state)
	}
	r.mu.Unlock()
	if lockless {
		out.Notes = append(out.Notes, "the state folder has no file locks: another Rung on it cannot see that this plan runs; run no other")
	}
	if why := a.refuses(rev); why != "" {
		out.Blocked = why
		return out, nil
	}
	limit, cancel := context.WithTimeout(ctx, 3*effectTime)
	defer cancel()
	log := r.gate.log()
	if err := r.steppedOver(ctx, limit, rev, a.progress, a.anew, log, out); err != nil {
		return nil, err
	}
	if out.Blocked == "" {
		next := after(rev, out.Objects)
		out.Effect = r.gate.effectOf(limit, rev, next, out.Objects).against(limit, log, rev, next)
		whole := &Preview{Objects: out.Objects} // steps that each do little may do much together
		r.gate.judgeEffect(whole, out.Effect, rev)
		out.NotConsidered = out.Effect.notConsidered(rev)
		out.meet(whole.Guards)
	}
	out.ConfirmName = guard.ConfirmName(out.Guards, guarded(out.Objects))
	r.gate.tryPlan(ctx, rev, out)
	out.seen.effect(out.Effect)
	out.seen.note(out.Notes...)
	out.seen.facts = append(out.seen.facts, reach(rev, firstOf(out.Objects))...)
	if out.Blocked == "" && len(out.Objects) > 0 {
		out.Rows = rowsOf(rev, after(rev, out.Objects), out.Objects)
		out.seen.rows(out.Rows)
	}
	return out, nil
}

// meet takes in guard rails that were not met before.
func (p *Preview) meet(guards []Guard) {
	for _, g := range guards {
		if !confirmed(p.Guards, g) {
			p.Guards = append(p.Guards, g)
		}
	}
}

// steppedOver takes what every step that is left changes into a preview, each on what
// the ones before it leave. What becomes of connections, and of those of the log, is worked
// out until limit ends.
func (r *Plans) steppedOver(ctx, limit context.Context, rev *revision.Revision, p plan.Progress, anew bool, log *verdict.Log, out *Preview) error {
	for i, s := range out.Steps {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("previewing the plan: %w", err)
		}
		name := fmt.Sprintf("step %d, %s", out.FirstStep+i, stepText(s))
		if why := misplaced(rev, &p, s, anew); why != "" {
			out.block("%s: %s", name, why)
			return nil
		}
		one := r.gate.resolve(rev, stepMutation(s))
		if one.Blocked != "" {
			out.block("%s: %s", name, one.Blocked)
		}
		next := after(rev, one.Objects)
		r.gate.judgeEffect(one, r.gate.effectOf(limit, rev, next, one.Objects), rev)
		out.meet(one.Guards)
		if one.Effect.Flipping() {
			one.Effect = one.Effect.against(limit, log, rev, next)
		}
		out.StepEffects = append(out.StepEffects, one.Effect)
		out.Objects = append(out.Objects, one.Objects...)
		out.Commands = append(out.Commands, one.Commands...)
		rev = next
		p.Advance()
	}
	return nil
}

// misplaced says why a step would not do what it did when the plan was made, and of a plan
// that is not new what can be done.
func misplaced(rev *revision.Revision, p *plan.Progress, s plan.Step, anew bool) string {
	b, err := boardOf(rev)
	if err != nil {
		return err.Error()
	}
	a, ok := elsewhere(rev, s)
	if ok {
		return (&plan.AstrayError{Policies: []plan.Astray{a}}).Error()
	}
	if a, ok = p.Hinders(s, b.Slots()); !ok {
		return ""
	}
	if anew {
		return a.String()
	}
	return a.String() + ": " + wayOut(*p, b.Slots(), a)
}

// elsewhere says whether the policy of a step is not where the step starts.
func elsewhere(rev *revision.Revision, s plan.Step) (plan.Astray, bool) {
	p := rev.Cluster.Policy(stepMutation(s).Policy)
	switch {
	case p == nil:
		return plan.Astray{Policy: s.Policy, Want: s.From, Gone: true}, true
	case p.Priority != s.From:
		return plan.Astray{Policy: s.Policy, At: p.Priority, Want: s.From}, true
	}
	return plan.Astray{}, false
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

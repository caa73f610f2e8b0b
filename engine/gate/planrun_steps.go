package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rung/engine/revision"
	"rung/model"
	"rung/model/plan"
	"rung/model/words"
)

// launch starts the goroutine that runs the job. The caller holds mu.
func (r *Plans) launch() {
	ctx, cancel := context.WithCancel(r.cfg.Ctx)
	r.running, r.stop = true, cancel
	r.state, r.unrecorded = revision.PlanState{}, false
	r.report(PlanRunning, "", "")
	job := r.job
	r.cfg.Run(func() {
		defer cancel()
		err := r.steps(ctx, job)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.running, r.stop = false, nil
		switch {
		case err != nil && ctx.Err() != nil:
			r.report(PlanStopped, "interrupted", "")
		case err != nil:
			r.unrecorded = errors.Is(err, ErrNotRecorded)
			r.report(PlanStopped, err.Error(), "")
		default:
			why := ""
			if job.Progress.Back {
				why = "all steps were taken back"
			}
			// The plan has reached its end; a file left behind would only be found
			// finished at the next start. It is removed before the state is shown.
			_ = r.forget()
			r.report(PlanDone, why, "")
		}
	})
}

// steps does what is left of the job.
func (r *Plans) steps(ctx context.Context, job *planJob) error {
	// The last step of a former run may not be in the rows yet.
	if last, ok := lastDone(job.Progress); ok {
		if err := r.await(ctx, last); err != nil {
			return err
		}
	}
	for {
		s, ok := job.Progress.Next()
		if !ok {
			return nil
		}
		if err := r.step(ctx, job, s); err != nil {
			return err
		}
		if err := r.await(ctx, s); err != nil {
			return err
		}
	}
}

// lastDone is the step whose rows may be under way when a plan goes on.
func lastDone(p *plan.Progress) (plan.Step, bool) {
	switch {
	case !p.Back && p.Done > 0:
		return p.Plan.Steps[p.Done-1], true
	case p.Back && p.Done < len(p.Plan.Steps):
		s := p.Plan.Steps[p.Done]
		return plan.Step{Policy: s.Policy, From: s.To, To: s.From}, true
	}
	return plan.Step{}, false
}

// step makes one move and counts it as done.
func (r *Plans) step(ctx context.Context, job *planJob, s plan.Step) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	rev := r.gate.cfg.Current()
	if p := rev.Cluster.Policy(stepMutation(s).Policy); p == nil || p.Priority != s.From {
		return fmt.Errorf("%s: %w", stepText(s), plan.ErrElsewhere)
	}
	if what := job.otherStep(rev, s); what != "" {
		return &StaleError{Title: stepText(s), What: what}
	}
	pre := r.gate.resolve(rev, stepMutation(s))
	pre.Guards = append(pre.Guards, job.Guards...) // those a server sees were confirmed with the plan
	yes := Confirm{Yes: true, By: "plan, " + job.By, Finish: true, Waits: func(title string) {
		if title != "" {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.report(PlanRunning, "waiting for another change: "+title, stepText(s))
		}
	}}
	res, err := r.gate.commit(ctx, pre, approval{Confirm: yes, guards: job.Guards})
	if res == nil {
		return fmt.Errorf("%s: %w", stepText(s), err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	job.Progress.Advance() // it was made, even if that could not be written down
	if serr := r.store(job); serr != nil {
		err = errors.Join(err, fmt.Errorf("%w: %w", ErrNotRecorded, serr))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", stepText(s), err)
	}
	r.report(PlanRunning, "waiting for the rows of "+stepText(s), stepText(s))
	return nil
}

// await returns when the rows of every zone show the step. As long as a zone
// cannot show it the plan is paused, for however long that takes.
func (r *Plans) await(ctx context.Context, s plan.Step) error {
	ticks, stop := r.cfg.Subscribe()
	defer stop()
	for {
		done, paused, why := shows(r.gate.cfg.Current(), s, r.gate.cfg.Now())
		if done {
			return nil
		}
		r.mu.Lock()
		state := PlanRunning
		if paused {
			state = PlanPaused
		}
		r.report(state, why, stepText(s))
		r.mu.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks:
		}
	}
}

// shows says whether the rows of every zone show a step, and if not why: paused
// is set when that will not come by waiting a moment.
func shows(rev *revision.Revision, s plan.Step, now time.Time) (done, paused bool, why string) {
	k := stepMutation(s).Policy
	p := rev.Cluster.Policy(k)
	switch {
	case p == nil:
		return false, true, s.Policy + " is gone"
	case p.Priority == s.From:
		return false, false, "waiting for " + stepText(s)
	case p.Priority != s.To:
		return false, true, fmt.Sprintf("%s stands at %d, not %d", k.Label(), p.Priority, s.To)
	case len(rev.Zones) == 0:
		return false, true, "there is no zone"
	}
	waiting := ""
	byName := func(a, b *model.ZoneState) int { return cmp.Compare(a.Name, b.Name) }
	for _, z := range slices.SortedFunc(slices.Values(rev.Zones), byName) {
		in := z.Policy(k)
		switch state := in.State(z, now); {
		case z.Conn == model.ConnSwept && state == model.StateStale:
			waiting = cmp.Or(waiting, fmt.Sprintf("waiting for zone %s to be read", z.Name))
		case z.Conn != model.ConnSynced && z.Conn != model.ConnSwept:
			return false, true, fmt.Sprintf("zone %s: %s", z.Name, z.Conn)
		case z.Paused != "":
			return false, true, fmt.Sprintf("zone %s: %s", z.Name, z.Paused)
		case in != nil && (in.None == nil) != (rev.None(k) == nil):
			// The zone was judged before the step: look again when it is judged anew.
			waiting = cmp.Or(waiting, "waiting for zone "+z.Name)
		case state == model.StateFrozen:
			return false, true, fmt.Sprintf("zone %s is frozen at %d", z.Name, in.LivePriority)
		case state == model.StateNotEnforced:
			// It has no rows, wanted or live: there is nothing to wait for.
		case state == model.StateInSync && (in.LiveACLs == 0 || in.LivePriority == s.To):
		case state == model.StateBehind:
			return false, true, fmt.Sprintf("zone %s is behind: %s", z.Name, behindText(in))
		case state == model.StateNotComparable, state == model.StateStale:
			return false, true, fmt.Sprintf("zone %s is %s", z.Name, state)
		default:
			waiting = cmp.Or(waiting, "waiting for zone "+z.Name)
		}
	}
	return waiting == "", false, waiting
}

func behindText(p *model.PolicyInZone) string {
	s := words.Count(p.Missing+p.Extra+p.Different, "row")
	if p.Error != "" {
		s += ", " + p.Error
	}
	return s
}

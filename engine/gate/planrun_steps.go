package gate

import (
	"context"
	"errors"
	"fmt"

	"rung/engine/revision"
	"rung/model/plan"
)

// launch starts the goroutine that runs the job, whose lock release ends. The caller
// holds mu.
func (r *Plans) launch(release func()) {
	ctx, cancel := context.WithCancel(r.cfg.Ctx)
	r.running, r.stop = true, cancel
	r.state, r.unrecorded = revision.PlanState{}, false
	r.report(PlanRunning, "", nil)
	job := r.job
	r.cfg.Run(func() {
		defer cancel()
		err := r.steps(ctx, job)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.running, r.stop = false, nil
		if err == nil {
			r.finish(job, release)
			return
		}
		job.Why = err.Error()
		if ctx.Err() != nil {
			job.Why = interrupted
		} else {
			r.unrecorded = errors.Is(err, ErrNotRecorded)
		}
		job.Runner, job.Waits = nil, nil
		_ = r.store(job) // where that fails a step that was made is found again (plan.Progress.Locate)
		release()
		now := r.gate.cfg.Current()
		r.located = now
		r.report(PlanStopped, job.Why, r.unshown(now))
	})
}

// finish ends a plan that has no step left. The caller holds mu.
func (r *Plans) finish(job *planJob, release func()) {
	why := ""
	if job.Progress.Back {
		why = "all steps were rolled back"
	}
	if err := r.record(job); err != nil {
		why, r.unrecorded = err.Error(), true
	}
	// A file left behind would only be found finished at the next start. It is removed
	// before the state is shown.
	_ = r.forget()
	release()
	r.report(PlanDone, why, nil)
}

// steps does what is left of the job.
func (r *Plans) steps(ctx context.Context, job *planJob) error {
	// The last step of a former run may not be in the rows yet.
	for _, s := range job.Progress.Since(*job.Shown) {
		if err := r.await(ctx, job, s); err != nil {
			return err
		}
	}
	for {
		r.shownAll(job)
		s, ok := job.Progress.Next()
		if !ok {
			return nil
		}
		if err := r.step(ctx, job, s); err != nil {
			return err
		}
		if err := r.await(ctx, job, s); err != nil {
			return err
		}
	}
}

// shownAll says that every zone shows what was made.
func (r *Plans) shownAll(job *planJob) {
	r.mu.Lock()
	defer r.mu.Unlock()
	done := job.Progress.Done
	job.Shown, job.Why, job.Waits = &done, "", nil
	r.report(PlanRunning, "", nil)
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
			r.report(PlanRunning, "waiting for another change: "+title, nil)
		}
	}}
	res, err := r.gate.commit(ctx, pre, approval{Confirm: yes, step: true, guards: job.Guards})
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
	r.report(PlanRunning, "", nil)
	return nil
}

// await returns when every zone shows the step. As long as one cannot, the plan waits,
// for however long that takes.
func (r *Plans) await(ctx context.Context, job *planJob, s plan.Step) error {
	ticks, stop := r.cfg.Subscribe()
	defer stop()
	made := r.gate.cfg.Now()
	since := map[string]revision.PlanWait{} // what each zone was first waited for
	for {
		seen := shows(r.gate.cfg.Current(), s, r.gate.cfg.Now())
		if seen.done() {
			return nil
		}
		for i := range seen.waits {
			// A zone that is dialled again and again was lost once.
			w := &seen.waits[i]
			if was, ok := since[w.Zone]; ok && was.Why == w.Why {
				w.Since = was.Since
			} else if w.Since.IsZero() {
				w.Since = made
			}
			since[w.Zone] = *w
		}
		r.waiting(job, &seen)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks:
		}
	}
}

// waiting tells what a plan waits for, also in its file where that may take long.
func (r *Plans) waiting(job *planJob, seen *shown) {
	r.mu.Lock()
	defer r.mu.Unlock()
	state, why := PlanRunning, ""
	if seen.stuck {
		state, why = PlanWaiting, seen.text()
	}
	if job.Why != why {
		job.Why, job.Waits = why, seen.waits
		_ = r.store(job) // how far the plan is stands in the file already
	}
	r.report(state, seen.text(), seen.waits)
}

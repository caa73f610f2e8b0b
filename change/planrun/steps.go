package planrun

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/model/plan"
	"rung/revision"
)

// showTime is how long a source may take to show a written step before the step counts as taken back.
const showTime = 5 * time.Second

// launchJob starts the goroutine that runs the job and releases its lock at the end. The caller holds mu.
func (r *Plans) launchJob() error {
	ctx, cancel := context.WithCancel(r.cfg.Ctx)
	r.isRunning, r.stop = true, cancel
	r.state, r.unrecorded, r.stopping = revision.PlanState{}, false, false
	r.publishState(revision.PlanRunning, "", nil)
	job := r.job
	started := r.cfg.Run(func() {
		defer cancel()
		err := r.runSteps(ctx, job)
		r.mu.Lock()
		defer r.mu.Unlock()
		defer r.work.ReleaseLock()
		r.isRunning, r.stop = false, nil
		if err != nil {
			r.reportStopped(job, err)
		} else {
			r.finishPlan(job)
		}
	})
	if !started {
		defer cancel()
		r.isRunning, r.stop = false, nil
		r.reportStopped(job, context.Canceled)
		return fmt.Errorf("%w: Rung is ending", ErrPlan)
	}
	return nil
}

// reportStopped publishes why a job stopped. The caller holds mu and the lock.
func (r *Plans) reportStopped(job *planJob, err error) {
	job.Why = err.Error()
	if errors.Is(err, context.Canceled) {
		job.Why = interrupted
	}
	r.unrecorded = errors.Is(err, change.ErrNotRecorded)
	job.Runner, job.Waits = nil, nil
	_ = r.storeProgress(job) // if storing fails, LocateSteps finds the steps made
	now := r.gate.Config.CurrentRevision()
	r.located = now
	why := job.Why
	if err := r.locateProgress(now); err != nil { // an undone step does not count
		why = stuckText(err)
	}
	r.publishState(revision.PlanStopped, why, r.zonesNotShowing(now))
}

// finishPlan ends a plan without remaining steps. If the history cannot record it, its file remains, to be
// recorded later. The caller holds mu.
func (r *Plans) finishPlan(job *planJob) {
	why := ""
	if job.Progress.Back {
		why = "all steps were rolled back"
	}
	if err := r.recordHistory(job); err != nil {
		job.Why, job.Runner, job.Waits = err.Error(), nil, nil
		r.unrecorded = true
		_ = r.storeProgress(job) // the file already says that all steps are done
		r.publishState(revision.PlanDone, job.Why, nil)
		return
	}
	// The file is removed before the state is shown. If it remains, the next start finds it finished.
	_ = r.removeStored()
	r.publishState(revision.PlanDone, why, nil)
}

// runSteps makes the remaining steps of the job.
func (r *Plans) runSteps(ctx context.Context, job *planJob) error {
	// The last step of an earlier run may not be in the rows yet.
	for _, s := range job.Progress.StepsSince(*job.Shown) {
		if err := r.awaitZones(ctx, job, s); err != nil {
			return err
		}
	}
	for {
		r.mu.Lock()
		done := job.Progress.Done
		job.Shown, job.Why, job.Waits = &done, "", nil // every zone shows the steps made
		r.publishState(revision.PlanRunning, "", nil)
		r.mu.Unlock()
		if err := r.takenBackError(job); err != nil {
			return err
		}
		s, ok := job.Progress.NextStep()
		if !ok {
			return nil
		}
		if err := r.runStep(ctx, job, s); err != nil {
			return err
		}
		if err := r.awaitZones(ctx, job, s); err != nil {
			return err
		}
	}
}

// runStep makes a move and counts it as done.
func (r *Plans) runStep(ctx context.Context, job *planJob, s plan.Step) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	rev := r.gate.Config.CurrentRevision()
	if err := displacedError(rev, s); err != nil {
		return fmt.Errorf("%s: %w", change.StepText(s), err)
	}
	if what := job.reasonStepDiffers(rev, s); what != "" {
		return &gate.StaleError{Title: change.StepText(s), Difference: what}
	}
	yes := gate.Confirm{Yes: true, By: "plan, " + job.By, Finish: true, OnWait: func(title string) {
		if title != "" {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.publishState(revision.PlanRunning, "waiting for another change: "+title, nil)
		}
	}}
	res, err := r.gate.CommitStep(ctx, rev, s, job.Guards, yes)
	if res == nil {
		return fmt.Errorf("%s: %w", change.StepText(s), err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	job.Progress.Advance() // it was made, even if it cannot be stored
	if serr := r.storeProgress(job); serr != nil {
		err = errors.Join(err, fmt.Errorf("%w: %w", change.ErrNotRecorded, serr))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", change.StepText(s), err)
	}
	r.publishState(revision.PlanRunning, "", nil)
	return nil
}

// awaitZones waits until every zone shows the step, however long that takes. It returns an error if something
// takes the step back.
func (r *Plans) awaitZones(ctx context.Context, job *planJob, s plan.Step) error {
	ticks, stop := r.cfg.Subscribe()
	defer stop()
	made := r.gate.Config.Now()
	late := time.NewTimer(r.patience)
	defer late.Stop()
	arrived := false                        // the source showed the step
	since := map[string]revision.PlanWait{} // first wait for each zone
	for {
		rev := r.gate.Config.CurrentRevision()
		if p := rev.Cluster.Policy(change.StepMutation(s).Policy); p == nil || p.Priority != s.From {
			arrived = true
		}
		if arrived {
			if err := r.takenBackError(job); err != nil {
				return err
			}
		}
		seen := progressOfZones(rev, s, r.gate.Config.Now())
		if seen.isDone() {
			return nil
		}
		for i := range seen.waits {
			// A zone that is redialled counts as lost since the first time.
			w := &seen.waits[i]
			if was, ok := since[w.Zone]; ok && was.Why == w.Why {
				w.Since = was.Since
			} else if w.Since.IsZero() {
				w.Since = made
			}
			since[w.Zone] = *w
		}
		r.reportWaiting(job, &seen)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks:
		case <-late.C:
			arrived = arrived || !serverHasStep(ctx, r.gate, s, r.patience)
			late.Reset(r.patience)
		}
	}
}

// serverHasStep asks the API server whether a step that its watch does not show was made. Without a server
// only the source can tell, and it returns false.
func serverHasStep(ctx context.Context, g *gate.Gate, s plan.Step, patience time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	now, ok, err := g.ReadFromServer(ctx, change.StepMutation(s).Policy)
	if err != nil {
		return true // unknown
	}
	return ok && now != nil && now.Priority == s.To
}

// takenBackError returns an error if something else has undone a step: a system that keeps the policies
// elsewhere (GitOps), or another user. Policies that the plan moves later are checked later.
func (r *Plans) takenBackError(job *planJob) error {
	r.mu.Lock()
	p := *job.Progress
	r.mu.Unlock()
	b, err := planBoard(r.gate.Config.CurrentRevision())
	if err != nil {
		return fmt.Errorf("the plan: %w", err)
	}
	run, made := p.AllSteps(), p.StepsMade(p.Done)
	low, high := 0, made
	if p.Back {
		low, high = made, len(run)
	}
	for _, a := range p.MisplacedAfter(p.Done, b.Placements()) {
		step := low + slices.IndexFunc(run[low:high], func(s plan.Step) bool { return s.Policy == a.Policy })
		if step < low {
			continue
		}
		from, what := run[step].From, "moved"
		if p.Back {
			from = run[step].To
		}
		switch {
		case a.IsGone:
			return fmt.Errorf("step %d: %s was deleted by something else", step+1, a.Policy)
		case a.Priority == from:
			what = "reset"
		}
		return fmt.Errorf("step %d: %s was %s to %d by something else", step+1, a.Policy, what, a.Priority)
	}
	return nil
}

// reportWaiting publishes what a plan waits for, and stores it if that may take long.
func (r *Plans) reportWaiting(job *planJob, seen *zoneProgress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	state, why := revision.PlanRunning, ""
	if seen.stuck {
		state, why = revision.PlanWaiting, seen.waitText()
	}
	if job.Why != why {
		job.Why, job.Waits = why, seen.waits
		_ = r.storeProgress(job) // the file already has the progress
	}
	r.publishState(state, seen.waitText(), seen.waits)
}

// policyDigest returns a digest of a policy without its priority, which a plan changes. Before each step it is
// compared with the digest taken when the plan was confirmed.
func policyDigest(p *model.Policy) string { return p.Digests().Unplaced.String() }

// reasonStepDiffers returns why a step is not the one confirmed with the plan: its policy differs, or an unknown
// policy is in its way.
func (j *planJob) reasonStepDiffers(rev *revision.Revision, s plan.Step) string {
	k := change.StepMutation(s).Policy
	if was, ok := j.Read[s.Policy]; ok && was != policyDigest(rev.Cluster.Policy(k)) {
		return k.Label() + " was changed meanwhile"
	}
	b, err := planBoard(rev)
	if err != nil {
		return err.Error()
	}
	if a, ok := j.Progress.BlockingPolicy(s, b.Placements()); ok {
		return a.String()
	}
	return ""
}

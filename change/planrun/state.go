package planrun

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rung/change"
	"rung/change/history"
	"rung/model"
	"rung/model/plan"
	"rung/model/words"
	"rung/revision"
)

// publishState publishes the plan's state. The caller holds mu.
func (r *Plans) publishState(state, why string, waits []revision.PlanWait) {
	next := r.describeState(state, why, waits)
	if next.Equal(&r.state) {
		return
	}
	r.state = *next
	r.cfg.Publish(next)
}

// reportOther publishes the state of a plan that another Rung runs, from its file.
func (r *Plans) reportOther() {
	r.unrecorded = false // the other Rung has stored it
	state := revision.PlanRunning
	if r.job.Why != "" {
		state = revision.PlanWaiting
	}
	r.publishState(state, r.job.Why, r.job.Waits)
}

// describeState returns the plan's state for the screen. The caller holds mu.
func (r *Plans) describeState(state, why string, waits []revision.PlanWait) *revision.PlanState {
	out := r.job.describeJob(state)
	out.Why, out.Waits, out.Unrecorded, out.Stopping = why, waits, r.unrecorded, r.stopping && out.IsUnderWay()
	if state == revision.PlanStopped {
		out.Stuck = r.job.reasonStuck(r.gate.Config.CurrentRevision())
	}
	if seen := r.work.LastSeenFile(); state == revision.PlanStopped && seen != nil {
		out.Since = seen.ModTime() // last stored when it stopped
	}
	out.Runner.IsOwn = r.isRunning && out.Runner.PID != 0
	return out
}

// describeJob returns the part of a plan's state that follows from the plan alone.
func (j *planJob) describeJob(state string) *revision.PlanState {
	p := j.Progress
	run, made, shown := p.AllSteps(), p.StepsMade(p.Done), p.StepsMade(*j.Shown)
	out := &revision.PlanState{Title: j.Title, Total: len(run), Done: shown, State: state, RollingBack: p.Back, StepsAtRollback: j.Top}
	active := out.IsUnderWay()
	if active && j.Runner != nil {
		out.Runner = revision.PlanRunner{PID: j.Runner.PID, Host: j.Runner.Host, Since: j.Runner.Since}
	}
	low, high := min(made, shown), max(made, shown)
	next := -1
	if s, ok := p.NextStep(); ok {
		out.Step = change.StepText(s)
		next = made
		if p.Back {
			next--
		}
	}
	if under := p.StepsSince(*j.Shown); len(under) > 0 && (active || out.Step == "") {
		out.Step = change.StepText(under[len(under)-1])
	}
	for i, s := range run {
		step := revision.PlanStep{Policy: s.Policy, From: s.From, To: s.To, Note: s.Note, State: revision.StepPending}
		switch {
		case i < low || state == revision.PlanDone && i < made:
			step.State = revision.StepDone
		case i < high && state == revision.PlanRunning:
			step.State = revision.StepRunning
		case i < high:
			step.State = revision.StepWaiting
		}
		if i == next && active && low == high {
			step.State = revision.StepRunning
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

// reasonStuck returns why a stopped plan can be neither continued nor rolled back, or "".
func (j *planJob) reasonStuck(rev *revision.Revision) string {
	b, err := planBoard(rev)
	if err == nil {
		_, err = j.Progress.LocateSteps(b.Placements())
	}
	if err != nil {
		return stuckText(err)
	}
	progress := *j.Progress
	if can := findOutlook(&progress, b.Placements()); !can.continues && !can.back {
		return stuckText(&plan.MisplacedError{Policies: []plan.MisplacedPolicy{can.blockingPolicy}})
	}
	return ""
}

// zonesNotShowing returns the zones that do not show the steps made by a stopped plan. Once all do, those
// steps are done. The caller holds mu.
func (r *Plans) zonesNotShowing(rev *revision.Revision) []revision.PlanWait {
	since := r.job.Progress.StepsSince(*r.job.Shown)
	if len(since) == 0 {
		return nil
	}
	for _, s := range since {
		if seen := progressOfZones(rev, s, r.gate.Config.Now()); !seen.isDone() {
			return seen.waits
		}
	}
	r.job.Shown = new(r.job.Progress.Done)
	return nil
}

// zoneProgress is the progress of the zones with a step.
type zoneProgress struct {
	waits  []revision.PlanWait // zones that do not show it yet, by name
	stuck  bool                // waiting a moment will not help
	reason string              // another obstacle
}

func (s *zoneProgress) isDone() bool { return len(s.waits) == 0 && s.reason == "" }

// waitText tells what the step waits for, without times.
func (s *zoneProgress) waitText() string {
	if s.reason != "" {
		return s.reason
	}
	var zones []string
	for _, w := range s.waits {
		zones = append(zones, fmt.Sprintf("%s (%s)", w.Zone, w.Why))
	}
	return "waiting for " + words.JoinAtMost(zones, ", ", 3)
}

// notShown is the reason for waiting for a zone that is catching up.
const notShown = "not shown yet"

// progressOfZones checks whether the rows of every zone, read after a step, show it, and if not, which zones
// do not and why.
func progressOfZones(rev *revision.Revision, s plan.Step, now time.Time) zoneProgress {
	k := change.StepMutation(s).Policy
	p := rev.Cluster.Policy(k)
	switch {
	case p == nil:
		return zoneProgress{stuck: true, reason: s.Policy + " is gone"}
	case p.Priority == s.From:
		return zoneProgress{reason: "waiting for " + change.StepText(s)}
	case p.Priority != s.To:
		return zoneProgress{stuck: true, reason: fmt.Sprintf("%s is at %d, not %d", k.Label(), p.Priority, s.To)}
	case len(rev.Zones) == 0:
		return zoneProgress{stuck: true, reason: "there is no zone"}
	}
	var out zoneProgress
	byName := func(a, b *model.ZoneState) int { return cmp.Compare(a.Name, b.Name) }
	for _, z := range slices.SortedFunc(slices.Values(rev.Zones), byName) {
		if w, stuck, waits := zoneWaitsFor(rev, z, k, s.To, now); waits {
			w.Zone = z.Name
			out.waits = append(out.waits, w)
			out.stuck = out.stuck || stuck
		}
	}
	return out
}

// zoneWaitsFor reports whether a zone does not show a policy at a priority yet, and why; stuck is set if
// waiting a moment will not help.
func zoneWaitsFor(rev *revision.Revision, z *model.ZoneState, k model.PolicyKey, to int32, now time.Time) (w revision.PlanWait, stuck,
	waits bool) {
	in := z.PolicyJoin(k)
	switch state := in.StateAt(z, now); {
	case z.Conn == model.ConnSwept && state == model.StateStale:
		return revision.PlanWait{Why: "not read yet"}, false, true
	case z.Conn != model.ConnSynced && z.Conn != model.ConnSwept:
		return revision.PlanWait{Why: unreachableReason(z), Since: z.ConnAt}, true, true
	case z.Paused != "":
		return revision.PlanWait{Why: z.Paused}, true, true
	case in != nil && (in.None == nil) != (rev.WhyNoRows(k) == nil):
		// The zone was judged before the step; wait for the next judgement.
		return revision.PlanWait{Why: notShown}, false, true
	case state == model.StateFrozen:
		return revision.PlanWait{Why: fmt.Sprintf("frozen at %d", in.LivePriority)}, true, true
	case state == model.StateNotEnforced:
		// No desired and no live rows: nothing to wait for.
	case state == model.StateInSync && (in.LiveACLs == 0 || in.LivePriority == to):
	case state == model.StateBehind:
		why := words.Count(in.Missing+in.Extra+in.Different, "row") + " behind"
		if in.Error != "" {
			why += ", " + in.Error
		}
		return revision.PlanWait{Why: why, Since: in.DiffSince}, true, true
	case state == model.StateNotComparable, state == model.StateStale:
		return revision.PlanWait{Why: string(state)}, true, true
	default:
		return revision.PlanWait{Why: notShown}, false, true
	}
	return revision.PlanWait{}, false, false
}

// unreachableReason returns why the current rows of a zone are unknown.
func unreachableReason(z *model.ZoneState) string {
	switch {
	case z.IsStored():
		return string(model.ConnReadOnly)
	case z.Conn == model.ConnDenied, z.Conn == model.ConnAbsent:
		return string(z.Conn)
	}
	if z.SyncedAt.IsZero() {
		return "not connected"
	}
	return string(model.ConnLost)
}

// recordHistory records the steps done of a plan as one change of the history. A plan that was rolled back
// changed nothing.
func (r *Plans) recordHistory(j *planJob) error {
	w, done := j.Progress.CurrentPart(), j.Progress.Done
	if _, ended := r.gate.Config.History.EntryOfID(j.ID); ended || done == w.From {
		return nil
	}
	e := history.Entry{At: r.gate.Config.Now(), Title: j.Title, By: j.By, Undoes: j.Undoes,
		Plan: &history.Plan{ID: j.ID, Plan: j.Progress.Plan, From: w.From, To: done}}
	if done != w.To {
		// Half of an undo takes nothing back: it is a change of its own.
		e.Title = fmt.Sprintf("%s (%s of %s)", j.Title, words.Thousands(j.Progress.StepsMade(done)), words.Count(len(j.Progress.AllSteps()),
			"step"))
		e.Undoes = 0
	}
	for _, s := range j.Progress.AllSteps() {
		k := change.StepMutation(s).Policy
		if !slices.ContainsFunc(e.Objects, func(o history.Object) bool { return o.Key == k }) {
			e.Objects = append(e.Objects, history.Object{Key: k})
		}
	}
	_, err := r.gate.Config.History.Push(e)
	r.gate.PublishUndoTitles()
	if err != nil {
		return fmt.Errorf("%s: %w: %w", e.Title, change.ErrNotRecorded, err)
	}
	return nil
}

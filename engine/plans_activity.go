package engine

import (
	"fmt"
	"time"

	"rung/model"
	"rung/model/plan"
	"rung/model/words"
	"rung/revision"
)

// planRuns makes one activity entry for each finished run of a plan, here or in another Rung. The zones' own
// entries tell what happened to rows.
type planRuns struct {
	run       *revision.PlanState // the first state; nil while none runs
	startedAt time.Time
}

// runEnded takes the next state of the plan; ok reports whether it ended a run, described by a.
func (r *planRuns) runEnded(p *revision.PlanState, k model.Kubectl, now time.Time) (a model.Activity, ok bool) {
	switch {
	case p.IsUnderWay():
		if r.run == nil || r.run.Title != p.Title || r.run.Total != p.Total {
			r.run, r.startedAt = p, now // perhaps another run, the end of the last one unseen
		}
		return a, false
	case r.run == nil:
		return a, false
	}
	first := r.run
	r.run = nil
	if p == nil {
		return a, false // ended elsewhere and deleted before this look
	}
	a = model.Activity{At: now, Took: now.Sub(r.startedAt), By: "plan", Summary: p.Title + ": " + runOutcome(p)}
	if !first.Runner.IsOwn {
		a.By = "another Rung"
	}
	// Another run of the same title may have begun meanwhile.
	n := len(p.Steps)
	low, high := min(first.Done, p.Done, n), min(max(first.Done, p.Done), n)
	for i := max(low, 0); i < high; i++ {
		s := p.Steps[i]
		from, to := s.From, s.To
		if p.RollingBack {
			s = p.Steps[low+high-1-i]
			from, to = s.To, s.From
		}
		a.Commands = append(a.Commands, k.SetPriority(plan.KeyOfName(s.Policy), float64(from), float64(to)))
	}
	a.Ops = high - low
	return a, true
}

// runOutcome tells how a run of a plan ended.
func runOutcome(p *revision.PlanState) string {
	switch {
	case p.State == revision.PlanStopped:
		return fmt.Sprintf("stopped at %s steps: %s", p.PlaceText(), p.Why)
	case p.RollingBack:
		return "rolled back"
	}
	return fmt.Sprintf("%s of %s steps done", words.Thousands(p.Done), words.Thousands(p.Total))
}

package planrun

import (
	"rung/change"
	"rung/model"
	"rung/model/plan"
	"rung/revision"
)

// The policies of a plan as they were when it was confirmed, compared with those at
// hand when a step of it is made.

// digest is a policy but for its priority, which a plan changes.
func digest(p *model.Policy) string { return p.Digests().Unplaced.String() }

// otherStep says why a step is not the one that was confirmed with the plan: its
// policy is another, or one that the plan does not know stands where it passes.
func (j *planJob) otherStep(rev *revision.Revision, s plan.Step) string {
	k := change.StepMutation(s).Policy
	if was, ok := j.Read[s.Policy]; ok && was != digest(rev.Cluster.Policy(k)) {
		return k.Label() + " was changed meanwhile"
	}
	b, err := boardOf(rev)
	if err != nil {
		return err.Error()
	}
	if a, ok := j.Progress.Hinders(s, b.Slots()); ok {
		return a.String()
	}
	return ""
}

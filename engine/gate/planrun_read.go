package gate

import (
	"fmt"
	"slices"

	"rung/engine/revision"
	"rung/model"
	"rung/model/plan"
)

// The policies of a plan as they were when it was confirmed, compared with those at
// hand when a step of it is made.

// digest is a policy but for its priority, which a plan changes.
func digest(p *model.Policy) string { return p.Digests().Unplaced.String() }

// firstOf are the changes of a plan that start from the policies as they are: the
// first of each.
func firstOf(changes []ObjectChange) (out []ObjectChange) {
	for _, c := range changes {
		if !slices.ContainsFunc(out, func(o ObjectChange) bool { return o.Key == c.Key }) {
			out = append(out, c)
		}
	}
	return out
}

// readOf are the digests of the policies that a plan moves.
func readOf(p *plan.Progress, rev *revision.Revision) map[string]string {
	out := map[string]string{}
	for _, s := range p.Plan.Steps {
		if o := rev.Cluster.Policy(stepMutation(s).Policy); o != nil {
			out[s.Policy] = digest(o)
		}
	}
	return out
}

// otherPlan says what of a plan that goes on is not as it was read. The caller
// holds mu.
func (r *Plans) otherPlan(read, now *revision.Revision) string {
	var was revision.PlanState
	if read != nil && read.Plan != nil {
		was = *read.Plan
	}
	if was.Total != r.state.Total || was.Done != r.state.Done || was.Step != r.state.Step {
		return fmt.Sprintf("%d of %d steps are done now", r.state.Done, r.state.Total)
	}
	before, after := readOf(r.job.Progress, read), readOf(r.job.Progress, now)
	for _, s := range r.job.Progress.Plan.Steps {
		if before[s.Policy] != after[s.Policy] {
			return stepMutation(s).Policy.Label() + " was changed meanwhile"
		}
	}
	return ""
}

// otherStep says why a step is not the one that was confirmed with the plan: its
// policy is another, or one that the plan does not know stands where it passes.
func (j *planJob) otherStep(rev *revision.Revision, s plan.Step) string {
	k := stepMutation(s).Policy
	if was, ok := j.Read[s.Policy]; ok && was != digest(rev.Cluster.Policy(k)) {
		return k.Label() + " was changed meanwhile"
	}
	expected, err := j.Progress.At()
	if err != nil {
		return err.Error()
	}
	low, high := min(s.From, s.To), max(s.From, s.To)
	passed := func(at int32) bool { return at >= low && at <= high }
	for p := range rev.Cluster.Policies(model.KindANP) {
		at := slices.IndexFunc(expected, func(x plan.Slot) bool { return x.Policy == p.Name })
		switch {
		case at < 0 && passed(p.Priority):
			return fmt.Sprintf("%s is new at %d, where it passes", p.Key.Label(), p.Priority)
		case at >= 0 && expected[at].Priority != p.Priority && (passed(p.Priority) || passed(expected[at].Priority)):
			return fmt.Sprintf("%s stands at %d, not %d", p.Key.Label(), p.Priority, expected[at].Priority)
		}
	}
	return ""
}

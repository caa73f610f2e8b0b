package ladder

import (
	"slices"

	"rung/model"
	"rung/model/selectors"
)

// RuleConflict is a pair of rules with one OVN priority and different verdicts on existing traffic. The rules
// have the same index and direction in two policies of equal priority, so their ACLs share an OVN priority
// (ovn-kubernetes.md#priorities). Their actions differ, and a subject pod of both policies meets a peer and a
// port that both rules match. With named ports of ingress it may be a pod that OVN-Kubernetes only treats as a
// subject (ovn-kubernetes.md#named-ports). OVN may take either rule.
type RuleConflict struct {
	A, B      model.PolicyKey
	Priority  int32
	Direction model.Direction
	Rule      int
	ActionA   model.Action
	ActionB   model.Action
	// Witness is an example: "blue/api-7 → red/web-1 tcp 8080".
	Witness string
	Meeting selectors.RuleMeeting
}

// OtherPolicy returns the policy that k conflicts with, and the actions of both, k's first.
func (c *RuleConflict) OtherPolicy(k model.PolicyKey) (other model.PolicyKey, own, theirs model.Action) {
	if c.A == k {
		return c.B, c.ActionA, c.ActionB
	}
	return c.A, c.ActionB, c.ActionA
}

// conflictLimit bounds the listed conflicts: a hundred policies of one priority have 500,000 pairs of rules.
const conflictLimit = 1000

// conflictFinder resolves the rules of one rung, each once and when needed.
type conflictFinder struct {
	x             *selectors.PodIndex
	rules         map[*model.Rule]*selectors.ResolvedRule
	baselineNames bool // a baseline has named ports for ingress
}

func (f *conflictFinder) resolveRules(r *model.Rule) *selectors.ResolvedRule {
	v := f.rules[r]
	if v == nil {
		v = f.x.ResolveRule(r)
		f.rules[r] = v
	}
	return v
}

// findConflicts fills in Conflicts. Policies above the supported range have no rows, and no conflicts.
func (l *Ladder) findConflicts(c *model.Cluster, x *selectors.PodIndex) {
	for _, tier := range []int{model.TierAdmin, model.TierBaseline} {
		for i := range l.Tiers[tier].Rungs {
			r := &l.Tiers[tier].Rungs[i]
			if !r.Duplicate || r.Unsupported || l.Truncated || !r.Policies[0].Policy.Kind.HasPriority() {
				continue
			}
			if x == nil {
				x = selectors.NewPodIndex(c, nil)
			}
			l.compareRung(r, &conflictFinder{x: x, rules: map[*model.Rule]*selectors.ResolvedRule{}, baselineNames: l.baselineHasNamedPorts()})
		}
	}
}

func (l *Ladder) compareRung(r *Rung, f *conflictFinder) {
	subjects := make([]*selectors.BoundPods, len(r.Policies))
	for i := range r.Policies {
		subjects[i] = f.x.BindPolicy(r.Policies[i].Policy)
	}
	for i := range r.Policies {
		for j := i + 1; j < len(r.Policies); j++ {
			for _, d := range model.Directions {
				for _, c := range f.compareRules(d, r.Policies[i].Policy, subjects[i], r.Policies[j].Policy, subjects[j]) {
					if len(l.Conflicts) == conflictLimit {
						l.Truncated = true
						return
					}
					r.Policies[i].Conflicts = append(r.Policies[i].Conflicts, len(l.Conflicts))
					r.Policies[j].Conflicts = append(r.Policies[j].Conflicts, len(l.Conflicts))
					l.Conflicts = append(l.Conflicts, c)
				}
			}
		}
	}
}

func (f *conflictFinder) compareRules(d model.Direction, a *model.Policy, ofA *selectors.BoundPods, b *model.Policy,
	ofB *selectors.BoundPods) []RuleConflict {
	var out []RuleConflict
	both := ofA.Pods.And(ofB.Pods).And(f.x.EligiblePods())
	apart := both.IsEmpty()
	ra, rb := a.Rules(d), b.Rules(d)
	for i := range min(len(ra), len(rb)) {
		if ra[i].Action == rb[i].Action || apart && !hasNamedPort(&ra[i]) && !hasNamedPort(&rb[i]) {
			continue
		}
		va, vb := f.resolveRules(&ra[i]), f.resolveRules(&rb[i])
		var m selectors.RuleMeeting
		var ok bool
		if d == model.Ingress && (hasNamedPort(&ra[i]) || hasNamedPort(&rb[i])) {
			m, ok = f.x.MeetNamedPorts(ofA, va, ofB, vb, f.baselineNames)
		} else {
			m, ok = f.x.MeetRules(both, va, vb)
		}
		if ok {
			out = append(out, RuleConflict{A: a.Key, B: b.Key, Priority: a.Priority, Direction: d, Rule: i,
				ActionA: ra[i].Action, ActionB: rb[i].Action, Witness: m.Text(d), Meeting: m})
		}
	}
	return out
}

// baselineHasNamedPorts reports whether an ingress rule of a baseline has named ports.
func (l *Ladder) baselineHasNamedPorts() bool {
	for i := range l.Tiers[model.TierBaseline].Rungs {
		for _, p := range l.Tiers[model.TierBaseline].Rungs[i].Policies {
			if slices.ContainsFunc(p.Policy.Ingress, func(r model.Rule) bool { return hasNamedPort(&r) }) {
				return true
			}
		}
	}
	return false
}

func hasNamedPort(r *model.Rule) bool {
	return slices.ContainsFunc(r.Ports, func(p model.Port) bool { return p.Name != "" })
}

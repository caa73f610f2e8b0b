package convert

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"rung/model"
	"rung/model/antrea"
)

// Range of priorities of Antrea's policies.
const (
	antreaFirst = 1
	antreaLast  = 10000
)

// exporter converts policies to Antrea's API.
type exporter struct {
	*policyMaker
	c     *model.Cluster
	names map[*model.Rule]string // names of the new rules
}

// ToAntrea converts the ANPs, BANP and CNPs of the cluster to Antrea's ClusterNetworkPolicies (ACNP). Policies
// that decide before NetworkPolicies go to tier application, and baselines to tier baseline, each after the
// existing policies: Antrea asks AdminNetworkPolicies and baselines there too (antrea.md#order).
// ClusterNetworkPolicies of tier Admin share the priorities of AdminNetworkPolicies, as in OVN-Kubernetes. If
// the cluster has policies of Antrea, they go to the last tier before Antrea's place for them.
func ToAntrea(c *model.Cluster) Result {
	x := &exporter{policyMaker: newPolicyMaker(), c: c, names: map[*model.Rule]string{}}
	native := false
	for p := range c.Policies(model.KindACNP) {
		x.taken[p.Key], native = true, true
	}
	native = native || c.Count(model.KindANNP) > 0
	given := adminPolicies(slices.Collect(c.AllPolicies()))
	var cnp, application, baseline []policyTie
	for _, p := range given {
		if why := whyRefused(p); why != "" {
			x.ignorePolicy(p, why)
			continue
		}
		x.noteLogLevels(p)
		switch {
		case p.Tier == model.TierBaseline:
			x.addToTies(&baseline, p, native)
		case native && p.Kind == model.KindCNP:
			x.addToTies(&cnp, p, native)
		default:
			x.addToTies(&application, p, native)
		}
	}
	x.placeTies(cnp, x.lastTierBefore(antrea.PriorityAdminCNP))
	x.placeTies(application, antrea.Application)
	x.placeTies(baseline, antrea.Baseline)
	for _, list := range [][]policyTie{cnp, application, baseline} {
		x.noteAllRules(list)
	}
	return x.sortedResult(given)
}

// addToTies adds a policy to the tie with its priority.
func (x *exporter) addToTies(list *[]policyTie, p *model.Policy, native bool) {
	priority := float64(p.Priority)
	if p.Kind == model.KindBANP && !native {
		priority = math.Inf(1) // behind all others
	}
	i, found := slices.BinarySearchFunc(*list, priority, func(t policyTie, at float64) int { return cmp.Compare(t.priority, at) })
	if !found {
		*list = slices.Insert(*list, i, policyTie{priority: priority})
	}
	t := &(*list)[i]
	idle := x.whyIdle(p)
	x.nameRules(p)
	for r := range p.AllRules() {
		s := x.convertRule(p, r)
		if idle != "" {
			s.addDifference("%s", idle)
		}
		t.rules = append(t.rules, s)
	}
}

// whyIdle returns why OVN-Kubernetes does not enforce a policy that Antrea would; empty if it does.
func (x *exporter) whyIdle(p *model.Policy) string {
	_, err := p.LogLevels()
	names, node := false, ""
	for r := range p.AllRules() {
		for i := range r.Peers {
			names = names || r.Peers[i].Kind == model.PeerDNS
			for n := range x.c.Nodes() {
				if r.Peers[i].Kind == model.PeerNodes && n.HostErr != "" && r.Peers[i].Nodes.Matches(n.Labels) {
					node = n.Name
				}
			}
		}
	}
	switch {
	case p.Kind.HasPriority() && p.Priority > model.MaxPriority:
		return fmt.Sprintf("OVN-Kubernetes does not enforce priority %d, but Antrea does", p.Priority)
	case err != nil:
		return "OVN-Kubernetes does not enforce it because of its logging annotation, but Antrea does"
	case names:
		return "OVN-Kubernetes does not enforce a ClusterNetworkPolicy with domain names, but Antrea does"
	case node != "":
		return "OVN-Kubernetes does not enforce it because of the addresses of node " + node + ", but Antrea does"
	}
	return ""
}

// lastTierBefore returns the last tier that decides before a priority.
func (x *exporter) lastTierBefore(priority int32) (name string) {
	for _, t := range antrea.TiersInOrder(x.c) {
		if t.Priority < priority {
			name = t.Name
		}
	}
	return name
}

// placeTies gives ties priorities in a tier: their own, counted from behind the existing policies.
func (x *exporter) placeTies(ties []policyTie, tier string) {
	if len(ties) == 0 {
		return
	}
	base := 0.0
	for p := range x.c.TieredPolicies() {
		if p.Tiered.Tier == tier {
			base = max(base, math.Ceil(p.Tiered.Priority))
		}
	}
	if base >= antreaLast {
		for i := range ties {
			ties[i].leaveOutRules("no free priority after the policies of tier %s", tier)
		}
		return
	}
	at := prioritiesOfTies(ties, base)
	for i := range ties {
		slots := ties[i].splitByPriority(math.MaxInt)
		for j := range slots {
			// Parts of one tie come before the next tie.
			priority := at[i] + float64(j)*at[len(ties)]/float64(len(slots))
			slots[j].makePolicies(func(from *model.Policy, _ *ruleClause) *model.Policy { return x.beginACNP(from, tier, priority) },
				x.ruleOfClause)
		}
	}
}

// prioritiesOfTies returns the priority of each tie, all after base. The last element is the room that each
// tie has before the next.
func prioritiesOfTies(ties []policyTie, base float64) []float64 {
	out := make([]float64, 0, len(ties)+1)
	last := base
	for i := range ties {
		p := base + ties[i].priority + antreaFirst
		if math.IsInf(p, 1) {
			p = last + 1
		}
		last, out = p, append(out, p)
	}
	if last < antreaLast {
		return append(out, 1)
	}
	room := (antreaLast - base) / float64(len(ties)+1)
	for i := range out {
		out[i] = base + room*float64(i+1)
	}
	return append(out, room)
}

func (x *exporter) beginACNP(from *model.Policy, tier string, priority float64) *model.Policy {
	next := &model.Policy{Meta: model.Meta{Labels: from.Labels}}
	p := x.beginPolicy(next, model.KindACNP, from.Tier, 0, x.freeName(model.KindACNP, from.Name))
	p.Tiered = &model.TieredPolicy{Tier: tier, Priority: priority, AppliedTo: []model.AppliedTo{{Select: true,
		Namespaces: from.Subject.Namespaces, Pods: from.Subject.Pods}}}
	if from.Subject.AllPods {
		p.Tiered.AppliedTo[0].Pods = model.SelectEverything()
	}
	return p
}

// InTier returns an AdminNetworkPolicy or baseline as Antrea's ClusterNetworkPolicy with a priority in a tier.
// Rules that share a name get their direction as suffix, since Antrea wants unique names.
func InTier(p *model.Policy, tier string, priority float64) *model.Policy {
	x := &exporter{policyMaker: newPolicyMaker(), names: map[*model.Rule]string{}}
	uses := map[string]int{}
	for r := range p.AllRules() {
		uses[r.Name]++
	}
	next := x.beginACNP(p, tier, priority)
	next.Annotations = maps.Clone(p.Annotations)
	for r := range p.AllRules() {
		x.names[r] = r.Name
		if uses[r.Name] > 1 {
			x.names[r] += "-" + r.Direction.Lower()
		}
		s := x.convertRule(p, r)
		for _, c := range s.clauses {
			addRule(next, x.ruleOfClause(s, c))
		}
	}
	return next
}

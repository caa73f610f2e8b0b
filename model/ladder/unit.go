package ladder

import (
	"cmp"
	"slices"

	"rung/model"
	"rung/model/ovn/nb"
)

// OVN priorities of the rows of tiers 1 and 3, and of tier 2 (ovn-kubernetes.md#priorities): the higher
// decides first.
const (
	PriorityAdmin     = 30000 // rule i of an ANP with priority p has 30000 − 100·p − i
	PriorityAdminStep = 100
	PriorityBaseline  = 1750 // rule i of the BANP has 1750 − i

	PriorityFirewall       = 10000 // rule i of an EgressFirewall has 10000 − i
	PriorityMulticastAllow = 1012
	PriorityMulticastDeny  = 1011
	PriorityNetpolAllow    = 1001 // Allows of NetworkPolicies; ARP, hairpin and nodes
	PriorityNetpolDeny     = 1000
)

// RowPriority returns the OVN priority of a rule's rows, for a policy of tier 1 or 3. A ClusterNetworkPolicy
// has the priority of an equal ANP, in the tier it names (ovn-kubernetes.md#clusternetworkpolicy).
func RowPriority(p *model.Policy, rule int) int {
	if p.Kind == model.KindBANP {
		return PriorityBaseline - rule
	}
	return PriorityAdmin - PriorityAdminStep*int(p.Priority) - rule
}

// Unit is a part of tier 2 with its own rows: a NetworkPolicy, an EgressFirewall, or rows that OVN-Kubernetes
// adds (the kinds in kinds.go that are no objects).
type Unit struct {
	Key model.Key
	// Policy is nil for added rows.
	Policy *RungPolicy
	// Networks names the networks of a policy's rows; empty means the default network.
	Networks []string
}

// PriorityRange returns the OVN priorities of the unit's rows in a stage, the first to decide first; ok is
// false without rows in the stage. The ARP and ICMP rows of a default deny have a priority one above the deny.
func (u *Unit) PriorityRange(s model.Stage) (first, last int, ok bool) {
	switch u.Key.Kind {
	case model.KindNP, model.KindMNP:
		p := u.Policy.Policy
		ok = s == model.StageToLport && (len(p.Ingress) > 0 || p.IsolatesDirection(model.Ingress)) ||
			s == model.StageAfterLB && (len(p.Egress) > 0 || p.IsolatesDirection(model.Egress))
		return PriorityNetpolAllow, PriorityNetpolAllow, ok
	case model.KindEF:
		n := len(u.Policy.Policy.Egress)
		return PriorityFirewall, PriorityFirewall - max(0, n-1), s == model.StageToLport && n > 0
	case model.KindNetpolNamespace, model.KindIsolation2016:
		return PriorityNetpolDeny, PriorityNetpolDeny, s == model.StageForDirection(model.Direction(u.Key.Name))
	case model.KindNetpolDefault:
		return PriorityNetpolAllow, PriorityNetpolAllow, s != model.StageFromLport
	case model.KindNetpolNode:
		return PriorityNetpolAllow, PriorityNetpolAllow, s == model.StageToLport
	case model.KindMulticastNS:
		return PriorityMulticastAllow, PriorityMulticastAllow, s != model.StageFromLport
	case model.KindMulticastCluster:
		p := PriorityMulticastAllow
		if u.Key.Name == nb.TypeMulticastDeny {
			p = PriorityMulticastDeny
		}
		return p, p, s != model.StageFromLport
	}
	return 0, 0, false
}

// RuleCounts counts the rules of a unit of added rows in a stage, or in all: one for each direction in which it
// decides (ovn-kubernetes.md#default-deny, #hairpin-and-node-rows, #multicast).
func (u *Unit) RuleCounts(s model.Stage) (ingress, egress RuleCount) {
	does := RuleCount{Allow: 1}
	if u.Key.Kind == model.KindNetpolNamespace || u.Key.Kind == model.KindIsolation2016 ||
		u.Key.Kind == model.KindMulticastCluster && u.Key.Name == nb.TypeMulticastDeny {
		does = RuleCount{Deny: 1}
	}
	if _, _, ok := u.PriorityRange(model.StageToLport); ok && s != model.StageAfterLB {
		ingress = does
	}
	if _, _, ok := u.PriorityRange(model.StageAfterLB); ok && s != model.StageToLport {
		egress = does
	}
	return ingress, egress
}

// Stages returns the stages in which the unit decides.
func (u *Unit) Stages() []model.Stage {
	var out []model.Stage
	for _, s := range model.PipelineStages() {
		if _, _, ok := u.PriorityRange(s); ok {
			out = append(out, s)
		}
	}
	return out
}

// TopPriority returns the OVN priority of the unit's first row in any stage, or 0.
func (u *Unit) TopPriority() (top int) {
	for _, s := range model.PipelineStages() {
		if first, _, ok := u.PriorityRange(s); ok {
			top = max(top, first)
		}
	}
	return top
}

// NamespaceUnits holds a namespace's units of tier 2.
type NamespaceUnits struct {
	Name     string
	Policies []Unit // its NetworkPolicies and MultiNetworkPolicies by name
	// Denies are its default denies. They drop what no NetworkPolicy allows to or from isolated pods
	// (ovn-kubernetes.md#default-deny).
	Denies    []Unit
	Firewall  *Unit // its EgressFirewall
	Multicast bool  // its pods may send and receive multicast
	// Annotated reports that the isolation annotation of 2016 isolates it.
	Annotated bool
}

// IsolatesDirection reports whether a NetworkPolicy isolates pods of the namespace in a direction.
func (n *NamespaceUnits) IsolatesDirection(d model.Direction) bool {
	return slices.ContainsFunc(n.Denies, func(u Unit) bool { return u.Key.Name == string(d) })
}

// fillUnits fills in the units of tier 2. opt.Units are the compiled units of no policy.
func (t *Tier) fillUnits(c *model.Cluster, opt Options) {
	t.Counts = map[model.Kind]int{}
	seen := map[model.Key]bool{}
	add := func(u Unit) {
		if !seen[u.Key] {
			seen[u.Key] = true
			t.Units = append(t.Units, u)
		}
	}
	for _, k := range []model.Kind{model.KindNP, model.KindMNP, model.KindEF} {
		for p := range c.Policies(k) {
			t.Policies = append(t.Policies, NewRungPolicy(p))
			t.Counts[k]++
		}
	}
	for i := range t.Policies {
		rp := &t.Policies[i]
		networks := opt.Networks.NetworksOfPolicy(rp.Policy)
		add(Unit{Key: rp.Policy.Key, Policy: rp, Networks: networks})
		if rp.Policy.Kind == model.KindEF || rp.Policy.Kind == model.KindMNP && len(networks) == 0 {
			continue
		}
		for _, d := range model.Directions {
			if !model.IsolatesPods(rp.Policy, d, opt.LegacyIsolation) {
				continue
			}
			deny := model.Key{Kind: model.KindNetpolNamespace, Namespace: rp.Policy.Namespace, Name: string(d)}
			if len(networks) == 0 && opt.Networks.Programs(nil, rp.Policy) {
				add(Unit{Key: deny})
			}
			for _, deny.Network = range networks {
				if opt.Networks.Programs(opt.Networks.Network(deny.Network), rp.Policy) {
					add(Unit{Key: deny})
				}
			}
		}
	}
	for ns := range c.Namespaces() {
		if ns.Annotations[model.AnnotationMulticast] == "true" {
			add(Unit{Key: model.Key{Kind: model.KindMulticastNS, Namespace: ns.Name, Name: "default"}})
		}
	}
	for _, k := range slices.Concat(opt.annotatedUnits(c), opt.Units) {
		switch k.Kind {
		case model.KindNetpolDefault, model.KindNetpolNode, model.KindMulticastNS, model.KindMulticastCluster, model.KindIsolation2016:
			add(Unit{Key: k})
		}
	}
	slices.SortFunc(t.Units, func(a, b Unit) int {
		return cmp.Or(cmp.Compare(b.TopPriority(), a.TopPriority()), cmp.Compare(unitRank(a.Key.Kind), unitRank(b.Key.Kind)),
			a.Key.Compare(b.Key))
	})
	t.groupByNamespace()
}

// unitRank orders kinds of equal priority for display.
func unitRank(k model.Kind) int {
	return slices.Index([]model.Kind{model.KindEF, model.KindMulticastNS, model.KindMulticastCluster, model.KindNP, model.KindMNP,
		model.KindNetpolDefault, model.KindNetpolNode, model.KindNetpolNamespace, model.KindIsolation2016}, k)
}

func (t *Tier) groupByNamespace() {
	byName := map[string]*NamespaceUnits{}
	for i := range t.Units {
		u := t.Units[i]
		if u.Key.Namespace == "" {
			continue
		}
		n := byName[u.Key.Namespace]
		if n == nil {
			n = &NamespaceUnits{Name: u.Key.Namespace}
			byName[n.Name] = n
		}
		switch u.Key.Kind {
		case model.KindNP, model.KindMNP:
			n.Policies = append(n.Policies, u)
		case model.KindNetpolNamespace:
			n.Denies = append(n.Denies, u)
		case model.KindIsolation2016:
			n.Denies, n.Annotated = append(n.Denies, u), true
		case model.KindEF:
			n.Firewall = &u
		case model.KindMulticastNS:
			n.Multicast = true
		}
	}
	for _, n := range byName {
		slices.SortFunc(n.Denies, func(a, b Unit) int { return cmp.Compare(b.Key.Name, a.Key.Name) }) // ingress first
		t.Namespaces = append(t.Namespaces, *n)
	}
	slices.SortFunc(t.Namespaces, func(a, b NamespaceUnits) int { return cmp.Compare(a.Name, b.Name) })
}

// annotatedUnits returns the units of namespaces isolated by their annotation, if that counts.
func (o *Options) annotatedUnits(c *model.Cluster) (out []model.Key) {
	if !o.LegacyIsolation {
		return nil
	}
	for ns := range c.Namespaces() {
		if model.IsIsolated(c, ns.Name) {
			out = append(out, model.Key{Kind: model.KindIsolation2016, Namespace: ns.Name, Name: string(model.Ingress)})
		}
	}
	return out
}

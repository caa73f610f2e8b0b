package ladder

import (
	"cmp"
	"slices"

	"rung/model"
)

// SectionKind says what a part of tier 2 is.
type SectionKind string

// The sections, in the order in which they decide where they share a stage.
const (
	// SectionFirewall are EgressFirewalls and ingress multicast: the part of tier
	// 2 that decides in to-lport about what a pod sends, even after an egress rule
	// of an AdminNetworkPolicy allowed it (ovn-kubernetes.md#firewall-rows,
	// #multicast).
	SectionFirewall  SectionKind = "firewall"
	SectionMulticast SectionKind = "multicast" // egress multicast
	SectionNetpol    SectionKind = "netpol"    // NetworkPolicies, by namespace
	SectionOwn       SectionKind = "own"       // hairpin and nodes
	SectionDeny      SectionKind = "deny"      // default denies; only within one stage
)

// Section is a part of tier 2.
type Section struct {
	Kind SectionKind
	// Stage is the one its priorities belong to, "" for several.
	Stage model.Stage
	// Units in the order in which they decide, Namespaces for SectionNetpol. With
	// all stages together a namespace has its default denies with it; within one
	// stage they follow in a section of their own, as everything with a higher
	// priority decides before them.
	Units      []Unit
	Namespaces []NamespaceUnits
}

// TopPriority is the OVN priority of its first row, of a section of one stage; the higher one
// decides first.
func (s *Section) TopPriority() int {
	units := s.Units
	if len(units) == 0 {
		units = s.Namespaces[0].Policies
	}
	first, _, _ := units[0].PriorityRange(s.Stage)
	return first
}

// Sections are the parts of tier 2 in the order in which they decide in a stage,
// "" for all together. Empty ones are left out.
func (t *Tier) Sections(stage model.Stage) []Section {
	var out []Section
	add := func(kind SectionKind, in model.Stage, kinds ...model.Kind) {
		if stage != "" && in != "" && in != stage {
			return
		}
		s := Section{Kind: kind, Stage: cmp.Or(in, stage)}
		for i := range t.Units {
			u := t.Units[i]
			if slices.Contains(kinds, u.Key.Kind) && u.isOnStage(s.Stage) {
				s.Units = append(s.Units, u)
			}
		}
		if s.Stage != "" {
			slices.SortStableFunc(s.Units, func(a, b Unit) int {
				x, _, _ := a.PriorityRange(s.Stage)
				y, _, _ := b.PriorityRange(s.Stage)
				return cmp.Compare(y, x)
			})
		}
		if len(s.Units) > 0 {
			out = append(out, s)
		}
	}
	add(SectionFirewall, model.StageToLport, model.KindEF, model.KindMulticastNS, model.KindMulticastCluster)
	add(SectionMulticast, model.StageAfterLB, model.KindMulticastNS, model.KindMulticastCluster)
	if s := (Section{Kind: SectionNetpol, Stage: stage, Namespaces: t.namespacesIn(stage)}); len(s.Namespaces) > 0 {
		out = append(out, s)
	}
	add(SectionOwn, "", model.KindNetpolDefault, model.KindNetpolNode)
	if stage != "" {
		add(SectionDeny, stage, model.KindNetpolNamespace, model.KindIsolation2016)
	}
	return out
}

// isOnStage says whether the unit stands on the ladder of a stage; with all stages
// together also what decides in none: an EgressFirewall without rules.
func (u *Unit) isOnStage(s model.Stage) bool {
	if s == "" || u.Key.Kind == model.KindEF && len(u.Stages()) == 0 {
		return s == "" || s == model.StageToLport
	}
	_, _, ok := u.PriorityRange(s)
	return ok
}

// namespacesIn are the namespaces with NetworkPolicies that decide in a stage, and with all
// stages together those that an annotation isolates.
func (t *Tier) namespacesIn(stage model.Stage) []NamespaceUnits {
	var out []NamespaceUnits
	keep := func(units []Unit) (in []Unit) {
		for i := range units {
			if units[i].isOnStage(stage) {
				in = append(in, units[i])
			}
		}
		return in
	}
	for _, n := range t.Namespaces {
		n.Policies, n.Denies = keep(n.Policies), keep(n.Denies)
		if len(n.Policies) > 0 || stage == "" && n.Annotated {
			out = append(out, n)
		}
	}
	return out
}

// OfStage narrows the ladder to one stage: what decides there, and nothing else. ""
// is the ladder itself.
func (l *Ladder) OfStage(stage model.Stage) *Ladder {
	if stage == "" {
		return l
	}
	out := l.narrowed(func(c *RuleConflict) bool { return model.StageOf(c.Direction) == stage },
		func(p *model.Policy) bool { return p.DecidesIn(stage) }, func(u *Unit) bool { return u.isOnStage(stage) })
	out.Stage = stage
	for i := range out.Tiers {
		t := &out.Tiers[i]
		for j := range t.Rungs {
			t.Rungs[j].Duplicate = len(t.Rungs[j].Policies) > 1
		}
		if t.Tier == model.TierNetwork {
			t.Namespaces = t.namespacesIn(stage)
		}
	}
	return out
}

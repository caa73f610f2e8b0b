package ladder

import (
	"cmp"
	"slices"

	"rung/model"
)

// SectionKind is the kind of a part of tier 2.
type SectionKind string

// The sections, in deciding order within a shared stage.
const (
	// SectionFirewall has EgressFirewalls and ingress multicast. Both decide in to-lport about packets that a
	// pod sends, even after an egress rule of an AdminNetworkPolicy allowed them
	// (ovn-kubernetes.md#firewall-rows, #multicast).
	SectionFirewall  SectionKind = "firewall"
	SectionMulticast SectionKind = "multicast" // egress multicast
	SectionNetpol    SectionKind = "netpol"    // NetworkPolicies, by namespace
	SectionOwn       SectionKind = "own"       // hairpin and nodes
	SectionDeny      SectionKind = "deny"      // default denies; only within one stage
)

// Section is a part of tier 2.
type Section struct {
	Kind SectionKind
	// Stage is the stage of its priorities, "" for several.
	Stage model.Stage
	// Units are in deciding order; Namespaces replace them for SectionNetpol. With all stages shown, a
	// namespace includes its default denies. Within one stage these have a section of their own, since
	// everything with a higher priority decides first.
	Units      []Unit
	Namespaces []NamespaceUnits
}

// TopPriority returns the OVN priority of the first row of a section with one stage; the higher decides first.
func (s *Section) TopPriority() int {
	units := s.Units
	if len(units) == 0 {
		units = s.Namespaces[0].Policies
	}
	first, _, _ := units[0].PriorityRange(s.Stage)
	return first
}

// Sections returns the parts of tier 2 in deciding order in a stage, "" for all stages. It leaves out empty
// parts.
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

// isOnStage reports whether the unit is on the ladder of a stage. The ladder of all stages also has an
// EgressFirewall without rules, which decides in none.
func (u *Unit) isOnStage(s model.Stage) bool {
	if s == "" || u.Key.Kind == model.KindEF && len(u.Stages()) == 0 {
		return s == "" || s == model.StageToLport
	}
	_, _, ok := u.PriorityRange(s)
	return ok
}

// namespacesIn returns the namespaces with NetworkPolicies that decide in a stage. With all stages it includes
// namespaces isolated by an annotation.
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

// OfStage returns the ladder of one stage: only what decides in it. "" returns the ladder itself.
func (l *Ladder) OfStage(stage model.Stage) *Ladder {
	if stage == "" {
		return l
	}
	out := l.narrowed(func(c *RuleConflict) bool { return model.StageForDirection(c.Direction) == stage },
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

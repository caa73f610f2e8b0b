package ladder

import (
	"slices"

	"rung/model"
)

// Place is the place of a policy in the effective order of a plugin with its own tiers.
type Place struct {
	Policy *model.Policy
	// Tier is the priority of its tier and TierName the tier's name, or empty for policies in no tier.
	Tier     int32
	TierName string
	// Group is all policies with the same place, this one included; empty if there is only one. Which of their
	// rules with equal numbers decides first is undefined. NetworkPolicies only allow, so they never have a
	// Group.
	Group []model.PolicyKey
	// Missing reports that the tier is missing or rejected: the policy decides nothing, and comes last.
	Missing bool
}

// TiedPolicies returns the other policies with the same place.
func (p *Place) TiedPolicies() []model.PolicyKey {
	return slices.DeleteFunc(slices.Clone(p.Group), func(k model.PolicyKey) bool { return k == p.Policy.Key })
}

// IsTied reports whether other policies have the same place.
func (p *Place) IsTied() bool { return len(p.Group) > 0 }

// Priority returns the policy's priority within its tier.
func (p *Place) Priority() float64 {
	if a := p.Policy.Tiered; a != nil {
		return a.Priority
	}
	return float64(p.Policy.Priority)
}

// Band is a part of the ladder of a plugin with its own tiers: a tier, Kubernetes' NetworkPolicies, or
// policies with Kubernetes' own precedence.
type Band struct {
	// Name is the Tier's name, else the kind of the policies: "NetworkPolicy". Missing reports that policies
	// name a missing Tier, and decide nothing.
	Name    string
	Tier    *model.Tier // nil for other bands
	Missing bool
	// Priority is the Tier's priority, or the place of the policies among the tiers.
	Priority int32
	Rungs    []BandRung
}

// BandRung is one priority within a band, with its policies.
type BandRung struct {
	Priority float64 // 0 for NetworkPolicies
	Policies []RungPolicy
	// Tied reports several policies: the order of disagreeing rules with equal numbers is undefined.
	Tied bool
}

// PolicyCount returns the number of policies in the band.
func (b *Band) PolicyCount() (n int) {
	for i := range b.Rungs {
		n += len(b.Rungs[i].Policies)
	}
	return n
}

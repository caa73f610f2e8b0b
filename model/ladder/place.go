package ladder

import (
	"slices"

	"rung/model"
)

// Place is a policy in the effective order of a plugin whose policies stand in tiers of their
// own.
type Place struct {
	Policy *model.Policy
	// Tier is the priority of its tier, TierName that tier's name, empty for policies that are
	// in none.
	Tier     int32
	TierName string
	// Group are all with the same place, this one among them, where there are several: which
	// of their rules with the same number decides first is undefined. NetworkPolicies only
	// allow, so none of them is.
	Group []model.PolicyKey
	// Missing says that no such tier is there, or that it is refused: the policy decides
	// nothing, and stands last.
	Missing bool
}

// TiedPolicies are the others with the same place.
func (p *Place) TiedPolicies() []model.PolicyKey {
	return slices.DeleteFunc(slices.Clone(p.Group), func(k model.PolicyKey) bool { return k == p.Policy.Key })
}

// IsTied says whether there are others.
func (p *Place) IsTied() bool { return len(p.Group) > 0 }

// Priority is the policy's priority within its tier.
func (p *Place) Priority() float64 {
	if a := p.Policy.Tiered; a != nil {
		return a.Priority
	}
	return float64(p.Policy.Priority)
}

// Band is a part of the ladder where policies stand in tiers of their plugin's own: a tier,
// the NetworkPolicies of Kubernetes, or policies of Kubernetes' own precedence.
type Band struct {
	// Name is the Tier's name, else the kind of the policies: "NetworkPolicy". Missing
	// says that policies name a Tier that is not there, and decide nothing.
	Name    string
	Tier    *model.Tier // nil for what is no Tier
	Missing bool
	// Priority of the Tier, or by which its policies stand among the tiers.
	Priority int32
	Rungs    []BandRung
}

// BandRung is one priority within a band, and the policies that hold it.
type BandRung struct {
	Priority float64 // 0 for NetworkPolicies
	Policies []RungPolicy
	// Tied says that several hold it, which is undefined where rules with the same number
	// disagree.
	Tied bool
}

// PolicyCount is how many policies the band has.
func (b *Band) PolicyCount() (n int) {
	for i := range b.Rungs {
		n += len(b.Rungs[i].Policies)
	}
	return n
}

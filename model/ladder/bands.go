package ladder

import (
	"rung/model"
	"rung/model/antrea"
)

// Band is a part of the ladder of a cluster on Antrea (antrea.md#order): a Tier, the
// NetworkPolicies of Kubernetes, or policies of Kubernetes' own precedence.
type Band struct {
	// Name is that of the Tier, else the kind of the policies: "NetworkPolicy". Missing
	// says that policies name a Tier that is not there, and decide nothing.
	Name    string
	Tier    *model.AntreaTier // nil for what is no Tier
	Missing bool
	// Priority of the Tier; antrea.PriorityNetwork for NetworkPolicies, which have none.
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

// Count is how many policies the band has.
func (b *Band) Count() (n int) {
	for i := range b.Rungs {
		n += len(b.Rungs[i].Policies)
	}
	return n
}

// Bands is the ladder of a cluster on Antrea, in the order in which bands decide: all
// Tiers, the NetworkPolicies, and what else has policies.
func Bands(c *model.Cluster) []Band {
	var out []Band
	add := func(b Band) { out = append(out, b) }
	for _, t := range antrea.Tiers(c) {
		if t.Name == antrea.Baseline {
			add(Band{Name: string(model.KindNP), Priority: antrea.PriorityNetwork})
		}
		add(Band{Name: t.Name, Tier: t, Priority: t.Priority})
	}
	for _, p := range antrea.Order(c) {
		b := bandOf(&out, &p)
		n := len(b.Rungs)
		if n == 0 || b.Rungs[n-1].Priority != p.Priority() || b.Priority == antrea.PriorityNetwork && len(b.Rungs) == 0 {
			b.Rungs = append(b.Rungs, BandRung{Priority: p.Priority(), Tied: p.IsTied()})
			n++
		}
		r := &b.Rungs[n-1]
		r.Policies = append(r.Policies, onRung(p.Policy))
	}
	return out
}

// bandOf is the band of a place; one that is not there yet is put where it decides.
func bandOf(bands *[]Band, p *antrea.Place) *Band {
	name := p.TierName
	if name == "" {
		name = string(p.Policy.Kind)
	}
	at := len(*bands)
	for i := range *bands {
		b := &(*bands)[i]
		if b.Name == name && b.Missing == p.Missing {
			return b
		}
		if at == len(*bands) && !p.Missing && b.Priority > p.Tier {
			at = i
		}
	}
	*bands = append(*bands, Band{})
	copy((*bands)[at+1:], (*bands)[at:])
	(*bands)[at] = Band{Name: name, Priority: p.Tier, Missing: p.Missing}
	return &(*bands)[at]
}

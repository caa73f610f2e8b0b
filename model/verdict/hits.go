package verdict

import (
	"slices"

	"rung/model"
)

// CollectHits collects the hits of one walk through the tiers.
func CollectHits(list []int32, terms []Term, proto int8, port uint16, buf []Hit) HitCollector {
	k := HitCollector{Hits: buf}
	for _, i := range list {
		t := &terms[i]
		counts, more := k.Next(t.Tier, t.Priority)
		if !more {
			break
		}
		if counts && t.Ports.Has(proto, port) {
			k.Add(Hit{Ref: i, Priority: t.Priority, Tier: t.Tier, Effect: t.Effect, Maybe: t.Maybe})
		}
	}
	return k
}

// RulesOfTerms returns the rules of terms, each once.
func RulesOfTerms(terms []Term, refs []int32) (rules []int32) {
	for _, i := range refs {
		rules = model.AppendNew(rules, terms[i].Rule)
	}
	return rules
}

// WalkVerdict returns the verdict of one walk through the tiers. It reuses buf for the hits.
func WalkVerdict(list []int32, terms []Term, proto int8, port uint16, buf *[]Hit) Verdict {
	k := CollectHits(list, terms, proto, port, (*buf)[:0])
	*buf = k.Hits
	switch {
	case k.IsOpen:
		return settleVerdict(k.Hits)
	case len(k.Hits) == 0 || k.LastEffect != Drops:
		return Allow
	}
	return Deny
}

// PortEdges returns the ports of a protocol at which some term begins or stops matching.
func PortEdges(proto int8, terms []Term, lists ...[]int32) []uint16 {
	if proto == int8(ICMP.Number()) {
		return []uint16{0}
	}
	out := []uint16{1}
	for _, list := range lists {
		for _, i := range list {
			out = terms[i].Ports.addEdges(out, proto)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

package verdict

import "slices"

// collect gathers what counts in one walk through the tiers.
func collect(list []int32, terms []term, proto int8, port uint16, buf []hit) collector {
	k := collector{hits: buf}
	for _, i := range list {
		t := &terms[i]
		counts, more := k.next(t.tier, t.priority)
		if !more {
			break
		}
		if counts && t.ports.has(proto, port) {
			k.add(hit{ref: i, priority: t.priority, tier: t.tier, does: t.does, maybe: t.maybe})
		}
	}
	return k
}

// rulesOf are the rules of terms, each once.
func rulesOf(terms []term, refs []int32) (rules []int32) {
	for _, i := range refs {
		if r := terms[i].rule; !slices.Contains(rules, r) {
			rules = append(rules, r)
		}
	}
	return rules
}

// walk is the verdict of one walk through the tiers; its hits go into a buffer that is kept.
func walk(list []int32, terms []term, proto int8, port uint16, buf *[]hit) Verdict {
	k := collect(list, terms, proto, port, (*buf)[:0])
	*buf = k.hits
	switch {
	case k.open:
		return verdictOf(k.hits)
	case len(k.hits) == 0 || k.last != drops:
		return Allow
	}
	return Deny
}

// edgesOf are the edges of some lists of terms.
func edgesOf(proto int8, terms []term, lists ...[]int32) []uint16 {
	if proto == int8(ICMP.number()) {
		return []uint16{0}
	}
	out := []uint16{1}
	for _, list := range lists {
		out = noteEdges(out, list, terms, proto)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func noteEdges(out []uint16, list []int32, terms []term, proto int8) []uint16 {
	for _, i := range list {
		for _, r := range terms[i].ports {
			if r.proto != proto || r.lo > r.hi {
				continue
			}
			if r.lo > 1 {
				out = append(out, r.lo)
			}
			if r.hi < lastPort {
				out = append(out, r.hi+1)
			}
		}
	}
	return out
}

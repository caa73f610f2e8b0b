package verdict

import (
	"net/netip"
	"slices"
)

// comparison is two indexes with the same classes.
type comparison struct {
	before, after *Classes
	// changed are the terms that only one of the two has, by side and stage.
	changed [2][2]set
}

func newComparison(before, after *Index, marks []netip.Addr) *comparison {
	c := &comparison{}
	var f *focus
	if sameEnds := slices.Equal(before.ends, after.ends); sameEnds {
		f = newFocus(len(after.ends))
	}
	c.findChanged(before, after, f)
	both := classesOf(nil, marks, f, before, after)
	both[0].near = both[0].near || both[1].near
	both[1].near = both[0].near
	c.before, c.after = both[0], both[1]
	return c
}

// findChanged finds the terms that only one of the two has, and what they are about. Without
// the same ends terms cannot be compared: then all are.
func (c *comparison) findChanged(before, after *Index, f *focus) {
	for n, side := range [...]struct{ has, other *Index }{{before, after}, {after, before}} {
		known := map[signature]int{}
		if f != nil { // conditions are compared by the places of ends
			known = side.other.signatures()
		}
		for stage, terms := range side.has.terms {
			mine := side.has.signaturesOf(stage)
			c.changed[n][stage] = newSet(len(terms))
			for i := range terms {
				if known[mine[i]] > 0 {
					known[mine[i]]--
					continue
				}
				c.changed[n][stage].add(int32(i))
				if f != nil {
					f.add(side.has, &terms[i])
				}
			}
		}
	}
}

// each visits the pairs of classes between which something may change, until visit says
// that it is enough.
func (c *comparison) each(visit func(a, b int32, how mode, nodes Nodes, pairs int) bool) {
	on := true
	try := func(a, b int32, how mode, nodes Nodes, pairs int) {
		if on && pairs > 0 {
			on = visit(a, b, how, nodes, pairs)
		}
	}
	c.touched(func(a, b int32) {
		how, ok := c.after.mode(a, b)
		if !ok || !on {
			return
		}
		near, far := c.after.pairs(a, b)
		switch {
		case how == leaving && c.after.ownNodeMatters(b):
			try(a, b, how, TwoNodes, far)
			try(a, b, how, OneNode, near)
			return
		case how != farAway || !c.before.sensitive(a, b) && !c.after.sensitive(a, b):
			try(a, b, how, AnyNodes, near+far)
			return
		}
		try(a, b, farAway, TwoNodes, far)
		try(a, b, sameNode, OneNode, near)
	})
}

// touched visits the pairs of classes that may change: where a term matches that only one
// of the two has.
func (c *comparison) touched(visit func(a, b int32)) {
	byFrom := make([]set, len(c.after.classes))
	for n, side := range [...]*Classes{c.before, c.after} {
		for stage, terms := range side.x.terms {
			c.changed[n][stage].each(func(i int32) { side.mark(&terms[i], byFrom) })
		}
	}
	for a, to := range byFrom {
		to.each(func(b int32) { visit(int32(a), b) })
	}
}

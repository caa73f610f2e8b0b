package matrix

import (
	"net/netip"
	"rung/model/verdict/index"
	"slices"
)

// Comparison is two indexes with the same classes.
type Comparison struct {
	Before, After *Classes
	// changed are the terms that only one of the two has, by side and stage.
	Changed [2][2]index.Set
}

func NewComparison(before, after *index.Index, marks []netip.Addr) *Comparison {
	c := &Comparison{}
	var f *focus
	if sameEnds := slices.Equal(before.Ends, after.Ends); sameEnds {
		f = newFocus(len(after.Ends))
	}
	c.findChanged(before, after, f)
	both := classesOf(nil, marks, f, before, after)
	both[0].near = both[0].near || both[1].near
	both[1].near = both[0].near
	c.Before, c.After = both[0], both[1]
	return c
}

// findChanged finds the terms that only one of the two has, and what they are about. Without
// the same ends terms cannot be compared: then all are.
func (c *Comparison) findChanged(before, after *index.Index, f *focus) {
	for n, side := range [...]struct{ has, other *index.Index }{{before, after}, {after, before}} {
		known := map[index.Signature]int{}
		if f != nil { // conditions are compared by the places of ends
			known = side.other.Signatures()
		}
		for stage, terms := range side.has.Terms {
			mine := side.has.StageSignatures(stage)
			c.Changed[n][stage] = index.NewSet(len(terms))
			for i := range terms {
				if known[mine[i]] > 0 {
					known[mine[i]]--
					continue
				}
				c.Changed[n][stage].Add(int32(i))
				if f != nil {
					f.add(side.has, &terms[i])
				}
			}
		}
	}
}

// Each visits the pairs of classes between which something may change, until visit says
// that it is enough.
func (c *Comparison) Each(visit func(a, b int32, how Mode, nodes Nodes, pairs int) bool) {
	on := true
	try := func(a, b int32, how Mode, nodes Nodes, pairs int) {
		if on && pairs > 0 {
			on = visit(a, b, how, nodes, pairs)
		}
	}
	c.touched(func(a, b int32) {
		how, ok := c.After.Mode(a, b)
		if !ok || !on {
			return
		}
		near, far := c.After.Pairs(a, b)
		switch {
		case how == Leaving && c.After.OwnNodeMatters(b):
			try(a, b, how, TwoNodes, far)
			try(a, b, how, OneNode, near)
			return
		case how != FarAway || !c.Before.NodesMatter(a, b) && !c.After.NodesMatter(a, b):
			try(a, b, how, AnyNodes, near+far)
			return
		}
		try(a, b, FarAway, TwoNodes, far)
		try(a, b, SameNode, OneNode, near)
	})
}

// touched visits the pairs of classes that may change: where a term matches that only one
// of the two has.
func (c *Comparison) touched(visit func(a, b int32)) {
	byFrom := make([]index.Set, len(c.After.List))
	for n, side := range [...]*Classes{c.Before, c.After} {
		for stage, terms := range side.Index.Terms {
			c.Changed[n][stage].Each(func(i int32) { side.Mark(&terms[i], byFrom) })
		}
	}
	for a, to := range byFrom {
		to.Each(func(b int32) { visit(int32(a), b) })
	}
}

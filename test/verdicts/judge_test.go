package verdicts

import (
	"cmp"
	"fmt"
	"rung/model/verdict"

	"slices"
)

// The judge of Differ and Moves: the difference of two profiles, port by port, without who
// decides.

// Flip is what a change does to connections that become another verdict: from Before to
// After, on a run of ports.
type Flip struct {
	Before, After verdict.Verdict
	Protocol      verdict.Protocol
	Lo, Hi        uint16
	// Pairs counts the pairs of ends: of pods, each with each of its addresses; a block
	// outside counts as one.
	Pairs   int
	Example verdict.Connection
}

// Change is what becomes of the connections between two classes of ends.
type Change struct {
	From, To []verdict.Endpoint
	Nodes    verdict.NodePairing
	Pairs    int
	Example  verdict.Connection // without protocol and port
	Flips    []Flip             // by protocol and port; Pairs and Example are those of the change

	classes  *verdict.Classes
	from, to int32
}

// has says of an end of From and one of To whether there is such a connection.
func (c *Change) has(from, to verdict.Endpoint) bool { return comes(c.classes, c.from, from, c.to, to) }

// comes says whether an end of a class comes to one of another: what is outside may not.
func comes(c *verdict.Classes, a int32, from verdict.Endpoint, b int32, to verdict.Endpoint) bool {
	if !c.List[a].Outside {
		return true
	}
	for _, e := range c.List[b].Ends {
		if c.Index.Endpoint(e) == to {
			return slices.Contains(slices.Collect(c.SourceAddrs(c.List[a], e)), from.Addr)
		}
	}
	return false
}

// each visits the pairs of ends by the names that they have in names.
func (c *Change) each(visit func(from, to string)) {
	k, x := c.classes, c.classes.Index
	name := func(id int32) (out []string) {
		if k.List[id].Outside {
			return []string{fmt.Sprint("class ", id)}
		}
		for _, e := range members(k, id) {
			out = append(out, e.String())
		}
		return out
	}
	for i, from := range name(c.from) {
		for j, to := range name(c.to) {
			if !k.List[c.from].Outside && !k.List[c.to].Outside {
				a, b := k.List[c.from].Ends[i], k.List[c.to].Ends[j]
				if x.Ends[a].Pod == x.Ends[b].Pod || c.Nodes != verdict.AnyNodes && (x.NodeOfEnd(a) == x.NodeOfEnd(b)) != (c.Nodes == verdict.OneNode) {
					continue
				}
			}
			visit(from, to)
		}
	}
}

// names are two ends as each names them: addresses outside by their class, wherever in its
// blocks they are.
func names(c *verdict.Classes, from, to verdict.Endpoint) (a, b string) {
	a, b = from.String(), to.String()
	class := func(e verdict.Endpoint, node string) string {
		s := c.Outside
		if slices.Contains(s.NodesOfAddr[e.Addr], node) {
			id := slices.IndexFunc(c.List, func(k *verdict.Class) bool {
				return slices.Contains(k.OwnAddrs, verdict.OwnAddr{Addr: e.Addr, Node: node})
			})
			return fmt.Sprint("class ", id)
		}
		return fmt.Sprint("class ", s.Blocks[s.BlockAround(e.Addr)].Class)
	}
	if from.Key.Name == "" {
		p := c.Index.Cluster().Pod(to.Key.Namespace, to.Key.Name)
		a = class(from, p.NodeName)
	}
	if to.Key.Name == "" {
		b = class(to, "")
	}
	return a, b
}

// Compare says which connections become another verdict: of all there are between pods
// that are in both, and with addresses outside. It is complete, and it is empty only where
// nothing changes.
func Compare(before, after *verdict.Index) []Flip {
	type key struct {
		before, after verdict.Verdict
		protocol      verdict.Protocol
		lo, hi        uint16
	}
	all := map[key]*Flip{}
	compare(before, after, func(c *judge, a, b int32, nodes verdict.NodePairing, pairs int, flips []Flip) {
		var example *verdict.Connection
		for _, f := range flips {
			k := key{f.Before, f.After, f.Protocol, f.Lo, f.Hi}
			known := all[k]
			if known == nil {
				if example == nil {
					from, to, _ := c.After.ExampleConnection(a, b, nodes)
					example = &verdict.Connection{From: from, To: to, Family: c.After.List[a].Family}
				}
				f.Example = *example
				f.Example.Protocol, f.Example.Port = f.Protocol, f.Lo
				known = &f
				all[k] = known
			}
			known.Pairs += pairs
		}
	})
	out := make([]Flip, 0, len(all))
	for _, f := range all {
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b Flip) int {
		return cmp.Or(a.After.HarmRank()-b.After.HarmRank(), a.Before.HarmRank()-b.Before.HarmRank(), cmp.Compare(b.Pairs, a.Pairs),
			a.Protocol.Number()-b.Protocol.Number(), cmp.Compare(a.Lo, b.Lo))
	})
	return out
}

// Changes visits what Compare sums up, by classes of ends.
func Changes(before, after *verdict.Index, visit func(Change)) {
	compare(before, after, func(c *judge, a, b int32, nodes verdict.NodePairing, pairs int, flips []Flip) {
		from, to, _ := c.After.ExampleConnection(a, b, nodes)
		ch := Change{From: members(c.After, a), To: members(c.After, b), Nodes: nodes, Pairs: pairs, classes: c.After, from: a, to: b,
			Example: verdict.Connection{From: from, To: to, Family: c.After.List[a].Family}, Flips: slices.Clone(flips)}
		visit(ch)
	})
}

func members(c *verdict.Classes, id int32) (out []verdict.Endpoint) {
	k := c.List[id]
	for _, i := range k.Blocks {
		out = append(out, verdict.AddrEnd(c.Outside.Blocks[i].Addr))
	}
	for _, o := range k.OwnAddrs {
		out = append(out, verdict.AddrEnd(o.Addr))
	}
	for _, e := range k.Ends {
		out = append(out, c.Index.Endpoint(e))
	}
	return out
}

// judge is a comparison of profiles.
type judge struct {
	*verdict.Comparison
	differences map[[2]*verdict.Segment][]Flip
}

func compare(before, after *verdict.Index, found func(c *judge, a, b int32, nodes verdict.NodePairing, pairs int, flips []Flip)) {
	c := &judge{Comparison: verdict.NewComparison(before, after, nil), differences: map[[2]*verdict.Segment][]Flip{}}
	c.Each(func(a, b int32, how verdict.ConnectionMode, nodes verdict.NodePairing, pairs int) bool {
		flips := c.flips(a, b, how)
		if but := c.After.CutPorts(b, how, nodes); len(but) > 0 {
			var left []Flip
			for _, f := range flips {
				for _, r := range verdict.SubtractPorts([]verdict.PortRange{{Protocol: f.Protocol, Lo: f.Lo, Hi: f.Hi}}, but) {
					f.Lo, f.Hi = r.Lo, r.Hi
					left = append(left, f)
				}
			}
			flips = left
		}
		if len(flips) > 0 {
			found(c, a, b, nodes, pairs, flips)
		}
		return true
	})
}

// flips are the ports whose verdict changes between two classes.
func (c *judge) flips(a, b int32, how verdict.ConnectionMode) []Flip {
	p, q := c.Before.Segments(a, b, how), c.After.Segments(a, b, how)
	key := [2]*verdict.Segment{&p[0], &q[0]} // equal ones are one slice
	if out, known := c.differences[key]; known {
		return out
	}
	var out []Flip
	for i, j := 0, 0; i < len(p) && j < len(q); {
		s, t := p[i], q[j]
		hi := min(s.Hi, t.Hi)
		if s.Verdict != t.Verdict {
			out = append(out, Flip{Before: s.Verdict, After: t.Verdict, Protocol: s.Protocol, Lo: max(s.Lo, t.Lo), Hi: hi})
		}
		if s.Hi == hi {
			i++
		}
		if t.Hi == hi {
			j++
		}
	}
	c.differences[key] = out
	return out
}

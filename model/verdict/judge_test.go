package verdict

import (
	"cmp"
	"fmt"
	"slices"
)

// The judge of Differ and Moves: the difference of two profiles, port by port, without who
// decides.

// Flip is what a change does to connections that become another verdict: from Before to
// After, on a run of ports.
type Flip struct {
	Before, After Verdict
	Protocol      Protocol
	Lo, Hi        uint16
	// Pairs counts the pairs of ends: of pods, each with each of its addresses; a block
	// outside counts as one.
	Pairs   int
	Example Connection
}

// Change is what becomes of the connections between two classes of ends.
type Change struct {
	From, To []Endpoint
	Nodes    Nodes
	Pairs    int
	Example  Connection // without protocol and port
	Flips    []Flip     // by protocol and port; Pairs and Example are those of the change

	classes  *Classes
	from, to int32
}

// has says of an end of From and one of To whether there is such a connection.
func (c *Change) has(from, to Endpoint) bool { return c.classes.comes(c.from, from, c.to, to) }

// comes says whether an end of a class comes to one of another: what is outside may not.
func (c *Classes) comes(a int32, from Endpoint, b int32, to Endpoint) bool {
	if !c.classes[a].outside {
		return true
	}
	for _, e := range c.classes[b].ends {
		if c.x.endpoint(e) == to {
			return slices.Contains(slices.Collect(c.sources(c.classes[a], e)), from.Addr)
		}
	}
	return false
}

// each visits the pairs of ends by the names that they have in names.
func (c *Change) each(visit func(from, to string)) {
	k, x := c.classes, c.classes.x
	name := func(id int32) (out []string) {
		if k.classes[id].outside {
			return []string{fmt.Sprint("class ", id)}
		}
		for _, e := range k.members(id) {
			out = append(out, e.String())
		}
		return out
	}
	for i, from := range name(c.from) {
		for j, to := range name(c.to) {
			if !k.classes[c.from].outside && !k.classes[c.to].outside {
				a, b := k.classes[c.from].ends[i], k.classes[c.to].ends[j]
				if x.ends[a].pod == x.ends[b].pod || c.Nodes != AnyNodes && (x.nodeAt(a) == x.nodeAt(b)) != (c.Nodes == OneNode) {
					continue
				}
			}
			visit(from, to)
		}
	}
}

// names are two ends as each names them: addresses outside by their class, wherever in its
// blocks they are.
func (c *Classes) names(from, to Endpoint) (a, b string) {
	a, b = from.String(), to.String()
	class := func(e Endpoint, node string) string {
		s := c.outside
		if slices.Contains(s.own[e.Addr], node) {
			id := slices.IndexFunc(c.classes, func(k *class) bool { return slices.Contains(k.own, ownAddr{e.Addr, node}) })
			return fmt.Sprint("class ", id)
		}
		return fmt.Sprint("class ", s.blocks[s.around(e.Addr)].class)
	}
	if from.Key.Name == "" {
		p := c.x.Cluster().Pod(to.Key.Namespace, to.Key.Name)
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
func Compare(before, after *Index) []Flip {
	type key struct {
		before, after Verdict
		protocol      Protocol
		lo, hi        uint16
	}
	all := map[key]*Flip{}
	compare(before, after, func(c *judge, a, b int32, nodes Nodes, pairs int, flips []Flip) {
		var example *Connection
		for _, f := range flips {
			k := key{f.Before, f.After, f.Protocol, f.Lo, f.Hi}
			known := all[k]
			if known == nil {
				if example == nil {
					from, to, _ := c.after.example(a, b, nodes)
					example = &Connection{From: from, To: to, Family: c.after.classes[a].family}
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
		return cmp.Or(a.After.Rank()-b.After.Rank(), a.Before.Rank()-b.Before.Rank(), cmp.Compare(b.Pairs, a.Pairs),
			a.Protocol.number()-b.Protocol.number(), cmp.Compare(a.Lo, b.Lo))
	})
	return out
}

// Changes visits what Compare sums up, by classes of ends.
func Changes(before, after *Index, visit func(Change)) {
	compare(before, after, func(c *judge, a, b int32, nodes Nodes, pairs int, flips []Flip) {
		from, to, _ := c.after.example(a, b, nodes)
		ch := Change{From: c.after.members(a), To: c.after.members(b), Nodes: nodes, Pairs: pairs, classes: c.after, from: a, to: b,
			Example: Connection{From: from, To: to, Family: c.after.classes[a].family}, Flips: slices.Clone(flips)}
		visit(ch)
	})
}

func (c *Classes) members(id int32) (out []Endpoint) {
	k := c.classes[id]
	for _, i := range k.blocks {
		out = append(out, AddrEnd(c.outside.blocks[i].addr))
	}
	for _, o := range k.own {
		out = append(out, AddrEnd(o.addr))
	}
	for _, e := range k.ends {
		out = append(out, c.x.endpoint(e))
	}
	return out
}

// judge is a comparison of profiles.
type judge struct {
	*comparison
	k           candidates
	buf         []byte
	differences map[[2]*profile][]Flip
}

func compare(before, after *Index, found func(c *judge, a, b int32, nodes Nodes, pairs int, flips []Flip)) {
	c := &judge{comparison: newComparison(before, after, nil), differences: map[[2]*profile][]Flip{}}
	c.each(func(a, b int32, how mode, nodes Nodes, pairs int) bool {
		flips := c.flips(a, b, how)
		if but := c.after.cutPorts(b, how, nodes); len(but) > 0 {
			var left []Flip
			for _, f := range flips {
				for _, r := range Except([]PortRange{{f.Protocol, f.Lo, f.Hi}}, but) {
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
func (c *judge) flips(a, b int32, how mode) []Flip {
	c.before.between(a, b, how, &c.k)
	p := c.before.profile(&c.k, c.buf)
	c.after.between(a, b, how, &c.k)
	q := c.after.profile(&c.k, c.buf)
	key := [2]*profile{p, q}
	if out, known := c.differences[key]; known {
		return out
	}
	var out []Flip
	for i, j := 0, 0; i < len(p.segments) && j < len(q.segments); {
		s, t := p.segments[i], q.segments[j]
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

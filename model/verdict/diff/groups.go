package diff

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"rung/model/verdict"
	"rung/model/verdict/index"
	"rung/model/verdict/matrix"
)

// gathered is a Group in the making: ends are classes.
type gathered struct {
	Group
	from, to index.Set
	reached  map[int32]string // of classes outside, the one node whose pods they come to, manyNodes for several
	left     index.Set        // the blocks that connections lead to, of classes whose cut asks for the node
	n        int              // how many came before it
}

// portChange is one run of ports between two sides that differ there.
type portChange struct {
	before, after     verdict.Verdict
	byBefore, byAfter int32
	ports             []verdict.PortRange
	group             *gathered
}

// result is the differences between two lists of decisions.
type result struct {
	changes []portChange
	flips   []*flip
	hangs   []hang
}

// settling is the walk that makes the verdict: the first that has it.
func (r *ruling) settling() int {
	for i := range r.walks {
		if r.walks[i].verdict == r.verdict {
			return i
		}
	}
	return 0
}

// differs says who decides before and after, and whether that is another or the verdict is.
func differs(p, q *ruling) (byBefore, byAfter int32, differ bool) {
	switch {
	case p.verdict != q.verdict:
		at := q.settling()
		if verdict.Worse(p.verdict, q.verdict) == p.verdict {
			at = p.settling()
		}
		return p.walks[at].by, q.walks[at].by, true
	case p.verdict == verdict.Allow:
		for i := range p.walks {
			if p.walks[i].by != q.walks[i].by {
				return p.walks[i].by, q.walks[i].by, true
			}
		}
		return 0, 0, false
	}
	a, b := p.walks[p.settling()].by, q.walks[q.settling()].by
	return a, b, a != b
}

func (d *differ) result(p, q *decisions) *result {
	key := [2]*decisions{p, q}
	if r := d.results[key]; r != nil {
		return r
	}
	r := &result{}
	for i, j := 0, 0; i < len(p.list) && j < len(q.list); {
		s, t := &p.list[i], &q.list[j]
		hi := min(s.Hi, t.Hi)
		d.hanging(r, s, t, verdict.PortRange{Protocol: s.Protocol, Lo: max(s.Lo, t.Lo), Hi: hi})
		if a, b, differ := differs(s, t); differ {
			r.add(portChange{before: s.verdict, after: t.verdict, byBefore: a, byAfter: b,
				ports: []verdict.PortRange{{Protocol: s.Protocol, Lo: max(s.Lo, t.Lo), Hi: hi}}})
		}
		if s.Hi == hi {
			i++
		}
		if t.Hi == hi {
			j++
		}
	}
	for i := range r.changes {
		r.changes[i].group = d.group(&r.changes[i])
	}
	r.findFlips()
	d.results[key] = r
	return r
}

func (r *result) add(c portChange) {
	for i := range r.changes {
		o := &r.changes[i]
		if o.before != c.before || o.after != c.after || o.byBefore != c.byBefore || o.byAfter != c.byAfter {
			continue
		}
		last := &o.ports[len(o.ports)-1]
		if last.Protocol == c.ports[0].Protocol && last.Hi != verdict.LastPort && last.Hi+1 == c.ports[0].Lo {
			last.Hi = c.ports[0].Hi
		} else {
			o.ports = append(o.ports, c.ports...)
		}
		return
	}
	r.changes = append(r.changes, c)
}

// group is the one that connections with this change belong to.
func (d *differ) group(c *portChange) *gathered {
	key := []byte(c.before + "\x00" + c.after + "\x00")
	key = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(key, uint32(c.byBefore)), uint32(c.byAfter))
	key = fmt.Append(key, c.ports)
	g := d.groups[string(key)]
	if g == nil {
		g = &gathered{n: len(d.groups), from: index.NewSet(len(d.After.List)), to: index.NewSet(len(d.After.List)),
			Group: Group{Before: c.before, After: c.after, Ports: c.ports,
				ByBefore: d.sides[0].deciders(c.byBefore), ByAfter: d.sides[1].deciders(c.byAfter)}}
		d.groups[string(key)] = g
	}
	return g
}

// pair takes in what changes between two classes.
func (d *differ) pair(a, b int32, how matrix.Mode, nodes matrix.Nodes, pairs int) {
	p, q := d.sides[0].decisions(a, b, how), d.sides[1].decisions(a, b, how)
	if ports := d.After.CutPorts(b, how, nodes); len(ports) > 0 {
		at := cutting{d.After.List[b].Cut, nodes == matrix.OneNode}
		p, q = d.without(p, at, ports), d.without(q, at, ports)
	}
	r := d.result(p, q)
	d.total(r, pairs)
	d.beyondPair(a, b, nodes, pairs, r)
	d.reach.pair(d, a, b, nodes, pairs, r)
	for i := range r.changes {
		c := &r.changes[i]
		if c.group.Pairs == 0 {
			c.group.Example = d.connection(a, b, nodes, c.ports[0])
		}
		c.group.Pairs += pairs
		c.group.from.Add(a)
		c.group.to.Add(b)
		c.group.reach(d.After, a, b)
		c.group.leave(d.After, a, b, nodes)
	}
	d.watchPair(a, b, nodes, r)
}

// total counts the pairs by what becomes of them, each once however many ports flip: in the
// groups a pair counts for each that it is in.
func (d *differ) total(r *result, pairs int) {
	for i := range r.changes {
		c := &r.changes[i]
		alike := func(o portChange) bool { return o.before == c.before && o.after == c.after }
		if !slices.ContainsFunc(r.changes[:i], alike) {
			d.totals = count(d.totals, c, pairs)
		}
	}
}

// count adds pairs to those that become the same.
func count(totals []Total, c *portChange, pairs int) []Total {
	at := slices.IndexFunc(totals, func(t Total) bool { return t.Before == c.before && t.After == c.after })
	if at < 0 {
		return append(totals, Total{Before: c.before, After: c.after, Pairs: pairs})
	}
	totals[at].Pairs += pairs
	return totals
}

func (d *differ) connection(a, b int32, nodes matrix.Nodes, p verdict.PortRange) verdict.Connection {
	from, to, _ := d.After.Example(a, b, nodes)
	if nodes == matrix.TwoNodes && d.After.List[b].Outside { // rather no NodePort: its endpoints have a say
		if left := p.Without(d.After.CutPorts(b, matrix.Leaving, matrix.OneNode)); len(left) > 0 {
			p = left[0]
		}
	}
	return verdict.Connection{From: from, To: to, Family: d.After.List[a].Family, Protocol: p.Protocol, Port: p.Example()}
}

// difference puts together what was found.
func (d *differ) difference() *Difference {
	d.findUses() // where no pair was visited
	out := &Difference{Rules: d.uses, Totals: d.totals, Beyond: d.beyondGroup()}
	out.Reaches, out.Hangs = d.reach.found()
	for _, g := range d.inOrder() {
		g.From, g.To = d.ends(g.from, g.reached, nil), d.ends(g.to, nil, g.left)
		if g.Before == g.After {
			out.Others = append(out.Others, g.Group)
		} else {
			out.Flips = append(out.Flips, g.Group)
		}
	}
	slices.SortFunc(out.Totals, func(a, b Total) int {
		return cmp.Or(a.After.Rank()-b.After.Rank(), a.Before.Rank()-b.Before.Rank())
	})
	for i := range d.watches {
		w := &d.watches[i]
		for g := range w.groups {
			w.groups[g].From, w.groups[g].To = d.podsOf(w.from[g]), d.podsOf(w.to[g])
		}
		out.Watched = append(out.Watched, slices.DeleteFunc(w.groups, func(g Group) bool { return g.Pairs == 0 }))
	}
	for i := range d.uses {
		for _, id := range slices.Sorted(maps.Keys(d.instead[i])) {
			d.uses[i].Instead = append(d.uses[i].Instead, d.sides[d.useSide[i]].deciders(id)...)
		}
	}
	return out
}

func (d *differ) inOrder() []*gathered {
	out := make([]*gathered, 0, len(d.groups))
	for _, g := range d.groups {
		if g.Pairs > 0 {
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b *gathered) int {
		return cmp.Or(a.After.Rank()-b.After.Rank(), a.Before.Rank()-b.Before.Rank(), cmp.Compare(b.Pairs, a.Pairs), cmp.Compare(a.n, b.n))
	})
	return out
}

// manyNodes stands for several nodes; no node is called so.
const manyNodes = "*"

// reach notes of which nodes the pods are that a class outside comes to.
func (g *gathered) reach(c *matrix.Classes, a, b int32) {
	if len(c.Outside.Owners) == 0 || !c.List[a].Outside || g.reached[a] == manyNodes {
		return
	}
	if g.reached == nil {
		g.reached = map[int32]string{}
	}
	for node := range c.PodsByNode(c.List[b]) {
		if was, is := g.reached[a]; is && was != node {
			node = manyNodes
		}
		g.reached[a] = node
	}
}

// ends names the ends of some classes. Classes outside that only come to pods of one node leave
// out that node's own addresses; of classes to which the node matters only the blocks of left
// are meant.
func (d *differ) ends(classes index.Set, reached map[int32]string, left index.Set) (out verdict.Ends) {
	x, s := d.After.Index, d.After.Outside
	pods, blocks := index.NewSet(x.Pods.Len()), index.NewSet(len(s.Blocks))
	var own []netip.Prefix
	classes.Each(func(id int32) {
		k := d.After.List[id]
		for _, i := range k.Blocks {
			if len(left) > 0 && d.After.OwnNodeMatters(id) && !left.Has(i) {
				continue
			}
			if node, is := reached[id]; !is || s.From(&s.Blocks[i], node).IsValid() {
				blocks.Add(i)
			}
		}
		for _, o := range k.Own {
			own = append(own, netip.PrefixFrom(o.Addr, o.Addr.BitLen()))
		}
		for _, e := range k.Ends {
			pods.Add(x.Ends[e].Pod)
		}
	})
	out = d.podsOf(pods)
	out.Outside, out.Except = s.List(blocks)
	for _, p := range own {
		if !slices.Contains(out.Outside, p) {
			out.Outside = append(out.Outside, p)
		}
	}
	for _, node := range reached {
		for _, a := range s.Owners {
			if node == manyNodes || !slices.Contains(s.Own[a], node) {
				continue
			}
			p := netip.PrefixFrom(a, a.BitLen())
			if i := s.Around(a); i >= 0 && blocks.Has(i) && reached[s.Blocks[i].Class] == node &&
				!slices.Contains(out.Outside, p) && !slices.Contains(out.Except, p) {
				out.Except = append(out.Except, p)
			}
		}
	}
	for _, networks := range [][]netip.Prefix{out.Outside, out.Except} {
		slices.SortFunc(networks, func(a, b netip.Prefix) int { return cmp.Or(a.Bits()-b.Bits(), a.Addr().Compare(b.Addr())) })
	}
	return out
}

// leave notes to which blocks of a class connections lead, where the node matters.
func (g *gathered) leave(c *matrix.Classes, a, b int32, nodes matrix.Nodes) {
	to := c.List[b]
	if nodes == matrix.AnyNodes || !to.Outside {
		return
	}
	if g.left == nil {
		g.left = index.NewSet(len(c.Outside.Blocks))
	}
	for _, i := range to.Blocks {
		host, by := c.Outside.Blocks[i].Host, c.PodsByNode(c.List[a])
		there := by[host] > 0
		if nodes == matrix.OneNode && there || nodes == matrix.TwoNodes && (!there || len(by) > 1) {
			g.left.Add(i)
		}
	}
}

// without leaves ports out of decisions.
func (d *differ) without(all *decisions, at cutting, ports []verdict.PortRange) *decisions {
	if d.cut[at] == nil {
		d.cut[at] = map[*decisions]*decisions{}
	}
	out := d.cut[at][all]
	if out == nil {
		out = &decisions{}
		for _, r := range all.list {
			for _, left := range r.PortRange.Without(ports) {
				r.PortRange = left
				out.list = append(out.list, r)
			}
		}
		d.cut[at][all] = out
	}
	return out
}

// cutting is a cut as it counts for some pods: those of the node that the block is of, or others.
type cutting struct {
	cut int32
	own bool
}

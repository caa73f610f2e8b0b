package diff

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/verdict"
)

type groupBuilder struct {
	FlipGroup
	from, to     verdict.Set
	reachedNodes map[int32]string // by outside class: the only node whose pods it reaches, or manyNodes
	leftBlocks   verdict.Set      // the destination blocks of classes whose cut depends on the node
	order        int              // how many groups came before
}

// portChange is a range of ports that two sides decide differently.
type portChange struct {
	before, after     verdict.Verdict
	byBefore, byAfter int32
	ports             []verdict.PortRange
	group             *groupBuilder
}

// decisionDiff holds the differences between two lists of decisions.
type decisionDiff struct {
	changes     []portChange
	flips       []*portFlip
	stillDenied []stillDeniedPorts
}

// settlingWalk returns the walk that settles the verdict: the first that has it.
func (r *joinedVerdict) settlingWalk() int {
	for i := range r.walks {
		if r.walks[i].verdict == r.verdict {
			return i
		}
	}
	return 0
}

// compareVerdicts returns the deciders before and after; differ reports whether they or the verdicts differ.
func compareVerdicts(p, q *joinedVerdict) (byBefore, byAfter int32, differ bool) {
	switch {
	case p.verdict != q.verdict:
		at := q.settlingWalk()
		if verdict.JoinVerdicts(p.verdict, q.verdict) == p.verdict {
			at = p.settlingWalk()
		}
		return p.walks[at].decider, q.walks[at].decider, true
	case p.verdict == verdict.Allow:
		for i := range p.walks {
			if p.walks[i].decider != q.walks[i].decider {
				return p.walks[i].decider, q.walks[i].decider, true
			}
		}
		return 0, 0, false
	}
	a, b := p.walks[p.settlingWalk()].decider, q.walks[q.settlingWalk()].decider
	return a, b, a != b
}

func (d *differ) diffDecisions(p, q *decisions) *decisionDiff {
	key := [2]*decisions{p, q}
	if r := d.results[key]; r != nil {
		return r
	}
	r := &decisionDiff{}
	verdict.EachOverlap(p.list, q.list, func(ports verdict.PortRange, was, is *joinedVerdict) {
		d.noteStillDenied(r, was, is, ports)
		if a, b, differ := compareVerdicts(was, is); differ {
			r.addChange(portChange{before: was.verdict, after: is.verdict, byBefore: a, byAfter: b, ports: []verdict.PortRange{ports}})
		}
	})
	for i := range r.changes {
		r.changes[i].group = d.ensureGroup(&r.changes[i])
	}
	r.findFlips()
	d.results[key] = r
	return r
}

func (r *decisionDiff) addChange(c portChange) {
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

func (d *differ) ensureGroup(c *portChange) *groupBuilder {
	key := []byte(c.before + "\x00" + c.after + "\x00")
	key = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(key, uint32(c.byBefore)), uint32(c.byAfter))
	key = fmt.Append(key, c.ports)
	g := d.groups[string(key)]
	if g == nil {
		g = &groupBuilder{order: len(d.groups), from: verdict.NewSet(len(d.After.List)), to: verdict.NewSet(len(d.After.List)),
			FlipGroup: FlipGroup{Before: c.before, After: c.after, Ports: c.ports,
				ByBefore: d.sides[0].decidersOfID(c.byBefore), ByAfter: d.sides[1].decidersOfID(c.byAfter)}}
		d.groups[string(key)] = g
	}
	return g
}

func (d *differ) addClassPair(a, b int32, how verdict.ConnectionMode, nodes verdict.NodePairing, pairs int) {
	r := d.diffDecisions(d.decisionsAbout(0, a, b, how, nodes), d.decisionsAbout(1, a, b, how, nodes))
	d.addTotals(r, pairs)
	d.addUnwanted(a, b, nodes, pairs, r)
	d.reach.addClassPair(d, a, b, nodes, pairs, r)
	for i := range r.changes {
		c := &r.changes[i]
		if c.group.Pairs == 0 {
			c.group.Example = d.exampleConnection(a, b, nodes, c.ports[0])
		}
		c.group.Pairs += pairs
		c.group.from.Add(a)
		c.group.to.Add(b)
		c.group.noteReachedNodes(d.After, a, b)
		c.group.noteLeftBlocks(d.After, a, b, nodes)
	}
	d.watchPair(a, b, nodes, r)
}

// decisionsAbout returns a side's decisions about connections between two classes, without the ports at which
// they go to Services instead.
func (d *differ) decisionsAbout(side int, a, b int32, how verdict.ConnectionMode, nodes verdict.NodePairing) *decisions {
	all := d.sides[side].pairDecisions(a, b, how)
	ports := d.After.CutPorts(b, how, nodes)
	if len(ports) == 0 {
		return all
	}
	return d.decisionsWithout(all, nodeCut{d.After.List[b].Cut, nodes == verdict.OneNode}, ports)
}

// addTotals counts the pairs by change of verdict, each once whatever the number of ports. FlipGroups instead
// count a pair in every group that it belongs to.
func (d *differ) addTotals(r *decisionDiff, pairs int) {
	for i := range r.changes {
		c := &r.changes[i]
		alike := func(o portChange) bool { return o.before == c.before && o.after == c.after }
		if !slices.ContainsFunc(r.changes[:i], alike) {
			d.totals = addToTotals(d.totals, PairTotal{c.before, c.after, pairs})
		}
	}
}

// addToTotals adds pairs to the total with the same change.
func addToTotals(totals []PairTotal, more PairTotal) []PairTotal {
	at := slices.IndexFunc(totals, func(t PairTotal) bool { return t.Before == more.Before && t.After == more.After })
	if at < 0 {
		return append(totals, more)
	}
	totals[at].Pairs += more.Pairs
	return totals
}

func (d *differ) exampleConnection(a, b int32, nodes verdict.NodePairing, p verdict.PortRange) verdict.Connection {
	from, to, _ := d.After.ExampleConnection(a, b, nodes)
	if nodes == verdict.TwoNodes && d.After.List[b].Outside { // avoid a NodePort, whose endpoints also decide
		if left := p.WithoutPorts(d.After.CutPorts(b, verdict.Leaving, verdict.OneNode)); len(left) > 0 {
			p = left[0]
		}
	}
	return verdict.Connection{From: from, To: to, Family: d.After.List[a].Family, Protocol: p.Protocol, Port: p.ExamplePort()}
}

func (d *differ) buildDifference() *Difference {
	d.findUses() // if no pair was visited
	out := &Difference{Rules: d.uses, Totals: d.totals, Unwanted: d.unwantedGroup()}
	out.Reaches, out.StillDeniedPairs = d.reach.sortedReaches()
	for _, g := range d.groupsInOrder() {
		g.From, g.To = d.endsOfClasses(g.from, g.reachedNodes, nil), d.endsOfClasses(g.to, nil, g.leftBlocks)
		if g.Before == g.After {
			out.OtherDeciders = append(out.OtherDeciders, g.FlipGroup)
		} else {
			out.Flips = append(out.Flips, g.FlipGroup)
		}
	}
	sortTotals(out.Totals)
	for i := range d.watches {
		w := &d.watches[i]
		for g := range w.groups {
			w.groups[g].From, w.groups[g].To = d.podEnds(w.from[g]), d.podEnds(w.to[g])
		}
		out.Watched = append(out.Watched, slices.DeleteFunc(w.groups, func(g FlipGroup) bool { return g.Pairs == 0 }))
	}
	for i := range d.uses {
		for _, id := range slices.Sorted(maps.Keys(d.otherDeciders[i])) {
			d.uses[i].Instead = append(d.uses[i].Instead, d.sides[d.useSide[i]].decidersOfID(id)...)
		}
	}
	return out
}

func (d *differ) groupsInOrder() []*groupBuilder {
	out := model.FilterSeq(maps.Values(d.groups), func(g *groupBuilder) bool { return g.Pairs > 0 })
	slices.SortFunc(out, func(a, b *groupBuilder) int {
		return cmp.Or(a.After.HarmRank()-b.After.HarmRank(), a.Before.HarmRank()-b.Before.HarmRank(), cmp.Compare(b.Pairs, a.Pairs),
			cmp.Compare(a.order, b.order))
	})
	return out
}

// manyNodes stands for several nodes; it is no valid node name.
const manyNodes = "*"

// noteReachedNodes notes the nodes of the pods that an outside class reaches.
func (g *groupBuilder) noteReachedNodes(c *verdict.Classes, a, b int32) {
	if len(c.Outside.Owners) == 0 || !c.List[a].Outside || g.reachedNodes[a] == manyNodes {
		return
	}
	if g.reachedNodes == nil {
		g.reachedNodes = map[int32]string{}
	}
	for node := range c.PodsByNode(c.List[b]) {
		if was, is := g.reachedNodes[a]; is && was != node {
			node = manyNodes
		}
		g.reachedNodes[a] = node
	}
}

// endsOfClasses returns the ends of some classes. An outside class that reaches pods of only one node lacks
// this node's own addresses. If the node matters to a class, only its blocks in left count.
func (d *differ) endsOfClasses(classes verdict.Set, reached map[int32]string, left verdict.Set) (out verdict.Ends) {
	x, s := d.After.Index, d.After.Outside
	pods, blocks := verdict.NewSet(x.Pods.Len()), verdict.NewSet(len(s.Blocks))
	var own []netip.Prefix
	classes.Each(func(id int32) {
		k := d.After.List[id]
		for _, i := range k.Blocks {
			if len(left) > 0 && d.After.OwnNodeMatters(id) && !left.Has(i) {
				continue
			}
			if node, is := reached[id]; !is || s.AddrForNode(&s.Blocks[i], node).IsValid() {
				blocks.Add(i)
			}
		}
		for _, o := range k.OwnAddrs {
			own = append(own, netip.PrefixFrom(o.Addr, o.Addr.BitLen()))
		}
		for _, e := range k.Ends {
			pods.Add(x.Ends[e].Pod)
		}
	})
	out = d.podEnds(pods)
	networks, except := s.NetworksOfBlocks(blocks)
	out.Outside, out.Except = append(out.Outside, networks...), except
	out.Outside = model.AppendNew(out.Outside, own...)
	for _, node := range reached {
		for _, a := range s.Owners {
			if node == manyNodes || !slices.Contains(s.NodesOfAddr[a], node) {
				continue
			}
			p := netip.PrefixFrom(a, a.BitLen())
			if i := s.BlockAround(a); i >= 0 && blocks.Has(i) && reached[s.Blocks[i].Class] == node &&
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

// noteLeftBlocks notes the destination blocks of a class, if the node matters.
func (g *groupBuilder) noteLeftBlocks(c *verdict.Classes, a, b int32, nodes verdict.NodePairing) {
	to := c.List[b]
	if nodes == verdict.AnyNodes || !to.Outside {
		return
	}
	if g.leftBlocks == nil {
		g.leftBlocks = verdict.NewSet(len(c.Outside.Blocks))
	}
	for _, i := range to.Blocks {
		host, by := c.Outside.Blocks[i].Host, c.PodsByNode(c.List[a])
		there := by[host] > 0
		if nodes == verdict.OneNode && there || nodes == verdict.TwoNodes && (!there || len(by) > 1) {
			g.leftBlocks.Add(i)
		}
	}
}

// decisionsWithout returns decisions without some ports.
func (d *differ) decisionsWithout(all *decisions, at nodeCut, ports []verdict.PortRange) *decisions {
	if d.withoutCut[at] == nil {
		d.withoutCut[at] = map[*decisions]*decisions{}
	}
	out := d.withoutCut[at][all]
	if out == nil {
		out = &decisions{}
		for _, r := range all.list {
			for _, left := range r.Ports().WithoutPorts(ports) {
				r.Lo, r.Hi = left.Lo, left.Hi
				out.list = append(out.list, r)
			}
		}
		d.withoutCut[at][all] = out
	}
	return out
}

// nodeCut is a cut as seen by pods of the block's own node, or by other pods.
type nodeCut struct {
	cut        int32
	forOwnNode bool
}

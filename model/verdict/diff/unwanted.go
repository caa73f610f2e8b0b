package diff

import (
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/verdict"
)

// WantedVerdict is the purpose of a change: these connections, and no others, should get a verdict. For a pod,
// all its addresses count.
type WantedVerdict struct {
	Becomes     verdict.Verdict
	Connections []verdict.Connection
}

type unwantedFlips struct {
	FlipGroup
	wantedVerdict verdict.Verdict
	// ports are the wanted ports of each pair. classes are the pairs of classes with wanted pairs.
	ports    map[[2]pairEnd][]verdict.PortRange
	classes  map[[2]int32]bool
	from, to verdict.Set // pods
}

// pairEnd is an end of a counted pair: an end of the index, a block of outside addresses, or an address from
// which a node reaches its own pods.
type pairEnd struct {
	end     int32 // -1 for another kind
	block   int32 // -1 for another kind
	ownAddr verdict.OwnAddr
}

// mostOfBlock bounds the size of a block checked for being wanted as a whole.
const mostOfBlock = 1 << 12

func (d *differ) findWanted() {
	w := d.questions.Wanted
	if w == nil {
		return
	}
	x, pods := d.After.Index, d.After.Index.Pods.Len()
	o := &unwantedFlips{wantedVerdict: w.Becomes, ports: map[[2]pairEnd][]verdict.PortRange{}, classes: map[[2]int32]bool{},
		from: verdict.NewSet(pods), to: verdict.NewSet(pods)}
	d.unwanted = o
	s := d.After.Outside
	type at struct {
		pairEnd
		class int32
	}
	members := func(e verdict.Endpoint) (out []at) {
		if e.Key.Name == "" {
			if b := s.BlockAround(e.Addr); b >= 0 {
				out = append(out, at{pairEnd{end: -1, block: b}, s.Blocks[b].Class})
			}
			return out
		}
		for i := range x.Pods.Len() {
			if x.Pods.PodAt(i).Key != e.Key {
				continue
			}
			for end := x.FirstEnd[i]; end < x.FirstEnd[i+1]; end++ {
				if id := d.After.ClassByEnd[end]; id >= 0 {
					out = append(out, at{pairEnd{end: end, block: -1}, id})
				}
			}
		}
		return out
	}
	// A block counts once, and is wanted only if all its addresses are.
	single := map[[2]pairEnd]map[netip.Addr][]verdict.PortRange{}
	for _, c := range w.Connections {
		ports := verdict.PortRange{Protocol: c.Protocol, Lo: c.Port, Hi: c.Port}
		for _, f := range members(c.From) {
			for _, t := range members(c.To) {
				if d.After.List[f.class].Family != d.After.List[t.class].Family {
					continue
				}
				k := [2]pairEnd{f.pairEnd, t.pairEnd}
				o.classes[[2]int32{f.class, t.class}] = true
				if f.end >= 0 && t.end >= 0 {
					o.ports[k] = append(o.ports[k], ports)
					continue
				}
				addr := c.To.Addr
				if f.end < 0 {
					addr = c.From.Addr
				}
				if single[k] == nil {
					single[k] = map[netip.Addr][]verdict.PortRange{}
				}
				single[k][addr] = append(single[k][addr], ports)
			}
		}
	}
	for k, ports := range single {
		b := k[1].block
		if k[0].end < 0 {
			b = k[0].block
		}
		o.ports[k] = portsOfWholeBlock(s, b, ports)
	}
}

// portsOfWholeBlock returns the ports wanted for every address of a block.
func portsOfWholeBlock(s *verdict.Partition, b int32, ports map[netip.Addr][]verdict.PortRange) []verdict.PortRange {
	var out []verdict.PortRange
	n, network := 0, s.Blocks[b].Network
	for a := network.Masked().Addr(); a.IsValid() && network.Contains(a); a = a.Next() {
		n++
		if n > mostOfBlock {
			return nil
		}
		if s.BlockAround(a) != b || s.IsPodOrService(a) {
			continue
		}
		// Ports at which the address is a Service do not belong to the block.
		every, _, _ := s.ServedAt(a)
		switch mine := verdict.JoinPorts(slices.Concat(ports[a], every)); {
		case len(mine) == 0:
			return nil
		case out == nil:
			out = mine
		default:
			out = verdict.CommonPorts(out, mine)
			if len(out) == 0 {
				return nil
			}
		}
	}
	return out
}

func (d *differ) classEnds(id int32) (out []pairEnd) {
	k := d.After.List[id]
	for _, b := range k.Blocks {
		out = append(out, pairEnd{end: -1, block: b})
	}
	for _, o := range k.OwnAddrs {
		out = append(out, pairEnd{end: -1, block: -1, ownAddr: o})
	}
	for _, e := range k.Ends {
		out = append(out, pairEnd{end: e, block: -1})
	}
	return out
}

// addUnwanted adds the unwanted connections between two classes that get the wanted verdict.
func (d *differ) addUnwanted(a, b int32, nodes verdict.NodePairing, pairs int, r *decisionDiff) {
	o := d.unwanted
	if o == nil {
		return
	}
	var ports []verdict.PortRange
	for i := range r.changes {
		if c := &r.changes[i]; c.after == o.wantedVerdict && c.before != c.after {
			ports = append(ports, c.ports...)
		}
	}
	if len(ports) == 0 {
		return
	}
	ports = verdict.JoinPorts(ports)
	ka, kb := d.After.List[a], d.After.List[b]
	if !o.classes[[2]int32{a, b}] && !ka.Outside && !kb.Outside {
		o.countPairs(d.exampleConnection(a, b, nodes, ports[0]), ports, pairs)
		for _, e := range ka.Ends {
			o.from.Add(d.After.Index.Ends[e].Pod)
		}
		for _, e := range kb.Ends {
			o.to.Add(d.After.Index.Ends[e].Pod)
		}
		return
	}
	to := d.classEnds(b)
	for _, f := range d.classEnds(a) {
		for _, t := range to {
			if !d.countsAsPair(f, t, nodes) {
				continue
			}
			more := verdict.SubtractPorts(ports, verdict.JoinPorts(o.ports[[2]pairEnd{f, t}]))
			if len(more) == 0 {
				continue
			}
			o.countPairs(verdict.Connection{From: d.pairEndpoint(f, t), To: d.pairEndpoint(t, f), Family: ka.Family, Protocol: more[0].Protocol,
				Port: more[0].ExamplePort()}, more, 1)
			o.add(d, f, &o.from, &o.From)
			o.add(d, t, &o.to, &o.To)
		}
	}
}

// countsAsPair reports whether connections between two ends count.
func (d *differ) countsAsPair(f, t pairEnd, nodes verdict.NodePairing) bool {
	x := d.After.Index
	switch {
	case f.end < 0:
		return t.end >= 0 && d.sourceAddr(f, t).IsValid()
	case t.end < 0:
		// A node's own address is special only as a source.
		return t.block >= 0 && nodes.Includes(d.After.Outside.Blocks[t.block].Host == x.NodeOfEnd(f.end))
	case x.Ends[f.end].Pod == x.Ends[t.end].Pod:
		return false
	}
	return nodes.Includes(x.NodeOfEnd(f.end) == x.NodeOfEnd(t.end))
}

// sourceAddr returns the address with which an outside end reaches a pod's end, or an invalid one.
func (d *differ) sourceAddr(f, t pairEnd) netip.Addr {
	s, node := d.After.Outside, d.After.Index.NodeOfEnd(t.end)
	switch {
	case f.block >= 0:
		return s.AddrForNode(&s.Blocks[f.block], node)
	case f.ownAddr.Node == node:
		return f.ownAddr.Addr
	}
	return netip.Addr{}
}

// pairEndpoint returns an end of a connection as an endpoint; other is the opposite end.
func (d *differ) pairEndpoint(m, other pairEnd) verdict.Endpoint {
	switch s := d.After.Outside; {
	case m.end >= 0:
		return d.After.Index.Endpoint(m.end)
	case other.end >= 0 && d.sourceAddr(m, other).IsValid():
		return verdict.AddrEnd(d.sourceAddr(m, other))
	case m.block >= 0:
		return verdict.AddrEnd(s.Blocks[m.block].Addr)
	}
	return verdict.AddrEnd(m.ownAddr.Addr)
}

// countPairs counts pairs, and keeps the first example and all ports.
func (o *unwantedFlips) countPairs(example verdict.Connection, ports []verdict.PortRange, pairs int) {
	if o.Pairs == 0 {
		o.Example = example
	}
	o.Pairs += pairs
	o.Ports = model.AppendNew(o.Ports, ports...)
}

func (o *unwantedFlips) add(d *differ, m pairEnd, pods *verdict.Set, ends *verdict.Ends) {
	network := netip.PrefixFrom(m.ownAddr.Addr, m.ownAddr.Addr.BitLen())
	switch {
	case m.end >= 0:
		pods.Add(d.After.Index.Ends[m.end].Pod)
		return
	case m.block >= 0:
		network = d.After.Outside.Blocks[m.block].Network
	}
	ends.Outside = model.AppendNew(ends.Outside, network)
}

// unwantedGroup returns the unwanted connections, or nil.
func (d *differ) unwantedGroup() *FlipGroup {
	o := d.unwanted
	if o == nil || o.Pairs == 0 {
		return nil
	}
	g := o.FlipGroup
	g.After, g.Ports = o.wantedVerdict, verdict.JoinPorts(o.Ports)
	from, to := g.From.Outside, g.To.Outside
	g.From, g.To = d.podEnds(o.from), d.podEnds(o.to)
	g.From.Outside, g.To.Outside = append(g.From.Outside, from...), append(g.To.Outside, to...)
	return &g
}

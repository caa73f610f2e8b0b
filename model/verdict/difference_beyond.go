package verdict

import (
	"net/netip"
	"slices"
)

// Wanted is what a change is made for: some connections are to become a verdict, and no
// others. A pod's connection is wanted by each of its addresses.
type Wanted struct {
	Becomes     Verdict
	Connections []Connection
}

// beyond gathers what becomes what is wanted, and nobody wanted.
type beyond struct {
	Group
	becomes Verdict
	// ports are the wanted ones of a pair, and classes the pairs of classes that have such
	// pairs.
	ports    map[[2]member][]PortRange
	classes  map[[2]int32]bool
	from, to set // pods
}

// member is an end as pairs of it are counted: an end of the index, a block of addresses
// outside, or an address from which a node reaches its own pods.
type member struct {
	end   int32 // -1 for one of the others
	block int32 // -1 for one of the others
	own   ownAddr
}

// mostOfBlock bounds the addresses of a block that can all be wanted.
const mostOfBlock = 1 << 12

// want finds the pairs that are wanted.
func (d *differ) want() {
	w := d.ask.Wanted
	if w == nil {
		return
	}
	x, pods := d.after.x, d.after.x.pods.Len()
	o := &beyond{becomes: w.Becomes, ports: map[[2]member][]PortRange{}, classes: map[[2]int32]bool{}, from: newSet(pods), to: newSet(pods)}
	d.beyond = o
	s := d.after.outside
	type at struct {
		member
		class int32
	}
	members := func(e Endpoint) (out []at) {
		if e.Key.Name == "" {
			if b := s.around(e.Addr); b >= 0 {
				out = append(out, at{member{end: -1, block: b}, s.blocks[b].class})
			}
			return out
		}
		for i := range x.pods.Len() {
			if x.pods.At(i).Key != e.Key {
				continue
			}
			for end := x.ofPod[i]; end < x.ofPod[i+1]; end++ {
				if id := d.after.of[end]; id >= 0 {
					out = append(out, at{member{end: end, block: -1}, id})
				}
			}
		}
		return out
	}
	// A block counts once, so all of its addresses must be wanted for it to be.
	single := map[[2]member]map[netip.Addr][]PortRange{}
	for _, c := range w.Connections {
		ports := PortRange{Protocol: c.Protocol, Lo: c.Port, Hi: c.Port}
		for _, f := range members(c.From) {
			for _, t := range members(c.To) {
				if d.after.classes[f.class].family != d.after.classes[t.class].family {
					continue
				}
				k := [2]member{f.member, t.member}
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
					single[k] = map[netip.Addr][]PortRange{}
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
		o.ports[k] = ofWhole(s, b, ports)
	}
}

// ofWhole are the ports that are wanted of every address of a block.
func ofWhole(s *partition, b int32, ports map[netip.Addr][]PortRange) []PortRange {
	var out []PortRange
	n, network := 0, s.blocks[b].network
	for a := network.Masked().Addr(); a.IsValid() && network.Contains(a); a = a.Next() {
		if n++; n > mostOfBlock {
			return nil
		}
		if s.around(a) != b || s.keeps(a) {
			continue
		}
		// At the ports at which it is a Service it is none of the block's.
		every, _, _ := s.servedAt(a)
		switch mine := Join(slices.Concat(ports[a], every)); {
		case len(mine) == 0:
			return nil
		case out == nil:
			out = mine
		default:
			if out = Meet(out, mine); len(out) == 0 {
				return nil
			}
		}
	}
	return out
}

// members are the ends of a class as pairs of them are counted.
func (d *differ) members(id int32) (out []member) {
	k := d.after.classes[id]
	for _, b := range k.blocks {
		out = append(out, member{end: -1, block: b})
	}
	for _, o := range k.own {
		out = append(out, member{end: -1, block: -1, own: o})
	}
	for _, e := range k.ends {
		out = append(out, member{end: e, block: -1})
	}
	return out
}

// beyondPair takes in what becomes what is wanted between two classes, and nobody wanted.
func (d *differ) beyondPair(a, b int32, nodes Nodes, pairs int, r *result) {
	o := d.beyond
	if o == nil {
		return
	}
	var ports []PortRange
	for i := range r.changes {
		if c := &r.changes[i]; c.after == o.becomes && c.before != c.after {
			ports = append(ports, c.ports...)
		}
	}
	if len(ports) == 0 {
		return
	}
	ports = Join(ports)
	ka, kb := d.after.classes[a], d.after.classes[b]
	if !o.classes[[2]int32{a, b}] && !ka.outside && !kb.outside {
		o.note(d.connection(a, b, nodes, ports[0]), ports, pairs)
		for _, e := range ka.ends {
			o.from.add(d.after.x.ends[e].pod)
		}
		for _, e := range kb.ends {
			o.to.add(d.after.x.ends[e].pod)
		}
		return
	}
	to := d.members(b)
	for _, f := range d.members(a) {
		for _, t := range to {
			if !d.connects(f, t, nodes) {
				continue
			}
			more := Except(ports, Join(o.ports[[2]member{f, t}]))
			if len(more) == 0 {
				continue
			}
			o.note(Connection{From: d.endOf(f, t), To: d.endOf(t, f), Family: ka.family, Protocol: more[0].Protocol, Port: more[0].Example()}, more, 1)
			o.add(d, f, &o.from, &o.From)
			o.add(d, t, &o.to, &o.To)
		}
	}
}

// connects says whether a connection from one end to another counts.
func (d *differ) connects(f, t member, nodes Nodes) bool {
	x := d.after.x
	switch {
	case f.end < 0:
		return t.end >= 0 && d.source(f, t).IsValid()
	case t.end < 0:
		// A node's own address is special as a source alone.
		return t.block >= 0 && nodes.has(d.after.outside.blocks[t.block].host == x.nodeAt(f.end))
	case x.ends[f.end].pod == x.ends[t.end].pod:
		return false
	}
	return nodes.has(x.nodeAt(f.end) == x.nodeAt(t.end))
}

// source is the address with which a member outside comes to a pod's end.
func (d *differ) source(f, t member) netip.Addr {
	s, node := d.after.outside, d.after.x.nodeAt(t.end)
	switch {
	case f.block >= 0:
		return s.from(&s.blocks[f.block], node)
	case f.own.node == node:
		return f.own.addr
	}
	return netip.Addr{}
}

// endOf is a member as an end of a connection with another.
func (d *differ) endOf(m, other member) Endpoint {
	switch s := d.after.outside; {
	case m.end >= 0:
		return d.after.x.endpoint(m.end)
	case other.end >= 0 && d.source(m, other).IsValid():
		return AddrEnd(d.source(m, other))
	case m.block >= 0:
		return AddrEnd(s.blocks[m.block].addr)
	}
	return AddrEnd(m.own.addr)
}

// note counts pairs.
func (o *beyond) note(example Connection, ports []PortRange, pairs int) {
	if o.Pairs == 0 {
		o.Example = example
	}
	o.Pairs += pairs
	for _, p := range ports {
		if !slices.Contains(o.Ports, p) {
			o.Ports = append(o.Ports, p)
		}
	}
}

func (o *beyond) add(d *differ, m member, pods *set, ends *Ends) {
	network := netip.PrefixFrom(m.own.addr, m.own.addr.BitLen())
	switch {
	case m.end >= 0:
		pods.add(d.after.x.ends[m.end].pod)
		return
	case m.block >= 0:
		network = d.after.outside.blocks[m.block].network
	}
	if !slices.Contains(ends.Outside, network) {
		ends.Outside = append(ends.Outside, network)
	}
}

// beyondGroup is what was found, nil for nothing.
func (d *differ) beyondGroup() *Group {
	o := d.beyond
	if o == nil || o.Pairs == 0 {
		return nil
	}
	g := o.Group
	g.After, g.Ports = o.becomes, Join(o.Ports)
	from, to := g.From.Outside, g.To.Outside
	g.From, g.To = d.podsOf(o.from), d.podsOf(o.to)
	g.From.Outside, g.To.Outside = from, to
	return &g
}

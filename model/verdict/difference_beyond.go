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
	// blocks are the addresses of no pod, by class; ports the wanted ones of a pair, and
	// classes the pairs of classes that have such pairs.
	blocks   [][]outside
	ports    map[[2]member][]PortRange
	classes  map[[2]int32]bool
	from, to set // pods
}

// member is an end as pairs of it are counted: an end of the index, or a block of addresses.
type member struct {
	end   int32 // -1 for a block
	block outside
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
	o := &beyond{becomes: w.Becomes, blocks: d.blocks(), ports: map[[2]member][]PortRange{}, classes: map[[2]int32]bool{}, from: newSet(pods), to: newSet(pods)}
	d.beyond = o
	class := map[netip.Prefix]int32{}
	var all []outside
	for id, blocks := range o.blocks {
		for _, b := range blocks {
			class[b.network] = int32(id)
		}
		all = append(all, blocks...)
	}
	type at struct {
		member
		class int32
	}
	members := func(e Endpoint) (out []at) {
		if e.Key.Name == "" {
			if b := narrowest(all, e.Addr); b.network.IsValid() {
				out = append(out, at{member{-1, b}, class[b.network]})
			}
			return out
		}
		for i := range x.pods.Len() {
			if x.pods.At(i).Key != e.Key {
				continue
			}
			for end := x.ofPod[i]; end < x.ofPod[i+1]; end++ {
				if id := d.after.of[end]; id >= 0 {
					out = append(out, at{member{end: end}, id})
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
		o.ports[k] = ofWhole(b, all, ports)
	}
}

// ofWhole are the ports that are wanted of every address of a block.
func ofWhole(b outside, all []outside, ports map[netip.Addr][]PortRange) []PortRange {
	var out []PortRange
	n := 0
	for a := b.network.Masked().Addr(); a.IsValid() && b.network.Contains(a); a = a.Next() {
		if n++; n > mostOfBlock {
			return nil
		}
		switch mine := narrowest(all, a) == b; {
		case !mine:
		case len(ports[a]) == 0:
			return nil
		case out == nil:
			out = Join(ports[a])
		default:
			if out = meet(out, Join(ports[a])); len(out) == 0 {
				return nil
			}
		}
	}
	return out
}

// narrowest is the block that an address is in.
func narrowest(all []outside, a netip.Addr) (best outside) {
	for _, o := range all {
		if o.network.Contains(a) && (!best.network.IsValid() || o.network.Bits() > best.network.Bits()) {
			best = o
		}
	}
	return best
}

// blocks are the networks of addresses outside that each class has.
func (d *differ) blocks() [][]outside {
	out := make([][]outside, len(d.after.classes))
	for _, o := range outsides([]*Index{d.before.x, d.after.x}) {
		was, is := d.before.x.factsOf(o.addr), d.after.x.factsOf(o.addr)
		for id, k := range d.after.classes {
			if k.isOutside() && !k.host && k.family == FamilyOf(o.addr) && slices.Equal(k.holds, is) && slices.Equal(d.before.classes[id].holds, was) {
				out[id] = append(out[id], o)
			}
		}
	}
	return out
}

// members are the ends of a class as pairs of them are counted.
func (d *differ) members(id int32) (out []member) {
	for _, b := range d.beyond.blocks[id] {
		out = append(out, member{-1, b})
	}
	for _, e := range d.after.classes[id].ends {
		out = append(out, member{end: e})
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
	if !o.classes[[2]int32{a, b}] && !ka.isOutside() && !kb.isOutside() {
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
			if !d.connects(ka, f, t, nodes) {
				continue
			}
			more := Except(ports, Join(o.ports[[2]member{f, t}]))
			if len(more) == 0 {
				continue
			}
			o.note(Connection{From: d.endOf(f), To: d.endOf(t), Family: ka.family, Protocol: more[0].Protocol, Port: more[0].Example()}, more, 1)
			o.add(d, f, &o.from, &o.From)
			o.add(d, t, &o.to, &o.To)
		}
	}
}

// connects says whether a connection from one end to another counts.
func (d *differ) connects(from *class, f, t member, nodes Nodes) bool {
	x := d.after.x
	switch {
	case f.end < 0:
		return t.end >= 0 && d.after.source(from, t.end).IsValid()
	case t.end < 0:
		return true
	case x.ends[f.end].pod == x.ends[t.end].pod:
		return false
	}
	return nodes == AnyNodes || (x.nodeAt(f.end) == x.nodeAt(t.end)) == (nodes == OneNode)
}

func (d *differ) endOf(m member) Endpoint {
	if m.end < 0 {
		return AddrEnd(m.block.addr)
	}
	return d.after.x.endpoint(m.end)
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
	switch {
	case m.end >= 0:
		pods.add(d.after.x.ends[m.end].pod)
	case !slices.Contains(ends.Outside, m.block.network):
		ends.Outside = append(ends.Outside, m.block.network)
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

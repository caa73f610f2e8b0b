package verdict

import (
	"net/netip"
	"slices"
)

// watched is a Watch: by class, the ends it is about.
type watched struct {
	ports  []PortRange
	pods   [][]int32
	addrs  [][]netip.Addr
	any    set
	groups []Group
	from   []set // of pods, by group
	to     []set
}

// watch finds the ends that are watched.
func (d *differ) watch() {
	x := d.after.x
	for _, w := range d.ask.Watches {
		v := watched{ports: w.Ports, any: newSet(len(d.after.classes)), pods: make([][]int32, len(d.after.classes)), addrs: make([][]netip.Addr, len(d.after.classes))}
		for id, k := range d.after.classes {
			for _, e := range k.ends {
				if w.To != nil && w.To(x.pods.At(int(x.ends[e].pod))) || slices.Contains(w.Addrs, x.ends[e].addr) {
					v.pods[id] = append(v.pods[id], e)
				}
			}
			for _, a := range k.marked {
				if slices.Contains(w.Addrs, a) {
					v.addrs[id] = append(v.addrs[id], a)
				}
			}
			if len(v.pods[id])+len(v.addrs[id]) > 0 {
				v.any.add(int32(id))
			}
		}
		d.watches = append(d.watches, v)
	}
}

// watchPair counts what is watched of the flips between two classes.
func (d *differ) watchPair(a, b int32, nodes Nodes, r *result) {
	for i := range d.watches {
		w := &d.watches[i]
		if !w.any.has(b) {
			continue
		}
		for _, f := range r.flips {
			if ports := Meet(f.ports, w.ports); len(ports) > 0 {
				w.add(d, a, b, nodes, r.at(f, ports[0]), ports)
			}
		}
	}
}

// at is the change of a flip that has the port which an example of a range is given with: other
// rules may decide its other ports.
func (r *result) at(f *flip, in PortRange) *portChange {
	port := in.Example()
	for i := range r.changes {
		c := &r.changes[i]
		if c.before == f.before && c.after == f.after && len(Meet(c.ports, []PortRange{{in.Protocol, port, port}})) > 0 {
			return c
		}
	}
	return nil // of a port that the flip has not
}

func (w *watched) add(d *differ, a, b int32, nodes Nodes, c *portChange, ports []PortRange) {
	x := d.after.x
	from := d.after.classes[a]
	pairs, example := 0, Connection{Family: from.family, Protocol: ports[0].Protocol, Port: ports[0].Example()}
	note := func(src, dst Endpoint) {
		if pairs++; pairs == 1 {
			example.From, example.To = src, dst
		}
	}
	g := w.group(d, c, ports)
	for _, addr := range w.addrs[b] {
		every, own, host := d.after.outside.servedAt(addr)
		for _, e := range from.ends {
			one := host != "" && host == x.nodeAt(e)
			if d.after.ownNodeMatters(b) && !nodes.has(one) {
				continue
			}
			served := every
			if one {
				served = own
			}
			left := Except(ports, served)
			if len(left) == 0 {
				continue
			}
			if pairs == 0 {
				example.Protocol, example.Port = left[0].Protocol, left[0].Example()
			}
			note(x.endpoint(e), AddrEnd(addr))
			w.from[g].add(x.ends[e].pod)
		}
	}
	for _, to := range w.pods[b] {
		if from.outside {
			for a := range d.after.sources(from, to) {
				note(AddrEnd(a), x.endpoint(to))
				w.to[g].add(x.ends[to].pod)
			}
		}
		for _, e := range from.ends {
			if x.ends[e].pod == x.ends[to].pod || !nodes.has(x.nodeAt(e) == x.nodeAt(to)) {
				continue
			}
			if pairs == 0 {
				note(x.endpoint(e), x.endpoint(to))
			} else {
				pairs++
			}
			w.from[g].add(x.ends[e].pod)
			w.to[g].add(x.ends[to].pod)
		}
	}
	if out := &w.groups[g]; pairs > 0 {
		if out.Pairs == 0 {
			out.Example, out.ByBefore, out.ByAfter = example, d.sides[0].deciders(c.byBefore), d.sides[1].deciders(c.byAfter)
		}
		out.Pairs += pairs
	}
}

// group is that of a flip, whatever the ports: what is watched is one thing. Who decides is said
// of its example.
func (w *watched) group(d *differ, c *portChange, ports []PortRange) int {
	for i := range w.groups {
		if g := &w.groups[i]; g.Before == c.before && g.After == c.after {
			for _, p := range ports {
				if !slices.Contains(g.Ports, p) {
					g.Ports = append(g.Ports, p)
				}
			}
			return i
		}
	}
	w.groups = append(w.groups, Group{Before: c.before, After: c.after, Ports: ports})
	w.from = append(w.from, newSet(d.after.x.pods.Len()))
	w.to = append(w.to, newSet(d.after.x.pods.Len()))
	return len(w.groups) - 1
}

// podsOf names pods.
func (d *differ) podsOf(pods set) (out Ends) {
	last := ""
	pods.each(func(i int32) {
		p := d.after.x.pods.At(int(i))
		if out.Pods++; out.Pods <= 3 {
			out.Some = append(out.Some, p.Key)
		}
		if p.Namespace != last {
			out.Namespaces, last = append(out.Namespaces, p.Namespace), p.Namespace
		}
	})
	return out
}

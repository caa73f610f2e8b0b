package diff

import (
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/verdict"
)

type watchBuilder struct {
	ports   []verdict.PortRange
	pods    [][]int32
	addrs   [][]netip.Addr
	anyEnds verdict.Set
	groups  []FlipGroup
	from    []verdict.Set // of pods, by group
	to      []verdict.Set
}

func (d *differ) findWatched() {
	x := d.After.Index
	for _, w := range d.questions.Watches {
		v := watchBuilder{ports: w.Ports, anyEnds: verdict.NewSet(len(d.After.List)), pods: make([][]int32, len(d.After.List)),
			addrs: make([][]netip.Addr, len(d.After.List))}
		for id, k := range d.After.List {
			for _, e := range k.Ends {
				if w.Pods[x.Pods.PodAt(int(x.Ends[e].Pod)).Key] || slices.Contains(w.Addrs, x.Ends[e].Addr) {
					v.pods[id] = append(v.pods[id], e)
				}
			}
			for _, a := range k.Marked {
				if slices.Contains(w.Addrs, a) {
					v.addrs[id] = append(v.addrs[id], a)
				}
			}
			if len(v.pods[id])+len(v.addrs[id]) > 0 {
				v.anyEnds.Add(int32(id))
			}
		}
		d.watches = append(d.watches, v)
	}
}

func (d *differ) watchPair(a, b int32, nodes verdict.NodePairing, r *decisionDiff) {
	for i := range d.watches {
		w := &d.watches[i]
		if !w.anyEnds.Has(b) {
			continue
		}
		for _, f := range r.flips {
			if ports := verdict.CommonPorts(f.ports, w.ports); len(ports) > 0 {
				w.addFlip(d, a, b, nodes, r.changeAtExample(f, ports[0]), ports)
			}
		}
	}
}

// changeAtExample returns the change of a flip that contains the example port of a range, since other rules
// may decide its other ports. It is nil if the flip lacks the port.
func (r *decisionDiff) changeAtExample(f *portFlip, in verdict.PortRange) *portChange {
	port := in.ExamplePort()
	for i := range r.changes {
		c := &r.changes[i]
		if c.before == f.before && c.after == f.after &&
			len(verdict.CommonPorts(c.ports, []verdict.PortRange{{Protocol: in.Protocol, Lo: port, Hi: port}})) > 0 {
			return c
		}
	}
	return nil // the flip lacks the port
}

func (w *watchBuilder) addFlip(d *differ, a, b int32, nodes verdict.NodePairing, c *portChange, ports []verdict.PortRange) {
	x := d.After.Index
	from := d.After.List[a]
	pairs, example := 0, verdict.Connection{Family: from.Family, Protocol: ports[0].Protocol, Port: ports[0].ExamplePort()}
	note := func(src, dst verdict.Endpoint) {
		pairs++
		if pairs == 1 {
			example.From, example.To = src, dst
		}
	}
	g := w.groupOfFlip(d, c, ports)
	for _, addr := range w.addrs[b] {
		every, own, host := d.After.Outside.ServedAt(addr)
		for _, e := range from.Ends {
			one := host != "" && host == x.NodeOfEnd(e)
			if d.After.OwnNodeMatters(b) && !nodes.Includes(one) {
				continue
			}
			served := every
			if one {
				served = own
			}
			left := verdict.SubtractPorts(ports, served)
			if len(left) == 0 {
				continue
			}
			if pairs == 0 {
				example.Protocol, example.Port = left[0].Protocol, left[0].ExamplePort()
			}
			note(x.Endpoint(e), verdict.AddrEnd(addr))
			w.from[g].Add(x.Ends[e].Pod)
		}
	}
	for _, to := range w.pods[b] {
		if from.Outside {
			for a := range d.After.SourceAddrs(from, to) {
				note(verdict.AddrEnd(a), x.Endpoint(to))
				w.to[g].Add(x.Ends[to].Pod)
			}
		}
		for _, e := range from.Ends {
			if x.Ends[e].Pod == x.Ends[to].Pod || !nodes.Includes(x.NodeOfEnd(e) == x.NodeOfEnd(to)) {
				continue
			}
			if pairs == 0 {
				note(x.Endpoint(e), x.Endpoint(to))
			} else {
				pairs++
			}
			w.from[g].Add(x.Ends[e].Pod)
			w.to[g].Add(x.Ends[to].Pod)
		}
	}
	if out := &w.groups[g]; pairs > 0 {
		if out.Pairs == 0 {
			out.Example, out.ByBefore, out.ByAfter = example, d.sides[0].decidersOfID(c.byBefore), d.sides[1].decidersOfID(c.byAfter)
		}
		out.Pairs += pairs
	}
}

// groupOfFlip returns the index of a flip's group, whatever its ports: all watched ends count together. A
// group has the deciders of its example.
func (w *watchBuilder) groupOfFlip(d *differ, c *portChange, ports []verdict.PortRange) int {
	for i := range w.groups {
		if g := &w.groups[i]; g.Before == c.before && g.After == c.after {
			g.Ports = model.AppendNew(g.Ports, ports...)
			return i
		}
	}
	w.groups = append(w.groups, FlipGroup{Before: c.before, After: c.after, Ports: ports})
	w.from = append(w.from, verdict.NewSet(d.After.Index.Pods.Len()))
	w.to = append(w.to, verdict.NewSet(d.After.Index.Pods.Len()))
	return len(w.groups) - 1
}

func (d *differ) podEnds(pods verdict.Set) verdict.Ends {
	out, last := verdict.Ends{Namespaces: []string{}, Outside: []netip.Prefix{}}, ""
	pods.Each(func(i int32) {
		p := d.After.Index.Pods.PodAt(int(i))
		out.Pods++
		if out.Pods <= 3 {
			out.FirstPods = append(out.FirstPods, p.Key)
		}
		if p.Namespace != last {
			out.Namespaces, last = append(out.Namespaces, p.Namespace), p.Namespace
		}
	})
	return out
}

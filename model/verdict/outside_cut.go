package verdict

import (
	"cmp"
	"iter"
	"net/netip"
	"slices"
)

// cut is the ports at which all addresses of a block are Services: connections to these go to
// the Services' endpoints, and are none to the block.
type cut struct {
	every []PortRange // whichever pod asks
	// own are those of pods of the node that the block's addresses are of: NodePorts as well.
	// On the way to the NodePort of another node the sender's rules meet that node's address.
	own []PortRange
}

func (c *cut) ports(own bool) []PortRange {
	if own {
		return c.own
	}
	return c.every
}

// servedAt are the ports at which an address is a Service, for every pod and for those of the
// node whose address it is; host is that node, where it makes a difference.
func (s *partition) servedAt(a netip.Addr) (every, own []PortRange, host string) {
	for _, x := range s.xs {
		all := x.frontsOf()
		for _, f := range all.at[a] {
			if f.Kind == ClusterIP {
				every = EveryPort() // nothing else is there
				continue
			}
			for _, p := range x.ServicePorts(f.Service) {
				every = append(every, PortRange{p.Protocol, p.Port, p.Port})
			}
		}
		if len(all.nodePorts) > 0 {
			host = cmp.Or(host, x.hostOf(a))
		}
	}
	if host == "" {
		every = Join(every)
		return every, every, ""
	}
	all, idle := s.nodePorts(FamilyOf(a))
	if len(every) == 0 {
		return idle, all, host
	}
	return Join(append(every, idle...)), Join(append(every, all...)), host
}

// nodePorts are those of all Services, and of those that have no endpoint of a family: to these
// nobody connects by whichever node.
func (s *partition) nodePorts(f Family) (all, idle []PortRange) {
	if s.ofNodes == nil {
		s.ofNodes = &[2][2][]PortRange{}
		for i, family := range [...]Family{IPv4, IPv6} {
			of := &s.ofNodes[i]
			for _, x := range s.xs {
				for p, front := range x.frontsOf().nodePorts {
					if of[0] = append(of[0], p); !x.reaches(&front, p.Protocol, family) {
						of[1] = append(of[1], p)
					}
				}
			}
			of[0], of[1] = Join(of[0]), Join(of[1])
		}
	}
	of := &s.ofNodes[f.at()]
	return of[0], of[1]
}

// apart adds to networks the addresses of those that have hardly others than Services': each may
// be one at ports of its own.
func (s *partition) apart(networks []netip.Prefix) []netip.Prefix {
	var more []netip.Prefix
	for i, n := range networks {
		if n.IsSingleIP() {
			continue
		}
		s.served = false
		in := inner(networks[i+1:], n)
		if _, ok := s.plain(n, in); ok {
			continue
		}
		for a := range s.fronts() {
			if n.Contains(a) && !s.keeps(a) && !slices.ContainsFunc(in, func(p netip.Prefix) bool { return p.Contains(a) && p != n }) {
				more = append(more, netip.PrefixFrom(a, a.BitLen()))
			}
		}
	}
	if len(more) == 0 {
		return networks
	}
	networks = append(networks, more...)
	sortNetworks(networks)
	return slices.Compact(networks)
}

// fronts are the addresses that are Services on some port.
func (s *partition) fronts() iter.Seq[netip.Addr] {
	return func(yield func(netip.Addr) bool) {
		for _, x := range s.xs {
			all := x.frontsOf()
			for a := range all.at {
				if !yield(a) {
					return
				}
			}
			for a := range x.nodeOf {
				if len(all.nodePorts) > 0 && x.hostOf(a) != "" && !yield(a) {
					return
				}
			}
		}
	}
}

// cutOf numbers the cut of a block, and names the node that it asks for. What has several
// addresses has one that is no Service (apart).
func (s *partition) cutOf(n netip.Prefix) (id int32, host string) {
	if !n.IsSingleIP() {
		return 0, ""
	}
	var is cut
	is.every, is.own, host = s.servedAt(n.Addr())
	for i := range s.cuts {
		if slices.Equal(s.cuts[i].every, is.every) && slices.Equal(s.cuts[i].own, is.own) {
			return int32(i), host
		}
	}
	s.cuts = append(s.cuts, is)
	return int32(len(s.cuts) - 1), host
}

// ownNodeMatters says whether pods of the node that a block is of are cut off more ports of it
// than others.
func (c *Classes) ownNodeMatters(to int32) bool {
	is := &c.outside.cuts[c.classes[to].cut]
	return len(is.every) != len(is.own) || !slices.Equal(is.every, is.own)
}

// cutPorts are the ports at which connections to a class are none to it.
func (c *Classes) cutPorts(to int32, how mode, nodes Nodes) []PortRange {
	if how != leaving {
		return nil
	}
	return c.outside.cuts[c.classes[to].cut].ports(nodes == OneNode)
}

// toOwnNode counts the connections from pods to a block of their own node.
func (c *Classes) toOwnNode(from, to *class) (n int) {
	for _, i := range to.blocks {
		if host := c.outside.blocks[i].host; host != "" {
			n += c.byNode(from)[host]
		}
	}
	return n
}

// blocksFor counts the blocks of a class to which a pod of a node connects.
func (c *Classes) blocksFor(to *class, node string, nodes Nodes) (n int) {
	if nodes == AnyNodes {
		return len(to.blocks)
	}
	for _, i := range to.blocks {
		if nodes.has(c.outside.blocks[i].host == node) {
			n++
		}
	}
	return n
}

package verdict

import (
	"cmp"
	"fmt"
	"iter"
	"net/netip"
	"slices"
)

// ServiceCut holds the ports at which all addresses of a block are Services. Connections to them go to the
// Services' endpoints, never to the block.
type ServiceCut struct {
	forAllPods []PortRange // for pods of every node
	// forOwnNode are the ports cut for pods of the node that has the block's addresses, with NodePorts. To
	// another node's NodePort the sender's rules see that node's address.
	forOwnNode []PortRange
}

func (c *ServiceCut) CutPortsFor(own bool) []PortRange {
	if own {
		return c.forOwnNode
	}
	return c.forAllPods
}

// ServedAt returns the ports at which an address is a Service: for every pod, and for pods of the node with
// this address. host is that node, or empty if it makes no difference.
func (s *Partition) ServedAt(a netip.Addr) (every, own []PortRange, host string) {
	for _, x := range s.xs {
		all := x.ServiceFronts()
		for _, f := range all.ByAddr[a] {
			if f.Kind == ClusterIP {
				every = EveryPort() // nothing else is there
				continue
			}
			for _, p := range x.ServicePorts(f.Service) {
				every = append(every, PortRange{Protocol: p.Protocol, Lo: p.Port, Hi: p.Port})
			}
		}
		if len(all.NodePorts) > 0 {
			host = cmp.Or(host, x.NodeWithAddr(a))
		}
	}
	if host == "" {
		every = JoinPorts(every)
		return every, every, ""
	}
	all, idle := s.nodePorts(AddrFamily(a))
	if len(every) == 0 {
		return idle, all, host
	}
	return JoinPorts(append(every, idle...)), JoinPorts(append(every, all...)), host
}

// nodePorts returns the NodePorts of all Services. idle are the NodePorts of Services without an endpoint of
// the family: no connection to them succeeds on any node.
func (s *Partition) nodePorts(f Family) (all, idle []PortRange) {
	if s.nodePortsByFamily == nil {
		s.nodePortsByFamily = &[2][2][]PortRange{}
		for i, family := range [...]Family{IPv4, IPv6} {
			of := &s.nodePortsByFamily[i]
			for _, x := range s.xs {
				for p, front := range x.ServiceFronts().NodePorts {
					of[0] = append(of[0], p)
					if !ServesFamily(x, &front, p.Protocol, family) {
						of[1] = append(of[1], p)
					}
				}
			}
			of[0], of[1] = JoinPorts(of[0]), JoinPorts(of[1])
		}
	}
	of := &s.nodePortsByFamily[f.Index()]
	return of[0], of[1]
}

// withServiceAddrs adds single addresses of networks that consist almost only of Services' addresses, since
// each may be a Service at different ports.
func (s *Partition) withServiceAddrs(networks []netip.Prefix) []netip.Prefix {
	var more []netip.Prefix
	for i, n := range networks {
		if n.IsSingleIP() {
			continue
		}
		s.takeServed = false
		in := innerNetworks(networks[i+1:], n)
		if _, ok := s.plainFreeAddr(n, in); ok {
			continue
		}
		for a := range s.serviceAddrs() {
			if n.Contains(a) && !s.IsPodOrService(a) && !slices.ContainsFunc(in, func(p netip.Prefix) bool { return p.Contains(a) && p != n }) {
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

// serviceAddrs yields the addresses that are Services on some port.
func (s *Partition) serviceAddrs() iter.Seq[netip.Addr] {
	return func(yield func(netip.Addr) bool) {
		for _, x := range s.xs {
			all := x.ServiceFronts()
			for a := range all.ByAddr {
				if !yield(a) {
					return
				}
			}
			for a := range x.NodeByAddr {
				if len(all.NodePorts) > 0 && x.NodeWithAddr(a) != "" && !yield(a) {
					return
				}
			}
		}
	}
}

// ensureCut returns the number of a block's cut, or 0, and the node that matters to the cut. A block of several
// addresses has no cut: some address serves nothing (see withServiceAddrs).
func (s *Partition) ensureCut(n netip.Prefix) (id int32, host string) {
	if !n.IsSingleIP() {
		return 0, ""
	}
	var is ServiceCut
	is.forAllPods, is.forOwnNode, host = s.ServedAt(n.Addr())
	for i := range s.Cuts {
		if slices.Equal(s.Cuts[i].forAllPods, is.forAllPods) && slices.Equal(s.Cuts[i].forOwnNode, is.forOwnNode) {
			return int32(i), host
		}
	}
	s.Cuts = append(s.Cuts, is)
	return int32(len(s.Cuts) - 1), host
}

// OwnNodeMatters reports whether pods on a block's own node reach fewer of its ports.
func (c *Classes) OwnNodeMatters(to int32) bool {
	is := &c.Outside.Cuts[c.List[to].Cut]
	return len(is.forAllPods) != len(is.forOwnNode) || !slices.Equal(is.forAllPods, is.forOwnNode)
}

// CutPorts returns the ports at which connections to a class go to Services instead.
func (c *Classes) CutPorts(to int32, how ConnectionMode, nodes NodePairing) []PortRange {
	if how != Leaving {
		return nil
	}
	return c.Outside.Cuts[c.List[to].Cut].CutPortsFor(nodes == OneNode)
}

// toOwnNode counts the connections from pods to a block of their own node.
func (c *Classes) toOwnNode(from, to *Class) (n int) {
	for _, i := range to.Blocks {
		if host := c.Outside.Blocks[i].Host; host != "" {
			n += c.PodsByNode(from)[host]
		}
	}
	return n
}

// BlocksFor counts the blocks of a class to which a pod of a node connects.
func (c *Classes) BlocksFor(to *Class, node string, nodes NodePairing) (n int) {
	if nodes == AnyNodes {
		return len(to.Blocks)
	}
	for _, i := range to.Blocks {
		if nodes.Includes(c.Outside.Blocks[i].Host == node) {
			n++
		}
	}
	return n
}

// addHosts makes the classes of pods on their node's network, which have the node's addresses. There are two
// classes for each: one for other nodes, one for the node itself, whose rows allow its connections
// (ovn-kubernetes.md#hairpin-and-node-rows).
func (c *Classes) addHosts() {
	if c.hosts != nil {
		return
	}
	x := c.Index
	var own []int32 // conditions that hold on the own node
	for _, k := range x.Conditions {
		if k.OwnNode {
			own = append(own, k.ID)
		}
	}
	c.hosts = map[netip.Addr]int32{}
	known := map[string]int32{}
	for p := range x.Cluster().Pods() {
		if !p.HostNetwork {
			continue
		}
		for _, source := range [...]bool{true, false} {
			addrs, none := PodAddrs(x, p, source)
			if none != "" {
				continue
			}
			for _, family := range [...]Family{IPv4, IPv6} {
				a := family.FirstAddr(addrs)
				if _, is := c.hosts[a]; is || !a.IsValid() {
					continue
				}
				far := conditionsMet(x, a, nil)
				near := append(Set{}, far...)
				if x.IsOwnNode(a, p.NodeName) {
					for _, id := range own {
						near.Add(id)
					}
				}
				key := fmt.Sprint(family, far, near)
				id, is := known[key]
				if !is {
					id = int32(len(c.List))
					known[key] = id
					c.List = append(c.List, &Class{Family: family, Outside: true, Holds: far, Host: true, nearClass: id + 1},
						&Class{Family: family, Outside: true, Holds: near, Host: true, nearClass: id + 1})
				}
				c.hosts[a] = id
			}
		}
	}
}

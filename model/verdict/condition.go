package verdict

import (
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/ovn/match"
)

// Condition is a term's requirement for one end. It is precomputed for pods, evaluated for others.
type Condition struct {
	ID  int32
	Set Set // of ends
	// everyAddrByFamily, Addrs and Blocks are the matching addresses of no pod: families, addresses, networks.
	everyAddrByFamily [2]bool
	Addrs             map[netip.Addr]bool
	Blocks            []exceptedBlock
	// Port tests the packet's logical port instead of its address. router: the port to the router.
	Port, router bool
	// OwnNode holds for the addresses of the node's own management port. hairpin holds for a Service's
	// connection that returns to its own pod.
	OwnNode, hairpin bool
}

// exceptedBlock is a network without its exceptions.
type exceptedBlock struct {
	Network netip.Prefix
	Except  []netip.Prefix
}

func (b *exceptedBlock) contains(a netip.Addr) bool {
	return b.Network.Contains(a) && !slices.ContainsFunc(b.Except, func(e netip.Prefix) bool { return e.Contains(a) })
}

// HopEnd is one end of a hop: an address, and the logical port at which the packet passes the switch.
type HopEnd struct {
	Port   int32 // an end of the port's pod, or -1 for another port
	Router bool  // the port leads to the cluster's router
	End    int32 // the end with the address, -1 if no pod has it
	Addr   netip.Addr
	// Hairpin marks a packet that returned to its sender.
	Hairpin bool
}

// HoldsFor reports whether the condition holds for one end of a hop, in a zone.
func (c *Condition) HoldsFor(x *Index, at *HopEnd, zone string) bool {
	switch {
	case c.hairpin:
		return at.Hairpin
	case c.OwnNode:
		return x.IsOwnNode(at.Addr, zone)
	case c.router:
		return at.Router
	case c.Port:
		return at.Port >= 0 && c.Set.Has(at.Port)
	case at.End >= 0:
		return c.Set.Has(at.End)
	}
	if c.everyAddrByFamily[AddrFamily(at.Addr).Index()] || c.Addrs[at.Addr] {
		return true
	}
	for i := range c.Blocks {
		if c.Blocks[i].contains(at.Addr) {
			return true
		}
	}
	return false
}

type condMaker struct {
	x     *Index
	byKey map[string]*Condition
	pods  map[string]Set
}

func (m *condMaker) conditionID(key string, fill func(c *Condition)) int32 {
	c := m.byKey[key]
	if c == nil {
		c = &Condition{ID: int32(len(m.x.Conditions))}
		m.byKey[key] = c
		m.x.Conditions = append(m.x.Conditions, c)
		fill(c)
	}
	return c.ID
}

func (m *condMaker) noCondition() int32 {
	return m.conditionID("*", func(c *Condition) {
		c.Set, c.everyAddrByFamily = NewSet(len(m.x.Ends)), [2]bool{true, true}
		for i := range m.x.Ends {
			c.Set.Add(int32(i))
		}
	})
}

// conditionAddrs adds addresses to a condition.
type conditionAddrs struct {
	m *condMaker
	c *Condition
}

// addPods adds the addresses of pods, which pods computes once for each key.
func (a conditionAddrs) addPods(key string, pods func() Set) {
	s, known := a.m.pods[key]
	if !known {
		s = pods()
		a.m.pods[key] = s
	}
	a.c.Set.Or(s)
}

// addSingle adds an address, unless it is invalid or its family does not count.
func (a conditionAddrs) addSingle(ip string, counts func(Family) bool) {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return
	}
	addr = addr.Unmap()
	if counts != nil && !counts(AddrFamily(addr)) {
		return
	}
	if a.c.Addrs == nil {
		a.c.Addrs = map[netip.Addr]bool{}
	}
	a.c.Addrs[addr] = true
	for _, e := range a.m.x.EndsAt(addr) {
		a.c.Set.Add(e)
	}
}

func (a conditionAddrs) addNodes(nodes model.Selector, ips func(*model.Node) []string, counts func(Family) bool) {
	for _, n := range a.m.x.Pods.NodesMatching(nodes) {
		for _, ip := range ips(n) {
			a.addSingle(ip, counts)
		}
	}
}

func (a conditionAddrs) addBlock(b exceptedBlock) {
	a.c.Blocks = append(a.c.Blocks, b)
	a.m.x.visitEndsInside(b.Network, func(e int32) {
		if b.contains(a.m.x.Ends[e].Addr) {
			a.c.Set.Add(e)
		}
	})
}

// addFamilies adds all addresses that a rule without peers matches.
func (a conditionAddrs) addFamilies() {
	four, six := match.AnyFamilies(a.m.x.view.IPv4, a.m.x.view.IPv6)
	for _, f := range [...]Family{IPv4, IPv6} {
		if f == IPv4 && !four || f == IPv6 && !six {
			continue
		}
		a.c.everyAddrByFamily[f.Index()] = true
		for i := range a.m.x.Ends {
			if AddrFamily(a.m.x.Ends[i].Addr) == f {
				a.c.Set.Add(int32(i))
			}
		}
	}
}

// addressCondition makes the condition that fill added the address.
func (m *condMaker) addressCondition(key string, fill func(conditionAddrs)) int32 {
	return m.conditionID("addr "+key, func(c *Condition) {
		c.Set = NewSet(len(m.x.Ends))
		fill(conditionAddrs{m, c})
		m.x.shareAddresses(c.Set)
	})
}

// subjectCondition makes the condition that the packet's logical port belongs to a pod of the policies.
func (m *condMaker) subjectCondition(key string, policies ...*model.Policy) int32 {
	return m.conditionID("port "+key, func(c *Condition) {
		c.Port, c.Set = true, NewSet(len(m.x.Ends))
		for _, p := range policies {
			c.Set.Or(m.x.endsOfPods(m.x.SubjectPods(p), nil))
		}
	})
}

// HoldsOutside reports whether the condition may hold for an address of no pod.
func (c *Condition) HoldsOutside() bool {
	return c.everyAddrByFamily[0] || c.everyAddrByFamily[1] || c.OwnNode || len(c.Addrs)+len(c.Blocks) > 0
}

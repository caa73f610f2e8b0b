package verdict

import (
	"net/netip"
	"slices"

	"rung/model"
)

// cond is what a term wants of one end. It is worked out for all pods at once; for other
// addresses it is asked.
type cond struct {
	id  int32
	set set // of ends
	// What holds for addresses that are no pod's: any of a family, single ones, networks.
	any    [2]bool
	addrs  map[netip.Addr]bool
	blocks []block
	// port says that the packet's port is asked, not its address; router that it is the
	// one to the cluster's router.
	port, router bool
	// ownNode holds for the addresses of the node's own management port, hairpin for a
	// Service's connection that comes back to the pod it is from, under Antrea.
	ownNode, hairpin bool
}

// block is a network without its exceptions.
type block struct {
	network netip.Prefix
	except  []netip.Prefix
}

func (b *block) has(a netip.Addr) bool {
	return b.network.Contains(a) && !slices.ContainsFunc(b.except, func(e netip.Prefix) bool { return e.Contains(a) })
}

// place is one end of a hop: an address, and the port by which the packet comes to the
// switch or leaves it.
type place struct {
	port   int32 // an end of the pod whose port it is, -1 for another port
	router bool  // the port is that to the cluster's router
	end    int32 // the end with the address, -1 where it is no pod's
	addr   netip.Addr
	// hairpin: the packet is back where it came from, under Antrea.
	hairpin bool
}

// holds says whether the condition holds for a place, in a zone.
func (c *cond) holds(x *Index, at *place, zone string) bool {
	switch {
	case c.hairpin:
		return at.hairpin
	case c.ownNode:
		return x.ownNode(at.addr, zone)
	case c.router:
		return at.router
	case c.port:
		return at.port >= 0 && c.set.has(at.port)
	case at.end >= 0:
		return c.set.has(at.end)
	}
	if c.any[FamilyOf(at.addr).at()] || c.addrs[at.addr] {
		return true
	}
	for i := range c.blocks {
		if c.blocks[i].has(at.addr) {
			return true
		}
	}
	return false
}

func (x *Index) ownNode(a netip.Addr, zone string) bool {
	if x.onAntrea() {
		return zone != "" && x.nodeOf[a] == zone
	}
	n := x.view.Cluster.Node(zone)
	return n != nil && slices.ContainsFunc(n.MgmtIPs, func(ip string) bool {
		m, err := netip.ParseAddr(ip)
		return err == nil && m.Unmap() == a
	})
}

// conds makes conditions, each once.
type condMaker struct {
	x     *Index
	known map[string]*cond
	pods  map[string]set
}

func (m *condMaker) made(key string, fill func(c *cond)) int32 {
	c := m.known[key]
	if c == nil {
		c = &cond{id: int32(len(m.x.conds))}
		m.known[key] = c
		m.x.conds = append(m.x.conds, c)
		fill(c)
	}
	return c.id
}

// everyone is no condition at all.
func (m *condMaker) everyone() int32 {
	return m.made("*", func(c *cond) {
		c.set, c.any = newSet(len(m.x.ends)), [2]bool{true, true}
		for i := range m.x.ends {
			c.set.add(int32(i))
		}
	})
}

// addrs are the addresses that a cond is made of.
type addrs struct {
	m *condMaker
	c *cond
}

// pods adds the addresses of pods, of the cluster's families.
func (a addrs) pods(key string, pods func() set) {
	s, known := a.m.pods[key]
	if !known {
		s = pods()
		a.m.pods[key] = s
	}
	a.c.set.or(s)
}

// single adds an address, if it is one.
func (a addrs) single(ip string, counts func(Family) bool) {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return
	}
	addr = addr.Unmap()
	if counts != nil && !counts(FamilyOf(addr)) {
		return
	}
	if a.c.addrs == nil {
		a.c.addrs = map[netip.Addr]bool{}
	}
	a.c.addrs[addr] = true
	for _, e := range a.m.x.with(addr) {
		a.c.set.add(e)
	}
}

func (a addrs) block(b block) {
	a.c.blocks = append(a.c.blocks, b)
	a.m.x.inside(b.network, func(e int32) {
		if b.has(a.m.x.ends[e].addr) {
			a.c.set.add(e)
		}
	})
}

// families adds all addresses of the cluster's families.
func (a addrs) families() {
	for _, f := range [...]Family{IPv4, IPv6} {
		if !a.m.x.view.family(f) {
			continue
		}
		a.c.any[f.at()] = true
		for i := range a.m.x.ends {
			if FamilyOf(a.m.x.ends[i].addr) == f {
				a.c.set.add(int32(i))
			}
		}
	}
}

// addresses makes the condition that an address is one of those that fill adds.
func (m *condMaker) addresses(key string, fill func(addrs)) int32 {
	return m.made("addr "+key, func(c *cond) {
		c.set = newSet(len(m.x.ends))
		fill(addrs{m, c})
		m.x.share(c.set)
	})
}

// subjects makes the condition that the packet comes from or goes to the port of one of the
// pods of policies' subjects.
func (m *condMaker) subjects(key string, policies ...*model.Policy) int32 {
	return m.made("port "+key, func(c *cond) {
		c.port, c.set = true, newSet(len(m.x.ends))
		for _, p := range policies {
			c.set.or(m.x.ofPods(m.x.subjects(p), nil))
		}
	})
}

// outside says whether the condition may hold for an address of no pod.
func (c *cond) outside() bool {
	return c.any[0] || c.any[1] || c.ownNode || len(c.addrs)+len(c.blocks) > 0
}

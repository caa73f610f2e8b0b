package verdict

import (
	"fmt"
	"net/netip"
)

// addHosts makes the classes of pods on the network of their node, which have its
// addresses: one as other nodes see it, and one as its own does, whose rows let its
// connections through (ovn-kubernetes.md#hairpin-and-node-rows).
func (c *Classes) addHosts() {
	if c.hosts != nil {
		return
	}
	x := c.x
	var own []int32 // conditions that hold on the own node
	for _, k := range x.conds {
		if k.ownNode {
			own = append(own, k.id)
		}
	}
	c.hosts = map[netip.Addr]int32{}
	known := map[string]int32{}
	for p := range x.Cluster().Pods() {
		if !p.HostNetwork {
			continue
		}
		for _, source := range [...]bool{true, false} {
			addrs, none := x.podAddrs(p, source)
			if none != "" {
				continue
			}
			for _, family := range [...]Family{IPv4, IPv6} {
				a := family.First(addrs)
				if _, is := c.hosts[a]; is || !a.IsValid() {
					continue
				}
				far := x.factsOf(a, nil)
				near := append(set{}, far...)
				if x.ownNode(a, p.NodeName) {
					for _, id := range own {
						near.add(id)
					}
				}
				key := fmt.Sprint(family, far, near)
				id, is := known[key]
				if !is {
					id = int32(len(c.classes))
					known[key] = id
					c.classes = append(c.classes, &class{family: family, outside: true, holds: far, host: true, near: id + 1},
						&class{family: family, outside: true, holds: near, host: true, near: id + 1})
				}
				c.hosts[a] = id
			}
		}
	}
}

package matrix

import (
	"fmt"
	"net/netip"
	"rung/model/verdict"
	"rung/model/verdict/index"
	"rung/model/verdict/walk"
)

// addHosts makes the classes of pods on the network of their node, which have its
// addresses: one as other nodes see it, and one as its own does, whose rows let its
// connections through (ovn-kubernetes.md#hairpin-and-node-rows).
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
			addrs, none := walk.PodAddrs(x, p, source)
			if none != "" {
				continue
			}
			for _, family := range [...]verdict.Family{verdict.IPv4, verdict.IPv6} {
				a := family.First(addrs)
				if _, is := c.hosts[a]; is || !a.IsValid() {
					continue
				}
				far := factsOf(x, a, nil)
				near := append(index.Set{}, far...)
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
					c.List = append(c.List, &Class{Family: family, Outside: true, Holds: far, Host: true, near: id + 1},
						&Class{Family: family, Outside: true, Holds: near, Host: true, near: id + 1})
				}
				c.hosts[a] = id
			}
		}
	}
}

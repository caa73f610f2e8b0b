package compiler

import (
	"rung/model"
	"rung/model/ladder"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// multicastNSName names the unit of a namespace's multicast rows.
const multicastNSName = "default"

// allowsMulticast says whether the namespace's annotation lets multicast through.
func allowsMulticast(ns *model.Namespace) bool {
	return ns != nil && ns.Annotations[model.AnnotationMulticast] == "true"
}

func (c *Compiler) multicastOn() bool {
	return !c.options.Nothing && (c.options.Multicast == On || c.options.Multicast == Auto && len(c.multicast) > 0)
}

// multicastNS brings a namespace's multicast rows up to date
// (ovn-kubernetes.md#multicast).
func (c *Compiler) multicastNS(namespace string) {
	k := model.PolicyKey{Kind: model.KindMulticastNS, Namespace: namespace, Name: multicastNSName}
	if _, allowed := c.multicast[namespace]; !allowed || !c.multicastOn() {
		c.need(k, nil)
		c.put(k, nil)
		return
	}
	pods := sharedSet{namespace: namespace, pods: model.Everything(), legacy: true}
	out := &Compiled{Key: k, owner: nb.OwnerMulticastNS, Holder: HolderOf(k)}
	out.subjects = []*group{c.group(model.Everything(), model.Everything(), namespace, false)}
	for _, dir := range model.Directions {
		out.fixed = append(out.fixed, out.row(c.options, rowSpec{
			pairs:     []nb.Pair{{Key: nb.KeyName, Value: namespace}, {Key: nb.KeyDirection, Value: string(dir)}},
			direction: dir, priority: ladder.PriorityMulticastAllow, action: nb.ActionAllow, sampled: true,
			match: match.MulticastNS(match.Direction(dir), out.Holder.Name, pods.name(familyV4), pods.name(familyV6),
				c.options.IPv4, c.options.IPv6),
		}))
	}
	c.put(k, out)
	c.need(k, map[model.PolicyKey]sharedSet{pods.key(): pods})
}

// multicastCluster brings the cluster's multicast rows up to date.
func (c *Compiler) multicastCluster() {
	for _, unit := range []struct {
		kind, action string
		priority     int
		match        func(match.Direction, Holder) string
	}{
		{nb.TypeMulticastDeny, nb.ActionDrop, ladder.PriorityMulticastDeny,
			func(match.Direction, Holder) string { return match.MulticastAny() }},
		{nb.TypeMulticastNodes, nb.ActionAllow, ladder.PriorityMulticastAllow,
			func(d match.Direction, at Holder) string { return match.MulticastInterNode(d, at.Name) }},
	} {
		k := model.PolicyKey{Kind: model.KindMulticastCluster, Name: unit.kind}
		if !c.multicastOn() {
			c.put(k, nil)
			continue
		}
		if c.policies[k] != nil {
			continue // always the same
		}
		out := &Compiled{Key: k, owner: nb.OwnerMulticastCluster, Holder: HolderOf(k)}
		for _, dir := range model.Directions {
			out.fixed = append(out.fixed, out.row(c.options, rowSpec{
				pairs:     []nb.Pair{{Key: nb.KeyType, Value: unit.kind}, {Key: nb.KeyDirection, Value: string(dir)}},
				direction: dir, priority: unit.priority, action: unit.action,
				match: unit.match(match.Direction(dir), out.Holder), sampled: true,
			}))
		}
		c.put(k, out)
	}
}

func (c *Compiler) defaultsOn() bool {
	return !c.options.Nothing && (c.options.Defaults == On || c.options.Defaults == Auto && len(c.netpols) > 0)
}

// hairpin brings the rows for pods that reach themselves through a service up to
// date (ovn-kubernetes.md#hairpin-and-node-rows).
func (c *Compiler) hairpin() {
	k := model.PolicyKey{Kind: model.KindNetpolDefault, Name: nb.NameHairpin}
	if !c.defaultsOn() {
		c.put(k, nil)
		return
	}
	out := &Compiled{Key: k, owner: nb.OwnerNetpolDefault, Holder: HolderOf(k)}
	for _, dir := range model.Directions {
		out.fixed = append(out.fixed, out.row(c.options, rowSpec{
			pairs:     []nb.Pair{{Key: nb.KeyName, Value: nb.NameHairpin}, {Key: nb.KeyDirection, Value: string(dir)}},
			direction: dir, priority: ladder.PriorityNetpolAllow, action: nb.ActionAllowRelated,
			match: match.Hairpin(c.options.IPv4, c.options.IPv6),
		}))
	}
	c.put(k, out)
}

// nodeRows brings the rows up to date that let a node reach its own pods
// (ovn-kubernetes.md#hairpin-and-node-rows). Only the node's own zone has its switch.
func (c *Compiler) nodeRows(node string) {
	k := model.PolicyKey{Kind: model.KindNetpolNode, Name: node}
	n := c.cluster.Node(node)
	if n == nil || len(n.MgmtIPs) == 0 || !c.defaultsOn() {
		c.put(k, nil)
		return
	}
	out := &Compiled{Key: k, owner: nb.OwnerNetpolNode, Zone: node, Holder: HolderOf(k)}
	for _, ip := range n.MgmtIPs {
		out.fixed = append(out.fixed, out.row(c.options, rowSpec{
			pairs:     []nb.Pair{{Key: nb.KeyName, Value: node}, {Key: nb.KeyIP, Value: ip}},
			direction: model.Ingress, priority: ladder.PriorityNetpolAllow, action: nb.ActionAllowRelated,
			match: match.NodeMatch(ip), sampled: true,
		}))
	}
	c.put(k, out)
}

package compiler

import (
	"rung/model"
	"rung/model/ladder"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// multicastNSName names the unit of a namespace's multicast rows.
const multicastNSName = "default"

func allowsMulticast(ns *model.Namespace) bool {
	return ns != nil && ns.Annotations[model.AnnotationMulticast] == "true"
}

func (c *networkCompiler) isMulticastOn() bool {
	return !c.options.NoRows && (c.options.Multicast == On || c.options.Multicast == Auto && len(c.multicast) > 0)
}

// compileMulticastNS updates a namespace's multicast rows (ovn-kubernetes.md#multicast).
func (c *networkCompiler) compileMulticastNS(namespace string) {
	k := c.name().policyKey(model.KindMulticastNS, namespace, multicastNSName)
	if _, allowed := c.multicast[namespace]; !allowed || !c.isMulticastOn() {
		c.setNeeds(k, nil)
		c.putUnit(k, nil)
		return
	}
	pods := sharedSet{network: string(c.name()), namespace: namespace, pods: model.SelectEverything(), legacy: true}
	out := &CompiledUnit{Key: k, owner: nb.OwnerMulticastNS, Holder: HolderForUnit(k)}
	out.subjects = []*selectorGroup{c.internGroup(model.SelectEverything(), model.SelectEverything(), namespace, false)}
	for _, dir := range model.Directions {
		out.fixed = append(out.fixed, out.newACL(c.options, rowSpec{
			pairs:     []nb.IDPair{{Key: nb.KeyName, Value: namespace}, {Key: nb.KeyDirection, Value: string(dir)}},
			direction: dir, priority: ladder.PriorityMulticastAllow, action: nb.ActionAllow, sampled: true,
			match: match.MulticastNS(match.Direction(dir), out.Holder.Name, pods.setName(familyV4), pods.setName(familyV6),
				c.options.IPv4, c.options.IPv6),
		}))
	}
	c.putUnit(k, out)
	c.setNeeds(k, map[model.PolicyKey]sharedSet{pods.unitKey(): pods})
}

func (c *networkCompiler) compileMulticastCluster() {
	for _, unit := range []struct {
		kind, action string
		priority     int
		match        func(match.Direction, ACLHolder) string
	}{
		{nb.TypeMulticastDeny, nb.ActionDrop, ladder.PriorityMulticastDeny,
			func(match.Direction, ACLHolder) string { return match.MulticastAny() }},
		{nb.TypeMulticastNodes, nb.ActionAllow, ladder.PriorityMulticastAllow,
			func(d match.Direction, at ACLHolder) string { return match.MulticastInterNode(d, at.Name) }},
	} {
		k := c.name().policyKey(model.KindMulticastCluster, "", unit.kind)
		if !c.isMulticastOn() {
			c.putUnit(k, nil)
			continue
		}
		if c.policies[k] != nil {
			continue // the rows never change
		}
		out := &CompiledUnit{Key: k, owner: nb.OwnerMulticastCluster, Holder: HolderForUnit(k)}
		for _, dir := range model.Directions {
			out.fixed = append(out.fixed, out.newACL(c.options, rowSpec{
				pairs:     []nb.IDPair{{Key: nb.KeyType, Value: unit.kind}, {Key: nb.KeyDirection, Value: string(dir)}},
				direction: dir, priority: unit.priority, action: unit.action,
				match: unit.match(match.Direction(dir), out.Holder), sampled: true,
			}))
		}
		c.putUnit(k, out)
	}
}

// areDefaultsOn reports whether hairpin and node rows exist. With Auto, one NetworkPolicy on any network turns
// them on. A primary network always has them.
func (c *networkCompiler) areDefaultsOn() bool {
	return !c.options.NoRows && (c.options.Defaults == On || c.options.Defaults == Auto && c.hasNetpol())
}

// hasNetpol reports whether the cluster has a valid NetworkPolicy on any network.
func (c *networkCompiler) hasNetpol() bool {
	for p := range c.cluster.Policies(model.KindNP) {
		if len(p.Invalid) == 0 {
			return true
		}
	}
	return false
}

// refreshHairpin updates the rows for pods that reach themselves through a service
// (ovn-kubernetes.md#hairpin-and-node-rows).
func (c *networkCompiler) refreshHairpin() {
	k := c.name().policyKey(model.KindNetpolDefault, "", nb.NameHairpin)
	if !c.areDefaultsOn() {
		c.putUnit(k, nil)
		return
	}
	out := &CompiledUnit{Key: k, owner: nb.OwnerNetpolDefault, Holder: HolderForUnit(k)}
	for _, dir := range model.Directions {
		out.fixed = append(out.fixed, out.newACL(c.options, rowSpec{
			pairs:     []nb.IDPair{{Key: nb.KeyName, Value: nb.NameHairpin}, {Key: nb.KeyDirection, Value: string(dir)}},
			direction: dir, priority: ladder.PriorityNetpolAllow, action: nb.ActionAllowRelated,
			match: match.HairpinMatch(c.options.hairpin4, c.options.hairpin6, c.options.HairpinFrom4, c.options.HairpinFrom6),
		}))
	}
	c.putUnit(k, out)
}

// compileNodeRows updates the rows that let a node reach its own pods
// (ovn-kubernetes.md#hairpin-and-node-rows). They exist only in the node's own zone, with its switch.
func (c *networkCompiler) compileNodeRows(node string) {
	var from []string
	if n := c.cluster.Node(node); n != nil {
		from = n.MgmtIPs
	}
	c.putNodeRows(nodeSwitch(c.network, node), node, from)
}

// putNodeRows writes the rows of a switch that allow traffic from some addresses of nodes. zone is the
// switch's zone, or empty if every zone has the switch. Without addresses it removes the rows.
func (c *networkCompiler) putNodeRows(logicalSwitch, zone string, from []string) {
	k := c.name().policyKey(model.KindNetpolNode, "", logicalSwitch)
	if len(from) == 0 || !c.areDefaultsOn() {
		c.putUnit(k, nil)
		return
	}
	out := &CompiledUnit{Key: k, owner: nb.OwnerNetpolNode, Zone: zone, Holder: HolderForUnit(k)}
	for _, ip := range from {
		out.fixed = append(out.fixed, out.newACL(c.options, rowSpec{
			pairs:     []nb.IDPair{{Key: nb.KeyName, Value: logicalSwitch}, {Key: nb.KeyIP, Value: ip}},
			direction: model.Ingress, priority: ladder.PriorityNetpolAllow, action: nb.ActionAllowRelated,
			match: match.NodeMatch(ip), sampled: true,
		}))
	}
	c.putUnit(k, out)
}

package compiler

import (
	"rung/model"
	"rung/model/network"
)

// applyMultiPolicy keeps a unit without rows for a MultiNetworkPolicy that no network programs. Programmed
// ones have a unit on each of their networks.
func (c *networkCompiler) applyMultiPolicy(k model.PolicyKey, p *model.Policy) {
	none := c.refusals().WhyNoNetworks(p)
	if none == nil {
		c.putUnit(k, nil)
		return
	}
	out := &CompiledUnit{Key: k, Policy: p, WhyNoRows: none}
	out.subjects = []*selectorGroup{c.internGroup(p.Subject.Namespaces, p.Subject.Pods, p.Namespace, false)}
	c.putUnit(k, out)
}

// nodeSwitch returns the logical switch of a node on network n; a nil n is the default network.
func nodeSwitch(n *network.Network, node string) string {
	if n == nil {
		return node
	}
	return n.Switch(node)
}

// refreshSharedSwitch updates the node rows of a layer 2 network. Its single switch is in every zone, with the
// same rows (networks.md#node-rows).
func (c *networkCompiler) refreshSharedSwitch() {
	if c.network == nil || c.network.Topology == network.Layer3 {
		return
	}
	c.putNodeRows(c.network.Switch(""), "", c.network.NodeAddresses(nil))
}

// noteFreezing records a pod that starts or stops freezing sets.
func (c *membership) noteFreezing(old, pod *model.Pod) {
	if old != nil && network.Freezes(old) {
		delete(c.freezing, old.Key)
		c.freezingStale = true
	}
	if pod != nil && network.Freezes(pod) {
		c.freezing[pod.Key] = pod
		c.freezingStale = true
	}
}

// isFrozen reports whether a set keeps its members because it selects a pod with unreadable addresses
// (networks.md#frozen-sets).
func (c *networkCompiler) isFrozen(g *selectorGroup) bool {
	if g == nil {
		return false
	}
	for _, p := range c.freezing {
		ns := c.namespaces[p.Namespace]
		if b := c.findBucket(p); b != nil && ns != nil && g.selectsBucket(p.Namespace, ns.class, b.bucketKey) {
			return true
		}
	}
	return false
}

// refreshFrozen compiles again the sets that became frozen or thawed in this step.
func (c *networkCompiler) refreshFrozen() {
	if len(c.freezing) == 0 && !c.freezingStale {
		return
	}
	c.freezingStale = false
	for k, u := range c.sharing {
		is := c.policies[k]
		if is == nil || len(is.shared) == 0 || len(is.Sets) == 0 {
			continue
		}
		if c.isFrozen(is.shared[0]) != is.Sets[0].KeptByOthers {
			c.putUnit(k, c.compileShared(u.set))
		}
	}
}

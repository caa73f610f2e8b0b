package compiler

import (
	"slices"

	"rung/model"
	"rung/model/selectors"
)

// podPlacement is a pod and the groups that select it; empty if pod is nil.
type podPlacement struct {
	pod    *model.Pod
	groups []*selectorGroup
}

// podAddresses returns the addresses that the pod contributes to sets, or nil without a pod.
func (p podPlacement) podAddresses() []string {
	if p.pod == nil {
		return nil
	}
	return p.pod.IPs
}

// canBeMember reports whether a pod can be a member of anything: it is scheduled and not completed. Pods on
// the host's network are only in sets of NetworkPolicies.
func canBeMember(p *model.Pod) bool { return !p.IsCompleted() && p.NodeName != "" }

func (c *membership) applyPod(old, pod *model.Pod) {
	if old != nil && !canBeMember(old) {
		old = nil
	}
	if pod != nil && !canBeMember(pod) {
		pod = nil
	}
	var before, after podPlacement
	// Acquire the new class before releasing the old one: a pod with unchanged labels keeps it.
	var kept *selectors.Class
	if pod != nil {
		kept = c.selectors.AcquireClass(pod.Labels)
	}
	if old != nil {
		b := c.findBucket(old)
		before = podPlacement{old, c.groupsOfBucket(b)}
		c.forgetHolder(old)
		c.removeFromBucket(b, old)
	}
	if pod != nil {
		b := c.addToBucket(pod, kept)
		after = podPlacement{pod, c.groupsOfBucket(b)}
		for _, ip := range pod.IPs {
			c.holders[ip] = append(c.holders[ip], pod)
			c.countAddress(pod, ip, 1)
		}
	}
	if old != nil || pod != nil {
		c.noteFreezing(old, pod)
		c.recordMove(before, after)
	}
}

func (c *membership) forgetHolder(p *model.Pod) {
	for _, ip := range p.IPs {
		c.countAddress(p, ip, -1)
		deleteWhere(c.holders, ip, func(q *model.Pod) bool { return q.Key == p.Key })
	}
}

// countAddress adds n to the number of pod addresses of the family of ip. Pods on the host's network do not
// count.
func (c *membership) countAddress(p *model.Pod, ip string, n int) {
	switch {
	case p.HostNetwork:
	case isV6(ip):
		c.v6 += n
	default:
		c.v4 += n
	}
}

const (
	wasIn uint8 = 1 << iota
	isIn
)

// recordMove records the effects of a pod's move from one placement to another.
func (c *membership) recordMove(before, after podPlacement) {
	c.movesCounted++
	met := c.movedSets[:0]
	visit := func(p podPlacement, flag uint8) {
		for _, g := range p.groups {
			c.touched[g] = struct{}{}
			for s := range g.sets {
				if s.work.lastMove != c.movesCounted {
					s.work.lastMove, s.work.flags = c.movesCounted, 0
					met = append(met, s)
				}
				s.work.flags |= flag
			}
		}
	}
	visit(before, wasIn)
	visit(after, isIn)
	was, is := before.podAddresses(), after.podAddresses()
	var self model.Key
	for _, p := range []podPlacement{before, after} {
		if p.pod != nil {
			self = p.pod.Key
		}
	}
	// note notes the addresses that are in a set on only one side of the move.
	note := func(s *SetSpec, ips, others []string, here, there uint8, added bool) {
		for _, ip := range ips {
			if isV6(ip) == s.v6 && s.work.flags&here != 0 && !(s.work.flags&there != 0 && slices.Contains(others, ip)) &&
				!c.isHeldElsewhere(s, ip, self) {
				c.rec.noteMember(s, ip, added)
			}
		}
	}
	for _, s := range met {
		note(s, was, is, wasIn, isIn, false)
		note(s, is, was, isIn, wasIn, true)
	}
	c.movedSets = met
	c.recordPorts(before, false)
	c.recordPorts(after, true)
	c.markNamedPorts(before, after)
}

func (c *membership) recordPorts(p podPlacement, added bool) {
	if p.pod == nil {
		return
	}
	var ports []string
	for _, g := range p.groups {
		for policy := range g.subjects {
			if ports == nil {
				ports = p.pod.PortNames()
			}
			for _, name := range ports {
				c.rec.notePort(policy.Key, p.pod.NodeName, name, added)
			}
		}
	}
}

// markNamedPorts marks the policies whose named-port rows may now read the pod differently.
func (c *membership) markNamedPorts(before, after podPlacement) {
	same := before.pod != nil && after.pod != nil && before.pod.NodeName == after.pod.NodeName &&
		slices.Equal(before.pod.IPs, after.pod.IPs) && slices.Equal(before.pod.Ports, after.pod.Ports)
	mark := func(p podPlacement, other podPlacement) {
		for _, g := range p.groups {
			if len(g.namedPortUsers) == 0 || (same && slices.Contains(other.groups, g)) {
				continue
			}
			for policy := range g.namedPortUsers {
				c.rec.notePolicy(policy.Key)
			}
		}
	}
	mark(before, after)
	mark(after, before)
}

// isHeldElsewhere reports whether the address stays in the set without the pod self. Another pod with the
// address, or a node, may hold it.
func (c *membership) isHeldElsewhere(s *SetSpec, ip string, self model.Key) bool {
	return c.isHeldByPod(s, ip, self) || s.isFixedMember(ip) || c.isHeldByNode(s, ip, "")
}

// isHeldByPod reports whether a pod other than self holds the address in the set.
func (c *membership) isHeldByPod(s *SetSpec, ip string, self model.Key) bool {
	for _, p := range c.holders[ip] {
		if p.Key == self {
			continue
		}
		for _, g := range c.selectingGroups(p) {
			if _, ok := g.sets[s]; ok {
				return true
			}
		}
	}
	return false
}

func (c *membership) selectingGroups(p *model.Pod) []*selectorGroup {
	b := c.findBucket(p)
	if b == nil {
		return nil
	}
	if r := c.relabel; r != nil && r.namespace == p.Namespace && !r.movedPods[p.Key] {
		return r.oldGroups[b]
	}
	return c.groupsOfBucket(b)
}

func (c *membership) isHeldByNode(s *SetSpec, ip, self string) bool {
	return len(s.nodes) > 0 && slices.ContainsFunc(c.nodeHolders[ip], func(n *model.Node) bool { return n.Name != self && s.selectsNode(n) })
}

// applyNamespace handles a namespace that was added, relabelled, or deleted (nil).
func (c *membership) applyNamespace(name string, obj *model.Namespace) {
	ns := c.ensureNamespace(name)
	var next *selectors.Class
	if obj != nil {
		next = c.selectors.AcquireClass(obj.Labels)
		c.nsTxn.Set(name, next)
	} else {
		c.nsTxn.Delete(name)
	}
	old := ns.class
	defer c.selectors.ReleaseClass(old)
	if old == next {
		return
	}
	r := &relabelling{namespace: name, oldGroups: map[*podBucket][]*selectorGroup{}, movedPods: map[model.Key]bool{}}
	for _, b := range ns.buckets {
		r.oldGroups[b] = c.groupsOfBucket(b)
		b.targets = nil
	}
	ns.class = next
	c.relabel = r
	for b, before := range r.oldGroups {
		after := c.groupsOfBucket(b)
		for _, p := range b.pods {
			r.movedPods[p.Key] = true
			c.recordMove(podPlacement{p, before}, podPlacement{p, after})
		}
	}
	c.relabel = nil
	if next == nil && len(ns.buckets) == 0 {
		delete(c.namespaces, name)
	}
}

func (c *membership) applyNode(self string, old, node *model.Node) {
	var all []string
	if old != nil {
		all = old.HostIPs
		for _, ip := range old.HostIPs {
			deleteWhere(c.nodeHolders, ip, func(n *model.Node) bool { return n.Name == self })
		}
	}
	if node != nil {
		all = slices.Concat(all, node.HostIPs)
		for _, ip := range node.HostIPs {
			c.nodeHolders[ip] = append(c.nodeHolders[ip], node)
		}
	}
	in := func(s *SetSpec, n *model.Node, ip string) bool {
		return n != nil && s.selectsNode(n) && slices.Contains(n.HostIPs, ip)
	}
	for s := range c.nodeSets {
		for _, ip := range all {
			was, is := in(s, old, ip), in(s, node, ip)
			if isV6(ip) == s.v6 && was != is && !c.isHeldByNode(s, ip, self) && !c.isHeldByPod(s, ip, model.Key{}) {
				c.rec.noteMember(s, ip, is)
			}
		}
	}
}

func hasNodePeers(p *model.Policy) bool {
	return slices.ContainsFunc(p.Egress, func(r model.Rule) bool {
		return slices.ContainsFunc(r.Peers, func(pe model.Peer) bool { return pe.Kind == model.PeerNodes })
	})
}

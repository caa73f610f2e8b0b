package compiler

import (
	"slices"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/selectors"
)

// placement is where a pod counts: nowhere when pod is nil.
type placement struct {
	pod    *model.Pod
	groups []*group
}

// addresses returns the addresses that the pod contributes to sets, nil without a pod.
func (p placement) addresses() []string {
	if p.pod == nil {
		return nil
	}
	return p.pod.IPs
}

// counts says whether a pod can be a member of anything: it is scheduled and not
// completed. Pods on the host's network are in the sets of NetworkPolicies only.
func counts(p *model.Pod) bool { return !p.Completed() && p.NodeName != "" }

// pod handles a pod that came, changed or went.
func (c *membership) pod(old, pod *model.Pod) {
	if old != nil && !counts(old) {
		old = nil
	}
	if pod != nil && !counts(pod) {
		pod = nil
	}
	var before, after placement
	// The new label class is acquired before the old one is released, so that a
	// pod that keeps its labels keeps its bucket's class.
	var kept *selectors.Class
	if pod != nil {
		kept = c.selectors.Acquire(pod.Labels)
	}
	if old != nil {
		b := c.bucketOf(old)
		before = placement{old, c.targets(b)}
		c.unhold(old)
		c.takeOut(b, old)
	}
	if pod != nil {
		b := c.putIn(pod, kept)
		after = placement{pod, c.targets(b)}
		for _, ip := range pod.IPs {
			c.holders[ip] = append(c.holders[ip], pod)
			c.count(pod, ip, 1)
		}
	}
	if old != nil || pod != nil {
		c.move(before, after)
	}
}

func (c *membership) unhold(p *model.Pod) {
	for _, ip := range p.IPs {
		c.count(p, ip, -1)
		rest := slices.DeleteFunc(c.holders[ip], func(q *model.Pod) bool { return q.Key == p.Key })
		if len(rest) == 0 {
			delete(c.holders, ip)
		} else {
			c.holders[ip] = rest
		}
	}
}

// count keeps how many addresses of each family pods of the cluster's network
// have; those of the host's network say nothing about it.
func (c *membership) count(p *model.Pod, ip string, n int) {
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

// move records what follows from a pod that counted at before and counts at
// after now.
func (c *membership) move(before, after placement) {
	c.pass++
	met := c.met[:0]
	visit := func(p placement, flag uint8) {
		for _, g := range p.groups {
			c.touched[g] = struct{}{}
			for s := range g.sets {
				if s.work.pass != c.pass {
					s.work.pass, s.work.flags = c.pass, 0
					met = append(met, s)
				}
				s.work.flags |= flag
			}
		}
	}
	visit(before, wasIn)
	visit(after, isIn)
	was, is := before.addresses(), after.addresses()
	var self model.Key
	for _, p := range []placement{before, after} {
		if p.pod != nil {
			self = p.pod.Key
		}
	}
	for _, s := range met {
		flags := s.work.flags
		for _, ip := range was {
			if isV6(ip) == s.v6 && flags&wasIn != 0 && !(flags&isIn != 0 && slices.Contains(is, ip)) &&
				!c.heldElsewhere(s, ip, self) {
				c.rec.member(s, ip, false)
			}
		}
		for _, ip := range is {
			if isV6(ip) == s.v6 && flags&isIn != 0 && !(flags&wasIn != 0 && slices.Contains(was, ip)) &&
				!c.heldElsewhere(s, ip, self) {
				c.rec.member(s, ip, true)
			}
		}
	}
	c.met = met
	c.ports(before, false)
	c.ports(after, true)
	c.namedPorts(before, after)
}

func (c *membership) ports(p placement, added bool) {
	if p.pod == nil {
		return
	}
	lsp := ""
	for _, g := range p.groups {
		for policy := range g.subjects {
			if lsp == "" {
				lsp = nb.PortName(p.pod.Namespace, p.pod.Name)
			}
			c.rec.port(policy.Key, p.pod.NodeName, lsp, added)
		}
	}
}

// namedPorts marks the policies whose rows with named ports may read the pod
// differently now.
func (c *membership) namedPorts(before, after placement) {
	same := before.pod != nil && after.pod != nil && before.pod.NodeName == after.pod.NodeName &&
		slices.Equal(before.pod.IPs, after.pod.IPs) && slices.Equal(before.pod.Ports, after.pod.Ports)
	mark := func(p placement, other placement) {
		for _, g := range p.groups {
			if len(g.named) == 0 || (same && slices.Contains(other.groups, g)) {
				continue
			}
			for policy := range g.named {
				c.rec.policy(policy.Key)
			}
		}
	}
	mark(before, after)
	mark(after, before)
}

// heldElsewhere says whether the address is in the set for another reason than
// the pod self: another pod with the same address, or a node.
func (c *membership) heldElsewhere(s *setSpec, ip string, self model.Key) bool {
	return c.heldByPod(s, ip, self) || s.fixed(ip) || c.nodeHolds(s, ip, "")
}

// heldByPod says whether the address is in the set by a pod other than self.
func (c *membership) heldByPod(s *setSpec, ip string, self model.Key) bool {
	for _, p := range c.holders[ip] {
		if p.Key == self {
			continue
		}
		for _, g := range c.groupsOf(p) {
			if _, ok := g.sets[s]; ok {
				return true
			}
		}
	}
	return false
}

func (c *membership) groupsOf(p *model.Pod) []*group {
	b := c.bucketOf(p)
	if b == nil {
		return nil
	}
	if r := c.relabel; r != nil && r.namespace == p.Namespace && !r.moved[p.Key] {
		return r.old[b]
	}
	return c.targets(b)
}

func (c *membership) nodeHolds(s *setSpec, ip, self string) bool {
	return len(s.nodes) > 0 && slices.ContainsFunc(c.nodeHolders[ip], func(n *model.Node) bool { return n.Name != self && s.selectsNode(n) })
}

// namespace handles a namespace that came, changed its labels or went (nil).
func (c *membership) namespace(name string, obj *model.Namespace) {
	ns := c.nsState(name)
	var next *selectors.Class
	if obj != nil {
		next = c.selectors.Acquire(obj.Labels)
		c.nsTxn.Set(name, next)
	} else {
		c.nsTxn.Delete(name)
	}
	old := ns.class
	defer c.selectors.Release(old)
	if old == next {
		return
	}
	r := &relabel{namespace: name, old: map[*bucket][]*group{}, moved: map[model.Key]bool{}}
	for _, b := range ns.buckets {
		r.old[b] = c.targets(b)
		b.targets = nil
	}
	ns.class = next
	c.relabel = r
	for b, before := range r.old {
		after := c.targets(b)
		for _, p := range b.pods {
			r.moved[p.Key] = true
			c.move(placement{p, before}, placement{p, after})
		}
	}
	c.relabel = nil
	if next == nil && len(ns.buckets) == 0 {
		delete(c.namespaces, name)
	}
}

// node handles a node that came, changed or went.
func (c *membership) node(self string, old, node *model.Node) {
	var all []string
	if old != nil {
		all = old.HostIPs
		for _, ip := range old.HostIPs {
			c.nodeHolders[ip] = slices.DeleteFunc(c.nodeHolders[ip], func(n *model.Node) bool { return n.Name == self })
			if len(c.nodeHolders[ip]) == 0 {
				delete(c.nodeHolders, ip)
			}
		}
	}
	if node != nil {
		all = slices.Concat(all, node.HostIPs)
		for _, ip := range node.HostIPs {
			c.nodeHolders[ip] = append(c.nodeHolders[ip], node)
		}
	}
	in := func(s *setSpec, n *model.Node, ip string) bool {
		return n != nil && s.selectsNode(n) && slices.Contains(n.HostIPs, ip)
	}
	for s := range c.nodeSets {
		for _, ip := range all {
			was, is := in(s, old, ip), in(s, node, ip)
			if isV6(ip) == s.v6 && was != is && !c.nodeHolds(s, ip, self) && !c.heldByPod(s, ip, model.Key{}) {
				c.rec.member(s, ip, is)
			}
		}
	}
}

func hasNodePeers(p *model.Policy) bool {
	return slices.ContainsFunc(p.Egress, func(r model.Rule) bool {
		return slices.ContainsFunc(r.Peers, func(pe model.Peer) bool { return pe.Kind == model.PeerNodes })
	})
}

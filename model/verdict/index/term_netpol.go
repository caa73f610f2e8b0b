package index

import (
	"slices"

	"rung/model"
	"rung/model/ladder"
	"rung/model/overlap"
	"rung/model/ovn/match"
	"rung/model/selectors"
	"rung/model/verdict"
)

// netpols makes the terms of NetworkPolicies and of the default denies of their
// namespaces (ovn-kubernetes.md#default-deny).
func (m *maker) netpols() {
	byNamespace := map[string][]*model.Policy{}
	var names []string
	for p := range m.x.view.Cluster.Policies(model.KindNP) {
		if byNamespace[p.Namespace] == nil {
			names = append(names, p.Namespace)
		}
		byNamespace[p.Namespace] = append(byNamespace[p.Namespace], p)
		m.policy(p, m.netpol)
	}
	for _, ns := range names {
		for _, d := range model.Directions {
			m.isolation(ns, d, byNamespace[ns])
		}
	}
	m.annotated()
}

// stageOf is where the rules of a direction decide, and on which switch.
func stageOf(d model.Direction) (stage int, at Where) {
	if d == model.Ingress {
		return IngressTerms, AtDestination
	}
	return EgressTerms, AtSource
}

func (m *maker) isolation(namespace string, d model.Direction, policies []*model.Policy) {
	key := model.Key{Kind: model.KindNetpolNamespace, Namespace: namespace, Name: string(d)}
	ref := Rule{Key: key, Direction: d, Index: -1, Action: model.Deny}
	var isolating []*model.Policy
	for _, p := range policies {
		if m.isolates(p, d) {
			isolating = append(isolating, p)
			ref.Isolating = append(ref.Isolating, p.Key)
		}
	}
	if len(isolating) == 0 {
		return
	}
	stage, at := stageOf(d)
	subjects := key.String()
	for _, p := range isolating {
		subjects += "\x01" + subjectKey(p)
	}
	isolated := m.subjects(subjects, isolating...)
	t := Term{Tier: model.TierNetwork, At: at, Does: Drops, Priority: ladder.PriorityNetpolDeny, Rule: m.rule(ref),
		From: m.everyone(), To: m.everyone()}
	if d == model.Ingress {
		t.To = isolated
	} else {
		t.From = isolated
	}
	m.add(stage, t)
	if m.x.view.AllowICMP {
		ref.Action, ref.Isolating = model.Allow, nil
		t.Rule, t.Does, t.Priority, t.Ports = m.rule(ref), Allows, ladder.PriorityNetpolAllow, PortSet{whole(int8(verdict.ICMP.Number()))}
		m.add(stage, t)
	}
}

// netpol makes the terms of a NetworkPolicy's rules, of both directions whatever its
// policyTypes say (ovn-kubernetes.md#rule-rows).
func (m *maker) netpol(p *model.Policy) {
	subject := m.subjects(subjectKey(p), p)
	for r := range p.AllRules() {
		ports, some := netpolPorts(r)
		if !some || !m.counts(p, r) {
			continue
		}
		defect := ""
		if !p.HasType(r.Direction) {
			defect = DefectNoType
		}
		stage, at := stageOf(r.Direction)
		t := Term{Tier: model.TierNetwork, At: at, Does: Allows, Priority: ladder.PriorityNetpolAllow, Ports: ports,
			Rule: m.rule(Rule{Policy: p, Key: p.Key, Direction: r.Direction, Index: r.Index, Action: model.Allow, defect: defect})}
		for _, peers := range m.netpolPeers(r) {
			t.From, t.To = subject, peers
			if r.Direction == model.Ingress {
				t.From, t.To = peers, subject
			}
			m.add(stage, t)
		}
	}
}

// netpolPeers makes the conditions of the rule's rows: for selectors and for IP blocks
// there is one each.
func (m *maker) netpolPeers(r *model.Rule) (out []int32) {
	if r.AnyPeer {
		out = append(out, m.addresses("any", addrs.families))
	}
	var byBlock, bySelector []*model.Peer
	var texts []match.IPBlock
	blocks, selected := "", ""
	for i := range r.Peers {
		p := &r.Peers[i]
		if p.Kind != model.PeerNetworks {
			bySelector = append(bySelector, p)
			selected += peerKey(p) + "\x01"
			continue
		}
		byBlock = append(byBlock, p)
		blocks += peerKey(p) + "\x01"
		for _, cidr := range p.Networks {
			texts = append(texts, match.IPBlock{CIDR: cidr, Except: p.Except})
		}
	}
	// OVN uses the row of the blocks as a whole or, where it cannot read one, not at all.
	if len(texts) > 0 && readable(match.NetpolBlocks(match.Direction(r.Direction), texts)) {
		out = append(out, m.addresses("block "+blocks, func(a addrs) {
			for _, p := range byBlock {
				a.ipBlocks(p)
			}
		}))
	}
	if len(bySelector) > 0 {
		out = append(out, m.addresses("selected "+selected, func(a addrs) {
			for _, p := range bySelector {
				m.selectorSet(a, p)
			}
		}))
	}
	return out
}

func readable(expr string) bool {
	_, err := match.Parse(expr)
	return err == nil
}

func (a addrs) ipBlocks(p *model.Peer) {
	for _, cidr := range p.Networks {
		n, ok := match.ParseCIDR(cidr)
		if !ok {
			continue
		}
		b := block{Network: n.Masked()}
		for _, e := range p.Except {
			if n, ok := match.ParseCIDR(e); ok {
				b.Except = append(b.Except, n.Masked())
			}
		}
		a.block(b)
	}
}

// selectorSet adds what the address sets of a NetworkPolicy's peer hold
// (ovn-kubernetes.md#pod-selector-sets).
func (m *maker) selectorSet(a addrs, p *model.Peer) {
	counts := m.x.view.family
	legacy := p.Kind == model.PeerNamespaces
	if p.Namespace == "" || m.x.view.Cluster.Namespace(p.Namespace) != nil {
		selected := func() overlap.PodSet {
			pe := *p
			if legacy && p.Namespace == "" {
				pe.Kind = model.PeerPods // its pods are those that the selector says, too
			}
			return m.x.Pods.PeerSelected(&pe)
		}
		a.pods("set "+peerKey(p), func() Set { return m.x.ofPods(selected().And(m.x.Pods.Eligible()), counts) })
		if !legacy {
			for i := range selected().Each() {
				if p := m.x.Pods.At(i); p.HostNetwork && !p.Completed() && p.NodeName != "" {
					for _, ip := range p.IPs {
						a.single(ip, counts)
					}
				}
			}
		}
	}
	if legacy && m.standsForHosts(p) {
		for n := range m.x.view.Cluster.Nodes() {
			for _, ip := range slices.Concat(n.MgmtIPs, n.GatewayIPs) {
				a.single(ip, counts)
			}
		}
	}
}

func (m *maker) standsForHosts(p *model.Peer) bool {
	ns := m.x.view.Cluster.Namespace(m.x.view.HostNetworkNamespace)
	switch {
	case ns == nil || !p.Pods.Empty():
		return false
	case p.Namespace != "":
		return p.Namespace == ns.Name
	}
	return p.Namespaces.Matches(ns.Labels)
}

// firewall makes the terms of an EgressFirewall (ovn-kubernetes.md#firewall-rows): they
// decide where the packet leaves the source's switch, in to-lport.
func (m *maker) firewall(p *model.Policy) {
	from := m.subjects("namespace "+p.Namespace+selectors.Key(p.Subject.Namespaces), p)
	for i := range p.Egress {
		r := &p.Egress[i]
		ports, some := firewallPorts(r)
		to, maybe := m.destination(r)
		if !some || to < 0 {
			continue
		}
		ref := Rule{Policy: p, Key: p.Key, Direction: model.Egress, Index: r.Index, Action: r.Action, Maybe: maybe}
		act := Drops
		if r.Action != model.Deny {
			act = Allows
		}
		t := Term{Tier: model.TierNetwork, At: AtSource, Does: act, From: from, To: to, Ports: ports,
			Priority: int32(ladder.PriorityFirewall - r.Index), Rule: m.rule(ref), Maybe: maybe != ""}
		m.add(IngressTerms, t)
		t.To, ref.Maybe = m.openPods(r)
		if t.To >= 0 {
			t.Rule, t.Maybe = m.rule(ref), true
			m.add(IngressTerms, t)
		}
	}
}

// destination makes the condition of a firewall's rule, -1 where it leads nowhere, and
// why it cannot be told whom it means (ovn-kubernetes.md#firewall-match).
func (m *maker) destination(r *model.Rule) (cond int32, maybe string) {
	for i := range r.Peers {
		p := &r.Peers[i]
		switch p.Kind {
		case model.PeerNetworks:
			return m.firewallNetwork(p.Networks[0]), ""
		case model.PeerNodes:
			return m.addresses("hosts "+peerKey(p), func(a addrs) {
				for _, n := range m.x.Pods.Nodes(p.Nodes) {
					for _, ip := range n.HostIPs {
						a.single(ip, nil)
					}
				}
			}), ""
		case model.PeerDNS:
			ips, known := m.x.view.DNS[p.DNSName]
			if !known {
				return m.addresses("any", addrs.families), "the addresses of " + p.DNSName + " are not known"
			}
			return m.addresses("dns "+p.DNSName, func(a addrs) {
				for _, ip := range ips {
					a.single(ip, m.x.view.family)
				}
			}), ""
		}
	}
	return -1, ""
}

func (m *maker) firewallNetwork(cidr string) int32 {
	n, ok := match.ParseCIDR(cidr)
	if !ok || !readable(match.EFNetwork(cidr, m.x.view.ClusterSubnets)) {
		return -1
	}
	b := block{Network: n.Masked()}
	for _, s := range m.x.view.ClusterSubnets {
		if s.Overlaps(n) {
			b.Except = append(b.Except, s.Masked())
		}
	}
	return m.addresses("firewall "+cidr, func(a addrs) {
		a.block(b)
		if m.x.view.NodeSubnets {
			clear(a.c.Set) // of openPods
		}
	})
}

// openPods makes the condition that an address is that of a pod in a firewall's network of
// which it is not known whether the row leaves it out, since no node says that its pods have
// such addresses (ovn-kubernetes.md#unknown-subnets); -1 where there is none.
func (m *maker) openPods(r *model.Rule) (cond int32, maybe string) {
	if !m.x.view.NodeSubnets || len(r.Peers) == 0 || r.Peers[0].Kind != model.PeerNetworks {
		return -1, ""
	}
	cidr := r.Peers[0].Networks[0]
	n, ok := match.ParseCIDR(cidr)
	if !ok {
		return -1, ""
	}
	b := block{Network: n.Masked(), Except: m.x.view.ClusterSubnets}
	cond = m.addresses("firewall pods "+cidr, func(a addrs) {
		m.x.inside(b.Network, func(e int32) {
			if b.has(m.x.Ends[e].Addr) {
				a.c.Set.Add(e)
			}
		})
	})
	if all := m.x.Conditions[cond].Set; !all.Meets(all) {
		return -1, ""
	}
	return cond, "the subnets of the cluster's pods are not known, and an EgressFirewall leaves them out: --cluster-subnets"
}

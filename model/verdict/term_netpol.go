package verdict

import (
	"slices"

	"rung/model"
	"rung/model/ladder"
	"rung/model/ovn/match"
	"rung/model/selectors"
)

// addNetpols makes the terms of NetworkPolicies and of their namespaces' default denies
// (ovn-kubernetes.md#default-deny).
func (m *termMaker) addNetpols() {
	byNamespace := map[string][]*model.Policy{}
	var names []string
	for p := range m.x.view.Cluster.Policies(model.KindNP, model.KindMNP) {
		if byNamespace[p.Namespace] == nil {
			names = append(names, p.Namespace)
		}
		byNamespace[p.Namespace] = append(byNamespace[p.Namespace], p)
		m.addPolicy(p, m.addNetpol)
	}
	for _, ns := range names {
		for _, d := range model.Directions {
			m.addIsolation(ns, d, byNamespace[ns])
		}
	}
	m.addAnnotated()
}

func (m *termMaker) addIsolation(namespace string, d model.Direction, policies []*model.Policy) {
	key := model.Key{Kind: model.KindNetpolNamespace, Namespace: namespace, Name: string(d)}
	ref := Rule{Key: key, Direction: d, Index: -1, Action: model.Deny}
	var isolating []*model.Policy
	for _, p := range policies {
		if m.x.view.IsEnforced(p) && model.IsolatesPods(p, d, m.x.view.LegacyIsolation) {
			isolating = append(isolating, p)
			ref.Isolating = append(ref.Isolating, p.Key)
		}
	}
	if len(isolating) == 0 {
		return
	}
	subjects := key.String()
	for _, p := range isolating {
		subjects += "\x01" + subjectKey(p)
	}
	isolated := m.subjectCondition(subjects, isolating...)
	t := Term{Tier: model.TierNetwork, Effect: Drops, Priority: ladder.PriorityNetpolDeny, Rule: m.addRule(ref)}
	stage := t.setEnds(d, isolated, m.noCondition())
	m.addTerm(stage, t)
	if m.x.view.AllowICMP {
		ref.Action, ref.Isolating = model.Allow, nil
		t.Rule, t.Effect, t.Priority, t.Ports = m.addRule(ref), Allows, ladder.PriorityNetpolAllow, PortSet{fullPortRange(int8(ICMP.Number()))}
		m.addTerm(stage, t)
	}
}

// addNetpol makes the terms of a NetworkPolicy's rules in both directions, whatever its policyTypes say
// (ovn-kubernetes.md#rule-rows).
func (m *termMaker) addNetpol(p *model.Policy) {
	subject := m.subjectCondition(subjectKey(p), p)
	for r := range p.AllRules() {
		ports, some := netpolPorts(r)
		if !some || !m.ruleCounts(p, r) {
			continue
		}
		defect := ""
		if !p.HasType(r.Direction) {
			defect = DefectNoType
		}
		t := Term{Tier: model.TierNetwork, Effect: Allows, Priority: ladder.PriorityNetpolAllow, Ports: ports,
			Rule: m.addRule(Rule{Policy: p, Key: p.Key, Direction: r.Direction, Index: r.Index, Action: model.Allow, defect: defect})}
		for _, peers := range m.netpolPeers(r) {
			stage := t.setEnds(r.Direction, subject, peers)
			m.addTerm(stage, t)
		}
	}
}

// netpolPeers makes the conditions of the rule's rows: one for all selectors, one for all IP blocks.
func (m *termMaker) netpolPeers(r *model.Rule) (out []int32) {
	if r.AnyPeer {
		out = append(out, m.addressCondition("any", conditionAddrs.addFamilies))
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
	// OVN uses the row of the blocks as a whole, or not at all if one is unreadable.
	if len(texts) > 0 && isReadable(match.NetpolBlocks(match.Direction(r.Direction), texts)) {
		out = append(out, m.addressCondition("block "+blocks, func(a conditionAddrs) {
			for _, p := range byBlock {
				a.addNetworks(p.Networks, p.Except)
			}
		}))
	}
	if len(bySelector) > 0 {
		out = append(out, m.addressCondition("selected "+selected, func(a conditionAddrs) {
			for _, p := range bySelector {
				m.selectorSet(a, p)
			}
		}))
	}
	return out
}

func isReadable(expr string) bool {
	_, err := match.Parse(expr)
	return err == nil
}

// selectorSet adds the contents of the address sets of a NetworkPolicy's peer
// (ovn-kubernetes.md#pod-selector-sets).
func (m *termMaker) selectorSet(a conditionAddrs, p *model.Peer) {
	counts := m.x.view.hasFamily
	legacy := p.Kind == model.PeerNamespaces
	if p.Namespace == "" || m.x.view.Cluster.Namespace(p.Namespace) != nil {
		selected := func() selectors.PodSet {
			pe := *p
			if legacy && p.Namespace == "" {
				pe.Kind = model.PeerPods // its pods are those that the selector says, too
			}
			return m.x.Pods.PeerSelected(&pe)
		}
		a.addPods("set "+peerKey(p), func() Set { return m.x.endsOfPods(selected().And(m.x.Pods.EligiblePods()), counts) })
		if !legacy {
			for i := range selected().Each() {
				if p := m.x.Pods.PodAt(i); p.HostNetwork && !p.IsCompleted() && p.NodeName != "" {
					for _, ip := range p.IPs {
						a.addSingle(ip, counts)
					}
				}
			}
		}
	}
	if legacy && m.standsForHosts(p) {
		for n := range m.x.view.Cluster.Nodes() {
			for _, ip := range slices.Concat(n.MgmtIPs, n.GatewayIPs) {
				a.addSingle(ip, counts)
			}
		}
	}
}

func (m *termMaker) standsForHosts(p *model.Peer) bool {
	ns := m.x.view.Cluster.Namespace(m.x.view.HostNetworkNamespace)
	switch {
	case ns == nil || !p.Pods.MatchesEverything():
		return false
	case p.Namespace != "":
		return p.Namespace == ns.Name
	}
	return p.Namespaces.Matches(ns.Labels)
}

// addFirewall makes the terms of an EgressFirewall (ovn-kubernetes.md#firewall-rows). They decide where the
// packet leaves the source's switch, in to-lport.
func (m *termMaker) addFirewall(p *model.Policy) {
	from := m.subjectCondition("namespace "+p.Namespace+selectors.SelectorKey(p.Subject.Namespaces), p)
	for i := range p.Egress {
		r := &p.Egress[i]
		ports, some := firewallPorts(r)
		to, maybe := m.destinationCondition(r)
		if !some || to < 0 {
			continue
		}
		ref := Rule{Policy: p, Key: p.Key, Direction: model.Egress, Index: r.Index, Action: r.Action, Maybe: maybe}
		act := Drops
		if r.Action != model.Deny {
			act = Allows
		}
		t := Term{Tier: model.TierNetwork, Switch: AtSource, Effect: act, From: from, To: to, Ports: ports,
			Priority: int32(ladder.PriorityFirewall - r.Index), Rule: m.addRule(ref), Maybe: maybe != ""}
		m.addTerm(IngressTerms, t)
		t.To, ref.Maybe = m.openPods(r)
		if t.To >= 0 {
			t.Rule, t.Maybe = m.addRule(ref), true
			m.addTerm(IngressTerms, t)
		}
	}
}

// destinationCondition makes the condition of a firewall rule's destination, -1 if it has none. maybe is why
// the destination is unknown, or empty (ovn-kubernetes.md#firewall-match).
func (m *termMaker) destinationCondition(r *model.Rule) (cond int32, maybe string) {
	for i := range r.Peers {
		p := &r.Peers[i]
		switch p.Kind {
		case model.PeerNetworks:
			return m.firewallNetwork(p.Networks[0]), ""
		case model.PeerNodes:
			return m.addressCondition("hosts "+peerKey(p), func(a conditionAddrs) { a.addNodes(p.Nodes, hostIPs, nil) }), ""
		case model.PeerDNS:
			ips, known := m.x.view.DNS[p.DNSName]
			if !known {
				return m.addressCondition("any", conditionAddrs.addFamilies), "the addresses of " + p.DNSName + " are unknown"
			}
			return m.addressCondition("dns "+p.DNSName, func(a conditionAddrs) {
				for _, ip := range ips {
					a.addSingle(ip, m.x.view.hasFamily)
				}
			}), ""
		}
	}
	return -1, ""
}

func (m *termMaker) firewallNetwork(cidr string) int32 {
	n, ok := match.ParseCIDR(cidr)
	if !ok || !isReadable(match.EFNetwork(cidr, m.x.view.ClusterSubnets)) {
		return -1
	}
	b := exceptedBlock{Network: n.Masked()}
	for _, s := range m.x.view.ClusterSubnets {
		if s.Overlaps(n) {
			b.Except = append(b.Except, s.Masked())
		}
	}
	return m.addressCondition("firewall "+cidr, func(a conditionAddrs) {
		a.addBlock(b)
		if m.x.view.NodeSubnets {
			clear(a.c.Set) // of openPods
		}
	})
}

// openPods makes the condition of the pods in a firewall's network that the row may or may not except, as no
// node names their subnets (ovn-kubernetes.md#unknown-subnets). cond is -1 if no such pods exist.
func (m *termMaker) openPods(r *model.Rule) (cond int32, maybe string) {
	if !m.x.view.NodeSubnets || len(r.Peers) == 0 || r.Peers[0].Kind != model.PeerNetworks {
		return -1, ""
	}
	cidr := r.Peers[0].Networks[0]
	n, ok := match.ParseCIDR(cidr)
	if !ok {
		return -1, ""
	}
	b := exceptedBlock{Network: n.Masked(), Except: m.x.view.ClusterSubnets}
	cond = m.addressCondition("firewall pods "+cidr, func(a conditionAddrs) {
		m.x.visitEndsInside(b.Network, func(e int32) {
			if b.contains(m.x.Ends[e].Addr) {
				a.c.Set.Add(e)
			}
		})
	})
	if all := m.x.Conditions[cond].Set; !all.Meets(all) {
		return -1, ""
	}
	return cond, "pod subnets unknown, and an EgressFirewall excludes them: set --cluster-subnets"
}

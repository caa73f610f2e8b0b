package verdict

import (
	"net/netip"

	"rung/model"
	"rung/model/ladder"
	"rung/model/ovn/nb"
)

// addDefaults makes the terms of the hairpin rows and of the rows by which a node reaches its own pods.
func (m *termMaker) addDefaults() {
	if !m.x.view.Defaults {
		return
	}
	hairpin := m.addressCondition("hairpin", func(a conditionAddrs) {
		for _, f := range [...]Family{IPv4, IPv6} {
			a.addSingle(m.x.view.HairpinAddr(f).String(), m.x.view.hasFamily)
		}
	})
	t := Term{Tier: model.TierNetwork, Priority: ladder.PriorityNetpolAllow, Effect: Allows, Switch: Anywhere, From: hairpin,
		To: m.noCondition()}
	for stage, d := range [...]model.Direction{EgressTerms: model.Egress, IngressTerms: model.Ingress} {
		t.Rule = m.addRule(Rule{Key: model.Key{Kind: model.KindNetpolDefault, Name: nb.NameHairpin}, Direction: d, Index: -1,
			Action: model.Allow})
		if d == model.Ingress {
			t.To = m.sparedCondition()
		}
		m.addTerm(stage, t)
	}
	t.From = m.conditionID("own node", func(c *Condition) { c.OwnNode = true })
	t.Rule = m.addRule(Rule{Key: model.Key{Kind: model.KindNetpolNode}, OwnNode: true, Direction: model.Ingress, Index: -1,
		Action: model.Allow})
	m.addTerm(IngressTerms, t)
}

// addMulticast makes the terms of multicast (ovn-kubernetes.md#multicast).
func (m *termMaker) addMulticast() {
	if !m.x.view.Multicast {
		return
	}
	any4, any6 := exceptedBlock{Network: netip.MustParsePrefix("224.0.0.0/4")}, transientGroups()
	anyGroup := m.addressCondition("groups", func(a conditionAddrs) {
		a.addBlock(any4)
		a.c.Blocks = append(a.c.Blocks, any6...)
	})
	groups := m.addressCondition("groups of families", func(a conditionAddrs) {
		if m.x.view.IPv4 {
			a.addBlock(any4)
		}
		if m.x.view.IPv6 {
			a.c.Blocks = append(a.c.Blocks, any6...)
		}
	})
	router := m.conditionID("router", func(c *Condition) { c.router = true })
	for stage, d := range [...]model.Direction{EgressTerms: model.Egress, IngressTerms: model.Ingress} {
		deny := model.Key{Kind: model.KindMulticastCluster, Name: nb.TypeMulticastDeny}
		m.addTerm(stage, Term{Tier: model.TierNetwork, Priority: ladder.PriorityMulticastDeny, Effect: Drops, Switch: Anywhere,
			From: m.noCondition(), To: anyGroup, Rule: m.addRule(Rule{Key: deny, Direction: d, Index: -1, Action: model.Deny})})
		nodes := model.Key{Kind: model.KindMulticastCluster, Name: nb.TypeMulticastNodes}
		t := Term{Tier: model.TierNetwork, Priority: ladder.PriorityMulticastAllow, Effect: Allows, Switch: Anywhere, From: m.noCondition(),
			To: anyGroup, Rule: m.addRule(Rule{Key: nodes, Direction: d, Index: -1, Action: model.Allow})}
		// One port is the packet's, in or out; the other condition tests the group.
		if d == model.Egress {
			t.From = router
		} else {
			t.OutRouter = true
		}
		m.addTerm(stage, t)
	}
	for ns := range m.x.view.Cluster.Namespaces() {
		if ns.Annotations[model.AnnotationMulticast] != "true" {
			continue
		}
		ports := m.subjectCondition("namespace "+ns.Name, wholeNamespace(ns.Name))
		members := &model.Peer{Kind: model.PeerNamespaces, Namespace: ns.Name, Namespaces: model.SelectEverything(),
			Pods: model.SelectEverything()}
		key := model.Key{Kind: model.KindMulticastNS, Namespace: ns.Name, Name: "default"}
		t := Term{Tier: model.TierNetwork, Priority: ladder.PriorityMulticastAllow, Effect: Allows, Switch: AtSource, From: ports, To: groups,
			Rule: m.addRule(Rule{Key: key, Direction: model.Egress, Index: -1, Action: model.Allow})}
		m.addTerm(EgressTerms, t)
		t.Switch, t.OutPort = AtDestination, ports+1
		t.From = m.addressCondition("members "+ns.Name, func(a conditionAddrs) { m.selectorSet(a, members) })
		t.Rule = m.addRule(Rule{Key: key, Direction: model.Ingress, Index: -1, Action: model.Allow})
		m.addTerm(IngressTerms, t)
	}
}

// transientGroups returns the IPv6 groups that are not permanent: those with the T flag.
func transientGroups() (out []exceptedBlock) {
	for flags := byte(1); flags < 16; flags += 2 {
		out = append(out, exceptedBlock{Network: netip.PrefixFrom(netip.AddrFrom16([16]byte{0xff, flags << 4}), 12)})
	}
	return out
}

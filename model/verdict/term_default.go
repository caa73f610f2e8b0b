package verdict

import (
	"net/netip"

	"rung/model"
	"rung/model/ladder"
	"rung/model/ovn/nb"
)

// What a pod's address becomes when it reaches itself through a Service
// (ovn-kubernetes.md#hairpin-and-node-rows).
var hairpinAddrs = [2]netip.Addr{netip.MustParseAddr("169.254.169.5"), netip.MustParseAddr("fd69::5")}

// defaults makes the terms of the hairpin rows and of those by which a node reaches its
// own pods.
func (m *maker) defaults() {
	if !m.x.view.Defaults {
		return
	}
	hairpin := m.addresses("hairpin", func(a addrs) {
		for _, addr := range hairpinAddrs {
			a.single(addr.String(), m.x.view.family)
		}
	})
	t := term{tier: model.TierNetwork, priority: ladder.PriorityNetpolAllow, does: allows, at: anywhere, from: hairpin, to: m.everyone()}
	for stage, d := range [...]model.Direction{egressTerms: model.Egress, ingressTerms: model.Ingress} {
		t.rule = m.rule(ruleRef{key: model.Key{Kind: model.KindNetpolDefault, Name: nb.NameHairpin}, direction: d, rule: -1, action: model.Allow})
		if d == model.Ingress {
			t.to = m.spared()
		}
		m.add(stage, t)
	}
	t.from = m.made("own node", func(c *cond) { c.ownNode = true })
	t.rule = m.rule(ruleRef{key: model.Key{Kind: model.KindNetpolNode}, direction: model.Ingress, rule: -1, action: model.Allow})
	m.add(ingressTerms, t)
}

// multicast makes the terms of multicast (ovn-kubernetes.md#multicast).
func (m *maker) multicast() {
	if !m.x.view.Multicast {
		return
	}
	any4, any6 := block{network: netip.MustParsePrefix("224.0.0.0/4")}, transient()
	anyGroup := m.addresses("groups", func(a addrs) {
		a.block(any4)
		a.c.blocks = append(a.c.blocks, any6...)
	})
	groups := m.addresses("groups of families", func(a addrs) {
		if m.x.view.IPv4 {
			a.block(any4)
		}
		if m.x.view.IPv6 {
			a.c.blocks = append(a.c.blocks, any6...)
		}
	})
	router := m.made("router", func(c *cond) { c.router = true })
	for stage, d := range [...]model.Direction{egressTerms: model.Egress, ingressTerms: model.Ingress} {
		deny := model.Key{Kind: model.KindMulticastCluster, Name: nb.TypeMulticastDeny}
		m.add(stage, term{tier: model.TierNetwork, priority: ladder.PriorityMulticastDeny, does: drops, at: anywhere, from: m.everyone(), to: anyGroup,
			rule: m.rule(ruleRef{key: deny, direction: d, rule: -1, action: model.Deny})})
		nodes := model.Key{Kind: model.KindMulticastCluster, Name: nb.TypeMulticastNodes}
		t := term{tier: model.TierNetwork, priority: ladder.PriorityMulticastAllow, does: allows, at: anywhere, from: m.everyone(), to: anyGroup,
			rule: m.rule(ruleRef{key: nodes, direction: d, rule: -1, action: model.Allow})}
		// The one port is that of the packet, in or out; the other condition is on the group.
		if d == model.Egress {
			t.from = router
		} else {
			t.outRouter = true
		}
		m.add(stage, t)
	}
	for ns := range m.x.view.Cluster.Namespaces() {
		if ns.Annotations[model.AnnotationMulticast] != "true" {
			continue
		}
		pods := &model.Policy{Subject: model.Subject{Namespace: ns.Name, Namespaces: model.Everything(), Pods: model.Everything(), AllPods: true}}
		ports := m.subjects("namespace "+ns.Name, pods)
		members := &model.Peer{Kind: model.PeerNamespaces, Namespace: ns.Name, Namespaces: model.Everything(), Pods: model.Everything()}
		key := model.Key{Kind: model.KindMulticastNS, Namespace: ns.Name, Name: "default"}
		t := term{tier: model.TierNetwork, priority: ladder.PriorityMulticastAllow, does: allows, at: atSource, from: ports, to: groups,
			rule: m.rule(ruleRef{key: key, direction: model.Egress, rule: -1, action: model.Allow})}
		m.add(egressTerms, t)
		t.at, t.outPort = atDestination, ports+1
		t.from = m.addresses("members "+ns.Name, func(a addrs) { m.selectorSet(a, members) })
		t.rule = m.rule(ruleRef{key: key, direction: model.Ingress, rule: -1, action: model.Allow})
		m.add(ingressTerms, t)
	}
}

// transient are the IPv6 groups that are not permanent: those with the T flag.
func transient() (out []block) {
	for flags := byte(1); flags < 16; flags += 2 {
		out = append(out, block{network: netip.PrefixFrom(netip.AddrFrom16([16]byte{0xff, flags << 4}), 12)})
	}
	return out
}

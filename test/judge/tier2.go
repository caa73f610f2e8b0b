package judge

import (
	"net/netip"
	"slices"

	"rung/model"
)

// network are the rows of a NetworkPolicy's rules, of both directions whatever its
// policyTypes (ovn-kubernetes.md#rule-rows).
func (j judge) network(p packet, pol *model.Policy) (rows []row) {
	dir, at := direction(p)
	if dir == "" || at == nil || refused(pol) || !j.subject(pol, at) {
		return nil
	}
	addr := p.dst
	if dir == model.Ingress {
		addr = p.src
	}
	for i, rule := range pol.Rules(dir) {
		if j.networkPeer(pol, rule, addr) && networkPorts(rule.Ports, p) {
			rows = append(rows, row{priority: 1001,
				By: By{Tier: model.TierNetwork, Key: pol.Key, Direction: dir, Rule: i, Action: model.Allow}})
		}
	}
	return rows
}

// refused says whether a NetworkPolicy or EgressFirewall is one that the API server does
// not let through. A CIDR in an odd form costs a row, not the policy
// (ovn-kubernetes.md#ip-blocks).
func refused(pol *model.Policy) bool {
	return slices.ContainsFunc(pol.Invalid, func(b model.Broken) bool { return b.Code != model.InvalidCIDRForm })
}

// networkPeer says whether a rule's peers take in an address: a row for all blocks, and
// one for all selectors.
func (j judge) networkPeer(pol *model.Policy, rule model.Rule, addr netip.Addr) bool {
	if rule.AnyPeer {
		return j.hasFamily(addr)
	}
	return blocks(rule, addr) || j.hasFamily(addr) && j.selected(pol, rule, addr)
}

// blocks are one row (ovn-kubernetes.md#ip-blocks): one CIDR that OVN cannot use makes
// it useless.
func blocks(rule model.Rule, addr netip.Addr) (match bool) {
	for _, peer := range rule.Peers {
		if peer.Kind != model.PeerNetworks {
			continue
		}
		for _, cidr := range peer.Networks {
			n, usable := block(cidr)
			if !usable {
				return false
			}
			in := n.Contains(addr)
			for _, e := range peer.Except {
				x, usable := block(e)
				if !usable {
					return false
				}
				in = in && !x.Contains(addr)
			}
			match = match || in
		}
	}
	return match
}

func block(cidr string) (netip.Prefix, bool) {
	n, err := netip.ParsePrefix(cidr)
	return n, err == nil && !n.Addr().Is4In6()
}

// selected says whether an address is in one of the sets of the rule's selectors
// (ovn-kubernetes.md#pod-selector-sets). A peer without podSelector is in legacy mode.
func (j judge) selected(pol *model.Policy, rule model.Rule, addr netip.Addr) bool {
	for _, peer := range rule.Peers {
		switch {
		case peer.Kind == model.PeerNamespaces && peer.Namespace == "":
			if j.legacy(peer.Namespaces.Matches, addr) {
				return true
			}
		case peer.Kind == model.PeerPods:
			for pod := range j.cluster.Pods() {
				in := j.takes(peer.Namespaces, peer.Pods, pod) && (peer.Namespace == "" || peer.Namespace == pod.Namespace)
				if in && !pod.IsCompleted() && has(pod.IPs, addr) {
					return true
				}
			}
		}
	}
	return false
}

// legacy says whether an address is in a set of namespaces in legacy mode.
func (j judge) legacy(in func(model.Labels) bool, addr netip.Addr) bool {
	for ns := range j.cluster.Namespaces() {
		if in(ns.Labels) && j.inNamespace(ns.Name, addr) {
			return true
		}
	}
	return false
}

// inNamespace says whether an address is of a namespace, in legacy mode: of its pods but
// those on the host's network, and, for the host-network namespace, of the nodes.
func (j judge) inNamespace(ns string, addr netip.Addr) bool {
	for pod := range j.cluster.PodsIn(ns) {
		if !pod.HostNetwork && !pod.IsCompleted() && has(pod.IPs, addr) {
			return true
		}
	}
	for n := range j.cluster.Nodes() {
		if ns == j.HostNS && (has(n.MgmtIPs, addr) || has(n.GatewayIPs, addr)) {
			return true
		}
	}
	return false
}

// networkPorts says whether the ports of a NetworkPolicy's rule take in the packet's: a
// named port counts as none, and an entry without a number is lost beside one with
// (ovn-kubernetes.md#networkpolicy-any-port).
func networkPorts(ports []model.Port, p packet) bool {
	if len(ports) == 0 {
		return true
	}
	var entry, number, match bool
	for _, q := range ports {
		if protocol := q.Protocol; protocol != p.protocol && (protocol != "" || p.protocol != "TCP") {
			continue
		}
		entry = true
		if q.Name == "" && q.Start != 0 {
			number = true
			match = match || int(q.Start) <= p.port && p.port <= int(q.End)
		}
	}
	return entry && (!number || match)
}

// defaultDeny are the rows of the isolation groups (ovn-kubernetes.md#default-deny).
func (j judge) defaultDeny(p packet) []row {
	dir, at := direction(p)
	if dir == "" || at == nil {
		return nil
	}
	for pol := range j.cluster.Policies(model.KindNP) {
		if !pol.IsolatesDirection(dir) || !j.subject(pol, at) {
			continue
		}
		by := By{Tier: model.TierNetwork, Direction: dir, Rule: -1, Action: model.Deny,
			Key: model.Key{Kind: model.KindNetpolNamespace, Namespace: at.Namespace, Name: string(dir)}}
		rows := []row{{priority: 1000, By: by}}
		by.Action = model.Allow
		if j.ICMP && p.protocol == "ICMP" {
			rows = append(rows, row{priority: 1001, By: by})
		}
		return rows
	}
	return nil
}

// hairpin are the rows that let a pod reach itself through a Service
// (ovn-kubernetes.md#hairpin-and-node-rows).
func (j judge) hairpin(p packet) (rows []row) {
	dir := model.Egress
	if p.stage == model.StageToLport {
		dir = model.Ingress
	}
	for _, h := range hairpins {
		if j.Defaults && p.stage != model.StageFromLport && j.hasFamily(h) && p.src == h {
			rows = append(rows, row{priority: 1001, By: By{Tier: model.TierNetwork, Direction: dir, Rule: -1,
				Key: model.Key{Kind: model.KindNetpolDefault, Name: "allow-hairpinning"}, Action: model.Allow}})
		}
	}
	return rows
}

// ownNode are the rows that let a node reach its pods.
func (j judge) ownNode(p packet) []row {
	n := j.cluster.Node(p.zone)
	if !j.Defaults || p.stage != model.StageToLport || n == nil || !has(n.MgmtIPs, p.src) {
		return nil
	}
	return []row{{priority: 1001, By: By{Tier: model.TierNetwork, Direction: model.Ingress, Rule: -1,
		Key: model.Key{Kind: model.KindNetpolNode, Name: n.Name}, Action: model.Allow}}}
}

// firewall are the rows of an EgressFirewall, in to-lport on the sender's switch
// (ovn-kubernetes.md#firewall-rows).
func (j judge) firewall(p packet, pol *model.Policy) (rows []row) {
	if p.stage != model.StageToLport || pol.Name != "default" || refused(pol) ||
		p.in == nil || p.in.Namespace != pol.Namespace || j.cluster.Namespace(pol.Namespace) == nil {
		return nil
	}
	for i, rule := range pol.Egress {
		var match, maybe bool
		for _, peer := range rule.Peers {
			switch peer.Kind {
			case model.PeerNetworks:
				for _, cidr := range peer.Networks {
					match = match || j.outside(cidr, p.dst)
				}
			case model.PeerNodes:
				for n := range j.cluster.Nodes() {
					match = match || peer.Nodes.Matches(n.Labels) && has(n.HostIPs, p.dst)
				}
			case model.PeerDNS:
				addrs, known := j.DNS[peer.DNSName]
				match = match || j.hasFamily(p.dst) && has(addrs, p.dst)
				maybe = !known && j.hasFamily(p.dst)
			}
		}
		if !match && !maybe || !firewallPorts(rule.Ports, p) {
			continue
		}
		rows = append(rows, row{priority: 10000 - i, maybe: !match,
			By: By{Tier: model.TierNetwork, Key: pol.Key, Direction: model.Egress, Rule: i, Action: rule.Action}})
	}
	return rows
}

// outside is the match of a cidrSelector: without the cluster's subnets that contain it
// or lie in it (ovn-kubernetes.md#firewall-match).
func (j judge) outside(cidr string, dst netip.Addr) bool {
	n, err := netip.ParsePrefix(cidr)
	if err != nil || !n.Contains(dst) {
		return false
	}
	for _, s := range j.Subnets {
		if s.Overlaps(n) && s.Contains(dst) {
			return false
		}
	}
	return true
}

func firewallPorts(ports []model.Port, p packet) bool {
	for _, q := range ports {
		if q.Protocol == p.protocol && (q.Start == 0 || int(q.Start) <= p.port && p.port <= int(q.End)) {
			return true
		}
	}
	return len(ports) == 0
}

// multicast are the rows of the cluster and of namespaces
// (ovn-kubernetes.md#multicast).
func (j judge) multicast(p packet) (rows []row) {
	if !j.Multicast || p.stage == model.StageFromLport || !group(p.dst) {
		return nil
	}
	dir, at := direction(p)
	add := func(priority int, kind model.Kind, ns, name string, action model.Action) {
		rows = append(rows, row{priority: priority, By: By{Tier: model.TierNetwork, Direction: dir, Rule: -1,
			Key: model.Key{Kind: kind, Namespace: ns, Name: name}, Action: action}})
	}
	add(1011, model.KindMulticastCluster, "", "DefaultDeny", model.Deny)
	if p.toRouter && dir == model.Ingress || p.fromRouter && dir == model.Egress {
		add(1012, model.KindMulticastCluster, "", "AllowInterNode", model.Allow)
	}
	if at == nil || !j.hasFamily(p.dst) {
		return rows
	}
	ns := j.cluster.Namespace(at.Namespace)
	if ns == nil || ns.Annotations[model.AnnotationMulticast] != "true" {
		return rows
	}
	if dir == model.Egress {
		add(1012, model.KindMulticastNS, ns.Name, "default", model.Allow)
		return rows
	}
	if j.inNamespace(ns.Name, p.src) { // the set <ns>_LS{}_LNM
		add(1012, model.KindMulticastNS, ns.Name, "default", model.Allow)
	}
	return rows
}

// group says whether an address is ip4.mcast, or, of IPv6, one of
// ip6.dst[120..127] == 0xff && ip6.dst[116] == 1.
func group(a netip.Addr) bool {
	if a.Is4() {
		return a.As4()[0]>>4 == 0xe
	}
	b := a.As16()
	return b[0] == 0xff && b[1]&0x10 != 0
}

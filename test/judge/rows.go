package judge

import (
	"encoding/json"
	"net/netip"
	"slices"

	"rung/model"
)

// rows are all that match the packet, of everybody who writes any.
func (j judge) rows(p packet) (rows []row) {
	for pol := range j.cluster.AllPolicies() {
		switch pol.Kind {
		case model.KindANP, model.KindBANP:
			rows = append(rows, j.admin(p, pol)...)
		case model.KindNP:
			rows = append(rows, j.network(p, pol)...)
		case model.KindEF:
			rows = append(rows, j.firewall(p, pol)...)
		}
	}
	rows = append(rows, j.defaultDeny(p)...)
	rows = append(rows, j.hairpin(p)...)
	rows = append(rows, j.ownNode(p)...)
	return append(rows, j.multicast(p)...)
}

// direction returns the direction of the rules that decide in the packet's stage, and the
// pod whose port they name (ovn-kubernetes.md#direction-and-action).
func direction(p packet) (model.Direction, *model.Pod) {
	switch p.stage {
	case model.StageAfterLB:
		return model.Egress, p.in
	case model.StageToLport:
		return model.Ingress, p.out
	}
	return "", nil
}

// admin are the rows of an AdminNetworkPolicy or its baseline
// (ovn-kubernetes.md#acls-of-a-rule).
func (j judge) admin(p packet, pol *model.Policy) (rows []row) {
	dir, at := direction(p)
	if dir == "" || j.unprogrammed(pol) {
		return nil
	}
	for i, rule := range pol.Rules(dir) {
		var match bool
		addr := p.dst
		if dir == model.Ingress {
			addr = p.src
		}
		mine := at != nil && j.subject(pol, at)
		peer := j.adminPeer(rule, addr)
		// None and numeric rows: port group, address set, ports.
		if mine && peer && (len(rule.Ports) == 0 || numbered(rule.Ports, p)) {
			match = true
		}
		// Named ports: on egress the port group and the addresses of peer pods, on
		// ingress the address set and the addresses of subject and peer pods, without
		// the port group (ovn-kubernetes.md#named-ports).
		if dir == model.Egress && mine && j.named(rule, p, nil) {
			match = true
		}
		if dir == model.Ingress && peer && j.onSwitch(pol, p.zone) && j.named(rule, p, pol) {
			match = true
		}
		if !match {
			continue
		}
		r := row{priority: 30000 - 100*int(pol.Priority) - i,
			By: By{Tier: model.TierAdmin, Key: pol.Key, Direction: dir, Rule: i, Action: rule.Action}}
		if pol.Kind == model.KindBANP {
			r.priority, r.Tier = 1750-i, model.TierBaseline
		}
		rows = append(rows, r)
	}
	return rows
}

// unprogrammed says whether OVN-Kubernetes writes no rows for an AdminNetworkPolicy or
// its baseline (ovn-kubernetes.md#no-rows).
func (j judge) unprogrammed(pol *model.Policy) bool {
	if pol.IsRejected() || pol.Kind == model.KindANP && (pol.Priority < 0 || pol.Priority > 99) {
		return true
	}
	if pol.HasLogging && pol.Logging != "" {
		var levels struct{ Allow, Deny, Pass string }
		if json.Unmarshal([]byte(pol.Logging), &levels) != nil {
			return true
		}
		for _, l := range []string{levels.Allow, levels.Deny, levels.Pass} {
			if !slices.Contains([]string{"alert", "warning", "notice", "info", "debug", ""}, l) {
				return true
			}
		}
	}
	for rule := range pol.AllRules() {
		for _, peer := range rule.Peers {
			for n := range j.cluster.Nodes() {
				if peer.Kind == model.PeerNodes && n.HostErr != "" && peer.Nodes.Matches(n.Labels) {
					return true
				}
			}
		}
	}
	return false
}

// subject says whether a pod's port is in the policy's port group
// (ovn-kubernetes.md#subject-pods).
func (j judge) subject(pol *model.Policy, pod *model.Pod) bool {
	if pod.HostNetwork || pod.IsCompleted() || pod.NodeName == "" {
		return false
	}
	s := pol.Subject
	if s.Namespace != "" {
		return s.Namespace == pod.Namespace && j.takes(model.SelectEverything(), s.Pods, pod)
	}
	return j.takes(s.Namespaces, s.Pods, pod)
}

// takes says whether selectors take in a pod's namespace and the pod. Where the
// namespace is gone its pods are nobody's (ovn-kubernetes.md#requeueing).
func (j judge) takes(namespaces, pods model.Selector, pod *model.Pod) bool {
	ns := j.cluster.Namespace(pod.Namespace)
	return ns != nil && namespaces.Matches(ns.Labels) && pods.Matches(pod.Labels)
}

// onSwitch says whether the policy's ACLs apply on a node's switch: some port of its
// group is there (ovn-kubernetes.md#owner-types).
func (j judge) onSwitch(pol *model.Policy, zone string) bool {
	for pod := range j.cluster.Pods() {
		if pod.NodeName == zone && j.subject(pol, pod) {
			return true
		}
	}
	return false
}

// hasFamily says whether the cluster has the family of an address.
func (j judge) hasFamily(a netip.Addr) bool { return a.Is4() && j.V4 || !a.Is4() && j.V6 }

// adminPeer says whether an address is in the rule's sets (ovn-kubernetes.md#peers).
func (j judge) adminPeer(rule model.Rule, addr netip.Addr) bool {
	if !j.hasFamily(addr) {
		return false
	}
	for _, peer := range rule.Peers {
		switch peer.Kind {
		case model.PeerNamespaces, model.PeerPods:
			for pod := range j.cluster.Pods() {
				if j.adminPeerPod(peer, pod) && has(pod.IPs, addr) {
					return true
				}
			}
		case model.PeerNodes:
			for n := range j.cluster.Nodes() {
				if peer.Nodes.Matches(n.Labels) && has(n.HostIPs, addr) {
					return true
				}
			}
		case model.PeerNetworks:
			for _, cidr := range peer.Networks {
				if n, err := netip.ParsePrefix(cidr); err == nil && n.Contains(addr) {
					return true
				}
			}
		}
	}
	return false
}

func (j judge) adminPeerPod(peer model.Peer, pod *model.Pod) bool {
	if pod.HostNetwork || pod.IsCompleted() || pod.NodeName == "" || len(pod.IPs) == 0 {
		return false
	}
	switch peer.Kind {
	case model.PeerNamespaces:
		return j.takes(peer.Namespaces, model.SelectEverything(), pod)
	case model.PeerPods:
		return j.takes(peer.Namespaces, peer.Pods, pod)
	}
	return false
}

func has(addrs []string, a netip.Addr) bool {
	for _, text := range addrs {
		if x, err := netip.ParseAddr(text); err == nil && x == a {
			return true
		}
	}
	return false
}

// numbered says whether a port number or range takes in the packet's.
func numbered(ports []model.Port, p packet) bool {
	for _, q := range ports {
		if q.Name == "" && model.KnowsProtocol(q.Protocol) && q.Protocol == p.protocol &&
			(q.Start == 0 && q.End == 0 || int(q.Start) <= p.port && p.port <= int(q.End)) {
			return true
		}
	}
	return false
}

// named says whether a named port of the rule resolves to where the packet goes: in
// peer pods on all nodes, and, with a policy, in its subject pods on the packet's node.
func (j judge) named(rule model.Rule, p packet, subjects *model.Policy) bool {
	for _, q := range rule.Ports {
		if q.Name == "" {
			continue
		}
		for pod := range j.cluster.Pods() {
			looked := subjects != nil && pod.NodeName == p.zone && j.subject(subjects, pod)
			for _, peer := range rule.Peers {
				looked = looked || j.adminPeerPod(peer, pod)
			}
			if !looked || !has(pod.IPs, p.dst) {
				continue
			}
			for _, c := range pod.Ports {
				if c.Name == q.Name && c.Protocol != "" && c.Protocol == p.protocol && int(c.Port) == p.port {
					return true
				}
			}
		}
	}
	return false
}

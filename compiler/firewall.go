package compiler

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"

	"rung/model"
	"rung/model/ladder"
	"rung/model/logline"
	"rung/model/network"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// efName is the only name OVN-Kubernetes accepts (ovn-kubernetes.md#firewall-rows).
const efName = "default"

// applyFirewall replaces an EgressFirewall, or removes it if p is nil.
func (c *networkCompiler) applyFirewall(k model.PolicyKey, p *model.Policy) {
	if p != nil {
		c.firewalls[k] = p
	} else {
		delete(c.firewalls, k)
	}
	c.putSharing(k, p, c.compileFirewall)
}

// compileFirewall compiles an EgressFirewall (ovn-kubernetes.md#egressfirewall).
func (c *networkCompiler) compileFirewall(p *model.Policy, needs map[model.PolicyKey]sharedSet) *CompiledUnit {
	place, on := c.table.Place(p.Namespace)
	out := &CompiledUnit{Key: p.Key, Policy: p, owner: nb.OwnerEgressFirewall, Holder: HolderForUnit(p.Key)}
	subnets := c.options.ClusterSubnets
	if place == network.OnPrimary {
		out.Holder, subnets = GroupHolder(on.Name, nb.OwnerNamespace, p.Namespace), on.Subnets
	}
	out.subjects = []*selectorGroup{c.internGroup(model.SelectEverything(), model.SelectEverything(), p.Namespace, false)}
	switch out.WhyNoRows = FirstInvalid(p, model.InvalidCIDRForm); {
	case out.WhyNoRows != nil:
	case p.Name != efName:
		out.WhyNoRows = &model.NoRows{Code: "profile", Message: "an EgressFirewall must be named default"}
	case place == network.WithoutNetwork:
		out.WhyNoRows = NoNetwork(p.Namespace)
	case len(p.Egress) > nb.MaxFirewallRule+1:
		out.WhyNoRows = &model.NoRows{Code: "rules", Message: fmt.Sprintf(
			"%d rules: only %d priorities exist", len(p.Egress), nb.MaxFirewallRule+1)}
	}
	if out.WhyNoRows != nil {
		return out
	}
	out.levels = c.namespaceLevels(p.Namespace)
	for i := range p.Egress {
		r := &p.Egress[i]
		cr := &compiledRule{rule: r, priority: ladder.PriorityFirewall - r.Index, action: nb.ActionAllow,
			peers: make([]*selectorGroup, len(r.Peers))}
		if r.Action == model.Deny {
			cr.action = nb.ActionDrop
		}
		out.rules = append(out.rules, cr)
		dst := c.firewallDestination(r, subnets, needs)
		if dst == "" {
			continue // its index stays taken
		}
		var ports []match.EFPort
		for _, port := range r.Ports {
			ports = append(ports, match.EFPort{Protocol: matchProtocol(port), Port: port.Start})
		}
		l4 := ""
		if len(ports) > 0 {
			l4 = match.EFL4(ports)
		}
		out.fixed = append(out.fixed, out.newACL(c.options, rowSpec{
			name:      logline.ACLName(p.Key, model.Egress, r.Index),
			pairs:     []nb.IDPair{{Key: nb.KeyName, Value: p.Namespace}, {Key: nb.KeyRuleIndex, Value: strconv.Itoa(r.Index)}},
			direction: model.Egress, toLport: true, priority: cr.priority, action: cr.action, level: out.levels.ForAction(r.Action),
			match: match.EFMatch(dst, out.Holder.Name, l4), sampled: true,
		}))
	}
	out.noteRelated(needs)
	return out
}

// firewallDestination returns the match of a rule's destination, empty if no address can match.
func (c *networkCompiler) firewallDestination(r *model.Rule, subnets []netip.Prefix, needs map[model.PolicyKey]sharedSet) string {
	for i := range r.Peers {
		switch p := &r.Peers[i]; p.Kind {
		case model.PeerNetworks:
			return match.EFNetwork(p.Networks[0], subnets)
		case model.PeerNodes:
			var ips []string
			for n := range c.cluster.Nodes() {
				if p.Nodes.Matches(n.Labels) {
					ips = append(ips, n.HostIPs...)
				}
			}
			if len(ips) == 0 {
				return ""
			}
			return match.EFNodes(ips)
		case model.PeerDNS:
			s := sharedSet{dns: p.DNSName}
			needs[s.unitKey()] = s
			return match.EFDNS(s.setName(familyV4), s.setName(familyV6), c.options.IPv4, c.options.IPv6)
		}
	}
	return ""
}

// nodeSubnets returns the pod subnets of all nodes, adjacent ones joined. If the cluster's subnets are
// unknown, the nodes' subnets are the known part of them.
func nodeSubnets(c *model.Cluster) []netip.Prefix {
	has := map[netip.Prefix]bool{}
	for n := range c.Nodes() {
		for _, p := range model.ParsePrefixes(n.Subnets) {
			has[p.Masked()] = true
		}
	}
	var joined []netip.Prefix
	for _, p := range slices.SortedFunc(maps.Keys(has), netip.Prefix.Compare) {
		if n := len(joined); n > 0 && joined[n-1].Overlaps(p) {
			continue
		}
		joined = append(joined, p)
		for n := len(joined); n > 1; n-- {
			a, b := joined[n-2], joined[n-1]
			both, err := a.Addr().Prefix(a.Bits() - 1)
			if err != nil || a.Bits() != b.Bits() || a.Addr().Is4() != b.Addr().Is4() || both.Addr() != a.Addr() || !both.Contains(b.Addr()) {
				break
			}
			joined = append(joined[:n-2], both)
		}
	}
	return joined
}

package lint

import (
	"fmt"
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/selectors"
	"rung/model/words"
)

// What OVN-Kubernetes accepts as EgressFirewall (ovn-kubernetes.md#firewall-rows): its name, and rule indexes
// with an OVN priority, 0 to 8000.
const (
	firewallName  = "default"
	firewallRules = nb.MaxFirewallRule + 1
)

type firewallLint struct {
	*linter
	noSubnets   bool           // Options.NoSubnets
	nodeSubnets []netip.Prefix // pod subnets from the nodes
	outside     []allowOutside // see outsideAllows; nil until first used
}

func (l *firewallLint) checkFirewall(p *model.Policy) {
	// The reader of the object may have reported it already.
	if p.Name != firewallName && !slices.ContainsFunc(p.Invalid, func(b model.Broken) bool { return b.Field == "metadata.name" }) {
		l.addAbout(p, FirewallName, "an EgressFirewall that is not named default is not programmed")
	}
	if p.Name != firewallName || p.IsRejected() { // no rows
		return
	}
	if len(p.Egress) > firewallRules {
		l.addAboutRule(p, &p.Egress[firewallRules], FirewallTooLong, fmt.Sprintf(
			"%s rules: rule %d has no OVN priority left, and the whole EgressFirewall is not programmed",
			words.Thousands(len(p.Egress)), firewallRules)).Remedy = fmt.Sprintf("use at most %s; networks can be joined",
			words.Count(firewallRules, "rule"))
	}
	var dns *model.Rule
	var names []string
	for i := range p.Egress {
		r := &p.Egress[i]
		for j := range r.Peers {
			switch pe := &r.Peers[j]; pe.Kind {
			case model.PeerNetworks:
				if !l.isElsewhere(p) { // else see checkFirewalls
					l.checkFirewallPods(p, r, pe)
				}
			case model.PeerNodes:
				l.checkFirewallNodes(p, r, pe)
			case model.PeerDNS:
				names = append(names, pe.DNSName)
				if dns == nil {
					dns = r
				}
			}
		}
	}
	if dns != nil {
		l.addAboutRule(p, dns, FirewallDNS, fmt.Sprintf("%s %s (%s): addresses come from the nodes' DNS, "+
			"known from live rows or --dns-addresses; a name without addresses matches nothing",
			words.Count(len(names), "rule"), words.OneOrMany(len(names), "uses a DNS name", "use DNS names"), words.ListFew(names, shown)))
	}
	l.checkOverruling(p)
}

// checkFirewallPods reports a network that contains pods. The row excludes the subnets of pods, so it never
// decides about pods. A network of a whole family is not reported.
func (l *firewallLint) checkFirewallPods(p *model.Policy, r *model.Rule, pe *model.Peer) {
	for _, text := range pe.Networks {
		n, ok := selectors.ParseNetwork(text)
		if !ok {
			continue
		}
		pods := l.x.InNetwork(n)
		if pods.IsEmpty() {
			continue
		}
		if unknown := l.unknownSubnets(pods); !unknown.IsEmpty() {
			l.addAboutRule(p, r, FirewallSubnets, fmt.Sprintf("%s contains addresses of %s, e.g. %s, and the pod subnets are unknown: "+
				"OVN-Kubernetes excludes them from this row, Rung's compiled row does not",
				text, words.Count(unknown.Len(), "pod"), podName(l.x.FirstPod(unknown))))
			continue
		}
		if n.Bits() == 0 {
			continue
		}
		l.addAboutRule(p, r, FirewallPods, fmt.Sprintf("%s contains addresses of %s, e.g. %s, but the row excludes pod subnets: its %s "+
			"never applies to pods",
			text, words.Count(pods.Len(), "pod"), podName(l.x.FirstPod(pods)), r.Action)).Severity = deniesWarning(r)
	}
}

// unknownSubnets returns the pods outside every subnet that Rung knows.
func (l *firewallLint) unknownSubnets(pods selectors.PodSet) selectors.PodSet {
	if !l.noSubnets {
		return nil
	}
	for _, s := range l.nodeSubnets {
		pods = pods.AndNot(l.x.InNetwork(s))
	}
	return pods
}

// checkFirewallNodes reports a rule without a row because no selected node has an address.
func (l *firewallLint) checkFirewallNodes(p *model.Policy, r *model.Rule, pe *model.Peer) {
	if l.x.NodeCount() == 0 {
		return
	}
	nodes := l.x.NodesMatching(pe.Nodes)
	if slices.ContainsFunc(nodes, func(n *model.Node) bool { return len(n.HostIPs) > 0 || n.HostErr != "" }) {
		return
	}
	message := fmt.Sprintf("the peer %q matches no node", pe.String())
	if len(nodes) > 0 {
		message = fmt.Sprintf("no node that the peer %q matches has the annotation %s", pe.String(), model.AnnotationHostCIDRs)
	}
	l.addAboutRule(p, r, PeerNothing, fmt.Sprintf("%s: the rule has no row now (%s)", message, r.Action)).Severity = deniesWarning(r)
}

// allowOutside is an egress Allow of an AdminNetworkPolicy to networks or nodes.
type allowOutside struct {
	p        *model.Policy
	r        *model.Rule
	subject  selectors.PodSet
	networks []netip.Prefix
}

// outsideAllows returns the enforced egress Allows of AdminNetworkPolicies to networks and nodes.
func (l *firewallLint) outsideAllows() []allowOutside {
	if l.outside != nil {
		return l.outside
	}
	l.outside = []allowOutside{}
	for _, p := range l.policies {
		if p.Tier != model.TierAdmin || p.Priority > l.max || p.IsRejected() {
			continue
		}
		var subject selectors.PodSet
		for i := range p.Egress {
			r := &p.Egress[i]
			if r.Action != model.Allow || !slices.ContainsFunc(r.Peers, func(pe model.Peer) bool {
				return pe.Kind == model.PeerNetworks || pe.Kind == model.PeerNodes
			}) {
				continue
			}
			if nets := l.x.ReachOfRule(r).Networks; len(nets) > 0 {
				if subject == nil {
					subject = l.x.SubjectSet(p)
				}
				l.outside = append(l.outside, allowOutside{p, r, subject, nets})
			}
		}
	}
	return l.outside
}

// checkOverruling reports one Deny that drops what an AdminNetworkPolicy allows. EgressFirewall rows decide in
// the to-lport stage, after the from-lport stage of all egress rules, so an Allow there is not final
// (ovn-kubernetes.md#firewall-rows).
func (l *firewallLint) checkOverruling(p *model.Policy) {
	if !slices.ContainsFunc(p.Egress, func(r model.Rule) bool { return r.Action == model.Deny }) {
		return
	}
	pods := l.x.SubjectSet(p)
	var rules []firewallRule
	for _, a := range l.outsideAllows() {
		if !a.subject.Meets(pods) {
			continue
		}
		if rules == nil {
			rules = l.networkRules(p)
		}
		for _, n := range a.networks {
			r := droppingRule(rules, n, a.r.Ports)
			if r == nil || n.Bits() > 0 && !l.x.InNetwork(n).IsEmpty() {
				continue
			}
			pod, target := l.x.FirstPod(a.subject.And(pods)), n.String()
			if n.IsSingleIP() {
				target = n.Addr().String()
			}
			l.addAboutRule(p, r, FirewallOverrules, fmt.Sprintf(
				"denies what %s allows, e.g. %s → %s: an EgressFirewall decides in the to-lport stage, after the egress rules of "+
					"AdminNetworkPolicies, whatever they allowed",
				ruleText(p, a.p, a.r), podName(pod), target))
			return
		}
	}
}

// firewallRule is one network of an EgressFirewall's rule, or a DNS name with unknown addresses.
type firewallRule struct {
	r   *model.Rule
	net netip.Prefix
	dns bool
}

func (l *firewallLint) networkRules(p *model.Policy) (out []firewallRule) {
	for i := range p.Egress {
		r := &p.Egress[i]
		for _, n := range l.x.ReachOfRule(r).Networks {
			out = append(out, firewallRule{r: r, net: n})
		}
		if slices.ContainsFunc(r.Peers, func(pe model.Peer) bool { return pe.Kind == model.PeerDNS }) {
			out = append(out, firewallRule{r: r, dns: true})
		}
	}
	return out
}

// droppingRule returns the Deny that covers a whole network on the given ports. It returns nil if none does,
// or if an Allow above may take a part. A DNS name may be a single address, but hardly a network.
func droppingRule(rules []firewallRule, n netip.Prefix, ports []model.Port) *model.Rule {
	at := slices.IndexFunc(rules, func(f firewallRule) bool {
		return f.r.Action == model.Deny && !f.dns && f.net.Bits() <= n.Bits() && f.net.Contains(n.Addr()) &&
			(len(f.r.Ports) == 0 || portsKey(f.r.Ports) == portsKey(ports))
	})
	if at < 0 || slices.ContainsFunc(rules[:at], func(f firewallRule) bool {
		return f.r.Action != model.Deny && (f.dns && n.IsSingleIP() || !f.dns && f.net.Overlaps(n))
	}) {
		return nil
	}
	return rules[at].r
}

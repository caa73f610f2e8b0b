package logs

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/revision"
	"rung/sources/acllog"
)

// ruleFacts holds the facts about a rule needed to read its lines.
type ruleFacts struct {
	cluster *model.Cluster // last cluster they held for
	policy  *model.Policy  // their source, nil if it does not exist
	name    string         // the rule's own
	// byProtocol means that the rule has one ACL for each protocol of its ports, and not one for all
	// (ovn-kubernetes.md#acls-of-a-rule).
	byProtocol bool
	networks   []ruleNetwork

	gone string // for Entry.Gone
}

// ruleNetwork is one of a rule's networks.
type ruleNetwork struct {
	prefix netip.Prefix
	except []netip.Prefix
}

// findRuleFacts returns the facts about a rule; it looks up the policy once for each revision.
func (a *attributor) findRuleFacts(rev *revision.Revision, ref logline.RuleRef) *ruleFacts {
	f := a.facts[ref]
	if f != nil && f.cluster == rev.Cluster {
		return f
	}
	p := rev.Cluster.Policy(ref.Policy)
	if f != nil && f.policy == p {
		f.cluster = rev.Cluster
		return f
	}
	if len(a.facts) >= namesKept {
		clear(a.facts)
	}
	f = &ruleFacts{cluster: rev.Cluster, policy: p}
	a.facts[ref] = f
	if p == nil {
		// ACLs of a MultiNetworkPolicy have the names of a NetworkPolicy's.
		multi := model.PolicyKey{Kind: model.KindMNP, Namespace: ref.Policy.Namespace, Name: ref.Policy.Name}
		if ref.Policy.Name != "" && !(ref.Policy.Kind == model.KindNP && rev.Cluster.Policy(multi) != nil) {
			f.gone = PolicyGone
		}
		return f
	}
	r := p.Rule(ref.Direction, ref.Rule)
	if r == nil {
		if ref.Rule >= 0 {
			f.gone = RuleGone
		}
		return f
	}
	f.name = r.Name
	f.byProtocol = len(r.Ports) > 0 && p.Kind != model.KindEF // an EgressFirewall's rule has one ACL for all protocols
	for i := range r.Peers {
		but := parsePrefixes(r.Peers[i].Except)
		for _, net := range parsePrefixes(r.Peers[i].Networks) {
			if net.Bits() > 0 { // a network with every address tells nothing
				f.networks = append(f.networks, ruleNetwork{net, but})
			}
		}
	}
	return f
}

func parsePrefixes(texts []string) (out []netip.Prefix) {
	for _, s := range texts {
		if p, err := netip.ParsePrefix(s); err == nil {
			out = append(out, p.Masked())
		}
	}
	return out
}

// narrowestNetwork returns the rule's narrowest network with an address; empty if none.
func (f *ruleFacts) narrowestNetwork(a netip.Addr) string {
	best, text := -1, ""
	for _, n := range f.networks {
		narrower := n.prefix.Contains(a) && best < n.prefix.Bits()
		if narrower && !slices.ContainsFunc(n.except, func(but netip.Prefix) bool { return but.Contains(a) }) {
			best, text = n.prefix.Bits(), n.prefix.String()
		}
	}
	return text
}

// podNodes maps the pods that write ACL logs to their nodes, by pod name.
type podNodes struct {
	byPod    map[string]string
	listedAt time.Time
}

// findNode finds the node of a line that names the pod of its log.
func (a *attributor) findNode(rev *revision.Revision, e *Entry, now time.Time) {
	if e.Line.Pod != "" {
		e.Line.Zone = cmp.Or(a.pods.findNode(rev.Cluster, e.Line.Pod, now), e.Line.Zone, e.Line.Pod)
	}
}

// findNode returns the node of a pod named with or without its namespace; empty if unknown. Pods named without
// are listed at most once a second: a pod keeps its node, and names in lines come from outside.
func (x *podNodes) findNode(c *model.Cluster, pod string, now time.Time) string {
	if namespace, own, ok := strings.Cut(pod, "/"); ok {
		if p := c.Pod(namespace, own); p != nil {
			return p.NodeName
		}
		return ""
	}
	node, ok := x.byPod[pod]
	if !ok && (x.byPod == nil || now.Sub(x.listedAt) >= judgedFor) {
		x.byPod, x.listedAt = map[string]string{}, now
		for p := range c.Pods() {
			if acllog.IsWriter(p.Name) {
				x.byPod[p.Name] = p.NodeName
			}
		}
		node = x.byPod[pod]
	}
	return node
}

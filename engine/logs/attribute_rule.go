package logs

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/revision"
	"rung/sources/acllog"
)

// ruleFacts are the facts about a rule that its lines are read with.
type ruleFacts struct {
	cluster *model.Cluster // the last one they were true of
	policy  *model.Policy  // that they were read from, nil where it does not exist
	name    string         // the rule's own
	// byProtocol says that the rule has one ACL for each protocol of its ports, and
	// not one for all (ovn-kubernetes.md#acls-of-a-rule).
	byProtocol bool
	networks   []ruleNetwork

	gone string // for Entry.Gone
}

// ruleNetwork is one of a rule's networks.
type ruleNetwork struct {
	prefix netip.Prefix
	but    []netip.Prefix
}

// factsOf are the facts of a rule; its policy is looked up once for each revision.
func (a *attributor) factsOf(rev *revision.Revision, ref logline.RuleRef) *ruleFacts {
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
		if ref.Policy.Name != "" && !isMultiNetwork(rev, ref.Policy) {
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
	f.byProtocol = len(r.Ports) > 0 && p.Kind != model.KindEF // a firewall's rule has one for all
	for i := range r.Peers {
		but := parsePrefixes(r.Peers[i].Except)
		for _, net := range parsePrefixes(r.Peers[i].Networks) {
			if net.Bits() > 0 { // that everything is in it tells nothing
				f.networks = append(f.networks, ruleNetwork{net, but})
			}
		}
	}
	return f
}

// isMultiNetwork reports whether a MultiNetworkPolicy has the name of a NetworkPolicy: their ACLs are
// named alike.
func isMultiNetwork(rev *revision.Revision, k model.PolicyKey) bool {
	return k.Kind == model.KindNP && rev.Cluster.Policy(model.PolicyKey{Kind: model.KindMNP, Namespace: k.Namespace, Name: k.Name}) != nil
}

func parsePrefixes(texts []string) (out []netip.Prefix) {
	for _, s := range texts {
		if p, err := netip.ParsePrefix(s); err == nil {
			out = append(out, p.Masked())
		}
	}
	return out
}

// networkOf is the narrowest of the rule's networks that an address is in, empty for none.
func (f *ruleFacts) networkOf(a netip.Addr) string {
	best := netip.Prefix{}
	for _, n := range f.networks {
		narrower := n.prefix.Contains(a) && (!best.IsValid() || best.Bits() < n.prefix.Bits())
		if narrower && !slices.ContainsFunc(n.but, func(but netip.Prefix) bool { return but.Contains(a) }) {
			best = n.prefix
		}
	}
	if !best.IsValid() {
		return ""
	}
	return best.String()
}

// podNodes are the nodes of the pods that ACL logs come from, by the pods' names.
type podNodes struct {
	byPod    map[string]string
	listedAt time.Time
}

// findNode finds the node of a line that says of which pod's log it is.
func (a *attributor) findNode(rev *revision.Revision, e *Entry, now time.Time) {
	if e.Line.Pod == "" {
		return
	}
	node := a.pods.nodeOf(rev.Cluster, e.Line.Pod, now)
	switch {
	case node != "":
		e.Line.Zone = node
	case e.Line.Zone == "":
		e.Line.Zone = e.Line.Pod
	}
}

// nodeOf is the node of a pod that is named with or without its namespace, empty where
// there is none. Pods without are listed anew at most once a second: a pod keeps its
// node, and names in lines come from outside.
func (x *podNodes) nodeOf(c *model.Cluster, pod string, now time.Time) string {
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

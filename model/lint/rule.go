package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/selectors"
	"rung/model/words"
)

// checkRule checks the peers and ports of one rule. It returns whether a network has every address.
func (l *linter) checkRule(p *model.Policy, r *model.Rule) (everyone bool) {
	var hostBits, nothing []string
	for i := range r.Peers {
		pe := &r.Peers[i]
		switch pe.Kind {
		case model.PeerNetworks:
			for _, text := range pe.Networks {
				n, ok := selectors.ParseNetwork(text)
				if !ok {
					// The policy's own error may report it already.
					if !slices.ContainsFunc(p.Invalid, func(b model.Broken) bool { return b.Code == CIDR.Code }) {
						l.addAboutRule(p, r, CIDR, text+" is an invalid CIDR for OVN-Kubernetes: the whole policy is not programmed, and old rows may "+
							"still apply")
					}
					continue
				}
				if n != n.Masked() {
					hostBits = append(hostBits, text+" means "+n.Masked().String())
				}
				everyone = everyone || l.isEveryAddress(n)
			}
		case model.PeerNamespaces, model.PeerPods:
			if l.pods && !l.x.PeerSelected(pe).Meets(l.x.EligiblePods()) {
				nothing = append(nothing, strconv.Quote(pe.String()))
			}
		case model.PeerNodes:
			if l.x.NodeCount() > 0 && !l.checkNodes(p, r, pe) {
				nothing = append(nothing, strconv.Quote(pe.String()))
			}
		}
	}
	if len(hostBits) > 0 {
		l.addAboutRule(p, r, NetworkHostBits, strings.Join(hostBits, ", ")+": the host bits are cleared")
	}
	l.checkCoveredPods(p, r, "put a rule for the pods above this one")
	if len(nothing) > 0 {
		l.addEmptyPeers(p, r, nothing)
	}
	l.checkNamedPorts(p, r)
	return everyone
}

// checkCoveredPods reports networks of peers that contain addresses of pods.
func (l *linter) checkCoveredPods(p *model.Policy, r *model.Rule, remedy string) {
	var covered []string
	most := 0
	for i := range r.Peers {
		pe := &r.Peers[i]
		for _, text := range pe.Networks {
			n, ok := selectors.ParseNetwork(text)
			if !ok {
				continue
			}
			if pods := l.x.InNetworkBut(n, pe.Except); pods.Len() > 0 {
				covered = append(covered, text)
				most = max(most, pods.Len())
			}
		}
	}
	if len(covered) > 0 {
		l.addAboutRule(p, r, NetworkCoversPods, fmt.Sprintf("%s also %s pods (up to %d): networks are meant for addresses outside the cluster",
			words.ListFew(covered, shown), words.OneOrMany(len(covered), "covers", "cover"), most)).Remedy = remedy
	}
}

// addEmptyPeers reports peers of a rule that match no pod and no node.
func (l *linter) addEmptyPeers(p *model.Policy, r *model.Rule, nothing []string) *model.Finding {
	severity, message := model.SeverityInfo, words.OneOrMany(len(nothing), "the peer ", "the peers ")+
		words.ListFew(nothing, shown)+words.OneOrMany(len(nothing), " matches", " match")+" no pod or node"
	if len(nothing) == len(r.Peers) {
		severity, message = deniesWarning(r), message+fmt.Sprintf(": the rule does nothing now (%s)", r.Action)
	}
	f := l.addAboutRule(p, r, PeerNothing, message)
	f.Severity = severity
	return f
}

// checkNodes reports whether the peer selects a node, and adds a finding for nodes with unreadable addresses.
func (l *linter) checkNodes(p *model.Policy, r *model.Rule, pe *model.Peer) bool {
	nodes := l.x.NodesMatching(pe.Nodes)
	var bad []string
	for _, n := range nodes {
		if n.HostErr != "" {
			bad = append(bad, n.Name+" ("+n.HostErr+")")
		}
	}
	if len(bad) > 0 {
		l.addAboutRule(p, r, HostCIDRs, fmt.Sprintf("the annotation %s of node %s cannot be read: the whole policy is not programmed, and "+
			"old rows may still apply", model.AnnotationHostCIDRs, words.ListFew(bad, shown)))
	}
	return len(nodes) > 0
}

// maxRules is the limit of rules in a direction of an AdminNetworkPolicy or its baseline: the number of OVN
// priorities between two priorities. The API rejects more; the controller does not check
// (ovn-kubernetes.md#priorities, #api-limits).
const maxRules = 100

// checkExcessRules reports rules beyond the OVN priorities of their policy.
func (l *linter) checkExcessRules(p *model.Policy, d model.Direction) {
	rules := p.Rules(d)
	if len(rules) <= maxRules {
		return
	}
	r := &rules[maxRules]
	severity := model.SeverityWarning
	message := fmt.Sprintf("%s %s rules, but the API accepts at most %d: ", words.Thousands(len(rules)), d.Lower(), maxRules)
	if p.Kind == model.KindBANP {
		message += fmt.Sprintf("from rule %d on they get OVN priorities below the baseline's", maxRules)
	} else {
		message += fmt.Sprintf("from rule %d on they have the OVN priorities of the rules of priority %d", maxRules, p.Priority+1)
		var met []string
		last := p.Priority + int32((len(rules)-1)/maxRules)
		for _, o := range l.policies {
			// A policy above the range has no rows to meet.
			if o.Kind.HasPriority() && o.Tier == p.Tier && o != p && o.Priority > p.Priority && o.Priority <= min(last, l.max) &&
				len(o.Rules(d)) > 0 {
				met = append(met, fmt.Sprintf("%s (priority %d)", o.Label(), o.Priority))
			}
		}
		if len(met) > 0 {
			severity = model.SeverityError
			message += "; where they overlap with rules of " + words.ListFew(met, shown) + ", which one wins is undefined"
		}
	}
	l.addAboutRule(p, r, RuleOutOfRange, message).Severity = severity
}

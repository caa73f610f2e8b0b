package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/lint/codes"
	"rung/model/overlap"
	"rung/model/words"
)

// rule looks at the peers and ports of one rule.
func (l *linter) rule(p *model.Policy, r *model.Rule) {
	var hostBits, nothing []string
	all := false // a network of every address
	for i := range r.Peers {
		pe := &r.Peers[i]
		switch pe.Kind {
		case model.PeerNetworks:
			for _, text := range pe.Networks {
				n, ok := overlap.ParseNetwork(text)
				if !ok {
					l.badCIDR(p, r, text)
					continue
				}
				if n != n.Masked() {
					hostBits = append(hostBits, text+" means "+n.Masked().String())
				}
				all = all || l.everyone(n)
			}
		case model.PeerNamespaces, model.PeerPods:
			if l.pods && !l.x.PeerSelected(pe).Meets(l.x.Eligible()) {
				nothing = append(nothing, strconv.Quote(pe.String()))
			}
		case model.PeerNodes:
			if l.x.NodeCount() > 0 && !l.nodes(p, r, pe) {
				nothing = append(nothing, strconv.Quote(pe.String()))
			}
		}
	}
	if len(hostBits) > 0 {
		l.aboutRule(p, r, codes.NetworkHostBits, model.SeverityWarning, strings.Join(hostBits, ", ")+": the host bits are cleared",
			"write the network you mean, or a /32 (/128) for one address")
	}
	l.coversPods(p, r, "put a rule for the pods above this one")
	if len(nothing) > 0 {
		l.peersNothing(p, r, nothing)
	}
	l.named(p, r)
	if r.Direction == model.Egress && r.Action == model.Deny && !r.Inert() {
		l.denies(p, r, all)
	}
}

// coversPods reports networks among the peers that pods have their addresses in.
func (l *linter) coversPods(p *model.Policy, r *model.Rule, remedy string) {
	var covered []string
	most := 0
	for i := range r.Peers {
		pe := &r.Peers[i]
		for _, text := range pe.Networks {
			n, ok := overlap.ParseNetwork(text)
			if !ok {
				continue
			}
			pods := l.x.InNetwork(n)
			for _, e := range pe.Except {
				if out, ok := overlap.ParseNetwork(e); ok {
					pods = pods.AndNot(l.x.InNetwork(out))
				}
			}
			if pods.Len() > 0 {
				covered = append(covered, text)
				most = max(most, pods.Len())
			}
		}
	}
	if len(covered) > 0 {
		l.aboutRule(p, r, codes.NetworkCoversPods, model.SeverityInfo,
			fmt.Sprintf("%s %s pods too (up to %d): networks are for what is outside the cluster, "+
				"and match pods by address",
				words.Few(covered, shown), words.Form(len(covered), "covers", "cover"), most), remedy)
	}
}

// badCIDR is said once: the policy's own error, where it has one, says it.
func (l *linter) badCIDR(p *model.Policy, r *model.Rule, text string) {
	if slices.ContainsFunc(p.Invalid, func(b model.Broken) bool { return b.Code == codes.CIDR }) {
		return
	}
	l.aboutRule(p, r, codes.CIDR, model.SeverityError,
		text+" is not a CIDR OVN-Kubernetes takes: the whole policy is not programmed, "+
			"and rows it had before stay and decide",
		"write the network as address/length, IPv4 in its own form")
}

func (l *linter) peersNothing(p *model.Policy, r *model.Rule, nothing []string) {
	severity, message := model.SeverityInfo, words.Form(len(nothing), "the peer ", "the peers ")+
		words.Few(nothing, shown)+words.Form(len(nothing), " matches", " match")+" no pod or node"
	if len(nothing) == len(r.Peers) {
		message += fmt.Sprintf(": the rule does nothing now (%s)", r.Action)
		if r.Action == model.Deny {
			severity = model.SeverityWarning
		}
	}
	l.aboutRule(p, r, codes.PeerNothing, severity, message, "check the labels of the peer's selectors")
}

// nodes says whether the peer selects a node, and reports those whose addresses
// cannot be read.
func (l *linter) nodes(p *model.Policy, r *model.Rule, pe *model.Peer) bool {
	nodes := l.x.Nodes(pe.Nodes)
	var bad []string
	for _, n := range nodes {
		if n.HostErr != "" {
			bad = append(bad, n.Name+" ("+n.HostErr+")")
		}
	}
	if len(bad) > 0 {
		l.aboutRule(p, r, codes.HostCIDRs, model.SeverityError,
			fmt.Sprintf("the annotation %s of node %s cannot be read: the whole policy is not programmed, "+
				"and rows it had before stay and decide", model.AnnotationHostCIDRs, words.Few(bad, shown)),
			"correct the node's annotation; OVN-Kubernetes writes it")
	}
	return len(nodes) > 0
}

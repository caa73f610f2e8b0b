package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
)

// rule looks at the peers and ports of one rule.
func (l *linter) rule(p *model.Policy, r *model.Rule) {
	var hostBits, covered, nothing []string
	coveredPods := 0
	all := false // a network of every address
	for i := range r.Peers {
		pe := &r.Peers[i]
		switch pe.Kind {
		case model.PeerNetworks:
			for _, text := range pe.Networks {
				n, ok := model.ParseNetwork(text)
				if !ok {
					l.badCIDR(p, r, text)
					continue
				}
				if n != n.Masked() {
					hostBits = append(hostBits, text+" means "+n.Masked().String())
				}
				all = all || n.Bits() == 0
				if pods := l.x.InNetwork(n).Len(); pods > 0 {
					covered = append(covered, text)
					coveredPods = max(coveredPods, pods)
				}
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
		l.aboutRule(p, r, NetworkHostBits, model.SeverityWarning, strings.Join(hostBits, ", ")+": the host bits are cleared",
			"write the network that is meant, or a /32 (/128) for one address")
	}
	if len(covered) > 0 {
		l.aboutRule(p, r, NetworkCoversPods, model.SeverityInfo, fmt.Sprintf("%s %s pods too (up to %d): networks are meant for what is outside the cluster, and match pods by address",
			few(covered), verb(len(covered), "covers", "cover"), coveredPods), "put a rule for the pods above this one")
	}
	if len(nothing) > 0 {
		l.peersNothing(p, r, nothing)
	}
	l.namedPorts(p, r)
	if r.Direction == model.Egress && r.Action == model.Deny {
		l.denies(p, r, all)
	}
}

// badCIDR is said once: the policy's own error, where it has one, says it.
func (l *linter) badCIDR(p *model.Policy, r *model.Rule, text string) {
	if slices.ContainsFunc(p.Invalid, func(b model.Broken) bool { return b.Code == CIDR }) {
		return
	}
	l.aboutRule(p, r, CIDR, model.SeverityError, text+" is not a CIDR OVN-Kubernetes takes: the whole policy is not programmed, and rows it had before stay and decide",
		"write the network as address/length, IPv4 in its own form")
}

func (l *linter) peersNothing(p *model.Policy, r *model.Rule, nothing []string) {
	severity, message := model.SeverityInfo, verb(len(nothing), "the peer ", "the peers ")+few(nothing)+verb(len(nothing), " matches", " match")+" no pod or node"
	if len(nothing) == len(r.Peers) {
		message += fmt.Sprintf(": the rule does nothing now (%s)", r.Action)
		if r.Action == model.Deny {
			severity = model.SeverityWarning
		}
	}
	l.aboutRule(p, r, PeerNothing, severity, message, "check the labels of the peer's selectors")
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
		l.aboutRule(p, r, HostCIDRs, model.SeverityError, fmt.Sprintf("the annotation %s of node %s cannot be read: the whole policy is not programmed, and rows it had before stay and decide",
			model.AnnotationHostCIDRs, few(bad)), "correct the node's annotation; OVN-Kubernetes writes it")
	}
	return len(nodes) > 0
}

// namedPorts reports names that no container declares where the rule looks.
func (l *linter) namedPorts(p *model.Policy, r *model.Rule) {
	if !l.pods {
		return
	}
	var missing []string
	names := 0
	for i := range r.Ports {
		if r.Ports[i].Name == "" {
			continue
		}
		names++
		if !l.declared(p, r, r.Ports[i].Name) {
			missing = append(missing, r.Ports[i].String())
		}
	}
	if len(missing) == 0 {
		return
	}
	severity := model.SeverityInfo
	message := fmt.Sprintf("no pod the rule looks at declares the named %s %s", verb(len(missing), "port", "ports"), few(missing))
	if names == len(r.Ports) && len(missing) == names {
		message += fmt.Sprintf(": the rule compiles to no ACL at all, so its %s does nothing", r.Action)
		if r.Action == model.Deny {
			severity = model.SeverityWarning
		}
	}
	remedy := "use the port's number, or name the port in the containers"
	l.aboutRule(p, r, NamedPortUnmatched, severity, message, remedy)
}

// declared says whether a named port resolves: on the peers, for ingress on the
// subject too (compile-spec §1.12).
func (l *linter) declared(p *model.Policy, r *model.Rule, name string) bool {
	holders := l.x.WithPort(name)
	if r.Direction == model.Ingress && holders.Meets(l.x.SubjectSet(p)) {
		return true
	}
	for i := range r.Peers {
		if holders.Meets(l.x.PeerSelected(&r.Peers[i])) {
			return true
		}
	}
	return false
}

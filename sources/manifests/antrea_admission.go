package manifests

import (
	"fmt"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"rung/model"
	"rung/model/antrea"
	"rung/model/ovn/match"
	"rung/model/words"
)

// antreaAdmission notes why Antrea's admission rejects a policy by itself (antrea.md#findings).
// antrea.CheckCluster checks what depends on other objects.
func (n *normaliser) antreaAdmission(spec *antreaPolicySpec) {
	if p := spec.Priority; p < 1 || p > 10000 {
		n.addInvalid(antrea.PriorityRange, "spec.priority", fmt.Sprintf("priority %g: want 1.0 to 10000.0", p), "")
	}
	n.appliedToPlaces(spec)
	n.appliedToForms(spec.AppliedTo, "spec.appliedTo")
	for _, d := range model.Directions {
		for i := range spec.directionRules(d) {
			r, at := &spec.directionRules(d)[i], fmt.Sprintf("spec.%s[%d]", d.Lower(), i)
			n.appliedToForms(r.AppliedTo, at+".appliedTo")
			n.nodePort(spec, r, d, at)
			n.antreaRuleForms(r, d, at)
			if d == model.Ingress {
				n.ingressOnly(r, at)
			} else {
				n.egressOnly(r, at)
			}
			n.readIGMP(r, d, at)
			n.invalidIf(spec.Tier == antrea.Baseline && r.Action == string(model.Pass), antrea.BaselinePass, at+".action",
				"Pass in the baseline tier: no lower tier can decide", "write Allow or Drop")
		}
	}
	n.ruleNames()
}

func (s *antreaPolicySpec) directionRules(d model.Direction) []antreaRule {
	if d == model.Ingress {
		return s.Ingress
	}
	return s.Egress
}

func (r *antreaRule) peersOf(d model.Direction) []antreaPeer {
	if d == model.Ingress {
		return r.From
	}
	return r.To
}

// appliedToPlaces checks that appliedTo is at the policy or at every rule.
func (n *normaliser) appliedToPlaces(spec *antreaPolicySpec) {
	with, services, rules := 0, 0, len(spec.Ingress)+len(spec.Egress)
	for _, d := range model.Directions {
		for i := range spec.directionRules(d) {
			list := spec.directionRules(d)[i].AppliedTo
			if len(list) > 0 {
				with++
			}
			if slices.ContainsFunc(list, func(a antreaAppliedTo) bool { return a.Service != nil }) {
				services++
			}
		}
	}
	n.invalidIf(services > 0 && services < with, antrea.ServiceMixed, "spec",
		"mixes rules for NodePort Services with other rules: a policy may have only one sort", "split it into two policies")
	switch {
	case len(spec.AppliedTo) > 0 && with > 0:
		n.addInvalid(antrea.AppliedToBoth, "spec.appliedTo", "is set for the policy and for rules: only one is allowed", "remove one of them")
	case len(spec.AppliedTo) == 0 && with > 0 && with < rules:
		n.addInvalid(antrea.AppliedToSome, "spec", fmt.Sprintf("appliedTo is set for %d of %d rules: all need it", with, rules), "")
	case len(spec.AppliedTo) == 0 && with == 0:
		n.addInvalid(antrea.AppliedToNothing, "spec.appliedTo", "is missing: the policy applies to nothing", "write appliedTo")
	}
}

func (n *normaliser) appliedToForms(list []antreaAppliedTo, at string) {
	services := 0
	for i := range list {
		a, at := &list[i], fmt.Sprintf("%s[%d]", at, i)
		forms := countTrue(a.PodSelector != nil || a.NamespaceSelector != nil, a.Group != "", a.ServiceAccount != nil, a.Service != nil,
			a.NodeSelector != nil, a.ExternalEntity != nil)
		if a.Service != nil {
			services++
		}
		n.unjudged(a.ExternalEntity != nil, at+".externalEntitySelector", externalEntities)
		switch {
		case a.IPBlock != nil:
			n.addInvalid(antrea.AppliedToBlock, at+".ipBlock", "cannot be in appliedTo: a policy applies to pods", "")
		case a.ServiceAccount != nil && forms > 1:
			n.addInvalid(antrea.AccountAlone, at+".serviceAccount", "cannot be used with any other field", "")
		case a.Service != nil && forms > 1:
			n.addInvalid(antrea.ServiceAlone, at+".service", "cannot be used with any other field", "")
		case forms > 1:
			n.addInvalid(antrea.AppliedToForms, at, "has several forms: only one is allowed", "split it into several elements")
		case forms == 0:
			n.addInvalid(antrea.AppliedToForms, at, "is empty", "write podSelector, namespaceSelector or group")
		}
		n.invalidIf(n.p.Kind == model.KindANNP && a.NamespaceSelector != nil, antrea.AppliedToNamespaces, at+".namespaceSelector",
			"is forbidden: an Antrea NetworkPolicy applies to pods of its own namespace", "write an Antrea ClusterNetworkPolicy")
	}
	n.invalidIf(services > 0 && services < len(list), antrea.ServiceMixed, at,
		"mixes a NodePort Service with others: a policy or rule may apply to only one sort", "split it into two policies")
}

// nodePort checks a rule that applies to a NodePort Service.
func (n *normaliser) nodePort(spec *antreaPolicySpec, r *antreaRule, d model.Direction, at string) {
	list := spec.AppliedTo
	if len(r.AppliedTo) > 0 {
		list = r.AppliedTo
	}
	if !slices.ContainsFunc(list, func(a antreaAppliedTo) bool { return a.Service != nil }) {
		return
	}
	if d == model.Egress {
		n.addInvalid(antrea.ServiceEgress, at, "is an egress rule: only ingress rules can apply to a NodePort Service", "")
		return
	}
	for j := range r.From {
		if f := &r.From[j]; f.IPBlock == nil || f.countForms() > 1 {
			n.addInvalid(antrea.ServicePeers, fmt.Sprintf("%s.from[%d]", at, j), "must be an ipBlock: clients of a NodePort Service are outside "+
				"the cluster", "")
		}
	}
}

// countForms counts the forms set in a peer.
func (p *antreaPeer) countForms() int {
	return countTrue(p.PodSelector != nil || p.NamespaceSelector != nil || p.Namespaces != nil, p.Group != "",
		p.ServiceAccount != nil, p.IPBlock != nil, p.NodeSelector != nil, p.FQDN != "", p.ExternalEntity != nil)
}

// countTrue counts the true conditions.
func countTrue(conditions ...bool) (n int) {
	for _, holds := range conditions {
		if holds {
			n++
		}
	}
	return n
}

func (n *normaliser) antreaRuleForms(r *antreaRule, d model.Direction, at string) {
	peers := r.peersOf(d)
	for j := range peers {
		p, at := &peers[j], fmt.Sprintf("%s.%s[%d]", at, peersField(d), j)
		switch forms := p.countForms(); {
		case p.ServiceAccount != nil && forms > 1:
			n.addInvalid(antrea.AccountAlone, at+".serviceAccount", "cannot be used with any other field", "")
		case forms > 1:
			n.addInvalid(antrea.PeerForms, at, "has several forms: only one is allowed", "split it into several peers")
		case forms == 0:
			n.addInvalid(antrea.PeerForms, at, "selects nothing", "write podSelector, namespaceSelector, group or ipBlock")
		}
		n.invalidIf(p.Namespaces != nil && p.NamespaceSelector != nil, antrea.NamespacesSelector, at+".namespaces",
			"cannot be set with namespaceSelector", "")
		n.invalidIf(p.Namespaces != nil && (p.Namespaces.Match == "") == (len(p.Namespaces.SameLabels) == 0), antrea.PeerForms,
			at+".namespaces", "needs either match or sameLabels", "")
		n.invalidIf(p.Namespaces != nil && n.p.Kind == model.KindANNP, antrea.NamespacesANNP, at+".namespaces",
			"is not allowed in an Antrea NetworkPolicy", "write podSelector, or an Antrea ClusterNetworkPolicy")
		if p.IPBlock != nil {
			n.exceptInside(p.IPBlock, at+".ipBlock.except")
		}
		n.invalidIf(p.FQDN != "" && d == model.Ingress, antrea.FQDNIngress, at+".fqdn", "is for egress only", "")
		n.unjudged(p.ExternalEntity != nil, at+".externalEntitySelector", externalEntities)
		n.unjudged(p.Scope == clusterSet, at+".scope", otherClusters)
	}
	for j := range r.ToServices {
		n.unjudged(r.ToServices[j].Scope == clusterSet, fmt.Sprintf("%s.toServices[%d].scope", at, j), otherClusters)
	}
	for j := range r.Ports {
		p, at := &r.Ports[j], fmt.Sprintf("%s.ports[%d]", at, j)
		n.antreaPort(&p.NetworkPolicyPort, at)
		n.unjudged(p.SourcePort != nil, at+".sourcePort", sourcePorts)
		n.unjudged(p.SourceEndPort != nil, at+".sourceEndPort", sourcePorts)
	}
}

// Parts of valid policies that Rung does not evaluate, and the scope beyond this cluster.
const (
	externalEntities = "machines outside the cluster: Rung does not read their addresses"
	otherClusters    = "other clusters: Rung does not read their objects"
	sourcePorts      = "source ports: Rung does not evaluate them"

	clusterSet = "ClusterSet"
)

// unjudged notes a valid field whose effect Rung does not evaluate: the whole policy is then not evaluated.
func (n *normaliser) unjudged(is bool, field, what string) {
	if is {
		n.addInvalid(antrea.NotJudged, field, "is about "+what, "")
		n.p.Invalid[len(n.p.Invalid)-1].Severity = model.SeverityWarning
	}
}

// exceptInside notes exceptions of an ipBlock that are invalid, or outside the block.
func (n *normaliser) exceptInside(b *antreaIPBlock, at string) {
	block, _ := match.ParseCIDR(b.CIDR) // an invalid block is reported elsewhere
	for i, text := range b.Except {
		e, ok := match.ParseCIDR(text)
		switch {
		case !ok:
			n.addInvalid(CodeCIDR, fmt.Sprintf("%s[%d]", at, i), fmt.Sprintf("%q is not a CIDR", words.CleanText(text)), CIDRRemedy(text))
		case block.IsValid() && (e.Bits() < block.Bits() || !block.Contains(e.Addr())):
			n.addInvalid(antrea.IPBlockExcept, fmt.Sprintf("%s[%d]", at, i), words.CleanText(text)+" is not inside "+words.CleanText(b.CIDR),
				"write a subnet of the block")
		}
	}
}

func (n *normaliser) antreaPort(p *networkingv1.NetworkPolicyPort, at string) {
	number := p.Port != nil && p.Port.Type == intstr.Int
	switch {
	case number && (p.Port.IntVal < 1 || p.Port.IntVal > 65535):
		n.addInvalid(CodeSchema, at+".port", fmt.Sprintf("port %d: want 1 to 65535", p.Port.IntVal), "")
	case p.EndPort == nil:
	case !number:
		n.addInvalid(antrea.EndPort, at+".endPort", "needs port as a number", "write port")
	case *p.EndPort < p.Port.IntVal || *p.EndPort > 65535:
		n.addInvalid(antrea.EndPort, at+".endPort", fmt.Sprintf("%d: want port (%d) to 65535", *p.EndPort, p.Port.IntVal), "")
	}
}

func (n *normaliser) ingressOnly(r *antreaRule, at string) {
	n.invalidIf(len(r.ToServices) > 0, antrea.ToServicesIngress, at+".toServices", "is for egress rules only", "")
	n.invalidIf(len(r.To) > 0, antrea.PeerForms, at+".to", "is for egress rules only", "write from")
	for j := range r.From {
		if b := r.From[j].IPBlock; b != nil && antrea.IsMulticast(b.CIDR) {
			n.addInvalid(antrea.MulticastIngress, fmt.Sprintf("%s.from[%d].ipBlock", at, j), "is multicast: ingress rules do not apply to it",
				"")
		}
	}
}

func (n *normaliser) egressOnly(r *antreaRule, at string) {
	n.invalidIf(len(r.From) > 0, antrea.PeerForms, at+".from", "is for ingress rules only", "write to")
	n.invalidIf(len(r.ToServices) > 0 && (len(r.To) > 0 || len(r.Ports) > 0), antrea.ToServicesMixed, at+".toServices",
		"cannot be used with to or ports: the Services give addresses and ports", "split it into two rules")
	for j := range r.To {
		if b := r.To[j].IPBlock; b != nil && antrea.IsMulticast(b.CIDR) {
			n.multicastAction(r, at)
		}
	}
}

// igmpTypes are the IGMP message types that rules may match, as numbers and as text.
var igmpTypes = map[model.Direction]struct {
	types []int32
	text  string
}{model.Ingress: {[]int32{0x11}, "0x11"}, model.Egress: {[]int32{0x12, 0x16, 0x22}, "0x12, 0x16, 0x22"}}

func (n *normaliser) readIGMP(r *antreaRule, d model.Direction, at string) {
	igmp, icmp := false, false
	for j := range r.Protocols {
		at := fmt.Sprintf("%s.protocols[%d]", at, j)
		icmp = icmp || r.Protocols[j].ICMP != nil
		g := r.Protocols[j].IGMP
		if g == nil {
			continue
		}
		igmp = true
		if g.Type != nil && !slices.Contains(igmpTypes[d].types, *g.Type) {
			n.addInvalid(antrea.IGMPType, at+".igmp.igmpType", fmt.Sprintf("0x%x is not an IGMP type for %s rules: %s", *g.Type, d.Lower(),
				igmpTypes[d].text), "")
		}
		n.invalidIf(d == model.Ingress && g.Group != "" && g.Group != "224.0.0.1", antrea.IGMPGroup, at+".igmp.groupAddress",
			words.CleanText(g.Group)+": only queries to 224.0.0.1 are recognised", "")
	}
	if !igmp {
		return
	}
	n.invalidIf(icmp || len(r.From)+len(r.To)+len(r.Ports)+len(r.ToServices) > 0, antrea.IGMPAlone, at+".protocols",
		"IGMP cannot be used with ICMP, from, to, ports or toServices", "split it into two rules")
	n.multicastAction(r, at)
}

// multicastAction notes an action that is invalid for multicast.
func (n *normaliser) multicastAction(r *antreaRule, at string) {
	if a := r.Action; a == string(model.Pass) || a == "Reject" {
		n.addInvalid(antrea.MulticastAction, at+".action", a+" is not supported for multicast", "write Allow or Drop")
	}
}

// ruleNames finds names shared by two rules, written or generated: equal rules get the same generated name.
func (n *normaliser) ruleNames() {
	first := map[string]*model.Rule{}
	for r := range n.p.AllRules() {
		if was := first[r.Name]; was != nil {
			msg := fmt.Sprintf("name %q is also used by %s %d", r.Name, was.Direction.Lower(), was.Index)
			if r.Tiered.Generated && was.Tiered.Generated {
				msg = fmt.Sprintf("is the same rule as %s %d: Antrea would give both the same name", was.Direction.Lower(), was.Index)
			}
			n.addInvalid(antrea.RuleNames, fmt.Sprintf("spec.%s[%d].name", r.Direction.Lower(), r.Index), msg, "give each rule a different name")
			continue
		}
		first[r.Name] = r
	}
}

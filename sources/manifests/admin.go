package manifests

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/network-policy-api/apis/v1alpha1"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/words"
)

// crashes tells what a subject, peer or port without a known field does (ovn-kubernetes.md#peers).
const crashes = "OVN-Kubernetes' controllers crash on it"

func (n *normaliser) readANP(o *v1alpha1.AdminNetworkPolicy) {
	n.p.Tier, n.p.Priority = model.TierAdmin, o.Spec.Priority
	n.readSubject(&o.Spec.Subject)
	for _, r := range o.Spec.Ingress {
		n.readRule(model.Ingress, r.Name, string(r.Action), convertPeers(r.From, ingressPeer), r.Ports)
	}
	for _, r := range o.Spec.Egress {
		n.readRule(model.Egress, r.Name, string(r.Action), r.To, r.Ports)
	}
	n.p.Conditions = CleanConditions(o.Status.Conditions)
}

func (n *normaliser) readBANP(o *v1alpha1.BaselineAdminNetworkPolicy) {
	n.p.Tier = model.TierBaseline
	n.readSubject(&o.Spec.Subject)
	for _, r := range o.Spec.Ingress {
		n.readRule(model.Ingress, r.Name, string(r.Action), convertPeers(r.From, ingressPeer), r.Ports)
	}
	for _, r := range o.Spec.Egress {
		n.readRule(model.Egress, r.Name, string(r.Action), convertPeers(r.To,
			func(p v1alpha1.BaselineAdminNetworkPolicyEgressPeer) adminPeer {
				return adminPeer{Namespaces: p.Namespaces, Pods: p.Pods, Nodes: p.Nodes, Networks: p.Networks}
			}), r.Ports)
	}
	n.p.Conditions = CleanConditions(o.Status.Conditions)
}

// adminPeer has the fields of the peers of both kinds and directions.
type adminPeer = v1alpha1.AdminNetworkPolicyEgressPeer

func convertPeers[T any](list []T, one func(T) adminPeer) (peers []adminPeer) {
	for _, p := range list {
		peers = append(peers, one(p))
	}
	return peers
}

func ingressPeer(p v1alpha1.AdminNetworkPolicyIngressPeer) adminPeer {
	return adminPeer{Namespaces: p.Namespaces, Pods: p.Pods}
}

func (n *normaliser) readSubject(s *v1alpha1.AdminNetworkPolicySubject) {
	switch {
	case s.Namespaces != nil: // wins over pods, as in OVN-Kubernetes
		n.p.Subject = model.Subject{Namespaces: n.readSelector(s.Namespaces, "spec.subject.namespaces"),
			Pods: model.SelectEverything(), AllPods: true}
	case s.Pods != nil:
		n.p.Subject = model.Subject{
			Namespaces: n.readSelector(&s.Pods.NamespaceSelector, "spec.subject.pods.namespaceSelector"),
			Pods:       n.readSelector(&s.Pods.PodSelector, "spec.subject.pods.podSelector")}
	default:
		n.addInvalid(CodeProfile, "spec.subject", "selects nothing: "+crashes, "set namespaces or pods")
	}
}

func (n *normaliser) readRule(dir model.Direction, name, action string, peers []adminPeer,
	ports *[]v1alpha1.AdminNetworkPolicyPort) {
	r := model.Rule{Direction: dir, Index: len(n.p.Rules(dir)), Name: words.CleanText(name), Action: model.Action(words.CleanText(action))}
	at := fmt.Sprintf("spec.%s[%d]", dir.Lower(), r.Index)
	if !(r.Action == model.Allow || r.Action == model.Deny || r.Action == model.Pass && n.p.Kind == model.KindANP) {
		n.addInvalid(CodeProfile, at+".action", fmt.Sprintf("is %q: %s", r.Action, crashes), "write Allow or Deny")
	}
	for i := range peers {
		n.readPeer(&r, &peers[i], fmt.Sprintf("%s.%s[%d]", at, peersField(dir), i))
	}
	for i, p := range ptr.Deref(ports, nil) {
		n.readPort(&r, &p, fmt.Sprintf("%s.ports[%d]", at, i))
	}
	n.addRule(r)
}

// addRule appends a rule to its direction.
func (n *normaliser) addRule(r model.Rule) {
	if r.Direction == model.Ingress {
		n.p.Ingress = append(n.p.Ingress, r)
	} else {
		n.p.Egress = append(n.p.Egress, r)
	}
}

// selectPeer adds the peer of the selectors; false if there are none.
func (n *normaliser) selectPeer(r *model.Rule, namespaces *metav1.LabelSelector, pods *v1alpha1.NamespacedPod, nodes *metav1.LabelSelector,
	at string) bool {
	switch {
	case namespaces != nil:
		r.Peers = append(r.Peers, model.Peer{Kind: model.PeerNamespaces, Pods: model.SelectEverything(),
			Namespaces: n.readSelector(namespaces, at+".namespaces")})
	case pods != nil:
		r.Peers = append(r.Peers, model.Peer{Kind: model.PeerPods,
			Namespaces: n.readSelector(&pods.NamespaceSelector, at+".pods.namespaceSelector"),
			Pods:       n.readSelector(&pods.PodSelector, at+".pods.podSelector")})
	case nodes != nil:
		r.Peers = append(r.Peers, model.Peer{Kind: model.PeerNodes, Nodes: n.readSelector(nodes, at+".nodes")})
	default:
		return false
	}
	return true
}

// networksPeer returns a peer of networks, in the canonical form used by the rows.
func networksPeer[T ~string](n *normaliser, list []T, at string) model.Peer {
	p := model.Peer{Kind: model.PeerNetworks}
	for i, c := range list {
		p.Networks = append(p.Networks, n.readCIDR(string(c), fmt.Sprintf("%s.networks[%d]", at, i)))
	}
	return p
}

func (n *normaliser) readPeer(r *model.Rule, p *adminPeer, at string) {
	any := n.selectPeer(r, p.Namespaces, p.Pods, p.Nodes, at)
	if len(p.Networks) > 0 { // may accompany another field: ovn-kubernetes.md#peers
		r.Peers = append(r.Peers, networksPeer(n, p.Networks, at))
		any = true
	}
	switch {
	case len(p.DomainNames) > 0:
		n.addInvalid(CodeProfile, at+".domainNames",
			"OVN-Kubernetes does not know domainNames: its controllers crash on such a peer",
			"name the networks, or write an EgressFirewall with dnsName")
	case !any:
		n.addInvalid(CodeProfile, at, "names no peer: "+crashes, "set one of namespaces, pods, nodes, networks")
	}
}

// readCIDR reads a network. It notes CIDRs that OVN-Kubernetes rejects, and those it accepts in an uncommon
// form: the sets have the common form (ovn-kubernetes.md#peers). Host bits are fine: the compiler masks them.
func (n *normaliser) readCIDR(s, at string) string {
	p, ok := match.ParseCIDR(s)
	switch {
	case !ok:
		n.addInvalid(CodeCIDR, at, fmt.Sprintf("%q is not a CIDR", words.CleanText(s)), CIDRRemedy(s))
	case !IsCommonCIDR(s):
		n.addInvalid(CodeCIDRForm, at, fmt.Sprintf("%q is not in the common form: OVN-Kubernetes reads it as %s, newer CRDs reject it", s,
			p.Masked()), CIDRRemedy(s))
		return p.Masked().String()
	}
	return words.CleanText(s)
}

// verbatimCIDR notes a CIDR that is copied into a row verbatim, in a form that OVN-Kubernetes accepts and OVN
// does not (ovn-kubernetes.md#rule-rows, #firewall-match).
func (n *normaliser) verbatimCIDR(s, at string) {
	if _, ok := match.ParseCIDR(s); ok && !IsCommonCIDR(s) {
		n.addInvalid(CodeCIDRForm, at, fmt.Sprintf("%q is not in the common form: OVN-Kubernetes copies it into a row that OVN cannot use",
			s), CIDRRemedy(s))
	}
}

func (n *normaliser) readPort(r *model.Rule, p *v1alpha1.AdminNetworkPolicyPort, at string) {
	switch {
	case p.PortNumber != nil:
		r.Ports = append(r.Ports, model.Port{Protocol: n.readProtocol(p.PortNumber.Protocol, at+".portNumber.protocol"),
			Start: p.PortNumber.Port, End: p.PortNumber.Port})
	case p.PortRange != nil:
		r.Ports = append(r.Ports, model.Port{Protocol: n.readProtocol(p.PortRange.Protocol, at+".portRange.protocol"),
			Start: p.PortRange.Start, End: p.PortRange.End, Range: true})
		n.noteReversed(&r.Ports[len(r.Ports)-1], at+".portRange")
	case p.NamedPort != nil:
		r.Ports = append(r.Ports, model.Port{Name: words.CleanText(*p.NamedPort)})
	default:
		n.addInvalid(CodeProfile, at, "names no port: "+crashes, "set one of portNumber, portRange, namedPort")
	}
}

// noteReversed notes a range that ends before it begins, which the CRDs accept. Its row never matches, so a
// Deny denies nothing (ovn-kubernetes.md#acl-match).
func (n *normaliser) noteReversed(p *model.Port, at string) {
	if p.IsReversed() {
		n.addInvalid(model.InvalidPortRange, at, fmt.Sprintf("ends at %d, before its start %d: it matches no port", p.End, p.Start),
			fmt.Sprintf("write start: %d and end: %d", p.End, p.Start))
	}
}

// readProtocol reads a protocol. It notes one that the CRD accepts, since it takes any string, but that gives
// OVN-Kubernetes a broken row (ovn-kubernetes.md#unknown-protocol).
func (n *normaliser) readProtocol(p corev1.Protocol, at string) string {
	text := words.CleanText(string(p))
	n.invalidIf(!model.KnowsProtocol(string(p)), CodeProtocol, at,
		fmt.Sprintf("is %q: OVN-Kubernetes writes a broken row for it", text), "write TCP, UDP or SCTP")
	return text
}

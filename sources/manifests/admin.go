package manifests

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/network-policy-api/apis/v1alpha1"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/words"
)

// crashes tells how OVN-Kubernetes handles a subject, peer or port without any known field
// (ovn-kubernetes.md#peers).
const crashes = "OVN-Kubernetes' controllers crash on it"

func (n *normaliser) readANP(o *v1alpha1.AdminNetworkPolicy) {
	n.p.Tier, n.p.Priority = model.TierAdmin, o.Spec.Priority
	n.readSubject(&o.Spec.Subject)
	for i := range o.Spec.Ingress {
		r := &o.Spec.Ingress[i]
		n.readRule(model.Ingress, r.Name, string(r.Action), peersOf(r.From, ingressPeer), r.Ports)
	}
	for i := range o.Spec.Egress {
		r := &o.Spec.Egress[i]
		n.readRule(model.Egress, r.Name, string(r.Action), peersOf(r.To, func(t *v1alpha1.AdminNetworkPolicyEgressPeer) adminPeer {
			return adminPeer{t.Namespaces, t.Pods, t.Nodes, t.Networks, len(t.DomainNames)}
		}), r.Ports)
	}
	n.p.Conditions = CleanConditions(o.Status.Conditions)
}

func (n *normaliser) readBANP(o *v1alpha1.BaselineAdminNetworkPolicy) {
	n.p.Tier = model.TierBaseline
	n.readSubject(&o.Spec.Subject)
	for i := range o.Spec.Ingress {
		r := &o.Spec.Ingress[i]
		n.readRule(model.Ingress, r.Name, string(r.Action), peersOf(r.From, ingressPeer), r.Ports)
	}
	for i := range o.Spec.Egress {
		r := &o.Spec.Egress[i]
		n.readRule(model.Egress, r.Name, string(r.Action), peersOf(r.To,
			func(t *v1alpha1.BaselineAdminNetworkPolicyEgressPeer) adminPeer {
				return adminPeer{t.Namespaces, t.Pods, t.Nodes, t.Networks, 0}
			}), r.Ports)
	}
	n.p.Conditions = CleanConditions(o.Status.Conditions)
}

// adminPeer holds the fields shared by the peers of both kinds and directions.
type adminPeer struct {
	namespaces  *metav1.LabelSelector
	pods        *v1alpha1.NamespacedPod
	nodes       *metav1.LabelSelector
	networks    []v1alpha1.CIDR
	domainNames int
}

func peersOf[T any](list []T, one func(*T) adminPeer) []adminPeer {
	peers := make([]adminPeer, len(list))
	for i := range list {
		peers[i] = one(&list[i])
	}
	return peers
}

func ingressPeer(p *v1alpha1.AdminNetworkPolicyIngressPeer) adminPeer {
	return adminPeer{namespaces: p.Namespaces, pods: p.Pods}
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
	list, side := &n.p.Ingress, "from"
	if dir == model.Egress {
		list, side = &n.p.Egress, "to"
	}
	r := model.Rule{Direction: dir, Index: len(*list), Name: words.CleanText(name), Action: model.Action(words.CleanText(action))}
	at := fmt.Sprintf("spec.%s[%d]", dir.Lower(), r.Index)
	if !(r.Action == model.Allow || r.Action == model.Deny || r.Action == model.Pass && n.p.Kind == model.KindANP) {
		n.addInvalid(CodeProfile, at+".action", fmt.Sprintf("is %q: %s", r.Action, crashes), "write Allow or Deny")
	}
	for i, pe := range peers {
		n.readPeer(&r, pe, fmt.Sprintf("%s.%s[%d]", at, side, i))
	}
	if ports != nil {
		for i := range *ports {
			n.readPort(&r, &(*ports)[i], fmt.Sprintf("%s.ports[%d]", at, i))
		}
	}
	*list = append(*list, r)
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

func (n *normaliser) readPeer(r *model.Rule, p adminPeer, at string) {
	any := n.selectPeer(r, p.namespaces, p.pods, p.nodes, at)
	if len(p.networks) > 0 { // may accompany another field: ovn-kubernetes.md#peers
		r.Peers = append(r.Peers, networksPeer(n, p.networks, at))
		any = true
	}
	switch {
	case p.domainNames > 0:
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
		n.noteProtocol(string(p.PortNumber.Protocol), at+".portNumber.protocol")
		r.Ports = append(r.Ports, model.Port{Protocol: words.CleanText(string(p.PortNumber.Protocol)), Start: p.PortNumber.Port,
			End: p.PortNumber.Port})
	case p.PortRange != nil:
		n.noteProtocol(string(p.PortRange.Protocol), at+".portRange.protocol")
		r.Ports = append(r.Ports, model.Port{Protocol: words.CleanText(string(p.PortRange.Protocol)),
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

// noteProtocol notes a protocol that the CRD accepts, since it takes any string, but that gives OVN-Kubernetes
// a broken row (ovn-kubernetes.md#unknown-protocol).
func (n *normaliser) noteProtocol(p, at string) {
	if p != "TCP" && p != "UDP" && p != "SCTP" {
		n.addInvalid(CodeProtocol, at, fmt.Sprintf("is %q: OVN-Kubernetes writes a broken row for it", words.CleanText(p)),
			"write TCP, UDP or SCTP")
	}
}

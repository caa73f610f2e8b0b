package manifests

import (
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"rung/model"
	"rung/model/words"
)

// npDirections returns the directions that a NetworkPolicy isolates. Ingress is isolated unless policyTypes
// omits it, egress if policyTypes names it or, without policyTypes, if there are egress rules.
func npDirections(spec *networkingv1.NetworkPolicySpec) (ingress, egress bool) {
	if len(spec.PolicyTypes) == 0 {
		return true, len(spec.Egress) > 0
	}
	for _, t := range spec.PolicyTypes {
		ingress = ingress || t == networkingv1.PolicyTypeIngress
		egress = egress || t == networkingv1.PolicyTypeEgress
	}
	return ingress, egress
}

func (n *normaliser) networkPolicy(o *networkingv1.NetworkPolicy) {
	p := n.p
	p.Tier = model.TierNetwork
	if o.APIVersion == model.APIVersionNP2016 { // differs from today's API
		p.APIVersion = o.APIVersion
	}
	p.IsolatesIngress, p.IsolatesEgress = npDirections(&o.Spec)
	n.npRules(&o.Spec)
}

// npRules reads the subject and rules of a NetworkPolicy or MultiNetworkPolicy.
func (n *normaliser) npRules(spec *networkingv1.NetworkPolicySpec) {
	p := n.p
	p.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: n.readSelector(&spec.PodSelector, "spec.podSelector"),
		Namespace: p.Namespace}
	for i := range spec.Ingress {
		r := &spec.Ingress[i]
		p.Ingress = append(p.Ingress, n.npRule(model.Ingress, i, r.From, r.Ports, "from"))
	}
	for i := range spec.Egress {
		r := &spec.Egress[i]
		p.Egress = append(p.Egress, n.npRule(model.Egress, i, r.To, r.Ports, "to"))
	}
}

func (n *normaliser) npRule(dir model.Direction, i int, peers []networkingv1.NetworkPolicyPeer,
	ports []networkingv1.NetworkPolicyPort, side string) model.Rule {
	r := model.Rule{Direction: dir, Index: i, Action: model.Allow, AnyPeer: len(peers) == 0}
	for j := range peers {
		at := fmt.Sprintf("spec.%s[%d].%s[%d]", dir.Lower(), i, side, j)
		switch p := &peers[j]; {
		case p.IPBlock != nil:
			pe := model.Peer{Kind: model.PeerNetworks, Networks: []string{words.CleanText(p.IPBlock.CIDR)}}
			n.verbatimCIDR(p.IPBlock.CIDR, at+".ipBlock.cidr")
			for k, e := range p.IPBlock.Except {
				n.verbatimCIDR(e, fmt.Sprintf("%s.ipBlock.except[%d]", at, k))
				pe.Except = append(pe.Except, words.CleanText(e))
			}
			r.Peers = append(r.Peers, pe)
		case p.NamespaceSelector != nil || p.PodSelector != nil:
			r.Peers = append(r.Peers, n.podsPeer(p.NamespaceSelector, p.PodSelector, at))
		}
	}
	for _, p := range ports {
		r.Ports = append(r.Ports, npPort(p))
	}
	return r
}

// podsPeer returns a peer of two selectors, of which at most one is nil. Without a namespace selector it
// selects pods of the policy's own namespace; for a cluster-scoped policy, of all namespaces.
func (n *normaliser) podsPeer(namespaces, pods *metav1.LabelSelector, at string) model.Peer {
	switch {
	case pods == nil:
		return model.Peer{Kind: model.PeerNamespaces, Pods: model.SelectEverything(), Namespaces: n.readSelector(namespaces,
			at+".namespaceSelector")}
	case namespaces == nil:
		return model.Peer{Kind: model.PeerPods, Namespace: n.p.Namespace, Namespaces: model.SelectEverything(),
			Pods: n.readSelector(pods, at+".podSelector")}
	}
	return model.Peer{Kind: model.PeerPods, Namespaces: n.readSelector(namespaces, at+".namespaceSelector"),
		Pods: n.readSelector(pods, at+".podSelector")}
}

func npPort(p networkingv1.NetworkPolicyPort) model.Port {
	out := model.Port{Protocol: "TCP"}
	if p.Protocol != nil {
		out.Protocol = words.CleanText(string(*p.Protocol))
	}
	switch {
	case p.Port == nil:
	case p.Port.Type == intstr.String:
		out.Name = words.CleanText(p.Port.StrVal)
	default:
		out.Start, out.End = p.Port.IntVal, p.Port.IntVal
		if p.EndPort != nil {
			out.End, out.Range = *p.EndPort, true
		}
	}
	return out
}

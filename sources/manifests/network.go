package manifests

import (
	"fmt"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"rung/model"
	"rung/model/words"
)

func (n *normaliser) networkPolicy(o *networkingv1.NetworkPolicy) {
	p := n.p
	p.Tier = model.TierNetwork
	if o.APIVersion == model.APIVersionNP2016 { // differs from today's API
		p.APIVersion = o.APIVersion
	}
	n.npRules(&o.Spec)
	if len(o.Spec.PolicyTypes) == 0 {
		p.IsolatesIngress, p.IsolatesEgress = true, len(o.Spec.Egress) > 0
	}
}

// npRules reads the subject, the isolated directions and the rules of a NetworkPolicy or MultiNetworkPolicy.
func (n *normaliser) npRules(spec *networkingv1.NetworkPolicySpec) {
	p := n.p
	p.IsolatesIngress = slices.Contains(spec.PolicyTypes, networkingv1.PolicyTypeIngress)
	p.IsolatesEgress = slices.Contains(spec.PolicyTypes, networkingv1.PolicyTypeEgress)
	p.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: n.readSelector(&spec.PodSelector, "spec.podSelector"),
		Namespace: p.Namespace}
	for i, r := range spec.Ingress {
		n.npRule(model.Ingress, i, r.From, r.Ports)
	}
	for i, r := range spec.Egress {
		n.npRule(model.Egress, i, r.To, r.Ports)
	}
}

func (n *normaliser) npRule(dir model.Direction, i int, peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort) {
	r := model.Rule{Direction: dir, Index: i, Action: model.Allow, AnyPeer: len(peers) == 0}
	for j, p := range peers {
		at := fmt.Sprintf("spec.%s[%d].%s[%d]", dir.Lower(), i, peersField(dir), j)
		switch {
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
	n.addRule(r)
}

// podsPeer returns a peer of two selectors, at most one nil. Without a namespace selector it
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
	out := model.Port{Protocol: words.CleanText(string(ptr.Deref(p.Protocol, "TCP")))}
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

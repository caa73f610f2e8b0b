package policy

import (
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"rung/model"
	"rung/model/clean"
	"rung/sources/manifests/check"
)

// npDirections says which directions a NetworkPolicy isolates: ingress always
// unless policyTypes leaves it out, egress when it has egress rules or says so.
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
	if o.APIVersion == model.APIVersionNP2016 { // another than that of today's API
		p.APIVersion = o.APIVersion
	}
	p.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: n.readSelector(&o.Spec.PodSelector, "spec.podSelector"),
		Namespace: p.Namespace}
	p.IsolatesIngress, p.IsolatesEgress = npDirections(&o.Spec)
	for i := range o.Spec.Ingress {
		r := &o.Spec.Ingress[i]
		p.Ingress = append(p.Ingress, n.npRule(model.Ingress, i, r.From, r.Ports, "from"))
	}
	for i := range o.Spec.Egress {
		r := &o.Spec.Egress[i]
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
			pe := model.Peer{Kind: model.PeerNetworks, Networks: []string{clean.Text(p.IPBlock.CIDR)}}
			n.verbatimCIDR(p.IPBlock.CIDR, at+".ipBlock.cidr")
			for k, e := range p.IPBlock.Except {
				n.verbatimCIDR(e, fmt.Sprintf("%s.ipBlock.except[%d]", at, k))
				pe.Except = append(pe.Except, clean.Text(e))
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

// podsPeer is a peer of two selectors, one of which may be nil. Without one of namespaces it
// is pods of the policy's own namespace, of a policy of the cluster those of all.
func (n *normaliser) podsPeer(namespaces, pods *metav1.LabelSelector, at string) model.Peer {
	switch {
	case pods == nil:
		return model.Peer{Kind: model.PeerNamespaces, Pods: model.SelectEverything(), Namespaces: n.readSelector(namespaces, at+".namespaceSelector")}
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
		out.Protocol = clean.Text(string(*p.Protocol))
	}
	switch {
	case p.Port == nil:
	case p.Port.Type == intstr.String:
		out.Name = clean.Text(p.Port.StrVal)
	default:
		out.Start, out.End = p.Port.IntVal, p.Port.IntVal
		if p.EndPort != nil {
			out.End, out.Range = *p.EndPort, true
		}
	}
	return out
}

// EgressFirewall is k8s.ovn.org/v1 EgressFirewall as far as it decides
// (ovn-kubernetes.md#egressfirewall); OVN-Kubernetes' own types are not in a library
// small enough to use.
type EgressFirewall struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              egressFirewallSpec   `json:"spec"`
	Status            egressFirewallStatus `json:"status"`
}

type egressFirewallSpec struct {
	Egress []egressFirewallRule `json:"egress"`
}

type egressFirewallRule struct {
	Type  string               `json:"type"`
	Ports []egressFirewallPort `json:"ports"`
	To    egressFirewallTo     `json:"to"`
}

type egressFirewallPort struct {
	Protocol string `json:"protocol"`
	Port     int32  `json:"port"`
}

type egressFirewallTo struct {
	CIDRSelector string                `json:"cidrSelector"`
	DNSName      string                `json:"dnsName"`
	NodeSelector *metav1.LabelSelector `json:"nodeSelector"`
}

type egressFirewallStatus struct {
	Status   string   `json:"status"`
	Messages []string `json:"messages"`
}

func ReadEgressFirewall(u *unstructured.Unstructured) (*EgressFirewall, error) {
	var o EgressFirewall
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &o); err != nil {
		return nil, fmt.Errorf("cannot be read as EgressFirewall: %w", err)
	}
	return &o, nil
}

func (n *normaliser) egressFirewall(u *unstructured.Unstructured) {
	p := n.p
	p.Tier = model.TierNetwork
	p.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true,
		Namespace: p.Namespace}
	o, err := ReadEgressFirewall(u)
	if err != nil {
		n.addInvalid(check.CodeSchema, "", clean.Text(err.Error()), "")
		return
	}
	for i, e := range o.Spec.Egress {
		r := model.Rule{Direction: model.Egress, Index: i, Action: model.Action(clean.Text(e.Type))}
		switch {
		case e.To.CIDRSelector != "":
			n.verbatimCIDR(e.To.CIDRSelector, fmt.Sprintf("spec.egress[%d].to.cidrSelector", i))
			r.Peers = []model.Peer{{Kind: model.PeerNetworks, Networks: []string{clean.Text(e.To.CIDRSelector)}}}
		case e.To.DNSName != "":
			r.Peers = []model.Peer{{Kind: model.PeerDNS, DNSName: clean.Text(e.To.DNSName)}}
		case e.To.NodeSelector != nil:
			r.Peers = []model.Peer{{Kind: model.PeerNodes,
				Nodes: n.readSelector(e.To.NodeSelector, fmt.Sprintf("spec.egress[%d].to.nodeSelector", i))}}
		}
		for _, port := range e.Ports {
			r.Ports = append(r.Ports, model.Port{Protocol: clean.Text(port.Protocol), Start: port.Port, End: port.Port})
		}
		p.Egress = append(p.Egress, r)
	}
}

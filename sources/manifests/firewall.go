package manifests

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/words"
)

// EgressFirewall is the part of k8s.ovn.org/v1 EgressFirewall that affects verdicts
// (ovn-kubernetes.md#egressfirewall). No library with OVN-Kubernetes' own types is small enough to use.
type EgressFirewall struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Egress []struct {
			Type  string `json:"type"`
			Ports []struct {
				Protocol string `json:"protocol"`
				Port     int32  `json:"port"`
			} `json:"ports"`
			To struct {
				CIDRSelector string                `json:"cidrSelector"`
				DNSName      string                `json:"dnsName"`
				NodeSelector *metav1.LabelSelector `json:"nodeSelector"`
			} `json:"to"`
		} `json:"egress"`
	} `json:"spec"`
	Status struct {
		Status   string   `json:"status"`
		Messages []string `json:"messages"`
	} `json:"status"`
}

func (n *normaliser) egressFirewall(o *EgressFirewall) {
	p := n.p
	p.Tier = model.TierNetwork
	p.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true,
		Namespace: p.Namespace}
	if o == nil {
		return
	}
	for i, e := range o.Spec.Egress {
		r := model.Rule{Direction: model.Egress, Index: i, Action: model.Action(words.CleanText(e.Type))}
		switch {
		case e.To.CIDRSelector != "":
			// The API server accepts any text. The controller rejects the whole EgressFirewall for an invalid CIDR.
			at := fmt.Sprintf("spec.egress[%d].to.cidrSelector", i)
			if _, ok := match.ParseCIDR(e.To.CIDRSelector); !ok {
				n.addInvalid(CodeCIDR, at, fmt.Sprintf("%q is not a CIDR", words.CleanText(e.To.CIDRSelector)), CIDRRemedy(e.To.CIDRSelector))
			}
			n.verbatimCIDR(e.To.CIDRSelector, at)
			r.Peers = []model.Peer{{Kind: model.PeerNetworks, Networks: []string{words.CleanText(e.To.CIDRSelector)}}}
		case e.To.DNSName != "":
			r.Peers = []model.Peer{{Kind: model.PeerDNS, DNSName: words.CleanText(e.To.DNSName)}}
		case e.To.NodeSelector != nil:
			r.Peers = []model.Peer{{Kind: model.PeerNodes,
				Nodes: n.readSelector(e.To.NodeSelector, fmt.Sprintf("spec.egress[%d].to.nodeSelector", i))}}
		}
		for _, port := range e.Ports {
			r.Ports = append(r.Ports, model.Port{Protocol: words.CleanText(port.Protocol), Start: port.Port, End: port.Port})
		}
		p.Egress = append(p.Egress, r)
	}
}

package manifests

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"rung/model"
	"rung/model/clean"
	"rung/model/ovn/match"
)

// egressFirewall is k8s.ovn.org/v1 EgressFirewall as far as it decides
// (ovn-kubernetes.md#egressfirewall); OVN-Kubernetes' own types are not in a library
// small enough to use.
type egressFirewall struct {
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

func egressFirewallOf(u *unstructured.Unstructured) (*egressFirewall, error) {
	var o egressFirewall
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &o); err != nil {
		return nil, fmt.Errorf("cannot be read as EgressFirewall: %w", err)
	}
	return &o, nil
}

func (n *normaliser) egressFirewall(u *unstructured.Unstructured) {
	p := n.p
	p.Tier = model.TierNetwork
	p.Subject = model.Subject{Namespaces: model.Everything(), Pods: model.Everything(), AllPods: true,
		Namespace: p.Namespace}
	o, err := egressFirewallOf(u)
	if err != nil {
		n.invalid(CodeSchema, "", clean.Text(err.Error()), "")
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
				Nodes: n.selector(e.To.NodeSelector, fmt.Sprintf("spec.egress[%d].to.nodeSelector", i))}}
		}
		for _, port := range e.Ports {
			r.Ports = append(r.Ports, model.Port{Protocol: clean.Text(port.Protocol), Start: port.Port, End: port.Port})
		}
		p.Egress = append(p.Egress, r)
	}
}

// efErrors is what the CRD of EgressFirewall refuses.
func efErrors(o *egressFirewall) (errs field.ErrorList) {
	if o.Name != "default" {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), o.Name,
			"an EgressFirewall must be named default"))
	}
	if len(o.Spec.Egress) == 0 {
		errs = append(errs, field.Required(field.NewPath("spec", "egress"), ""))
	}
	for i, r := range o.Spec.Egress {
		at := field.NewPath("spec", "egress").Index(i)
		if r.Type != string(model.Allow) && r.Type != string(model.Deny) {
			errs = append(errs, field.NotSupported(at.Child("type"), r.Type, []string{string(model.Allow), string(model.Deny)}))
		}
		set := 0
		for _, is := range []bool{r.To.CIDRSelector != "", r.To.DNSName != "", r.To.NodeSelector != nil} {
			if is {
				set++
			}
		}
		if set != 1 {
			errs = append(errs, field.Invalid(at.Child("to"), set,
				"must have exactly one of cidrSelector, dnsName, nodeSelector"))
		}
		if c := r.To.CIDRSelector; c != "" {
			if _, ok := match.ParseCIDR(c); !ok {
				errs = append(errs, field.Invalid(at.Child("to", "cidrSelector"), c, "must be a CIDR"))
			}
		}
		for j, p := range r.Ports {
			if p.Protocol != "TCP" && p.Protocol != "UDP" && p.Protocol != "SCTP" {
				errs = append(errs, field.NotSupported(at.Child("ports").Index(j).Child("protocol"), p.Protocol,
					[]string{"TCP", "UDP", "SCTP"}))
			}
			if p.Port < 0 || p.Port > 65535 {
				errs = append(errs, field.Invalid(at.Child("ports").Index(j).Child("port"), p.Port, "must be between 1 and 65535"))
			}
		}
	}
	return errs
}

package manifests

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"rung/model"
	"rung/model/clean"
	"rung/model/ovn/match"
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
	p.Tier, p.APIVersion = model.TierNetwork, olderVersion(o)
	p.Subject = model.Subject{Namespaces: model.Everything(), Pods: n.selector(&o.Spec.PodSelector, "spec.podSelector"),
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
		case p.NamespaceSelector != nil && p.PodSelector == nil:
			r.Peers = append(r.Peers, model.Peer{Kind: model.PeerNamespaces, Pods: model.Everything(),
				Namespaces: n.selector(p.NamespaceSelector, at+".namespaceSelector")})
		case p.NamespaceSelector != nil:
			r.Peers = append(r.Peers, model.Peer{Kind: model.PeerPods,
				Namespaces: n.selector(p.NamespaceSelector, at+".namespaceSelector"),
				Pods:       n.selector(p.PodSelector, at+".podSelector")})
		case p.PodSelector != nil:
			r.Peers = append(r.Peers, model.Peer{Kind: model.PeerPods, Namespace: n.p.Namespace, Namespaces: model.Everything(),
				Pods: n.selector(p.PodSelector, at+".podSelector")})
		}
	}
	for _, p := range ports {
		r.Ports = append(r.Ports, npPort(p))
	}
	return r
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

// npErrors is what the API server would refuse in a NetworkPolicy. Its own
// validation is not in any library; these are its documented rules.
func npErrors(o *networkingv1.NetworkPolicy) field.ErrorList {
	spec := field.NewPath("spec")
	opts := validation.LabelSelectorValidationOptions{}
	errs := validation.ValidateLabelSelector(&o.Spec.PodSelector, opts, spec.Child("podSelector"))
	for i, r := range o.Spec.Ingress {
		at := spec.Child("ingress").Index(i)
		errs = append(errs, npRuleErrors(r.From, r.Ports, at.Child("from"), at.Child("ports"))...)
	}
	for i, r := range o.Spec.Egress {
		at := spec.Child("egress").Index(i)
		errs = append(errs, npRuleErrors(r.To, r.Ports, at.Child("to"), at.Child("ports"))...)
	}
	for i, t := range o.Spec.PolicyTypes {
		if t != networkingv1.PolicyTypeIngress && t != networkingv1.PolicyTypeEgress {
			errs = append(errs, field.NotSupported(spec.Child("policyTypes").Index(i), t,
				[]networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}))
		}
	}
	return errs
}

func npRuleErrors(peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort,
	peersAt, portsAt *field.Path) (errs field.ErrorList) {
	opts := validation.LabelSelectorValidationOptions{}
	for i := range peers {
		p, at := &peers[i], peersAt.Index(i)
		selectors := p.PodSelector != nil || p.NamespaceSelector != nil
		switch {
		case p.IPBlock != nil && selectors:
			errs = append(errs, field.Forbidden(at, "may not have both ipBlock and a selector"))
		case p.IPBlock != nil:
			errs = append(errs, ipBlockErrors(p.IPBlock, at.Child("ipBlock"))...)
		case !selectors:
			errs = append(errs, field.Required(at, "must name a peer"))
		}
		if p.PodSelector != nil {
			errs = append(errs, validation.ValidateLabelSelector(p.PodSelector, opts, at.Child("podSelector"))...)
		}
		if p.NamespaceSelector != nil {
			errs = append(errs, validation.ValidateLabelSelector(p.NamespaceSelector, opts, at.Child("namespaceSelector"))...)
		}
	}
	for i, p := range ports {
		errs = append(errs, npPortErrors(p, portsAt.Index(i))...)
	}
	return errs
}

func npPortErrors(p networkingv1.NetworkPolicyPort, at *field.Path) (errs field.ErrorList) {
	if p.Protocol != nil && *p.Protocol != corev1.ProtocolTCP && *p.Protocol != corev1.ProtocolUDP &&
		*p.Protocol != corev1.ProtocolSCTP {
		errs = append(errs, field.NotSupported(at.Child("protocol"), *p.Protocol,
			[]corev1.Protocol{corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP}))
	}
	bad := func(name string, value any, msgs []string) {
		for _, m := range msgs {
			errs = append(errs, field.Invalid(at.Child(name), value, m))
		}
	}
	switch {
	case p.Port == nil:
		if p.EndPort != nil {
			errs = append(errs, field.Required(at.Child("port"), "must be given with endPort"))
		}
	case p.Port.Type == intstr.String:
		bad("port", p.Port.StrVal, utilvalidation.IsValidPortName(p.Port.StrVal))
		if p.EndPort != nil {
			errs = append(errs, field.Invalid(at.Child("endPort"), *p.EndPort, "may not be given with a named port"))
		}
	default:
		bad("port", p.Port.IntVal, utilvalidation.IsValidPortNum(int(p.Port.IntVal)))
		if p.EndPort != nil {
			bad("endPort", *p.EndPort, utilvalidation.IsValidPortNum(int(*p.EndPort)))
			if *p.EndPort < p.Port.IntVal {
				errs = append(errs, field.Invalid(at.Child("endPort"), *p.EndPort, "must not be less than port"))
			}
		}
	}
	return errs
}

func ipBlockErrors(b *networkingv1.IPBlock, at *field.Path) (errs field.ErrorList) {
	outer, ok := match.ParseCIDR(b.CIDR)
	if !ok {
		return append(errs, field.Invalid(at.Child("cidr"), b.CIDR, "must be a CIDR"))
	}
	for i, e := range b.Except {
		in, ok := match.ParseCIDR(e)
		switch {
		case !ok:
			errs = append(errs, field.Invalid(at.Child("except").Index(i), e, "must be a CIDR"))
		case in.Bits() <= outer.Bits() || !outer.Contains(in.Addr()):
			errs = append(errs, field.Invalid(at.Child("except").Index(i), e, "must be a strict subset of "+b.CIDR))
		}
	}
	return errs
}

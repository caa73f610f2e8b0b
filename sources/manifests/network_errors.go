package manifests

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"rung/model"
	"rung/model/ovn/match"
)

// npErrors returns the errors for which the API server would reject a NetworkPolicy. No library has its
// validation; these are its documented rules. They also hold for a MultiNetworkPolicy, whose CRD checks little
// more than types: OVN-Kubernetes cannot use the values they reject.
func npErrors(s *networkingv1.NetworkPolicySpec) field.ErrorList {
	spec := field.NewPath("spec")
	errs := validation.ValidateLabelSelector(&s.PodSelector, validation.LabelSelectorValidationOptions{}, spec.Child("podSelector"))
	for i, r := range s.Ingress {
		at := spec.Child("ingress").Index(i)
		errs = append(errs, npRuleErrors(r.From, r.Ports, at.Child("from"), at.Child("ports"))...)
	}
	for i, r := range s.Egress {
		at := spec.Child("egress").Index(i)
		errs = append(errs, npRuleErrors(r.To, r.Ports, at.Child("to"), at.Child("ports"))...)
	}
	for i, t := range s.PolicyTypes {
		if t != networkingv1.PolicyTypeIngress && t != networkingv1.PolicyTypeEgress {
			errs = append(errs, field.NotSupported(spec.Child("policyTypes").Index(i), t,
				[]networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}))
		}
	}
	return errs
}

func npRuleErrors(peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort,
	peersAt, portsAt *field.Path) (errs field.ErrorList) {
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
		opts := validation.LabelSelectorValidationOptions{}
		errs = append(errs, validation.ValidateLabelSelector(p.PodSelector, opts, at.Child("podSelector"))...)
		errs = append(errs, validation.ValidateLabelSelector(p.NamespaceSelector, opts, at.Child("namespaceSelector"))...)
	}
	for i, p := range ports {
		errs = append(errs, npPortErrors(p, portsAt.Index(i))...)
	}
	return errs
}

func npPortErrors(p networkingv1.NetworkPolicyPort, at *field.Path) (errs field.ErrorList) {
	if p.Protocol != nil && !model.KnowsProtocol(string(*p.Protocol)) {
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

// efErrors returns the errors for which the CRD of EgressFirewall rejects an object. The CRD accepts any text
// as a CIDR; the controller does not (egressFirewall).
func efErrors(o *EgressFirewall) (errs field.ErrorList) {
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
		if set := countTrue(r.To.CIDRSelector != "", r.To.DNSName != "", r.To.NodeSelector != nil); set != 1 {
			errs = append(errs, field.Invalid(at.Child("to"), set,
				"must have exactly one of cidrSelector, dnsName, nodeSelector"))
		}
		for j, p := range r.Ports {
			if !model.KnowsProtocol(p.Protocol) {
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

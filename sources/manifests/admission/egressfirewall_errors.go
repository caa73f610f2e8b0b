package admission

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"rung/model"
	"rung/model/ovn/match"
	"rung/sources/manifests/policy"
)

// efErrors is what the CRD of EgressFirewall refuses.
func efErrors(o *policy.EgressFirewall) (errs field.ErrorList) {
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

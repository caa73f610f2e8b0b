package legacy

import (
	networkingv1 "k8s.io/api/networking/v1"

	"rung/model"
)

// MatchesNothing says whether a rule of a NetworkPolicy of 2016 matches nothing because a
// list of its peers or ports is there and empty: since Kubernetes 1.7 that means any, as if
// the list were missing (older-forms.md#networkpolicies-of-extensionsv1beta1).
func MatchesNothing(p *model.Policy, r *model.Rule) bool {
	o, typed := p.Original.(*networkingv1.NetworkPolicy)
	if !typed || !Is2016(p) || r.Direction != model.Ingress || r.Index >= len(o.Spec.Ingress) {
		return false
	}
	in := &o.Spec.Ingress[r.Index]
	return in.From != nil && len(in.From) == 0 || in.Ports != nil && len(in.Ports) == 0
}

// Newer are the fields of a policy that the API of 2016 did not have.
func Newer(p *model.Policy) (fields []string) {
	o, typed := p.Original.(*networkingv1.NetworkPolicy)
	if !typed || !Is2016(p) {
		return nil
	}
	seen := map[string]bool{}
	has := func(field string, is bool) {
		if is && !seen[field] {
			seen[field] = true
			fields = append(fields, field)
		}
	}
	has("policyTypes", len(o.Spec.PolicyTypes) > 0)
	has("egress", len(o.Spec.Egress) > 0)
	for _, r := range o.Spec.Ingress {
		for _, f := range r.From {
			has("ipBlock", f.IPBlock != nil)
			has("podSelector beside namespaceSelector", f.PodSelector != nil && f.NamespaceSelector != nil)
		}
		for _, port := range r.Ports {
			has("endPort", port.EndPort != nil)
		}
	}
	return fields
}

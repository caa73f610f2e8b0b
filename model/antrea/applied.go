package antrea

import (
	"slices"

	"rung/model"
	"rung/model/selectors"
)

// AppliedScope is the set of pods, Services and nodes that a rule applies to.
type AppliedScope struct {
	Pods     []PodSelection   // joined by or
	Services []model.Key      // NodePort Services: clients from outside the cluster
	Nodes    []model.Selector // the nodes themselves
	Reasons  []EmptyReason
}

// PodSet returns the pods of a scope, eligible or not.
func (s *AppliedScope) PodSet(x *selectors.PodIndex) selectors.PodSet {
	var out selectors.PodSet
	for i := range s.Pods {
		out = out.Or(s.Pods[i].PodSet(x))
	}
	return out
}

// Matches reports whether a pod is in the scope; ns is its namespace.
func (s *AppliedScope) Matches(ns *model.Namespace, p *model.Pod) bool {
	return slices.ContainsFunc(s.Pods, func(of PodSelection) bool { return of.Matches(ns, p) })
}

// ScopeOfRule returns the scope of a rule of an Antrea policy: the rule's own appliedTo, else the policy's. A
// nil rule gives the policy's alone. Elements are joined by or.
func (r *GroupResolver) ScopeOfRule(p *model.Policy, rule *model.Rule) AppliedScope {
	if p.Tiered == nil {
		return AppliedScope{}
	}
	list := p.Tiered.AppliedTo
	if rule != nil && rule.Tiered != nil && len(rule.Tiered.AppliedTo) > 0 {
		list = rule.Tiered.AppliedTo
	}
	if len(list) == 0 && rule != nil {
		return AppliedScope{Reasons: []EmptyReason{{AppliedToNothing, "it applies to nothing: neither the policy nor the rule has appliedTo"}}}
	}
	var out AppliedScope
	for i := range list {
		r.applyElement(&out, p, &list[i])
	}
	return out
}

// ScopeOfPolicy returns the scope of all rules of a policy together.
func (r *GroupResolver) ScopeOfPolicy(p *model.Policy) AppliedScope {
	out := r.ScopeOfRule(p, nil)
	for rule := range p.AllRules() {
		if rule.Tiered != nil && len(rule.Tiered.AppliedTo) > 0 {
			s := r.ScopeOfRule(p, rule)
			out.Pods = append(out.Pods, s.Pods...)
			out.Services = append(out.Services, s.Services...)
			out.Nodes = append(out.Nodes, s.Nodes...)
			out.Reasons = append(out.Reasons, s.Reasons...)
		}
	}
	return out
}

func (r *GroupResolver) applyElement(s *AppliedScope, p *model.Policy, a *model.AppliedTo) {
	switch {
	case a.Group != "":
		r.applyGroup(s, p, GroupKey(p, a.Group))
	case a.ServiceAccount != nil:
		s.Pods = append(s.Pods, PodSelection{Account: a.ServiceAccount})
	case a.Service != nil:
		s.Services = append(s.Services, *a.Service)
	case a.Nodes != nil:
		s.Nodes = append(s.Nodes, *a.Nodes)
	case a.Select && p.Kind == model.KindANNP:
		s.Pods = append(s.Pods, PodSelection{Namespace: p.Namespace, Pods: a.Pods})
	case a.Select:
		s.Pods = append(s.Pods, PodSelection{Namespaces: a.Namespaces, Pods: a.Pods})
	}
}

func (r *GroupResolver) applyGroup(s *AppliedScope, p *model.Policy, k model.Key) {
	m := r.FindMembers(k)
	s.Reasons = append(s.Reasons, m.Reasons...)
	if p.Kind == model.KindANNP && m.HasNamespaces {
		s.Reasons = append(s.Reasons, EmptyReason{AppliedToNamespaces, ObjectLabel(k) + " has a namespaceSelector: an Antrea NetworkPolicy " +
			"applies to pods of its own namespace only"})
		return
	}
	if len(m.Networks) > 0 {
		s.Reasons = append(s.Reasons, EmptyReason{AppliedToNetworks, ObjectLabel(k) + " has ipBlocks, which appliedTo ignores"})
	}
	s.Pods = append(s.Pods, m.Pods...)
}

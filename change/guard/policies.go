package guard

import (
	"cmp"
	"slices"
	"strings"

	"rung/change"
	"rung/model"
	"rung/model/selectors"
	"rung/model/words"
	"rung/revision"
)

// policyRails returns the rails judged from the policies alone, if the effect on connections is unknown. It
// judges the policies after the change, or a removed policy as it was. c is the cluster before the change.
func policyRails(c *model.Cluster, changes []change.ObjectChange, e enforcementFacts, protected []string) []change.Guard {
	touched := slices.DeleteFunc(slices.Clone(changes), func(ch change.ObjectChange) bool {
		return ch.Key.Kind == model.KindCNP && !e.compilesCNP || ch.Old != nil && ch.New != nil && SameDecisions(ch.Old, ch.New)
	})
	if len(touched) == 0 {
		return nil
	}
	x := selectors.NewPodIndex(c, nil)
	var out []change.Guard
	for _, ch := range touched {
		out = append(out, denyGuards(x, cmp.Or(ch.New, ch.Old), protected)...)
	}
	touched = slices.DeleteFunc(touched, func(ch change.ObjectChange) bool { return !ch.Key.Kind.IsAdmin() })
	if len(touched) == 0 {
		return out
	}
	return append(out, newOrderGuard(c, x, touched, e).findLostAllows()...)
}

// denyGuards returns the guards that a policy hits by itself.
func denyGuards(x *selectors.PodIndex, p *model.Policy, protected []string) (out []change.Guard) {
	if !p.Kind.IsAdmin() && !p.Kind.IsTiered() {
		return namespaceGuards(p, protected)
	}
	denies := rulesWithAction(p, model.Deny)
	if len(denies) == 0 {
		return nil
	}
	whom := systemSubject(x, &p.Subject, protected)
	for r := range p.AllRules() {
		for _, a := range appliedTo(p, r) {
			if whom == "" && a.Select && r.Action == model.Deny {
				whom = systemSubject(x, &model.Subject{Namespaces: a.Namespaces, Pods: a.Pods, Namespace: p.Namespace}, protected)
			}
		}
	}
	if whom != "" {
		out = append(out, newGuard(DenySystem, p.Key, "%s denies (%s) and its subject covers %s",
			p.Key.Label(), ruleText(denies[0]), whom))
	}
	for _, r := range denies {
		var networks []string
		for i := range r.Peers {
			networks = append(networks, r.Peers[i].Networks...)
		}
		if r.AnyPeer {
			networks = []string{"0.0.0.0/0", "::/0"}
		}
		if whole := selectors.WholeFamilies(networks); len(whole) > 0 {
			out = append(out, newGuard(DenyAllNetworks, p.Key, "%s %s denies every address: %s",
				p.Key.Label(), ruleText(r), strings.Join(whole, " and ")))
			break
		}
	}
	return out
}

// appliedTo returns the appliedTo list that selects the pods of a rule of a tiered policy.
func appliedTo(p *model.Policy, r *model.Rule) []model.AppliedTo {
	switch {
	case p.Tiered == nil:
		return nil
	case r.Tiered != nil && len(r.Tiered.AppliedTo) > 0:
		return r.Tiered.AppliedTo
	}
	return p.Tiered.AppliedTo
}

// namespaceGuards returns the guards of a NetworkPolicy or EgressFirewall, which affect only their namespace.
// A final Deny of everything is normal in a firewall.
func namespaceGuards(p *model.Policy, protected []string) []change.Guard {
	if !model.IsProtectedNamespace(p.Namespace, protected) {
		return nil
	}
	what := ""
	switch denies := rulesWithAction(p, model.Deny); {
	case p.Kind == model.KindNP && (p.IsolatesIngress || p.IsolatesEgress):
		what = "isolates (" + strings.Join(p.IsolatedDirections(), " and ") + ") pods"
	case len(denies) > 0:
		what = "denies (" + ruleText(denies[0]) + ") what leaves pods"
	default:
		return nil
	}
	return []change.Guard{newGuard(DenySystem, p.Key, "%s %s in %s", p.Key.Label(), what, p.Namespace)}
}

// rulesWithAction returns the policy's rules with an action, ingress first.
func rulesWithAction(p *model.Policy, a model.Action) (out []*model.Rule) {
	for r := range p.AllRules() {
		if r.Action == a {
			out = append(out, r)
		}
	}
	return out
}

func ruleText(r *model.Rule) string { return revision.RuleLabel(r.Direction, r.Index, r.Name) }

// systemSubject names the protected namespaces that a subject covers, or "". A selector with labels counts as
// soon as it matches a protected namespace. An empty one counts always without a pod selector, and with one if
// it selects a pod there.
func systemSubject(x *selectors.PodIndex, s *model.Subject, protected []string) string {
	all := s.Namespaces.MatchesEverything() && s.Namespace == ""
	anyPod := s.AllPods || s.Pods.MatchesEverything()
	if all && anyPod {
		return "every namespace"
	}
	var names []string
	for ns := range x.NamespacesMatching(s.Namespaces) {
		if !model.IsProtectedNamespace(ns.Name, protected) || s.Namespace != "" && s.Namespace != ns.Name {
			continue
		}
		if all && x.PodsMatchingIn(ns.Name, s.Pods).IsEmpty() {
			continue
		}
		names = append(names, ns.Name)
	}
	text := words.JoinAtMost(names, ", ", 3)
	if len(names) > 3 {
		text += " protected namespaces"
	}
	return text
}

// NewDeny reports whether a direction has a denying rule that the old version did not have; old may be nil.
func NewDeny(old, now *model.Policy, dir model.Direction) bool {
	var had []*model.Rule
	if old != nil && sameSubject(old, now) {
		had = rulesWithAction(old, model.Deny)
	}
	return slices.ContainsFunc(rulesWithAction(now, model.Deny), func(r *model.Rule) bool {
		return r.Direction == dir && !slices.ContainsFunc(had, func(o *model.Rule) bool { return sameRule(*o, *r) })
	})
}

// SameDecisions reports whether two versions of a policy decide alike in every cluster.
func SameDecisions(a, b *model.Policy) bool {
	if a.Represents != nil {
		return model.CompactJSON(a.AuthoredContent()["spec"]) == model.CompactJSON(b.AuthoredContent()["spec"])
	}
	return a.Priority == b.Priority && a.Tier == b.Tier && equalOrBothNil(a.Tiered, b.Tiered, samePlace) &&
		a.IsolatesIngress == b.IsolatesIngress && a.IsolatesEgress == b.IsolatesEgress &&
		a.Annotations[model.AnnotationStateless] == b.Annotations[model.AnnotationStateless] && sameSubject(a, b) &&
		slices.EqualFunc(a.Ingress, b.Ingress, sameRule) && slices.EqualFunc(a.Egress, b.Egress, sameRule)
}

func sameSubject(a, b *model.Policy) bool {
	return a == b || a.Subject.Namespace == b.Subject.Namespace && a.Subject.AllPods == b.Subject.AllPods &&
		sameSelector(a.Subject.Namespaces, b.Subject.Namespaces) && sameSelector(a.Subject.Pods, b.Subject.Pods) &&
		equalOrBothNil(a.Tiered, b.Tiered, func(a, b model.TieredPolicy) bool { return slices.EqualFunc(a.AppliedTo, b.AppliedTo, sameApplied) })
}

func sameSelector(a, b model.Selector) bool { return a.IsNil() == b.IsNil() && a.Key() == b.Key() }

// sameRule reports whether two rules match and do the same, whatever their names.
func sameRule(a, b model.Rule) bool {
	return a.Action == b.Action && a.AnyPeer == b.AnyPeer && a.Direction == b.Direction &&
		slices.Equal(a.Ports, b.Ports) && slices.EqualFunc(a.Peers, b.Peers, samePeer) && equalOrBothNil(a.Tiered, b.Tiered, sameTieredRule)
}

func samePeer(a, b model.Peer) bool {
	return a.Kind == b.Kind && a.Namespace == b.Namespace && a.DNSName == b.DNSName && a.Group == b.Group &&
		slices.Equal(a.Networks, b.Networks) && slices.Equal(a.Except, b.Except) &&
		sameSelector(a.Namespaces, b.Namespaces) && sameSelector(a.Pods, b.Pods) &&
		sameSelector(a.Nodes, b.Nodes) && equalOrBothNil(a.ServiceAccount, b.ServiceAccount, equal) &&
		equalOrBothNil(a.Match, b.Match, func(a, b model.NamespaceMatch) bool {
			return a.Self == b.Self && slices.Equal(a.SameLabels, b.SameLabels)
		})
}

func samePlace(a, b model.TieredPolicy) bool { return a.Tier == b.Tier && a.Priority == b.Priority }

func sameApplied(a, b model.AppliedTo) bool {
	return a.Select == b.Select && a.Entities == b.Entities && sameSelector(a.Namespaces, b.Namespaces) && sameSelector(a.Pods, b.Pods) &&
		a.Group == b.Group &&
		equalOrBothNil(a.ServiceAccount, b.ServiceAccount, equal) && equalOrBothNil(a.Service, b.Service, equal) &&
		equalOrBothNil(a.Nodes, b.Nodes, sameSelector)
}

func sameTieredRule(a, b model.TieredRule) bool {
	return a.Action == b.Action && slices.EqualFunc(a.AppliedTo, b.AppliedTo, sameApplied) && slices.Equal(a.L7, b.L7) &&
		slices.Equal(a.ToServices, b.ToServices) &&
		slices.EqualFunc(a.Protocols, b.Protocols, func(a, b model.RuleProtocol) bool {
			return a.Protocol == b.Protocol && a.Group == b.Group && equalOrBothNil(a.Type, b.Type, equal) && equalOrBothNil(a.Code, b.Code, equal)
		})
}

// equalOrBothNil reports whether both are nil, or both are set and alike.
func equalOrBothNil[T any](a, b *T, alike func(a, b T) bool) bool {
	if a == nil || b == nil {
		return a == b
	}
	return alike(*a, *b)
}

func equal[T comparable](a, b T) bool { return a == b }

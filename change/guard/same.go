package guard

import (
	"slices"

	"rung/model"
)

// SameDecisions says whether two versions of a policy decide alike in every
// cluster.
func SameDecisions(a, b *model.Policy) bool {
	return a.Priority == b.Priority && a.Tier == b.Tier &&
		a.IsolatesIngress == b.IsolatesIngress && a.IsolatesEgress == b.IsolatesEgress &&
		a.Annotations[model.AnnotationStateless] == b.Annotations[model.AnnotationStateless] && sameSubject(a, b) &&
		slices.EqualFunc(a.Ingress, b.Ingress, sameRule) && slices.EqualFunc(a.Egress, b.Egress, sameRule)
}

func sameSubject(a, b *model.Policy) bool {
	return a == b || a.Subject.Namespace == b.Subject.Namespace && a.Subject.AllPods == b.Subject.AllPods &&
		sameSelector(a.Subject.Namespaces, b.Subject.Namespaces) && sameSelector(a.Subject.Pods, b.Subject.Pods) &&
		same(a.Tiered, b.Tiered, sameTiered)
}

func sameSelector(a, b model.Selector) bool { return a.IsNil() == b.IsNil() && a.Key() == b.Key() }

// sameRule says whether two rules match and do the same; their names do not
// matter.
func sameRule(a, b model.Rule) bool {
	return a.Action == b.Action && a.AnyPeer == b.AnyPeer && a.Direction == b.Direction &&
		slices.Equal(a.Ports, b.Ports) && slices.EqualFunc(a.Peers, b.Peers, samePeer) && same(a.Tiered, b.Tiered, sameTieredRule)
}

func samePeer(a, b model.Peer) bool {
	return a.Kind == b.Kind && a.Namespace == b.Namespace && a.DNSName == b.DNSName && a.Group == b.Group &&
		slices.Equal(a.Networks, b.Networks) && slices.Equal(a.Except, b.Except) &&
		sameSelector(a.Namespaces, b.Namespaces) && sameSelector(a.Pods, b.Pods) &&
		sameSelector(a.Nodes, b.Nodes) && same(a.ServiceAccount, b.ServiceAccount, equal) &&
		same(a.Match, b.Match, func(a, b model.NamespaceMatch) bool {
			return a.Self == b.Self && slices.Equal(a.SameLabels, b.SameLabels)
		})
}

// sameTiered is about where a tiered policy stands and what it applies to.
func sameTiered(a, b model.TieredPolicy) bool {
	return a.Tier == b.Tier && a.Priority == b.Priority && slices.EqualFunc(a.AppliedTo, b.AppliedTo, sameApplied)
}

func sameApplied(a, b model.AppliedTo) bool {
	return a.Select == b.Select && sameSelector(a.Namespaces, b.Namespaces) && sameSelector(a.Pods, b.Pods) && a.Group == b.Group &&
		same(a.ServiceAccount, b.ServiceAccount, equal) && same(a.Service, b.Service, equal) && same(a.Nodes, b.Nodes, sameSelector)
}

func sameTieredRule(a, b model.TieredRule) bool {
	return a.Action == b.Action && slices.EqualFunc(a.AppliedTo, b.AppliedTo, sameApplied) && slices.Equal(a.L7, b.L7) &&
		slices.Equal(a.ToServices, b.ToServices) &&
		slices.EqualFunc(a.Protocols, b.Protocols, func(a, b model.RuleProtocol) bool {
			return a.Protocol == b.Protocol && a.Group == b.Group && same(a.Type, b.Type, equal) && same(a.Code, b.Code, equal)
		})
}

// same says whether both are there and alike, or neither is.
func same[T any](a, b *T, alike func(a, b T) bool) bool {
	if a == nil || b == nil {
		return a == b
	}
	return alike(*a, *b)
}

func equal[T comparable](a, b T) bool { return a == b }

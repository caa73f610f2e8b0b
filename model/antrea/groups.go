package antrea

import (
	"slices"
	"strings"

	"rung/model"
	"rung/model/selectors"
)

// PodSelection selects the pods that run as Account, if set. Otherwise it selects by Pods, in Namespace or, if
// that is empty, in the namespaces that Namespaces matches.
type PodSelection struct {
	Namespace        string
	Namespaces, Pods model.Selector
	Account          *model.ServiceAccount
}

// Matches reports whether a pod is selected; ns is its namespace, nil if unknown.
func (s *PodSelection) Matches(ns *model.Namespace, p *model.Pod) bool {
	switch {
	case s.Account != nil:
		return p.Namespace == s.Account.Namespace && p.ServiceAccount == s.Account.Name
	case s.Namespace != "":
		return p.Namespace == s.Namespace && s.Pods.Matches(p.Labels)
	}
	return ns != nil && s.Namespaces.Matches(ns.Labels) && s.Pods.Matches(p.Labels)
}

// PodSet returns the pods of a selection, eligible or not.
func (s *PodSelection) PodSet(x *selectors.PodIndex) selectors.PodSet {
	switch {
	case s.Account != nil:
		return x.PodsWhere(func(p *model.Pod) bool { return s.Matches(nil, p) })
	case s.Namespace != "":
		return x.PodsMatchingIn(s.Namespace, s.Pods)
	}
	return x.PodsMatching(s.Namespaces, s.Pods)
}

// EmptyReason is why a reference selects nothing, or less than is written.
type EmptyReason struct {
	Code, Message string
}

// GroupMembers are the pods and networks of a group.
type GroupMembers struct {
	Pods     []PodSelection // joined by or
	Networks []string       // CIDRs as written
	// HasNamespaces is true if the group or a child has a namespaceSelector: an ANNP cannot be applied to it.
	HasNamespaces bool
	Reasons       []EmptyReason
}

// GroupResolver resolves groups and appliedTo of one cluster. It is safe for concurrent use.
type GroupResolver struct{ c *model.Cluster }

// ResolveGroups resolves the groups of a cluster.
func ResolveGroups(c *model.Cluster) *GroupResolver { return &GroupResolver{c} }

// GroupKey returns the key of a group that a policy names: a ClusterGroup for an ACNP, a Group for an ANNP.
func GroupKey(p *model.Policy, name string) model.Key {
	if p.Kind == model.KindANNP {
		return model.Key{Kind: model.KindGroup, Namespace: p.Namespace, Name: name}
	}
	return model.Key{Kind: model.KindClusterGroup, Name: name}
}

// FindMembers returns the members of the group with that key: its own form, or the union of its
// children, which must have no children themselves (antrea.md#groups).
func (r *GroupResolver) FindMembers(k model.Key) GroupMembers {
	g, ok := r.c.Get(k).(*model.Group)
	if !ok {
		return GroupMembers{Reasons: []EmptyReason{{GroupMissing, ObjectLabel(k) + " does not exist" + r.otherKindHint(k)}}}
	}
	if why := notJudgedText(g); why != "" {
		return GroupMembers{Reasons: []EmptyReason{{NotJudged, why}}}
	}
	if len(g.Invalid) > 0 {
		return GroupMembers{Reasons: []EmptyReason{{GroupRefused, ObjectLabel(k) + " selects nothing: " + g.Invalid[0].Message}}}
	}
	if len(g.Children) == 0 {
		return r.ownMembers(g)
	}
	var out GroupMembers
	for _, name := range g.Children {
		child := childKey(g, name)
		c, ok := r.c.Get(child).(*model.Group)
		if ok && len(c.Children) > 0 {
			out.Reasons = append(out.Reasons, r.nestedReason(k, child))
			continue
		}
		m := r.FindMembers(child)
		out.Pods = append(out.Pods, m.Pods...)
		out.Networks = append(out.Networks, m.Networks...)
		out.HasNamespaces = out.HasNamespaces || m.HasNamespaces
		out.Reasons = append(out.Reasons, m.Reasons...)
	}
	return out
}

// notJudgedText returns why Rung does not know the members of a valid group; empty if it does.
func notJudgedText(g *model.Group) string {
	if len(g.Invalid) == 0 || g.Invalid[0].IsError() {
		return ""
	}
	return ObjectLabel(g.Key) + " " + g.Invalid[0].Message
}

// otherKindHint names a same-named group of the other kind; empty if there is none.
func (r *GroupResolver) otherKindHint(k model.Key) string {
	switch {
	case k.Kind == model.KindGroup && r.c.Get(model.Key{Kind: model.KindClusterGroup, Name: k.Name}) != nil:
		return "; ClusterGroup " + k.Name + " exists, but only for ClusterNetworkPolicies"
	case k.Kind == model.KindClusterGroup:
		for g := range r.c.Groups(model.KindGroup) {
			if g.Name == k.Name {
				return "; " + ObjectLabel(g.Key) + " exists, but only for NetworkPolicies of its namespace"
			}
		}
	}
	return ""
}

// childKey returns the key of a child: a Group's children are in its namespace.
func childKey(g *model.Group, name string) model.Key {
	return model.Key{Kind: g.Kind, Namespace: g.Namespace, Name: name}
}

// nestedReason returns the reason for a child with children: nesting, or a cycle back to the group.
func (r *GroupResolver) nestedReason(k, child model.Key) EmptyReason {
	if way := r.cyclePath(k, child); way != nil {
		names := make([]string, len(way))
		for i, w := range way {
			names[i] = w.Name
		}
		return EmptyReason{GroupCycle, ObjectLabel(k) + " is its own child: " + strings.Join(names, " → ")}
	}
	return EmptyReason{GroupNested, "child " + ObjectLabel(child) + " has childGroups too: groups nest one level"}
}

// cyclePath returns the path from a group over a child back to itself, or nil.
func (r *GroupResolver) cyclePath(k, from model.Key) []model.Key {
	seen := map[model.Key]bool{}
	var walk func(at model.Key, way []model.Key) []model.Key
	walk = func(at model.Key, way []model.Key) []model.Key {
		way = append(slices.Clone(way), at)
		if at == k {
			return way
		}
		g, ok := r.c.Get(at).(*model.Group)
		if !ok || seen[at] {
			return nil
		}
		seen[at] = true
		for _, name := range g.Children {
			if found := walk(childKey(g, name), way); found != nil {
				return found
			}
		}
		return nil
	}
	return walk(from, []model.Key{k})
}

// ownMembers returns the members of a group without children.
func (r *GroupResolver) ownMembers(g *model.Group) GroupMembers {
	switch {
	case g.Service != nil:
		return r.servicePods(*g.Service)
	case !g.Select:
		return GroupMembers{Networks: g.Networks}
	}
	s := PodSelection{Namespaces: g.Namespaces, Pods: g.Pods}
	if g.Kind == model.KindGroup && !g.HasNamespaces {
		s.Namespace, s.Namespaces = g.Namespace, model.Selector{}
	}
	return GroupMembers{Pods: []PodSelection{s}, HasNamespaces: g.HasNamespaces}
}

// servicePods returns the pods behind a Service: those its selector matches in its namespace.
func (r *GroupResolver) servicePods(k model.Key) GroupMembers {
	s, ok := r.c.Get(k).(*model.Service)
	switch {
	case !ok:
		return GroupMembers{Reasons: []EmptyReason{{ServiceMissing, "Service " + k.Namespace + "/" + k.Name + " does not exist"}}}
	case len(s.Selector.Map()) == 0:
		return GroupMembers{Reasons: []EmptyReason{{ServiceSelectorless, "Service " + k.Namespace + "/" + k.Name +
			" has no selector: Antrea ignores it"}}}
	}
	return GroupMembers{Pods: []PodSelection{{Namespace: k.Namespace, Pods: model.SelectLabels(s.Selector)}}}
}

// ObjectLabel returns an object of Antrea for people: "ClusterGroup web", "Group shop/web".
func ObjectLabel(k model.Key) string {
	kind, _, _ := strings.Cut(string(k.Kind), ".")
	return kind + " " + k.NamespacedName()
}

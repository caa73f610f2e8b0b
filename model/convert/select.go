package convert

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"rung/model"
)

// nameLabel is on every namespace: the API server puts it there.
const nameLabel = "kubernetes.io/metadata.name"

// named is the namespace of that name.
func named(namespace string) model.Selector {
	return model.SelectorOf(model.NewLabels(map[string]string{nameLabel: namespace}))
}

// having matches what has all the labels, whatever their values.
func having(keys []string) model.Selector {
	ls := &metav1.LabelSelector{}
	for _, k := range keys {
		ls.MatchExpressions = append(ls.MatchExpressions, metav1.LabelSelectorRequirement{Key: k, Operator: metav1.LabelSelectorOpExists})
	}
	s, _ := model.NewSelector(ls) // an invalid label has its error in it, and matches nothing
	return s
}

// and matches what both match.
func and(a, b model.Selector) model.Selector {
	switch {
	case a.IsNil() || b.Empty() || a.Key() == b.Key():
		return a
	case b.IsNil() || a.Empty():
		return b
	}
	ls := &metav1.LabelSelector{MatchLabels: map[string]string{}}
	seen := map[string]bool{}
	for _, s := range []model.Selector{a, b} {
		reqs, err := labels.ParseToRequirements(s.Key())
		if err != nil {
			return model.Selector{} // a selector's own text is one
		}
		for _, r := range reqs {
			if !seen[r.String()] {
				seen[r.String()] = true
				require(ls, &r)
			}
		}
	}
	// What must have one value need not be told to have one, or to have no other.
	ls.MatchExpressions = slices.DeleteFunc(ls.MatchExpressions, func(r metav1.LabelSelectorRequirement) bool {
		value, one := ls.MatchLabels[r.Key]
		return one && (r.Operator == metav1.LabelSelectorOpExists || r.Operator == metav1.LabelSelectorOpNotIn && !slices.Contains(r.Values, value))
	})
	out, _ := model.NewSelector(ls)
	return out
}

// require adds a requirement. Two values of one label are two expressions, since MatchLabels
// has one value for each.
func require(ls *metav1.LabelSelector, r *labels.Requirement) {
	values := slices.Sorted(maps.Keys(r.Values()))
	op := metav1.LabelSelectorOpIn
	switch r.Operator() {
	case selection.NotIn, selection.NotEquals:
		op = metav1.LabelSelectorOpNotIn
	case selection.Exists:
		op, values = metav1.LabelSelectorOpExists, nil
	case selection.DoesNotExist:
		op, values = metav1.LabelSelectorOpDoesNotExist, nil
	case selection.Equals, selection.DoubleEquals:
		if _, has := ls.MatchLabels[r.Key()]; !has && len(values) == 1 {
			ls.MatchLabels[r.Key()] = values[0]
			return
		}
	}
	ls.MatchExpressions = append(ls.MatchExpressions, metav1.LabelSelectorRequirement{Key: r.Key(), Operator: op, Values: values})
}

// podsOf is a peer of the pods that both selectors match.
func podsOf(namespaces, pods model.Selector) model.Peer {
	if pods.Empty() {
		return model.Peer{Kind: model.PeerNamespaces, Namespaces: namespaces, Pods: model.Everything()}
	}
	return model.Peer{Kind: model.PeerPods, Namespaces: namespaces, Pods: pods}
}

// subjectOf is the subject of the pods that both selectors match.
func subjectOf(namespaces, pods model.Selector) model.Subject {
	if pods.Empty() {
		return model.Subject{Namespaces: namespaces, AllPods: true, Pods: model.Everything()}
	}
	return model.Subject{Namespaces: namespaces, Pods: pods}
}

func subjectKey(s *model.Subject) string { return s.Namespaces.Key() + "\x00" + s.Pods.Key() }

// distinct are the different ones, sorted.
func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

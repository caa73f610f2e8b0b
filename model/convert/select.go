package convert

import (
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
)

// nameLabel is the label that the API server sets on every namespace.
const nameLabel = "kubernetes.io/metadata.name"

// namespaceNamed returns a selector of the namespace with that name.
func namespaceNamed(namespace string) model.Selector {
	return model.SelectLabels(model.NewLabels(map[string]string{nameLabel: namespace}))
}

// namedOrSelected returns a selector of the namespace with a name; without a name it returns s.
func namedOrSelected(namespace string, s model.Selector) model.Selector {
	if namespace != "" {
		return namespaceNamed(namespace)
	}
	return s
}

// selectorOfKeys matches objects that have all the labels, whatever their values.
func selectorOfKeys(keys []string) model.Selector {
	ls := &metav1.LabelSelector{}
	for _, k := range keys {
		ls.MatchExpressions = append(ls.MatchExpressions, metav1.LabelSelectorRequirement{Key: k, Operator: metav1.LabelSelectorOpExists})
	}
	s, _ := model.NewSelector(ls) // an invalid label makes a selector that matches nothing
	return s
}

// andSelector returns a selector of what both match.
func andSelector(a, b model.Selector) model.Selector {
	switch {
	case a.IsNil() || b.MatchesEverything() || a.Key() == b.Key():
		return a
	case b.IsNil() || a.MatchesEverything():
		return b
	}
	ls, other := a.LabelSelector(), b.LabelSelector()
	if ls.MatchLabels == nil {
		ls.MatchLabels = map[string]string{}
	}
	for k, v := range other.MatchLabels {
		if was, has := ls.MatchLabels[k]; !has {
			ls.MatchLabels[k] = v
		} else if was != v { // second value of a label: MatchLabels holds one
			other.MatchExpressions = append(other.MatchExpressions, metav1.LabelSelectorRequirement{Key: k, Operator: metav1.LabelSelectorOpIn,
				Values: []string{v}})
		}
	}
	for _, r := range other.MatchExpressions {
		if !slices.ContainsFunc(ls.MatchExpressions, func(o metav1.LabelSelectorRequirement) bool { return reflect.DeepEqual(r, o) }) {
			ls.MatchExpressions = append(ls.MatchExpressions, r)
		}
	}
	// Exists and NotIn are redundant for a label that MatchLabels fixes.
	ls.MatchExpressions = slices.DeleteFunc(ls.MatchExpressions, func(r metav1.LabelSelectorRequirement) bool {
		value, one := ls.MatchLabels[r.Key]
		return one && (r.Operator == metav1.LabelSelectorOpExists || r.Operator == metav1.LabelSelectorOpNotIn &&
			!slices.Contains(r.Values, value))
	})
	out, _ := model.NewSelector(ls)
	return out
}

// newPodPeer returns a peer of the pods that both selectors match.
func newPodPeer(namespaces, pods model.Selector) model.Peer {
	if pods.MatchesEverything() {
		return model.Peer{Kind: model.PeerNamespaces, Namespaces: namespaces, Pods: model.SelectEverything()}
	}
	return model.Peer{Kind: model.PeerPods, Namespaces: namespaces, Pods: pods}
}

// newSubject returns a subject of the pods that both selectors match.
func newSubject(namespaces, pods model.Selector) model.Subject {
	if pods.MatchesEverything() {
		return model.Subject{Namespaces: namespaces, AllPods: true, Pods: model.SelectEverything()}
	}
	return model.Subject{Namespaces: namespaces, Pods: pods}
}

func subjectKey(s *model.Subject) string { return s.Namespaces.Key() + "\x00" + s.Pods.Key() }

// sortedDistinct sorts a list in place and removes duplicates.
func sortedDistinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// Selector is a label selector ready to match. The zero value matches nothing; NewSelector of an empty
// LabelSelector matches everything.
type Selector struct {
	sel     labels.Selector
	key     string
	ovnName string // OVN-Kubernetes' spelling, or empty for everything
	err     error
}

// NewSelector compiles a LabelSelector. nil matches nothing, an empty one everything, as in the Kubernetes
// API. With an error the selector matches nothing and returns the error from Err.
func NewSelector(s *metav1.LabelSelector) (Selector, error) {
	sel, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return Selector{err: err}, fmt.Errorf("label selector: %w", err)
	}
	if s == nil {
		return Selector{}, nil
	}
	return Selector{sel: sel, key: sel.String(), ovnName: ovnText(s)}, nil
}

// SelectLabels returns a selector that requires all the labels, like a Service's.
func SelectLabels(l Labels) Selector {
	s, _ := NewSelector(&metav1.LabelSelector{MatchLabels: l.Map()}) // labels of objects are valid
	return s
}

// Err returns why the selector cannot be used, in the words of Kubernetes' library, or nil.
func (s Selector) Err() error { return s.err }

// OVNText returns the selector as in OVN-Kubernetes' names of shared address sets of NetworkPolicies:
// LS{ML:{a: 1,},ME:{LSR{…},},} (ovn-kubernetes.md#pod-selector-sets). Equivalent labels and expressions differ
// here.
func (s Selector) OVNText() string {
	return cmp.Or(s.ovnName, "LS{}")
}

func ovnText(s *metav1.LabelSelector) string {
	var b strings.Builder
	b.WriteString("LS{")
	if len(s.MatchLabels) > 0 {
		b.WriteString("ML:{")
		for _, k := range slices.Sorted(maps.Keys(s.MatchLabels)) {
			b.WriteString(k + ": " + s.MatchLabels[k] + ",")
		}
		b.WriteString("},")
	}
	if len(s.MatchExpressions) > 0 {
		reqs := make([]string, len(s.MatchExpressions))
		for i, r := range s.MatchExpressions {
			reqs[i] = "LSR{Key:" + r.Key + ",Operator:" + string(r.Operator) +
				",Values:[" + strings.Join(slices.Sorted(slices.Values(r.Values)), " ") + "],}"
		}
		slices.Sort(reqs)
		b.WriteString("ME:{" + strings.Join(reqs, ",") + "},")
	}
	b.WriteString("}")
	return b.String()
}

// SelectEverything returns a selector that matches all label sets.
func SelectEverything() Selector { return Selector{sel: labels.Everything()} }

// Matches reports whether the labels satisfy the selector.
func (s Selector) Matches(l Labels) bool { return s.sel != nil && s.sel.Matches(l.set) }

// MatchesEverything reports whether the selector matches every label set.
func (s Selector) MatchesEverything() bool { return s.sel != nil && s.key == "" }

// IsNil reports whether the selector is absent and matches nothing.
func (s Selector) IsNil() bool { return s.sel == nil }

// Key returns a text that is equal for equal selectors: the requirements in canonical order. A selector of
// everything has an empty key.
func (s Selector) Key() string { return s.key }

// String returns the selector for people: "tenant=blue", "all" for everything, "none" for an absent one. The
// label kubernetes.io/metadata.name reads "name".
func (s Selector) String() string {
	switch {
	case s.sel == nil:
		return "none"
	case s.key == "":
		return "all"
	}
	return strings.ReplaceAll(s.key, "kubernetes.io/metadata.name", "name")
}

// Labels is an immutable label set with an identity: equal sets have equal Keys.
type Labels struct {
	set labels.Set
	key string
}

// NewLabels takes over the map; the caller must not change it afterwards.
func NewLabels(m map[string]string) Labels {
	keys := make([]string, 0, len(m))
	n := 0
	for k, v := range m {
		keys = append(keys, k)
		n += len(k) + len(v) + 2
	}
	sort.Strings(keys)
	var b strings.Builder
	b.Grow(n)
	for _, k := range keys {
		b.WriteString(k)
		b.WriteByte('=')
		b.WriteString(m[k])
		b.WriteByte('\n')
	}
	return Labels{set: m, key: b.String()}
}

// Key returns the identity of the set.
func (l Labels) Key() string { return l.key }

// Get returns the value of one label.
func (l Labels) Get(k string) string { return l.set[k] }

// Map returns the set as a map, which must not be changed.
func (l Labels) Map() map[string]string { return l.set }

// String lists the labels as k=v, sorted, separated by spaces.
func (l Labels) String() string {
	return strings.TrimSuffix(strings.ReplaceAll(l.key, "\n", " "), " ")
}

// LabelSelector returns a new copy of the selector in the form of the Kubernetes API. It is nil for an absent
// or invalid selector. NewSelector of it is equal.
func (s Selector) LabelSelector() *metav1.LabelSelector {
	if s.sel == nil {
		return nil
	}
	out := &metav1.LabelSelector{}
	reqs, _ := s.sel.Requirements()
	for _, r := range reqs {
		values := slices.Sorted(slices.Values(r.ValuesUnsorted()))
		op := metav1.LabelSelectorOpIn
		switch r.Operator() {
		case selection.Equals, selection.DoubleEquals:
			if _, twice := out.MatchLabels[r.Key()]; !twice {
				if out.MatchLabels == nil {
					out.MatchLabels = map[string]string{}
				}
				out.MatchLabels[r.Key()] = values[0]
				continue
			}
		case selection.NotIn, selection.NotEquals:
			op = metav1.LabelSelectorOpNotIn
		case selection.Exists:
			op, values = metav1.LabelSelectorOpExists, nil
		case selection.DoesNotExist:
			op, values = metav1.LabelSelectorOpDoesNotExist, nil
		}
		out.MatchExpressions = append(out.MatchExpressions, metav1.LabelSelectorRequirement{Key: r.Key(), Operator: op, Values: values})
	}
	return out
}

// IncludesSelector reports that the selector certainly matches everything that o matches; false means unknown.
func (s Selector) IncludesSelector(o Selector) bool {
	return o.IsNil() || s.MatchesEverything() || !s.IsNil() && s.key == o.key
}

// ExcludesSelector reports that certainly no label set matches both selectors; false means unknown.
func (s Selector) ExcludesSelector(o Selector) bool {
	if s.sel == nil || o.sel == nil {
		return true
	}
	var all labels.Requirements
	for _, sel := range []labels.Selector{s.sel, o.sel} {
		reqs, selectable := sel.Requirements()
		if !selectable {
			return true
		}
		all = append(all, reqs...)
	}
	values := map[string]map[string]bool{} // by key: the possible values of a label
	absent := map[string]bool{}
	present := map[string]bool{}
	for _, r := range all {
		switch r.Operator() {
		case selection.In, selection.Equals, selection.DoubleEquals:
			present[r.Key()] = true
			was, may := values[r.Key()], map[string]bool{}
			for v := range r.Values() {
				if was == nil || was[v] {
					may[v] = true
				}
			}
			values[r.Key()] = may
		case selection.Exists, selection.GreaterThan, selection.LessThan:
			present[r.Key()] = true
		case selection.DoesNotExist:
			absent[r.Key()] = true
		}
	}
	for _, r := range all {
		if may := values[r.Key()]; may != nil && (r.Operator() == selection.NotIn || r.Operator() == selection.NotEquals) {
			for v := range r.Values() {
				delete(may, v)
			}
		}
	}
	for k := range present {
		if may := values[k]; absent[k] || may != nil && len(may) == 0 {
			return true
		}
	}
	return false
}

// OnlyLabel returns the label that the selector requires if that is its only requirement.
func (s Selector) OnlyLabel() (key, value string, ok bool) {
	if s.sel == nil {
		return "", "", false
	}
	reqs, _ := s.sel.Requirements()
	if len(reqs) != 1 {
		return "", "", false
	}
	switch r := reqs[0]; r.Operator() {
	case selection.In, selection.Equals, selection.DoubleEquals:
		if values := r.ValuesUnsorted(); len(values) == 1 {
			return r.Key(), values[0], true
		}
	}
	return "", "", false
}

// LeavesOutByLabel reports whether the selector excludes by label, so that objects without the label match.
func (s Selector) LeavesOutByLabel() bool {
	if s.sel == nil {
		return false
	}
	reqs, _ := s.sel.Requirements()
	return slices.ContainsFunc(reqs, func(r labels.Requirement) bool {
		return slices.Contains([]selection.Operator{selection.NotIn, selection.NotEquals, selection.DoesNotExist}, r.Operator())
	})
}

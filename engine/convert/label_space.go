package convert

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
)

// labelSpace holds the labels that selectors look at, with the values they distinguish.
type labelSpace struct {
	requirements  map[string][]metav1.LabelSelectorRequirement // by key
	sets          []map[string]string                          // for each selector, labels it matches
	seenSelectors map[string]bool                              // by selector key
}

func newSpace() *labelSpace {
	return &labelSpace{requirements: map[string][]metav1.LabelSelectorRequirement{}, seenSelectors: map[string]bool{}}
}

// addSelector adds a selector's requirements.
func (s *labelSpace) addSelector(sel model.Selector) {
	l := sel.LabelSelector()
	if l == nil || s.seenSelectors[sel.Key()] {
		return
	}
	s.seenSelectors[sel.Key()] = true
	set := map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(l.MatchLabels)) {
		s.addRequirement(metav1.LabelSelectorRequirement{Key: k, Operator: metav1.LabelSelectorOpIn, Values: []string{l.MatchLabels[k]}})
		set[k] = l.MatchLabels[k]
	}
	for _, r := range l.MatchExpressions {
		s.addRequirement(r)
		if _, has := set[r.Key]; has {
			continue
		}
		switch r.Operator {
		case metav1.LabelSelectorOpIn:
			set[r.Key] = r.Values[0]
		case metav1.LabelSelectorOpExists:
			set[r.Key] = imaginedValue
		}
	}
	s.sets = append(s.sets, set)
}

func (s *labelSpace) addRequirement(r metav1.LabelSelectorRequirement) {
	s.requirements[r.Key] = append(s.requirements[r.Key], r)
}

// takeLabel removes a label and returns its values named by selectors.
func (s *labelSpace) takeLabel(key string) []string {
	out := s.namedValues(key)
	delete(s.requirements, key)
	for _, set := range s.sets {
		delete(set, key)
	}
	return out
}

// namedValues returns a label's values named by selectors, sorted.
func (s *labelSpace) namedValues(key string) (out []string) {
	for _, r := range s.requirements[key] {
		out = append(out, r.Values...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// distinctValues returns a label's values that the selectors distinguish, from: absent, a value nobody names, and
// the named values. Each value is a set of at most one label.
func (s *labelSpace) distinctValues(key string) (out []map[string]string) {
	var selectors []model.Selector
	for _, r := range s.requirements[key] {
		sel, _ := model.NewSelector(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{r}}) // nil matches nothing
		selectors = append(selectors, sel)
	}
	all := []map[string]string{{}, {key: imaginedValue}}
	for _, n := range s.namedValues(key) {
		all = append(all, map[string]string{key: n})
	}
	known := map[string]bool{}
	for _, v := range all {
		is := ""
		for _, sel := range selectors {
			is += fmt.Sprint(sel.Matches(model.NewLabels(v)))
		}
		if !known[is] {
			known[is] = true
			out = append(out, v)
		}
	}
	return out
}

// samplePoints returns label sets of which each differs from the others for some selector. If all would exceed
// most, it returns the empty set and those for single selectors and pairs of them.
func (s *labelSpace) samplePoints(most int) (out []map[string]string, whole bool) {
	out = []map[string]string{{}}
	for _, key := range slices.Sorted(maps.Keys(s.requirements)) {
		values := s.distinctValues(key)
		if len(out)*len(values) > most {
			return s.somePoints(most), false
		}
		var next []map[string]string
		for _, set := range out {
			for _, v := range values {
				with := maps.Clone(set)
				maps.Copy(with, v)
				next = append(next, with)
			}
		}
		out = next
	}
	return out, true
}

func (s *labelSpace) somePoints(most int) []map[string]string {
	out := []map[string]string{{}}
	add := func(set map[string]string) {
		if len(out) < most && !slices.ContainsFunc(out, func(o map[string]string) bool { return maps.Equal(o, set) }) {
			out = append(out, set)
		}
	}
	for _, set := range s.sets {
		add(set)
	}
	for _, key := range slices.Sorted(maps.Keys(s.requirements)) {
		for _, v := range s.distinctValues(key) {
			add(v) // the empty one is there already
		}
	}
	for i, a := range s.sets {
		for _, b := range s.sets[:i] {
			both := maps.Clone(a)
			maps.Copy(both, b)
			add(both)
		}
	}
	return out
}

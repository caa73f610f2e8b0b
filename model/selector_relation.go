package model

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// Includes says for certain that the selector matches what o matches; false
// means that it may not.
func (s Selector) Includes(o Selector) bool {
	return o.IsNil() || s.Empty() || !s.IsNil() && s.key == o.key
}

// Excludes says for certain that no label set matches both selectors; false
// means that one may.
func (s Selector) Excludes(o Selector) bool {
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
	values := map[string]map[string]bool{} // by key: the values a label may have
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

// Only is the one label that the selector wants, where it wants just that.
func (s Selector) Only() (key, value string, ok bool) {
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

// Negative says whether the selector leaves out by label: what has no such label matches.
func (s Selector) Negative() bool {
	if s.sel == nil {
		return false
	}
	reqs, _ := s.sel.Requirements()
	for _, r := range reqs {
		switch r.Operator() {
		case selection.NotIn, selection.NotEquals, selection.DoesNotExist:
			return true
		}
	}
	return false
}

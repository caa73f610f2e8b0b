package model

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The names of shared address sets hang on every character
// (ovn-kubernetes.md#pod-selector-sets).
func TestOVNText(t *testing.T) {
	for want, s := range map[string]*metav1.LabelSelector{
		"LS{}": {},
		"LS{ML:{a: 1,b: 2,},ME:{LSR{Key:k,Operator:Exists,Values:[],},LSR{Key:z,Operator:In,Values:[c q],}},}": {
			MatchLabels: map[string]string{"b": "2", "a": "1"},
			MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: "z", Operator: metav1.LabelSelectorOpIn, Values: []string{"q", "c"}},
				{Key: "k", Operator: metav1.LabelSelectorOpExists}}},
	} {
		sel, err := NewSelector(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := sel.OVNText(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := SelectEverything().OVNText(); got != "LS{}" {
		t.Errorf("everything: %s", got)
	}
}

// What a selector gives back is the same selector.
func TestLabelSelector(t *testing.T) {
	expression := func(key string, op metav1.LabelSelectorOperator, values ...string) metav1.LabelSelectorRequirement {
		return metav1.LabelSelectorRequirement{Key: key, Operator: op, Values: values}
	}
	for _, s := range []*metav1.LabelSelector{nil, {},
		{MatchLabels: map[string]string{"a": "1", "b": "2"}},
		{MatchExpressions: []metav1.LabelSelectorRequirement{expression("a", metav1.LabelSelectorOpIn, "x"), expression("a", metav1.LabelSelectorOpIn, "y", "x"),
			expression("b", metav1.LabelSelectorOpNotIn, "z", "y"), expression("c", metav1.LabelSelectorOpExists), expression("d", metav1.LabelSelectorOpDoesNotExist)}},
		{MatchLabels: map[string]string{"a": "1"}, MatchExpressions: []metav1.LabelSelectorRequirement{expression("a", metav1.LabelSelectorOpNotIn, "2")}}} {
		want, err := NewSelector(s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := NewSelector(want.LabelSelector())
		if err != nil || got.Key() != want.Key() || got.IsNil() != want.IsNil() {
			t.Errorf("%s became %s: %v", want, got, err)
		}
	}
	if wrong, err := NewSelector(&metav1.LabelSelector{MatchLabels: map[string]string{"a b": ""}}); err == nil || wrong.LabelSelector() != nil {
		t.Errorf("%v gave %v", err, wrong.LabelSelector())
	}
}

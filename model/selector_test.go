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
	if got := Everything().OVNText(); got != "LS{}" {
		t.Errorf("everything: %s", got)
	}
}

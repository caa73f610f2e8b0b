package model

import (
	"slices"
	"testing"
)

func TestCountFindings(t *testing.T) {
	var found []Finding
	for _, s := range []Severity{SeverityInfo, SeverityError, SeverityWarning, SeverityInfo, "new", SeverityWarning} {
		found = append(found, Finding{Severity: s})
	}
	n := CountFindings(found)
	if n != (FindingCount{1, 2, 3}) || n.Total() != len(found) || n.OfSeverity(SeverityError) != 1 || n.OfSeverity(SeverityWarning) != 2 || n.OfSeverity(SeverityInfo) != 3 {
		t.Errorf("%+v", n)
	}
	if CountFindings(nil) != (FindingCount{}) {
		t.Error("of nothing")
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return a.Severity.Compare(b.Severity) })
	var order []Severity
	for _, f := range found {
		order = append(order, f.Severity)
	}
	if want := []Severity{SeverityError, SeverityWarning, SeverityWarning, SeverityInfo, SeverityInfo, "new"}; !slices.Equal(order, want) {
		t.Errorf("worst first: %v", order)
	}
}

func TestSystemNamespaces(t *testing.T) {
	for name, want := range map[string]bool{"kube-system": true, "kube-public": true, "kube-node-lease": true, "kube-flannel": true,
		"openshift": true, "openshift-dns": true, "ovn-kubernetes": true,
		"default": false, "kubernetes": false, "blue": false, "openshifty": false} {
		if got := IsSystemNamespace(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

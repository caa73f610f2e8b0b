package rows_test

import (
	"testing"

	"rung/test/uitest"
	"rung/ui/nav"
)

// A row that OVN-Kubernetes leaves by a known defect is marked so; it is extra all the
// same.
func TestKnownDefect(t *testing.T) {
	p := demo(t)
	uitest.FirewallLeft(p, "ovn-worker")
	s := uitest.OpenScreen(t, p, nav.Page{Kind: nav.Rows, Zone: "ovn-worker", Text: "known"})
	s.Want("≠ extra: known")
}

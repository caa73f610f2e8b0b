package policy_test

import (
	"testing"

	"rung/test/uitest"
	"rung/ui/nav"
)

// What OVN-Kubernetes leaves in a zone has its cause beside it.
func TestKnownDefect(t *testing.T) {
	p := uitest.DemoFacts(t)
	k, _ := uitest.FirewallLeft(p, "ovn-worker")
	s := uitest.OpenScreen(t, p, nav.ToPolicy(k))
	s.Press("Z")
	s.Want("behind", "extra", "OVN-Kubernetes leaves this row when the list of rules gets shorter", "remove the row")
}

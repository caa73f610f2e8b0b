package rows_test

import (
	"testing"

	"rung/model/ovn/nb"
	"rung/test/uitest"
	"rung/ui/nav"
)

// The page of a row that OVN-Kubernetes leaves says why it is there, and what helps.
func TestRowKnownDefect(t *testing.T) {
	p := uitest.DemoFacts(t)
	_, uuid := uitest.FirewallLeft(p, "ovn-worker")
	s := uitest.OpenScreen(t, p, nav.ToRow("ovn-worker", nb.TableACL, uuid))
	s.Want("≠ Extra: no policy desires this row. OVN-Kubernetes leaves this row when", "a known", "defect: OVN", "remove the row")
}

package logs_test

import (
	"testing"

	"rung/model"
	"rung/ui/nav"
)

// t on a line traces its connection: pods by name where they have the address still, else
// by address. Without a line it asks.
func TestTraceOfALine(t *testing.T) {
	w := newTail(t, 100)
	s := w.open(nav.NewPage(nav.Logs))
	s.Press("t")
	s.Want("trace a connection")

	w.line("cluster-control", model.Egress, 5, "blue/api-d0", "203.0.113.9", 443, "drop")
	w.line("cluster-control", model.Egress, 5, "blue/api-d0", "red/web-f0", 8080, "drop")
	s = w.open(nav.NewPage(nav.Logs))
	s.Press("t")
	s.Want("logs › trace blue/api-d0 → red/web-f0 tcp 8080", `denied by ANP cluster-control egress 5 "default-deny" at blue/api-d0`)
	s.Press("esc", "k", "t")
	s.Want("logs › trace blue/api-d0 → 203.0.113.9 tcp 443")
}

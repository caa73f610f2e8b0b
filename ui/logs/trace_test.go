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

// t with marked lines asks which of their connections to trace, each once; with one it traces that.
func TestTraceMarkedLines(t *testing.T) {
	w := newTail(t, 100)
	for _, to := range []string{"red/web-f0", "red/web-f0", "blue/api-d1"} {
		w.line("cluster-control", model.Egress, 5, "blue/api-d0", to, 8080, "drop")
	}
	s := w.open(nav.NewPage(nav.Logs))
	s.Press("k", "space", "t")
	s.Want("logs › trace blue/api-d0 → red/web-f0 tcp 8080")
	s.Press("esc", "k", "space", "j", "j", "space")
	s.Want("3 marked")
	s.Press("t")
	s.Want("trace which of the marked connections", "1  blue/api-d0 → blue/api-d1 tcp 8080", "2  blue/api-d0 → red/web-f0 tcp 8080")
	s.WantNot("3  blue")
	s.Press("2")
	s.Want("logs › trace blue/api-d0 → red/web-f0 tcp 8080")
}

package ui_test

import (
	"testing"

	"rung/test/uitest"
	"rung/ui/nav"
)

// A question typed into the palette is completed to the ends there are; what is missing is
// asked for, and what cannot be is said.
func TestPaletteTraces(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Ladder))
	s.Press(":")
	s.Type("trace api-d0 red/web-f0 udp 53")
	s.Want("trace blue/api-d0 red/web-f0 UDP 53", "verdict and deciding rule")
	s.Press("enter")
	s.Want("Ladder › trace blue/api-d0 → red/web-f0 udp 53")
	s.Press(":")
	s.Type("trace api-d0 kube-dns")
	s.Want("asks for the missing part: TCP needs a port")
	s.Press("enter")
	s.Want("trace a connection", "service/kube-system/kube-dns")
	s.Type("53")
	s.Press("enter")
	s.Want("blue/api-d0 → service kube-system/kube-dns tcp 53", "not applicable: service kube-system/kube-dns has no TCP port 53; it has UDP 53")
	s.Press(":")
	s.Type("trace a b 70000")
	s.Want("port 70000: use 1 to 65535")
	s.Press("enter")
	s.Want("port 70000: use 1 to 65535")
	s.Press("esc", ":")
	s.Type("trace")
	s.Press("enter")
	s.Want("trace a connection")
}

package trace_test

import (
	"strings"
	"testing"

	"rung/test/uitest"
)

// A matrix of the default network says which key shows the pods of others; on a network its cells lead
// to traces on it, and esc goes back.
func TestNetworks(t *testing.T) {
	s := openMatrix(t, uitest.NetworkFacts(t), "", "")
	s.Resize(80, 24)
	s.Want("does not apply · H others")
	s.Golden("networks")
	s.Resize(120, 34)
	s.Want("H pods on other networks")
	s.Press("H")
	_, line, _ := strings.Cut(s.Line("team-a_blue-net  "), "│")
	s.Press(strings.Fields(strings.TrimLeft(line, "▸ "))[0])
	s.Want("any port on team-a_blue-net")
	s.Golden("on-network")
	s.Press("t")
	s.Want("team-a_blue-net")
	s.Press("esc")
	s.ResizeAll()
	s.Resize(120, 34)
	s.Press("right", "enter")
	s.Want("trace team-a/web-0 → team-a/db-0 tcp 80 on team-a_blue-net")
	s.Golden("traced")
	s.Press(":")
	s.Type("matrix")
	s.Press("enter")
	s.Want("any port on team-a_blue-net")
	s.Press("esc")
	s.Press("esc", "esc")
	s.WantNot("on team-a_blue-net")
}

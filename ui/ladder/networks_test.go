package ladder_test

import (
	"strings"
	"testing"

	"rung/test/uitest"
	"rung/ui/nav"
)

// The ladder goes to another network and back, and says on which it is; where there is only the
// default one the key is not offered.
func TestNetworks(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.NetworkFacts(t), nav.NewPage(nav.Ladder))
	s.Resize(120, 34)
	s.Want("H network")
	s.Press("H")
	s.Golden("networks")
	s.Want("default", "storage", "team-a_blue-net", "layer 3", "pods")
	s.Press("esc")
	s.Want("Ladder")
	chooseNetwork(s, "team-a_blue-net")
	s.Want("Ladder › on team-a_blue-net", "NetworkPolicy 1 · EgressFirewall 1", "(n new here)")
	s.WantNot("leftover rows") // those of other networks
	s.Golden("on-network")
	s.ResizeAll()
	s.Resize(120, 34)
	chooseNetwork(s, "storage")
	s.Want("Ladder › on storage")
	s.Press("esc")
	s.WantNot("› on ")

	s.Press(":")
	s.Type("trace app/disk-0 app/api-0 3260 on storage")
	s.Press("enter")
	s.Want("trace app/disk-0 → app/api-0 tcp 3260 on storage")
	s.Press("t")
	s.Press("enter")
	s.Want("on storage")

	s = open(t)
	s.WantNot("H network")
	s.Press("H")
	s.Want("only the default network is known")
}

// chooseNetwork picks a network by walking down to it.
func chooseNetwork(s *uitest.Screen, name string) {
	s.Press("H")
	_, line, _ := strings.Cut(s.Line(name+"  "), "│")
	s.Press(strings.Fields(strings.TrimLeft(line, "▸ "))[0])
}

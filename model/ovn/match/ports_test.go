package match

import (
	"slices"
	"testing"
)

// Between two of the numbers, and beyond them, an expression says the same of every port.
func TestPorts(t *testing.T) {
	for text, want := range map[string][]uint16{
		"ip4":                                               nil,
		"tcp && tcp.dst == 80":                              {80},
		"tcp && 8000 <= tcp.dst <= 8100":                    {8000, 8100},
		"udp.dst == {53, 5353} || sctp.dst > 7":             {7, 53, 5353},
		"!(tcp.dst != 0x50) && tcp.src == 9":                {80},
		"inport == @a && (ip4.src == $b || tcp.dst < 1024)": {1024},
	} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := ComparedPorts(e); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

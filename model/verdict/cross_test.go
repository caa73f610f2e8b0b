package verdict

import (
	"slices"
	"testing"
)

func TestPortArithmetic(t *testing.T) {
	tcp := func(lo, hi uint16) PortRange { return PortRange{TCP, lo, hi} }
	icmp, udp := PortRange{Protocol: ICMP}, PortRange{UDP, 53, 53}
	for _, tc := range []struct{ all, but, want []PortRange }{
		{[]PortRange{tcp(1, 65535)}, []PortRange{tcp(80, 80)}, []PortRange{tcp(1, 79), tcp(81, 65535)}},
		{[]PortRange{tcp(80, 82), icmp}, []PortRange{tcp(1, 81), udp}, []PortRange{tcp(82, 82), icmp}},
		{[]PortRange{icmp, tcp(1, 5)}, []PortRange{icmp, tcp(1, 65535)}, nil},
		{[]PortRange{tcp(5, 9), udp, tcp(1, 4), tcp(8, 12)}, nil, []PortRange{tcp(1, 12), udp}},
		{[]PortRange{tcp(1, 65535)}, []PortRange{tcp(1, 1), tcp(65535, 65535)}, []PortRange{tcp(2, 65534)}},
	} {
		if got := Except(tc.all, tc.but); !slices.Equal(got, tc.want) {
			t.Errorf("%v without %v: %v, want %v", tc.all, tc.but, got, tc.want)
		}
	}
	if got := Except(EveryPort(), EveryPort()); len(got) > 0 {
		t.Error(got)
	}
}

// What classes say of pods, port by port, is what each connection is asked to be; where
// nothing tells two pods apart, they are alike.
func TestCrossIsEveryVerdict(t *testing.T) {
	asked := 0
	for seed := range uint64(60) {
		w := newWorld(seed)
		c, o := w.cluster()
		x, _ := indexOf(t, c, o)
		classes := x.Classes(nil)
		pods := slices.Collect(c.Pods())
		classes.Cross(pods, pods, func(got Crossed) bool {
			next := [4]int{1, 1, 1, 0}
			for _, g := range got.Segments {
				if int(g.Lo) != next[g.Protocol.number()] {
					t.Fatalf("%s → %s: %v begins behind a hole", got.From, got.To, g)
				}
				next[g.Protocol.number()] = int(g.Hi) + 1
				for _, port := range []uint16{g.Lo, g.Hi} {
					a, err := x.FromPolicies(Connection{From: got.From, To: got.To, Family: got.Family, Protocol: g.Protocol, Port: port})
					if err != nil || a.Verdict != g.Verdict {
						t.Fatalf("seed %d: %s → %s %s %d: %s by itself, %s (%v)", seed, got.From, got.To, g.Protocol, port, g.Verdict, a.Verdict, err)
					}
					asked++
				}
			}
			if next != [4]int{65536, 65536, 65536, 1} {
				t.Fatalf("%s → %s: not every port: %v", got.From, got.To, got.Segments)
			}
			return true
		})
		for _, s := range x.Slices(EveryPort(), []uint16{81}) {
			if s.Protocol != ICMP && s.Lo <= 81 && s.Hi >= 81 && s.Lo != s.Hi {
				t.Fatalf("%v is not cut at 81", s)
			}
		}
	}
	if asked < 10_000 {
		t.Errorf("%d asked", asked)
	}
}

package verdicts

import (
	"rung/model/verdict"

	"slices"
	"testing"
)

func TestPortArithmetic(t *testing.T) {
	tcp := func(lo, hi uint16) verdict.PortRange { return verdict.PortRange{Protocol: verdict.TCP, Lo: lo, Hi: hi} }
	icmp, udp := verdict.PortRange{Protocol: verdict.ICMP}, verdict.PortRange{Protocol: verdict.UDP, Lo: 53, Hi: 53}
	for _, tc := range []struct{ all, but, want []verdict.PortRange }{
		{[]verdict.PortRange{tcp(1, 65535)}, []verdict.PortRange{tcp(80, 80)}, []verdict.PortRange{tcp(1, 79), tcp(81, 65535)}},
		{[]verdict.PortRange{tcp(80, 82), icmp}, []verdict.PortRange{tcp(1, 81), udp}, []verdict.PortRange{tcp(82, 82), icmp}},
		{[]verdict.PortRange{icmp, tcp(1, 5)}, []verdict.PortRange{icmp, tcp(1, 65535)}, nil},
		{[]verdict.PortRange{tcp(5, 9), udp, tcp(1, 4), tcp(8, 12)}, nil, []verdict.PortRange{tcp(1, 12), udp}},
		{[]verdict.PortRange{tcp(1, 65535)}, []verdict.PortRange{tcp(1, 1), tcp(65535, 65535)}, []verdict.PortRange{tcp(2, 65534)}},
	} {
		if got := verdict.SubtractPorts(tc.all, tc.but); !slices.Equal(got, tc.want) {
			t.Errorf("%v without %v: %v, want %v", tc.all, tc.but, got, tc.want)
		}
	}
	if got := verdict.SubtractPorts(verdict.EveryPort(), verdict.EveryPort()); len(got) > 0 {
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
		classes := verdict.NewClasses(x, nil)
		pods := slices.Collect(c.Pods())
		classes.VisitPodPairs(pods, pods, func(got verdict.PodPair) bool {
			next := [4]int{1, 1, 1, 0}
			for _, g := range got.Segments {
				if int(g.Lo) != next[g.Protocol.Number()] {
					t.Fatalf("%s → %s: %v begins behind a hole", got.From, got.To, g)
				}
				next[g.Protocol.Number()] = int(g.Hi) + 1
				for _, port := range []uint16{g.Lo, g.Hi} {
					a, err := verdict.FromPolicies(x, verdict.Connection{From: got.From, To: got.To, Family: got.Family, Protocol: g.Protocol, Port: port})
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
		for _, s := range x.PortSlices(verdict.EveryPort(), []uint16{81}) {
			if s.Protocol != verdict.ICMP && s.Lo <= 81 && s.Hi >= 81 && s.Lo != s.Hi {
				t.Fatalf("%v is not cut at 81", s)
			}
		}
	}
	if asked < 10_000 {
		t.Errorf("%d asked", asked)
	}
}

package match

import (
	"fmt"
	"testing"
)

const benchRow = "outport == @pg && ((ip4.src == $a4 || ip6.src == $a6)) && tcp && (tcp.dst=={443,80,8080} || 30000<=tcp.dst<=32767)"

func benchNamed() string {
	items := make([]NamedItem, 100)
	for i := range items {
		items[i] = NamedItem{fmt.Sprintf("10.128.%d.%d", i/10, i), 8080}
	}
	return RuleMatch{Direction: Ingress, Set4: "a4", V4: true}.NamedPortMatch("tcp", items)
}

func BenchmarkParse(b *testing.B) {
	for name, s := range map[string]string{"row": benchRow, "named100": benchNamed()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEval(b *testing.B) {
	for name, p := range map[string]Packet{
		"otherPort": tcpPacket("ns_a", "ns_b", "10.0.0.1", "10.0.0.9", 80),
		"hit":       tcpPacket("ns_a", "ns_web", "10.1.2.3", "10.0.0.9", 31000),
		"hit6":      tcpPacket("ns_a", "ns_web", "fd01::9", "fd00::9", 443),
	} {
		e := mustParse(b, benchRow)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Eval(e, p, fuzzEnv); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkString(b *testing.B) {
	e := mustParse(b, benchRow)
	b.ReportAllocs()
	for b.Loop() {
		_ = e.String()
	}
}

func BenchmarkWrite(b *testing.B) {
	r := RuleMatch{Ingress, "a11812002181470226204", "a11607853732698494625", "a11607851533675238203", true, true}
	ports := []PortTerm{{443, 443}, {80, 80}, {30000, 32767}}
	b.ReportAllocs()
	for b.Loop() {
		_ = r.NumericMatch("tcp", ports)
	}
}

func BenchmarkAddrSetContains(b *testing.B) {
	members := make([]string, 10000)
	for i := range members {
		members[i] = fmt.Sprintf("10.%d.%d.%d", i/65536, i/256%256, i%256)
	}
	s := NewAddrSet(append(members, "192.168.0.0/16", "172.16.0.0/12"))
	for name, a := range map[string]string{"host": "10.0.39.1", "miss": "11.1.1.1", "net": "172.20.1.1"} {
		addr := addr(a)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.Contains(addr)
			}
		})
	}
}

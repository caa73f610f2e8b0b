package match

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Expressions and packets that were put to OVN's own implementation must come
// out here as there.
func TestAgreesWithOVN(t *testing.T) {
	env := testEnv{
		groups: map[string][]string{"pg": {"web", "db"}, "pg2": {"a"}},
		sets: map[string]*Addresses{
			"a4":    NewAddrSet([]string{"10.0.0.1", "10.1.0.0/16"}),
			"b4":    NewAddrSet([]string{"10.0.0.9", "10.2.2.2/255.0.255.0"}),
			"a6":    NewAddrSet([]string{"fd00::1", "fd01::/64"}),
			"empty": NewAddrSet(nil),
		},
	}
	data, err := os.ReadFile("testdata/ovn-trace.txt")
	if err != nil {
		t.Fatal(err)
	}
	var p Packet
	count := make(map[string]int)
	for line := range strings.Lines(string(data)) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "#":
			continue
		case "packet":
			p = oraclePacket(t, rest)
			continue
		}
		count[word]++
		e, err := Parse(rest)
		if (err != nil) != (word == "refused") {
			t.Errorf("OVN: %s, Parse: %v\n%s", word, err, rest)
		}
		if err != nil {
			continue
		}
		if ok, err := Eval(e, p, env); err != nil || ok != (word == "yes") {
			t.Errorf("OVN: %s, Eval: %v, %v\n%s\n%+v", word, ok, err, rest, p)
		}
	}
	for _, word := range []string{"yes", "no", "refused"} {
		if count[word] < 50 {
			t.Errorf("only %d expressions with %q", count[word], word)
		}
	}
}

func oraclePacket(t *testing.T, s string) Packet {
	t.Helper()
	p := Packet{SrcPort: 40000}
	var src, dst string
	for _, f := range strings.Fields(s) {
		k, v, _ := strings.Cut(f, "=")
		var err error
		switch k {
		case "in":
			p.InPort = v
		case "out":
			p.OutPort = v
		case "src":
			src = v
		case "dst":
			dst = v
		case "proto":
			p.Proto = Proto(v)
		case "eth":
			_, err = fmt.Sscan(v, &p.EthType)
		case "dport":
			_, err = fmt.Sscan(v, &p.DstPort)
		case "icmp":
			_, err = fmt.Sscan(v, &p.ICMPType)
		}
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
	}
	p.Src, p.Dst = addr(src), addr(dst)
	return p
}

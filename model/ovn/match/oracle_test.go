package match

import (
	"fmt"
	"iter"
	"math/big"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Expressions and packets that were put to OVN's own implementation must come
// out here as there.
func TestAgreesWithOVN(t *testing.T) {
	for _, file := range []string{"testdata/ovn-trace.txt", "testdata/ovn-trace-fields.txt"} {
		count := make(map[string]int)
		var p Packet
		for word, rest := range oracleLines(t, file) {
			if word == "packet" {
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
			if ok, err := Eval(e, p, oracleEnv); err != nil || ok != (word == "yes") {
				t.Errorf("OVN: %s, Eval: %v, %v\n%s\n%+v", word, ok, err, rest, p)
			}
		}
		for _, word := range []string{"yes", "no", "refused"} {
			if count[word] < 50 {
				t.Errorf("%s: only %d expressions with %q", file, count[word], word)
			}
		}
	}
}

var oracleEnv = testEnv{
	groups: map[string][]string{"pg": {"web", "db"}, "pg2": {"a"}},
	sets: map[string]*AddrSet{
		"a4":    NewAddrSet([]string{"10.0.0.1", "10.1.0.0/16"}),
		"b4":    NewAddrSet([]string{"10.0.0.9", "10.2.2.2/255.0.255.0"}),
		"a6":    NewAddrSet([]string{"fd00::1", "fd01::/64"}),
		"empty": NewAddrSet(nil),
	},
}

// oracleLines are the first word and the rest of every line but comments.
func oracleLines(t *testing.T, file string) iter.Seq2[string, string] {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(word, rest string) bool) {
		for line := range strings.Lines(string(data)) {
			word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if word != "#" && !yield(word, rest) {
				return
			}
		}
	}
}

// Every symbol takes what OVN's symbol takes and nothing else.
func TestSymbolsAgreeWithOVN(t *testing.T) {
	seen := 0
	for name, rest := range oracleLines(t, "testdata/ovn-symbols.txt") {
		seen++
		f := strings.Fields(rest)
		width, err := strconv.Atoi(f[0])
		if err != nil || symbols[name] == nil {
			t.Errorf("%s: %v, symbol %v", name, err, symbols[name])
			continue
		}
		forms := map[string]string{
			"==": name + " == 1", "!=": name + " != 1", "<": name + " < 1", "!==": "!(" + name + " == 1)", "alone": name, "!": "!" + name,
			"bit": name + "[0]", "top": fmt.Sprintf("%s[%d]", name, width-1), "above": fmt.Sprintf("%s[%d]", name, width),
			"all": fmt.Sprintf("%s[0..%d] == 1", name, width-1),
		}
		if width < 128 {
			forms["fits"] = fmt.Sprintf("%s == %#x", name, new(big.Int).Lsh(big.NewInt(1), uint(width-1)))
			forms["wide"] = fmt.Sprintf("%s == %#x", name, new(big.Int).Lsh(big.NewInt(1), uint(width)))
		}
		for form, text := range forms {
			_, err := Parse(text)
			if takes := slices.Contains(f[1:], form); takes != (err == nil) {
				t.Errorf("OVN takes %q: %v; Parse: %v", text, takes, err)
			}
		}
	}
	if seen < 80 {
		t.Errorf("only %d symbols", seen)
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
		case "ethsrc":
			p.EthSrc = mac(t, v)
		case "ethdst":
			p.EthDst = mac(t, v)
		case "vlan":
			_, err = fmt.Sscan(v, &p.VLAN)
		case "ttl":
			_, err = fmt.Sscan(v, &p.TTL)
		case "flags":
			_, err = fmt.Sscan(v, &p.TCPFlags)
		case "arpop":
			_, err = fmt.Sscan(v, &p.ARPOp)
		case "target":
			p.Target = addr(v)
		}
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
	}
	p.Src, p.Dst = addr(src), addr(dst)
	return p
}

func mac(t *testing.T, s string) MAC {
	t.Helper()
	a, err := net.ParseMAC(s)
	if err != nil {
		t.Fatal(err)
	}
	return MAC(a)
}

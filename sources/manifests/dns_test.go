package manifests

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseDNS(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       map[string][]string
		err        string
	}{
		{"yaml", "a.example: [192.0.2.1, 2001:DB8::1, 192.0.2.1]\nb.example: []\nc.example:\n",
			map[string][]string{"a.example": {"192.0.2.1", "2001:db8::1"}, "b.example": nil, "c.example": nil}, ""},
		{"json", `{"a.example": ["192.0.2.1"]}`, map[string][]string{"a.example": {"192.0.2.1"}}, ""},
		{"empty", "", map[string][]string{}, ""},
		{"a list", "- a.example\n", nil, "dns.yaml: line 1: want a mapping of DNS names to lists of addresses"},
		{"no list", "a.example: 192.0.2.1\n", nil, "dns.yaml: line 1: a.example: want a list of addresses"},
		{"no address", "a.example:\n- 192.0.2.1\n- 192.0.2.300\n", nil, `dns.yaml: line 3: a.example: "192.0.2.300" is not an address`},
		{"twice", "a.example: []\na.example: []\n", nil, `dns.yaml: line 2: "a.example": want a DNS name, each once`},
		{"no yaml", "a: [", nil, "dns.yaml: line 1: did not find expected node content"},
	} {
		got, err := ParseDNS("dns.yaml", []byte(c.text))
		if text := errText(err); text != c.err {
			t.Errorf("%s: error %q, want %q", c.name, text, c.err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

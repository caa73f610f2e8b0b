package verdict

import (
	"net/netip"
	"testing"
)

// TestExampleAddresses: what stands for the addresses of a network is one that people know
// for an example where there is one, else no address that reads as a network's.
func TestExampleAddresses(t *testing.T) {
	for _, tc := range []struct {
		network string
		inner   []string
		want    string // empty for none
	}{
		{"0.0.0.0/0", nil, "192.0.2.1"},
		{"0.0.0.0/0", []string{"192.0.0.0/16"}, "198.51.100.1"},
		{"0.0.0.0/0", []string{"192.0.0.0/16", "198.51.0.0/16", "203.0.113.1/32"}, "0.0.0.1"},
		{"::/0", nil, "2001:db8::1"},
		{"192.0.0.0/8", nil, "192.0.2.1"},
		{"10.0.32.0/19", nil, "10.0.32.1"},
		{"10.0.32.0/19", []string{"10.0.32.1/32"}, "10.0.32.0"},
		{"10.0.32.0/19", []string{"10.0.32.0/24"}, "10.0.33.1"},
		{"10.0.32.0/32", nil, "10.0.32.0"},
		{"10.0.32.4/30", nil, "10.0.32.4"},
		{"fd00::/8", nil, "fd00::1"},
		{"10.0.0.0/31", []string{"10.0.0.0/32", "10.0.0.1/32"}, ""},
		{"224.0.0.0/8", nil, ""},
	} {
		var inner []netip.Prefix
		for _, p := range tc.inner {
			inner = append(inner, netip.MustParsePrefix(p))
		}
		a, _, ok := (&Partition{}).freeAddr(netip.MustParsePrefix(tc.network), inner)
		if !ok && tc.want == "" {
			continue
		}
		if a.String() != tc.want {
			t.Errorf("%s without %v: %s, want %q", tc.network, tc.inner, a, tc.want)
		}
	}
}

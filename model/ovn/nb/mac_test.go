package nb

import (
	"net/netip"
	"testing"
)

// The hash is of the address as it is written, as `printf fd01:0:0:1::1 | sha256sum`
// gives it.
func TestMAC(t *testing.T) {
	for addr, want := range map[string]string{
		"10.244.1.3": "0a:58:0a:f4:01:03", "::ffff:10.244.1.3": "0a:58:0a:f4:01:03", "fd01:0:0:1::1": "0a:58:06:cc:5b:0e",
	} {
		if got := MAC(netip.MustParseAddr(addr)); got != want {
			t.Errorf("MAC of %s is %s, want %s", addr, got, want)
		}
	}
	if got := MAC(netip.Addr{}); got != "" {
		t.Errorf("MAC of no address is %q", got)
	}
}

package match

import (
	"net"
	"testing"
)

// FuzzParseCIDR: what OVN-Kubernetes' own parser takes is taken, and means the same.
func FuzzParseCIDR(f *testing.F) {
	for _, s := range []string{"10.0.0.0/8", "10.1.2.3/08", "10.0.0.0/0000000000000000000000008", "10.0.0.0/33", "10.0.0.0/+8", "10.0.0.0/", "10.0.0.0", "010.0.0.0/8",
		"2001:0db8::1/32", "fe80::1%eth0/64", "::/0", "::ffff:a00:0/104", "::ffff:1.2.3.4/128", "::ffff:0:0/96", "::ffff:0:0/95", "::ffff:0:0/90", "1.2.3.4/8/8", " 10.0.0.0/8"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, want, err := net.ParseCIDR(s)
		got, ok := ParseCIDR(s)
		if ok != (err == nil) || ok && got.Masked().String() != want.String() {
			t.Errorf("%q: %v %v, want %v %v", s, got, ok, want, err)
		}
	})
}

package revision_test

import (
	"net/netip"
	"testing"

	"rung/model/verdict"
	"rung/revision"
)

// TestEndsOutside: networks are named with what of them is not meant.
func TestEndsOutside(t *testing.T) {
	networks := func(texts ...string) (out []netip.Prefix) {
		for _, s := range texts {
			out = append(out, netip.MustParsePrefix(s))
		}
		return out
	}
	for _, tc := range []struct {
		outside, except []netip.Prefix
		want            string
	}{
		{networks("10.0.0.0/8", "10.1.2.3/32"), nil, "10.0.0.0/8, 10.1.2.3"},
		{networks("0.0.0.0/0", "::/0"), nil, "other addresses"},
		{networks("10.0.0.0/8"), networks("10.1.0.0/16"), "10.0.0.0/8 except 10.1.0.0/16"},
		{networks("0.0.0.0/0"), networks("10.0.0.0/8", "8.8.8.8/32"), "other addresses except 10.0.0.0/8 and 8.8.8.8"},
		{networks("10.0.0.0/8", "10.1.2.0/24"), networks("10.1.0.0/16", "10.1.2.4/32"), "10.0.0.0/8 (except 10.1.0.0/16), 10.1.2.0/24 (except 10.1.2.4)"},
	} {
		ends := verdict.Ends{Outside: tc.outside, Except: tc.except}
		if got := revision.EndsText(ends); got != tc.want {
			t.Errorf("%v except %v: %q, want %q", tc.outside, tc.except, got, tc.want)
		}
	}
	e := verdict.Ends{Outside: networks("10.0.0.0/8", "10.1.2.0/24"), Except: networks("10.1.0.0/16", "10.1.2.4/32")}
	for a, want := range map[string]bool{"10.2.0.1": true, "10.1.0.1": false, "10.1.2.3": true, "10.1.2.4": false, "11.0.0.1": false} {
		if got := e.HasOutside(netip.MustParseAddr(a)); got != want {
			t.Errorf("%s: %v", a, got)
		}
	}
}

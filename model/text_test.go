package model

import "testing"

// TestPortText: a protocol that OVN-Kubernetes does not know is not taken for one it does.
func TestPortText(t *testing.T) {
	for _, c := range []struct {
		p    Port
		want string
	}{
		{Port{Protocol: "TCP", Start: 80, End: 80}, "tcp 80"},
		{Port{Protocol: "UDP", Start: 8000, End: 8010, Range: true}, "udp 8000–8010"},
		{Port{Protocol: "SCTP"}, "sctp"},
		{Port{Name: "http"}, `"http"`},
		{Port{Protocol: "tcp", Start: 80, End: 80}, `protocol "tcp" 80`},
		{Port{Protocol: "tcp"}, `protocol "tcp"`},
	} {
		if got := c.p.String(); got != c.want {
			t.Errorf("%+v is %q, want %q", c.p, got, c.want)
		}
	}
}

func TestLabelsOfAntrea(t *testing.T) {
	for want, k := range map[string]Key{
		"ACNP wall":            {Kind: KindACNP, Name: "wall"},
		"ANNP shop/wall":       {Kind: KindANNP, Namespace: "shop", Name: "wall"},
		"Tier mine":            {Kind: KindTier, Name: "mine"},
		"ClusterGroup nested":  {Kind: KindClusterGroup, Name: "nested"},
		"Group default/nested": {Kind: KindGroup, Namespace: "default", Name: "nested"},
	} {
		if got := k.Label(); got != want {
			t.Errorf("%s is called %q, want %q", k, got, want)
		}
	}
}

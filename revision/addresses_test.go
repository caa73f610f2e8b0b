package revision

import (
	"net/netip"
	"slices"
	"testing"

	"rung/model"
)

// TestAddressesAreOfTheSubnets: an address that is handed out lies in a subnet of pods, next to a pod
// of it if there is one, and nobody has it.
func TestAddressesAreOfTheSubnets(t *testing.T) {
	prefixes := func(all ...string) (out []netip.Prefix) {
		for _, p := range all {
			out = append(out, netip.MustParsePrefix(p))
		}
		return out
	}
	pod := &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: "a", Name: "p"}}, NodeName: "n", Phase: "Running", IPs: []string{"10.50.0.9", "fd50::9"}}
	with, _ := new(model.Cluster).Upsert([]model.Object{pod}, nil)
	for _, test := range []struct {
		name    string
		c       *model.Cluster
		subnets []netip.Prefix
		near    []string
		want    []string
	}{
		{"nothing is known", new(model.Cluster), nil, nil, []string{"10.128.0.3", "fd01::3"}},
		{"a subnet of each family", new(model.Cluster), prefixes("192.168.0.0/16", "fd77::/48"), nil, []string{"192.168.0.3", "fd77::3"}},
		{"a subnet of one family", new(model.Cluster), prefixes("192.168.0.0/16"), nil, []string{"192.168.0.3", "fd01::3"}},
		{"next to a pod", with, nil, nil, []string{"10.50.0.10", "fd50::a"}},
		{"next to a pod of the subnet", with, prefixes("10.48.0.0/12"), nil, []string{"10.50.0.10", "fd50::a"}},
		{"no pod is of the subnet", with, prefixes("192.168.0.0/16", "fd77::/48"), nil, []string{"192.168.0.3", "fd77::3"}},
		{"on a node", with, prefixes("10.48.0.0/12"), FirstPodAddresses(prefixes("10.49.3.0/24")), []string{"10.49.3.3", "fd50::a"}},
	} {
		taken := []netip.Addr{netip.MustParseAddr("10.50.0.9"), netip.MustParseAddr("fd50::9")}
		a := NewAllocator(test.c, true, true, taken, test.subnets)
		got := a.AddressesNear(test.near)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		if next := a.AddressesNear(test.near); next[0] == got[0] || next[1] == got[1] {
			t.Errorf("%s: %v were handed out twice", test.name, next)
		}
	}
}

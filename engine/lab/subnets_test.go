package lab

import (
	"net/netip"
	"slices"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/revision"
)

// TestPodSubnets: the sandbox routes what settings and nodes name, and where pods are besides.
func TestPodSubnets(t *testing.T) {
	node := &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: "n1"}}, Subnets: []string{"10.132.4.0/23", "fd03:0:0:1::/64"}}
	pod := func(name string, ips ...string) *model.Pod {
		return &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: "a", Name: name}}, NodeName: "n1", Phase: "Running", IPs: ips}
	}
	host := pod("host", "172.18.0.2")
	host.HostNetwork = true
	c, _ := new(model.Cluster).Upsert([]model.Object{node, host, pod("known", "10.132.5.7", "fd03:0:0:1::7"), pod("other", "192.168.9.4", "fd09::4"), pod("same", "192.168.9.5")}, nil)
	for _, test := range []struct{ flag, want []string }{
		{nil, []string{"10.132.4.0/23", "192.168.9.0/24", "fd03:0:0:1::/64", "fd09::/64"}},
		{[]string{"192.168.0.0/16"}, []string{"10.132.4.0/23", "192.168.0.0/16", "fd03:0:0:1::/64", "fd09::/64"}},
	} {
		o := compiler.Options{IPv4: true, IPv6: true}
		for _, p := range test.flag {
			o.ClusterSubnets = append(o.ClusterSubnets, netip.MustParsePrefix(p))
		}
		var got []string
		for _, p := range podSubnets(revision.New(revision.Facts{Cluster: c, Desired: compiler.Compile(c, o)}, nil)) {
			got = append(got, p.String())
		}
		slices.Sort(got)
		if !slices.Equal(got, test.want) {
			t.Errorf("--cluster-subnets %v: %v, want %v", test.flag, got, test.want)
		}
	}
}

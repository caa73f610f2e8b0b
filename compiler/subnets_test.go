package compiler

import (
	"net/netip"
	"slices"
	"testing"

	"rung/model"
	"rung/model/ovn/match"
	"rung/test/made"
)

// Without the cluster's subnets the rows of EgressFirewalls leave out those of the nodes, and
// follow them.
func TestNodeSubnets(t *testing.T) {
	node := func(name string, subnets ...string) *model.Node {
		n := made.Node(name, "")
		n.Subnets = subnets
		return n
	}
	ef := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindEF, Namespace: "blue", Name: "default"}}, Tier: model.TierNetwork,
		Subject: model.Subject{Namespace: "blue", Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true},
		Egress:  []model.Rule{{Direction: model.Egress, Action: model.Deny, Peers: made.Peers(made.NetPeer("0.0.0.0/0"))}}}
	c := New(Options{IPv4: true})
	var now *model.Cluster
	step := func(want ...string) {
		t.Helper()
		var prefixes []netip.Prefix
		for _, w := range want {
			prefixes = append(prefixes, netip.MustParsePrefix(w))
		}
		d := c.desired
		if got := d.Options().ClusterSubnets; !slices.Equal(got, prefixes) {
			t.Errorf("subnets %v, want %v", got, prefixes)
		}
		acl := d.RowsOfUnit(ef.Key, "", nil).ACLs[0]
		if text := "(" + match.EFNetwork("0.0.0.0/0", prefixes) + ")"; acl.Match[:len(text)] != text {
			t.Errorf("row %s, want %s…", acl.Match, text)
		}
		if !d.Options().NodeSubnets {
			t.Error("the subnets count as given")
		}
	}
	apply := func(changes ...model.Change) {
		var objects []model.Object
		gone := map[model.Key]bool{}
		for _, ch := range changes {
			gone[ch.Key()] = true
			if ch.New != nil {
				objects = append(objects, ch.New)
			}
		}
		if now != nil {
			for o := range now.Objects() {
				if !gone[o.ObjectKey()] {
					objects = append(objects, o)
				}
			}
		}
		now = made.Cluster(objects...)
		c.Apply(now, changes)
	}
	n1, n2 := node("n1", "10.244.0.0/24"), node("n2", "10.244.1.0/24", "fd01:0:0:1::/64")
	apply(model.Change{New: made.NS("blue", "")}, model.Change{New: n1}, model.Change{New: ef})
	step("10.244.0.0/24")
	apply(model.Change{New: n2})
	step("10.244.0.0/23", "fd01:0:0:1::/64")
	n3 := node("n2", "10.244.2.0/24")
	apply(model.Change{Old: n2, New: n3})
	step("10.244.0.0/24", "10.244.2.0/24")
	apply(model.Change{Old: n3})
	step("10.244.0.0/24")
	d, _ := c.Reconfigure(Options{IPv4: true, ClusterSubnets: []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16")}})
	if d.Options().NodeSubnets || len(d.Options().ClusterSubnets) != 1 || d.Options().ClusterSubnets[0].Bits() != 16 {
		t.Error("given subnets do not count:", d.Options().ClusterSubnets)
	}
	if again := Compile(now, d.Options()); again.Options().NodeSubnets {
		t.Error("options of given subnets are not given")
	}
}

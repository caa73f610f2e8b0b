package verdicts

import (
	"net/netip"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/verdict"
	"rung/test/made"
)

// An EgressFirewall leaves the subnets of the cluster's pods out of its networks. Where nobody
// gave them, those of the nodes are known to be among them; what becomes of other pods is not
// known, and said to be so.
func TestFirewallWithoutClusterSubnets(t *testing.T) {
	n1, n2 := made.Node("n1", "", "172.18.0.2"), made.Node("n2", "", "172.18.0.3")
	n1.Subnets = []string{"10.244.0.0/24", "fd01::/64"}
	on := func(node, name string, ips ...string) *model.Pod {
		p := made.Pod(name, "app=x", ips...)
		p.NodeName = node
		return p
	}
	ef := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindEF, Namespace: "blue", Name: "default"}}, Tier: model.TierNetwork,
		Subject: model.Subject{Namespace: "blue", Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true},
		Egress: []model.Rule{{Direction: model.Egress, Action: model.Allow, Peers: made.Peers(made.NetPeer("10.244.9.0/24"))},
			{Direction: model.Egress, Index: 1, Action: model.Deny, Peers: made.Peers(made.NetPeer("0.0.0.0/0"))},
			{Direction: model.Egress, Index: 2, Action: model.Deny, Peers: made.Peers(made.NetPeer("::/0"))}}}
	c := made.Cluster(made.NS("blue", ""), n1, n2, ef, on("n1", "blue/a", "10.244.0.5", "fd01::5"), on("n1", "blue/b", "10.244.0.6", "fd01::6"),
		on("n2", "blue/c", "10.244.1.7", "fd01:0:0:1::7"))
	d := compiler.Compile(c, compiler.Options{IPv4: true, IPv6: true})
	o := d.Options()
	x := verdict.NewIndex(verdict.View{Cluster: c, Options: verdict.Options{IPv4: true, IPv6: true, ClusterSubnets: o.ClusterSubnets, NodeSubnets: o.NodeSubnets}})
	addr := func(text string) verdict.Endpoint { return verdict.AddrEnd(netip.MustParseAddr(text)) }
	const unknown = "pod subnets unknown, and an EgressFirewall excludes them: set --cluster-subnets"
	for _, test := range []struct {
		to     verdict.Endpoint
		family verdict.Family
		want   verdict.Verdict
		why    string
	}{
		{verdict.PodEnd("blue", "b"), verdict.IPv4, verdict.Allow, ""},
		{verdict.PodEnd("blue", "b"), verdict.IPv6, verdict.Allow, ""},
		{verdict.PodEnd("blue", "c"), verdict.IPv4, verdict.Unknown, unknown},
		{verdict.PodEnd("blue", "c"), verdict.IPv6, verdict.Unknown, unknown},
		{addr("198.51.100.7"), verdict.IPv4, verdict.Deny, ""},
		{addr("2001:db8::7"), verdict.IPv6, verdict.Deny, ""},
		{addr("10.244.0.77"), verdict.IPv4, verdict.Allow, ""},
	} {
		q := verdict.Connection{From: verdict.PodEnd("blue", "a"), To: test.to, Protocol: verdict.TCP, Port: 80, Family: test.family}
		a, err := verdict.FromPolicies(x, q)
		if err != nil || a.Verdict != test.want || a.Reason != test.why {
			t.Errorf("%s IPv%d: %s %q %v, want %s %q", q, test.family, a.Verdict, a.Reason, err, test.want, test.why)
		}
	}
}

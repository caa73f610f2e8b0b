package verdicts

import (
	"net/netip"
	"testing"

	"rung/model"
	"rung/model/convert"
	"rung/model/verdict"
	"rung/test/made"
)

// TestConversionDiffers has a connection for each way in which a rule that is not exact
// differs: it is decided otherwise, today or once something is there that is not yet.
func TestConversionDiffers(t *testing.T) {
	udp := made.Pod("b/udp", "app=udp", "10.1.0.3")
	udp.Ports = []model.ContainerPort{{Name: "http", Protocol: "UDP", Port: 53}}
	account := made.Pod("b/account", "app=acc", "10.1.0.4")
	account.ServiceAccount = "s"
	node := made.Node("n", "", "172.18.0.2", "172.18.9.9")
	node.InternalIPs = []string{"172.18.0.2"}
	svc := &model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: "b", Name: "s"}}, Type: "ClusterIP", ClusterIPs: []string{"10.96.0.1"},
		Selector: udp.Labels, Ports: []model.ServicePort{{Protocol: "TCP", Port: 80}}}
	group := antreaGroup(model.KindClusterGroup, "", "g")
	group.Service = &svc.Key
	space := func(name string) *model.Namespace { return made.NS(name, "kubernetes.io/metadata.name="+name) }
	base := []model.Object{space("a"), space("b"), made.Pod("a/x", "app=x", "10.1.0.1"), made.Pod("a/y", "app=y", "10.1.0.2"), udp, account, node, svc, group}
	a, out := verdict.PodEnd("a", "x"), verdict.AddrEnd(netip.MustParseAddr("8.8.8.8"))
	b, acc, host := verdict.PodEnd("b", "udp"), verdict.PodEnd("b", "account"), verdict.AddrEnd(netip.MustParseAddr("172.18.9.9"))
	everywhere := []model.AppliedTo{{Select: true, Namespaces: model.SelectEverything(), Pods: made.Sel("app=x")}}
	s := &model.ServiceAccount{Namespace: "b", Name: "s"}
	drop := func(change func(*model.Policy, *model.Rule)) *model.Policy {
		p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindACNP, Name: "p"}}, Tier: model.TierAdmin,
			Tiered: &model.TieredPolicy{Tier: "application", Priority: 5, AppliedTo: everywhere}}
		r := model.Rule{Direction: model.Egress, Action: model.Deny, Tiered: &model.TieredRule{Action: "Drop"}}
		change(p, &r)
		if r.Direction == model.Ingress {
			p.Ingress = []model.Rule{r}
		} else {
			p.Egress = []model.Rule{r}
		}
		return p
	}
	pods := made.Peers(made.NSPeer("*"))
	other := slicesOf(space("d"), made.Pod("d/x", "app=x", "10.1.0.8"), made.Pod("d/y", "app=y", "10.1.0.9"))
	moved := *svc
	moved.Selector = made.Pod("x/x", "app=y").Labels
	for _, c := range []struct {
		name          string
		in            *model.Policy
		label         convert.FidelityLabel
		differs       convert.Difference
		asked         verdict.Connection
		before, after verdict.Verdict
		later         []model.Object
	}{
		{"from outside", drop(func(_ *model.Policy, r *model.Rule) { r.Direction, r.AnyPeer = model.Ingress, true }),
			convert.Approximate, convert.DiffersNow, verdict.Connection{From: out, To: a, Protocol: verdict.TCP, Port: 80}, verdict.Deny, verdict.Allow, nil},
		{"ingress networks", drop(func(_ *model.Policy, r *model.Rule) {
			r.Direction, r.Peers = model.Ingress, made.Peers(made.NetPeer("8.0.0.0/8"))
		}),
			convert.Inexpressible, convert.DiffersNow, verdict.Connection{From: out, To: a, Protocol: verdict.TCP, Port: 80}, verdict.Deny, verdict.Allow, nil},
		{"named port", drop(func(_ *model.Policy, r *model.Rule) {
			r.Peers, r.Ports = pods, []model.Port{{Protocol: "TCP", Name: "http"}}
		}),
			convert.Approximate, convert.DiffersNow, verdict.Connection{From: a, To: b, Protocol: verdict.UDP, Port: 53}, verdict.Allow, verdict.Deny, nil},
		{"nodes", drop(func(_ *model.Policy, r *model.Rule) { r.Peers = made.Peers(made.NodePeer("*")) }),
			convert.Approximate, convert.DiffersNow, verdict.Connection{From: a, To: host, Protocol: verdict.TCP, Port: 80}, verdict.Allow, verdict.Deny, nil},
		{"fqdn", drop(func(_ *model.Policy, r *model.Rule) {
			r.Peers = made.Peers(model.Peer{Kind: model.PeerDNS, DNSName: "x.com"})
		}),
			convert.Inexpressible, convert.DiffersNow, verdict.Connection{From: a, To: out, Protocol: verdict.TCP, Port: 80}, verdict.Unknown, verdict.Allow, nil},
		{"service account", drop(func(_ *model.Policy, r *model.Rule) {
			r.Peers = made.Peers(model.Peer{Kind: model.PeerServiceAccount, ServiceAccount: s})
		}),
			convert.Inexpressible, convert.DiffersNow, verdict.Connection{From: a, To: acc, Protocol: verdict.TCP, Port: 80}, verdict.Deny, verdict.Allow, nil},
		{"applied to a service account", drop(func(p *model.Policy, r *model.Rule) {
			r.Peers, p.Tiered.AppliedTo = pods, append([]model.AppliedTo{{ServiceAccount: s}}, everywhere...)
		}), convert.Approximate, convert.DiffersNow, verdict.Connection{From: acc, To: a, Protocol: verdict.TCP, Port: 80}, verdict.Deny, verdict.Allow, nil},
		{"icmp", drop(func(_ *model.Policy, r *model.Rule) {
			r.Peers, r.Ports, r.Tiered.Protocols = pods, []model.Port{made.TCP(80)}, []model.RuleProtocol{{Protocol: "ICMP"}}
		}), convert.Approximate, convert.DiffersNow, verdict.Connection{From: a, To: b, Protocol: verdict.ICMP}, verdict.Deny, verdict.Allow, nil},
		{"layer 7", drop(func(_ *model.Policy, r *model.Rule) {
			r.AnyPeer, r.Action, r.Tiered = true, model.Allow, &model.TieredRule{Action: "Allow", L7: []string{"http GET"}}
		}), convert.Inexpressible, convert.DiffersNow, verdict.Connection{From: a, To: b, Protocol: verdict.UDP, Port: 80}, verdict.Deny, verdict.Allow, nil},
		{"toServices", drop(func(_ *model.Policy, r *model.Rule) { r.Tiered.ToServices = []model.Key{svc.Key} }),
			convert.Approximate, convert.DiffersNow, verdict.Connection{From: a, To: b, Protocol: verdict.TCP, Port: 80}, verdict.Allow, verdict.Deny, nil},
		{"Reject", drop(func(_ *model.Policy, r *model.Rule) { r.Peers, r.Tiered.Action = pods, "Reject" }),
			convert.Approximate, convert.DiffersAnswer, verdict.Connection{From: a, To: b, Protocol: verdict.TCP, Port: 80}, verdict.Deny, verdict.Deny, nil},
		{"Self, today", drop(self), convert.Approximate, convert.DiffersLater, verdict.Connection{From: a, To: verdict.PodEnd("a", "y"), Protocol: verdict.TCP, Port: 80}, verdict.Deny, verdict.Deny, nil},
		{"Self, another namespace", drop(self), convert.Approximate, convert.DiffersLater,
			verdict.Connection{From: verdict.PodEnd("d", "x"), To: verdict.PodEnd("d", "y"), Protocol: verdict.TCP, Port: 80}, verdict.Deny, verdict.Allow, other},
		{"serviceReference, today", drop(func(_ *model.Policy, r *model.Rule) {
			r.Peers = made.Peers(model.Peer{Kind: model.PeerGroup, Group: "g"})
		}),
			convert.Approximate, convert.DiffersLater, verdict.Connection{From: a, To: b, Protocol: verdict.TCP, Port: 80}, verdict.Deny, verdict.Deny, nil},
		{"serviceReference, another selector", drop(func(_ *model.Policy, r *model.Rule) {
			r.Peers = made.Peers(model.Peer{Kind: model.PeerGroup, Group: "g"})
		}),
			convert.Approximate, convert.DiffersLater, verdict.Connection{From: a, To: b, Protocol: verdict.TCP, Port: 80}, verdict.Allow, verdict.Deny, slicesOf(&moved)},
		{"to Antrea: priority", made.ANP("p", 101, "*", nil, []model.Rule{made.Rule(model.Deny, pods)}),
			convert.Approximate, convert.DiffersNow, verdict.Connection{From: a, To: b, Protocol: verdict.TCP, Port: 80}, verdict.Allow, verdict.Deny, nil},
		{"to Antrea: nodes", made.ANP("p", 1, "*", nil, []model.Rule{made.Rule(model.Deny, made.Peers(made.NodePeer("*")))}),
			convert.Approximate, convert.DiffersNow, verdict.Connection{From: a, To: host, Protocol: verdict.TCP, Port: 80}, verdict.Deny, verdict.Allow, nil},
		{"to Antrea: a named port that the peer declares", made.ANP("p", 1, "kubernetes.io/metadata.name=a", []model.Rule{made.Rule(model.Deny, pods, model.Port{Name: "http"})}, nil),
			convert.Approximate, convert.DiffersNow, verdict.Connection{From: verdict.PodEnd("a", "y"), To: b, Protocol: verdict.UDP, Port: 53}, verdict.Deny, verdict.Allow, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			cluster := made.Cluster(append(slicesOf(c.in), base...)...)
			r, there := convert.FromAntrea(cluster, model.KindANP), func(c *model.Cluster) enforced { return enforcedBy(verdict.Antrea, c) }
			here := func(c *model.Cluster) enforced { return enforcedBy(verdict.Stages, c) }
			if c.in.Tiered == nil {
				r, there, here = convert.ToAntrea(cluster), onOVN, there
			}
			if got := &r.Rules[0]; got.Label != c.label || got.Differs != c.differs {
				t.Errorf("%s, %s: %s", got.Label, got.Differs, got.Why)
			}
			cluster, _ = cluster.Upsert(c.later, nil)
			for _, side := range []struct {
				enforced
				want verdict.Verdict
			}{{there(cluster), c.before}, {here(replaced(cluster, r.Policies, c.in.Kind)), c.after}} {
				got, err := verdict.FromPolicies(side.Index, c.asked)
				if err != nil {
					t.Fatal(err)
				}
				if got.Verdict != side.want {
					t.Errorf("%s: %s, want %s (%s)", c.asked, got.Verdict, side.want, got.Reason)
				}
			}
		})
	}
}

func self(_ *model.Policy, r *model.Rule) {
	r.Peers = made.Peers(model.Peer{Kind: model.PeerPods, Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), Match: &model.NamespaceMatch{Self: true}})
}

func slicesOf(o ...model.Object) []model.Object { return o }

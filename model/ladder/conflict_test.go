package ladder

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/selectors"
	"rung/test/made"
)

func TestConflicts(t *testing.T) {
	objects := []model.Object{
		made.NS("blue", "tenant=blue"), made.NS("red", "tenant=red"), made.NS("solo", "tenant=solo"), made.NS("six", "tenant=six"), made.NS("young", "tenant=young"),
		made.WithPorts(made.Pod("blue/api", "app=api", "10.1.0.1", "fd00::1"), model.ContainerPort{Name: "http", Protocol: "TCP", Port: 8080}),
		made.Pod("blue/db", "app=db", "10.1.0.2"),
		made.WithPorts(made.Pod("red/web", "app=web", "10.2.0.1"), model.ContainerPort{Name: "http", Protocol: "TCP", Port: 8080}, model.ContainerPort{Name: "dns", Protocol: "UDP", Port: 53}),
		made.Pod("solo/one", "app=one", "10.3.0.1"),
		made.Pod("six/web", "app=web", "fd00::6"),
		made.Pod("young/web", "app=web"),
		made.Node("cp", "role=cp", "192.168.0.1", "fd01::1"), made.Node("wk", "role=worker", "192.168.0.2"),
	}
	red, blue, all, solo := made.NSPeer("tenant=red"), made.NSPeer("tenant=blue"), made.NSPeer("*"), made.NSPeer("tenant=solo")
	http := model.Port{Name: "http"}
	tests := []struct {
		name    string
		dir     model.Direction
		subject string // of both; the second policy may have its own
		other   string
		a, b    []model.Rule
		want    []string
	}{
		{name: "pods and any port", dir: model.Ingress, a: []model.Rule{made.Rule(model.Allow, made.Peers(all))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(red))},
			want: []string{"red/web → blue/api any port"}},
		{name: "egress the other way", dir: model.Egress, a: []model.Rule{made.Rule(model.Allow, made.Peers(all))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(red))},
			want: []string{"blue/api → red/web any port"}},
		{name: "same action", dir: model.Ingress, a: []model.Rule{made.Rule(model.Deny, made.Peers(all))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(all))}},
		{name: "Allow and Pass disagree", dir: model.Ingress, a: []model.Rule{made.Rule(model.Allow, made.Peers(all))}, b: []model.Rule{made.Rule(model.Pass, made.Peers(red))},
			want: []string{"red/web → blue/api any port"}},
		{name: "other indexes have other priorities", dir: model.Ingress, a: []model.Rule{made.Rule(model.Allow, made.Peers(all))},
			b: []model.Rule{made.Rule(model.Allow, made.Peers(all)), made.Rule(model.Deny, made.Peers(all))}},
		{name: "second rules", dir: model.Ingress, a: []model.Rule{made.Rule(model.Allow, made.Peers(red)), made.Rule(model.Allow, made.Peers(red), made.TCP(80), made.TCP(443))},
			b:    []model.Rule{made.Rule(model.Allow, made.Peers(red)), made.Rule(model.Deny, made.Peers(red), made.UDP(443), model.Port{Protocol: "TCP", Start: 400, End: 500, Range: true})},
			want: []string{"red/web → blue/api tcp 443"}},
		{name: "subjects apart", dir: model.Ingress, other: "tenant=red", a: []model.Rule{made.Rule(model.Allow, made.Peers(all))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(all))}},
		{name: "subjects share one pod", dir: model.Ingress, other: "*", a: []model.Rule{made.Rule(model.Allow, made.Peers(red))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(red))},
			want: []string{"red/web → blue/api any port"}},
		{name: "peers apart", dir: model.Ingress, a: []model.Rule{made.Rule(model.Allow, made.Peers(red))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(blue))}},
		{name: "ports apart", dir: model.Ingress, a: []model.Rule{made.Rule(model.Allow, made.Peers(red), made.TCP(80))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(red), made.TCP(81))}},
		{name: "protocols apart", dir: model.Ingress, a: []model.Rule{made.Rule(model.Allow, made.Peers(red), made.TCP(80))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(red), made.UDP(80))}},
		{name: "a pod is no peer of itself", dir: model.Ingress, subject: "tenant=solo", a: []model.Rule{made.Rule(model.Allow, made.Peers(solo))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(solo))}},
		{name: "named ports have peers as destinations", dir: model.Ingress, other: "tenant=red", a: []model.Rule{made.Rule(model.Deny, made.Peers(all), http)},
			b: []model.Rule{made.Rule(model.Allow, made.Peers(all))}, want: []string{"blue/api → red/web tcp 8080"}},
		{name: "but with their own ports only", dir: model.Ingress, other: "tenant=red", a: []model.Rule{made.Rule(model.Deny, made.Peers(all), http, made.TCP(9090))},
			b: []model.Rule{made.Rule(model.Allow, made.Peers(all), made.TCP(9090))}},
		{name: "no family in common", dir: model.Egress, subject: "tenant=solo", a: []model.Rule{made.Rule(model.Allow, made.Peers(made.NSPeer("tenant=six")))},
			b: []model.Rule{made.Rule(model.Deny, made.Peers(made.NSPeer("tenant=six")))}},
		{name: "no address yet", dir: model.Egress, subject: "tenant=young", a: []model.Rule{made.Rule(model.Allow, made.Peers(all))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(all))}},
		{name: "networks overlap", dir: model.Egress, a: []model.Rule{made.Rule(model.Allow, made.Peers(made.NetPeer("172.16.0.0/12")), made.TCP(443))},
			b: []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("9.0.0.0/8", "172.20.1.2/16")))}, want: []string{"blue/api → 172.20.0.0/16 tcp 443"}},
		{name: "networks apart", dir: model.Egress, a: []model.Rule{made.Rule(model.Allow, made.Peers(made.NetPeer("172.16.0.0/16")))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("172.17.0.0/16")))}},
		{name: "a pod inside both networks is the example", dir: model.Egress, a: []model.Rule{made.Rule(model.Allow, made.Peers(made.NetPeer("10.2.0.0/16")))},
			b: []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("0.0.0.0/0")))}, want: []string{"blue/api → red/web any port"}},
		{name: "pod inside a network", dir: model.Egress, a: []model.Rule{made.Rule(model.Allow, made.Peers(red))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("10.2.0.0/24")))},
			want: []string{"blue/api → red/web any port"}},
		{name: "pod outside the network", dir: model.Egress, a: []model.Rule{made.Rule(model.Allow, made.Peers(red))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("10.9.0.0/24")))}},
		{name: "IPv6 networks need a subject with IPv6", dir: model.Egress, subject: "tenant=solo", a: []model.Rule{made.Rule(model.Allow, made.Peers(made.NetPeer("2001:db8::/32")))},
			b: []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("::/0")))}},
		{name: "IPv6 networks", dir: model.Egress, a: []model.Rule{made.Rule(model.Allow, made.Peers(made.NetPeer("2001:db8::/32")))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("::/0")))},
			want: []string{"blue/api → 2001:db8::/32 any port"}},
		{name: "nodes", dir: model.Egress, a: []model.Rule{made.Rule(model.Allow, made.Peers(made.NodePeer("role=cp")), made.TCP(6443))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(made.NodePeer("*")))},
			want: []string{"blue/api → 192.168.0.1 tcp 6443"}},
		{name: "nodes apart", dir: model.Egress, a: []model.Rule{made.Rule(model.Allow, made.Peers(made.NodePeer("role=cp")))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(made.NodePeer("role=worker")))}},
		{name: "node inside a network", dir: model.Egress, a: []model.Rule{made.Rule(model.Allow, made.Peers(made.NodePeer("role=cp")))}, b: []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("192.168.0.0/30")))},
			want: []string{"blue/api → 192.168.0.1 any port"}},
		{name: "named port meets a number on the destination", dir: model.Egress, a: []model.Rule{made.Rule(model.Allow, made.Peers(red), http)}, b: []model.Rule{made.Rule(model.Deny, made.Peers(red), made.TCP(8080))},
			want: []string{"blue/api → red/web tcp 8080"}},
		{name: "named port of another number", dir: model.Egress, a: []model.Rule{made.Rule(model.Allow, made.Peers(red), http)}, b: []model.Rule{made.Rule(model.Deny, made.Peers(red), made.TCP(8081))}},
		{name: "named port nobody declares", dir: model.Egress, a: []model.Rule{made.Rule(model.Allow, made.Peers(red), model.Port{Name: "grpc"})}, b: []model.Rule{made.Rule(model.Deny, made.Peers(red))}},
		{name: "two names", dir: model.Egress, a: []model.Rule{made.Rule(model.Allow, made.Peers(red), http, model.Port{Name: "dns"})}, b: []model.Rule{made.Rule(model.Deny, made.Peers(all), model.Port{Name: "dns"})},
			want: []string{"blue/api → red/web udp 53"}},
		{name: "names of different ports", dir: model.Egress, a: []model.Rule{made.Rule(model.Allow, made.Peers(red), http)}, b: []model.Rule{made.Rule(model.Deny, made.Peers(red), model.Port{Name: "dns"})}},
		{name: "ingress names are the subject's", dir: model.Ingress, a: []model.Rule{made.Rule(model.Allow, made.Peers(red), http)}, b: []model.Rule{made.Rule(model.Deny, made.Peers(all))},
			want: []string{"red/web → blue/api tcp 8080"}},
		{name: "ingress to a subject that declares nothing", dir: model.Ingress, subject: "tenant=solo", a: []model.Rule{made.Rule(model.Allow, made.Peers(red), http)}, b: []model.Rule{made.Rule(model.Deny, made.Peers(all))}},
		{name: "rules without peers", dir: model.Ingress, a: []model.Rule{made.Rule(model.Allow, nil)}, b: []model.Rule{made.Rule(model.Deny, made.Peers(all))}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			subject := "tenant=blue"
			if tt.subject != "" {
				subject = tt.subject
			}
			other := subject
			if tt.other != "" {
				other = tt.other
			}
			lists := func(r []model.Rule) (in, eg []model.Rule) {
				if tt.dir == model.Ingress {
					return r, nil
				}
				return nil, r
			}
			ain, aeg := lists(tt.a)
			bin, beg := lists(tt.b)
			c, _ := made.Cluster(objects...).Upsert([]model.Object{made.ANP("a", 50, subject, ain, aeg), made.ANP("b", 50, other, bin, beg)}, nil)
			l := New(c, Options{})
			var got []string
			for _, c := range l.Conflicts {
				if c.Direction != tt.dir || c.A.Name != "a" || c.B.Name != "b" {
					t.Errorf("conflict %+v", c)
				}
				got = append(got, c.Witness)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// Alike from the other side, up to the ports' order.
			c, _ = made.Cluster(objects...).Upsert([]model.Object{made.ANP("b", 50, subject, ain, aeg), made.ANP("a", 50, other, bin, beg)}, nil)
			if got := len(New(c, Options{}).Conflicts); got != len(tt.want) {
				t.Errorf("the other way round %d conflicts, want %d", got, len(tt.want))
			}
		})
	}
}

// Many policies thrown on one priority that never meet: all pairs of rules are
// compared, which must still be quick.
func BenchmarkConflictsApart(b *testing.B) {
	c := bigLadder(rand.New(rand.NewPCG(1, 2)), 10_000, 0, 0)
	var objects []model.Object
	for i := range 100 {
		var rules []model.Rule
		for j := range 100 {
			rules = append(rules, made.Rule([]model.Action{model.Allow, model.Deny}[i%2], made.Peers(made.PodPeer("*", fmt.Sprintf("app=a%d", i%40))), made.TCP(int32(1+j%2))))
		}
		objects = append(objects, made.ANP(fmt.Sprintf("p%d", i), 7, "*", rules, nil))
	}
	c, _ = c.Upsert(objects, nil)
	for b.Loop() {
		New(c, Options{})
	}
}

func TestConflictsAreBounded(t *testing.T) {
	c := made.Cluster(made.NS("blue", "tenant=blue"), made.Pod("blue/a", "", "10.0.0.1"), made.Pod("blue/b", "", "10.0.0.2"))
	var objects []model.Object
	for i := range 100 {
		var rules []model.Rule
		for range 100 {
			rules = append(rules, made.Rule([]model.Action{model.Allow, model.Deny}[i%2], made.Peers(made.NSPeer("*"))))
		}
		objects = append(objects, made.ANP(fmt.Sprintf("p%d", i), 7, "*", rules, nil))
	}
	c, _ = c.Upsert(objects, nil)
	l := New(c, Options{})
	if len(l.Conflicts) != conflictLimit || !l.Truncated {
		t.Errorf("%d conflicts, truncated %v", len(l.Conflicts), l.Truncated)
	}
}

// Rules do not conflict over a family that rows are not compiled for.
func TestConflictsOfFamilies(t *testing.T) {
	deny := func(network string) []model.Rule {
		return []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer(network)))}
	}
	allow := func(network string) []model.Rule {
		return []model.Rule{made.Rule(model.Allow, made.Peers(made.NetPeer(network)))}
	}
	for _, tc := range []struct {
		network    string
		v4, v6     bool
		conflicted bool
	}{
		{"fd00::/8", false, false, true}, {"fd00::/8", true, true, true}, {"fd00::/8", true, false, false}, {"fd00::/8", false, true, true},
		{"10.0.0.0/8", true, false, true}, {"10.0.0.0/8", false, true, false},
	} {
		c := made.Cluster(made.NS("blue", "tenant=blue"), made.Pod("blue/a", "", "10.0.0.1", "fd00::1"), made.Pod("blue/b", "", "10.0.0.2", "fd00::2"),
			made.ANP("one", 10, "tenant=blue", nil, allow(tc.network)), made.ANP("two", 10, "tenant=blue", nil, deny(tc.network)))
		x := selectors.NewPodIndex(c, nil)
		x.SetFamilies(tc.v4, tc.v6)
		if got := len(New(c, Options{Index: x}).Conflicts) > 0; got != tc.conflicted {
			t.Errorf("%+v: conflicts: %v", tc, got)
		}
	}
}

package model

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConflicts(t *testing.T) {
	objects := []Object{
		testNS("blue", "tenant=blue"), testNS("red", "tenant=red"), testNS("solo", "tenant=solo"), testNS("six", "tenant=six"), testNS("young", "tenant=young"),
		withPorts(testPod("blue/api", "app=api", "10.1.0.1", "fd00::1"), ContainerPort{"http", "TCP", 8080}),
		testPod("blue/db", "app=db", "10.1.0.2"),
		withPorts(testPod("red/web", "app=web", "10.2.0.1"), ContainerPort{"http", "TCP", 8080}, ContainerPort{"dns", "UDP", 53}),
		testPod("solo/one", "app=one", "10.3.0.1"),
		testPod("six/web", "app=web", "fd00::6"),
		testPod("young/web", "app=web"),
		testNode("cp", "role=cp", "192.168.0.1", "fd01::1"), testNode("wk", "role=worker", "192.168.0.2"),
	}
	red, blue, all, solo := nsPeer("tenant=red"), nsPeer("tenant=blue"), nsPeer("*"), nsPeer("tenant=solo")
	http := Port{Name: "http"}
	tests := []struct {
		name    string
		dir     Direction
		subject string // of both; the second policy may have its own
		other   string
		a, b    []Rule
		want    []string
	}{
		{name: "pods and any port", dir: Ingress, a: []Rule{rule(Allow, peers(all))}, b: []Rule{rule(Deny, peers(red))},
			want: []string{"red/web → blue/api any port"}},
		{name: "egress the other way", dir: Egress, a: []Rule{rule(Allow, peers(all))}, b: []Rule{rule(Deny, peers(red))},
			want: []string{"blue/api → red/web any port"}},
		{name: "same action", dir: Ingress, a: []Rule{rule(Deny, peers(all))}, b: []Rule{rule(Deny, peers(all))}},
		{name: "Allow and Pass disagree", dir: Ingress, a: []Rule{rule(Allow, peers(all))}, b: []Rule{rule(Pass, peers(red))},
			want: []string{"red/web → blue/api any port"}},
		{name: "other indexes have other priorities", dir: Ingress, a: []Rule{rule(Allow, peers(all))},
			b: []Rule{rule(Allow, peers(all)), rule(Deny, peers(all))}},
		{name: "second rules", dir: Ingress, a: []Rule{rule(Allow, peers(red)), rule(Allow, peers(red), tcp(80), tcp(443))},
			b:    []Rule{rule(Allow, peers(red)), rule(Deny, peers(red), udp(443), Port{Protocol: "TCP", Start: 400, End: 500, Range: true})},
			want: []string{"red/web → blue/api tcp 443"}},
		{name: "subjects apart", dir: Ingress, other: "tenant=red", a: []Rule{rule(Allow, peers(all))}, b: []Rule{rule(Deny, peers(all))}},
		{name: "subjects share one pod", dir: Ingress, other: "*", a: []Rule{rule(Allow, peers(red))}, b: []Rule{rule(Deny, peers(red))},
			want: []string{"red/web → blue/api any port"}},
		{name: "peers apart", dir: Ingress, a: []Rule{rule(Allow, peers(red))}, b: []Rule{rule(Deny, peers(blue))}},
		{name: "ports apart", dir: Ingress, a: []Rule{rule(Allow, peers(red), tcp(80))}, b: []Rule{rule(Deny, peers(red), tcp(81))}},
		{name: "protocols apart", dir: Ingress, a: []Rule{rule(Allow, peers(red), tcp(80))}, b: []Rule{rule(Deny, peers(red), udp(80))}},
		{name: "a pod is no peer of itself", dir: Ingress, subject: "tenant=solo", a: []Rule{rule(Allow, peers(solo))}, b: []Rule{rule(Deny, peers(solo))}},
		{name: "no family in common", dir: Egress, subject: "tenant=solo", a: []Rule{rule(Allow, peers(nsPeer("tenant=six")))},
			b: []Rule{rule(Deny, peers(nsPeer("tenant=six")))}},
		{name: "no address yet", dir: Egress, subject: "tenant=young", a: []Rule{rule(Allow, peers(all))}, b: []Rule{rule(Deny, peers(all))}},
		{name: "networks overlap", dir: Egress, a: []Rule{rule(Allow, peers(netPeer("172.16.0.0/12")), tcp(443))},
			b: []Rule{rule(Deny, peers(netPeer("9.0.0.0/8", "172.20.1.2/16")))}, want: []string{"blue/api → 172.20.0.0/16 tcp 443"}},
		{name: "networks apart", dir: Egress, a: []Rule{rule(Allow, peers(netPeer("172.16.0.0/16")))}, b: []Rule{rule(Deny, peers(netPeer("172.17.0.0/16")))}},
		{name: "a pod inside both networks is the example", dir: Egress, a: []Rule{rule(Allow, peers(netPeer("10.2.0.0/16")))},
			b: []Rule{rule(Deny, peers(netPeer("0.0.0.0/0")))}, want: []string{"blue/api → red/web any port"}},
		{name: "pod inside a network", dir: Egress, a: []Rule{rule(Allow, peers(red))}, b: []Rule{rule(Deny, peers(netPeer("10.2.0.0/24")))},
			want: []string{"blue/api → red/web any port"}},
		{name: "pod outside the network", dir: Egress, a: []Rule{rule(Allow, peers(red))}, b: []Rule{rule(Deny, peers(netPeer("10.9.0.0/24")))}},
		{name: "IPv6 networks need a subject with IPv6", dir: Egress, subject: "tenant=solo", a: []Rule{rule(Allow, peers(netPeer("2001:db8::/32")))},
			b: []Rule{rule(Deny, peers(netPeer("::/0")))}},
		{name: "IPv6 networks", dir: Egress, a: []Rule{rule(Allow, peers(netPeer("2001:db8::/32")))}, b: []Rule{rule(Deny, peers(netPeer("::/0")))},
			want: []string{"blue/api → 2001:db8::/32 any port"}},
		{name: "nodes", dir: Egress, a: []Rule{rule(Allow, peers(nodePeer("role=cp")), tcp(6443))}, b: []Rule{rule(Deny, peers(nodePeer("*")))},
			want: []string{"blue/api → 192.168.0.1 tcp 6443"}},
		{name: "nodes apart", dir: Egress, a: []Rule{rule(Allow, peers(nodePeer("role=cp")))}, b: []Rule{rule(Deny, peers(nodePeer("role=worker")))}},
		{name: "node inside a network", dir: Egress, a: []Rule{rule(Allow, peers(nodePeer("role=cp")))}, b: []Rule{rule(Deny, peers(netPeer("192.168.0.0/30")))},
			want: []string{"blue/api → 192.168.0.1 any port"}},
		{name: "named port meets a number on the destination", dir: Egress, a: []Rule{rule(Allow, peers(red), http)}, b: []Rule{rule(Deny, peers(red), tcp(8080))},
			want: []string{"blue/api → red/web tcp 8080"}},
		{name: "named port of another number", dir: Egress, a: []Rule{rule(Allow, peers(red), http)}, b: []Rule{rule(Deny, peers(red), tcp(8081))}},
		{name: "named port nobody declares", dir: Egress, a: []Rule{rule(Allow, peers(red), Port{Name: "grpc"})}, b: []Rule{rule(Deny, peers(red))}},
		{name: "two names", dir: Egress, a: []Rule{rule(Allow, peers(red), http, Port{Name: "dns"})}, b: []Rule{rule(Deny, peers(all), Port{Name: "dns"})},
			want: []string{"blue/api → red/web udp 53"}},
		{name: "names of different ports", dir: Egress, a: []Rule{rule(Allow, peers(red), http)}, b: []Rule{rule(Deny, peers(red), Port{Name: "dns"})}},
		{name: "ingress names are the subject's", dir: Ingress, a: []Rule{rule(Allow, peers(red), http)}, b: []Rule{rule(Deny, peers(all))},
			want: []string{"red/web → blue/api tcp 8080"}},
		{name: "ingress to a subject that declares nothing", dir: Ingress, subject: "tenant=solo", a: []Rule{rule(Allow, peers(red), http)}, b: []Rule{rule(Deny, peers(all))}},
		{name: "rules without peers", dir: Ingress, a: []Rule{rule(Allow, nil)}, b: []Rule{rule(Deny, peers(all))}},
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
			lists := func(r []Rule) (in, eg []Rule) {
				if tt.dir == Ingress {
					return r, nil
				}
				return nil, r
			}
			ain, aeg := lists(tt.a)
			bin, beg := lists(tt.b)
			c, _ := testCluster(objects...).Upsert([]Object{testANP("a", 50, subject, ain, aeg), testANP("b", 50, other, bin, beg)}, nil)
			l := NewLadder(c, LadderOptions{})
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
			c, _ = testCluster(objects...).Upsert([]Object{testANP("b", 50, subject, ain, aeg), testANP("a", 50, other, bin, beg)}, nil)
			if got := len(NewLadder(c, LadderOptions{}).Conflicts); got != len(tt.want) {
				t.Errorf("the other way round %d conflicts, want %d", got, len(tt.want))
			}
		})
	}
}

// Many policies thrown on one priority that never meet: all pairs of rules are
// compared, which must still be quick.
func BenchmarkConflictsApart(b *testing.B) {
	c := bigLadder(rand.New(rand.NewPCG(1, 2)), 10_000, 0, 0)
	var objects []Object
	for i := range 100 {
		var rules []Rule
		for j := range 100 {
			rules = append(rules, rule([]Action{Allow, Deny}[i%2], peers(podPeer("*", fmt.Sprintf("app=a%d", i%40))), tcp(int32(1+j%2))))
		}
		objects = append(objects, testANP(fmt.Sprintf("p%d", i), 7, "*", rules, nil))
	}
	c, _ = c.Upsert(objects, nil)
	for b.Loop() {
		NewLadder(c, LadderOptions{})
	}
}

func TestConflictsAreBounded(t *testing.T) {
	c := testCluster(testNS("blue", "tenant=blue"), testPod("blue/a", "", "10.0.0.1"), testPod("blue/b", "", "10.0.0.2"))
	var objects []Object
	for i := range 100 {
		var rules []Rule
		for range 100 {
			rules = append(rules, rule([]Action{Allow, Deny}[i%2], peers(nsPeer("*"))))
		}
		objects = append(objects, testANP(fmt.Sprintf("p%d", i), 7, "*", rules, nil))
	}
	c, _ = c.Upsert(objects, nil)
	l := NewLadder(c, LadderOptions{})
	if len(l.Conflicts) != conflictLimit || !l.Truncated {
		t.Errorf("%d conflicts, truncated %v", len(l.Conflicts), l.Truncated)
	}
}

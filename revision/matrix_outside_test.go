package revision

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"testing"

	"rung/model"
	"rung/model/verdict"
	"rung/test/install"
	"rung/test/made"
)

var matrixNetworks = []string{"0.0.0.0/0", "8.8.8.8/32", "8.8.8.0/29", "10.0.0.0/8", "10.1.0.0/29", "10.1.200.0/24", "10.96.0.0/12", "10.96.0.1/32",
	"172.18.0.0/16", "172.18.0.2/31", "172.18.0.2/32", "192.168.0.0/16", "192.168.7.0/24", "::/0", "fd01::/16", "2001:db8::/32", "2001:db8::/126"}

// randomOutside is matrixWorld with a Service, two pods of both families, and random policies
// that name networks and nodes.
func randomOutside(seed uint64) *model.Cluster {
	r := rand.New(rand.NewPCG(seed, 23))
	peer := func() []model.Peer {
		switch r.IntN(6) {
		case 0:
			return made.Peers(made.NodePeer("*"))
		case 1:
			return made.Peers(made.NSPeer(fmt.Sprintf("t=%d", 1+r.IntN(3))))
		}
		return made.Peers(made.NetPeer(matrixNetworks[r.IntN(len(matrixNetworks))], matrixNetworks[r.IntN(len(matrixNetworks))]))
	}
	objects := []model.Object{&model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: "a", Name: "s"}}, ClusterIPs: []string{"10.96.0.1"}}}
	for i, ns := range []string{"a", "b"} {
		p := made.Pod(ns+"/both", fmt.Sprintf("half=%d", i), fmt.Sprintf("10.1.%d.9", i), fmt.Sprintf("fd01::%d", i+9))
		p.NodeName = "n1"
		objects = append(objects, p)
	}
	for i := range 4 {
		var egress []model.Rule
		for j := range 1 + r.IntN(4) {
			rule := made.Rule([]model.Action{model.Allow, model.Deny, model.Pass}[r.IntN(3)], peer())
			if r.IntN(2) == 0 {
				rule = made.Rule(rule.Action, rule.Peers, made.TCP(81))
			}
			rule.Direction, rule.Index = model.Egress, j
			egress = append(egress, rule)
		}
		objects = append(objects, &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: fmt.Sprintf("p%d", i)}}, Tier: model.TierAdmin,
			Priority: int32(r.IntN(2)), Egress: egress,
			Subject: model.Subject{Namespaces: made.Sel(fmt.Sprintf("t=%d", 1+r.IntN(2))), Pods: model.SelectEverything(), AllPods: true}})
	}
	np := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: "a", Name: "np"}}, Tier: model.TierNetwork, IsolatesEgress: true,
		Subject: model.Subject{Namespace: "a", Namespaces: model.SelectEverything(), Pods: made.Sel(fmt.Sprintf("half=%d", r.IntN(2)))},
		Egress: []model.Rule{{Direction: model.Egress, Action: model.Allow, Peers: []model.Peer{{Kind: model.PeerNetworks,
			Networks: []string{"0.0.0.0/0"}, Except: []string{matrixNetworks[1+r.IntN(12)]}}}}}}
	c, _ := matrixWorld().Upsert(append(objects, np), nil)
	return c
}

// ofBlock are the address that stands for a column outside, and the first and the last of its
// network and the networks in it, as far as they are the column's.
func ofBlock(c *model.Cluster, e *MatrixEnd) (out []netip.Addr) {
	out = append(out, e.addr)
	special := map[string]bool{"10.96.0.1": true} // the Service
	for p := range c.Pods() {
		for _, ip := range p.IPs {
			special[ip] = !p.HostNetwork || special[ip]
		}
	}
	for _, n := range append([]netip.Prefix{e.Network}, e.Except...) {
		last := n.Addr().AsSlice()
		for i := n.Bits(); i < len(last)*8; i++ {
			last[i/8] |= 0x80 >> (i % 8)
		}
		end, _ := netip.AddrFromSlice(last)
		for _, a := range []netip.Addr{n.Addr().Prev(), n.Addr(), end, end.Next()} {
			in := func(p netip.Prefix) bool { return p.Contains(a) }
			if a.IsValid() && in(e.Network) && !slices.ContainsFunc(e.Except, in) && !special[a.String()] && !a.IsUnspecified() && !a.IsMulticast() && !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	return out
}

// TestMatrixOutsideIsTrace: a cell of a pod and a block of addresses outside says what single
// verdicts say of the pod and of addresses at the borders of the block, and its example is one
// of what it says; a namespace counts its pods.
func TestMatrixOutsideIsTrace(t *testing.T) {
	least := 5_000
	if os.Getenv(install.SoakVar) == "1" {
		least = 100_000
	}
	cells, asked, seen := 0, 0, map[verdict.Verdict]int{}
	for seed := uint64(0); cells < least; seed++ {
		c := randomOutside(seed)
		r := New(Facts{Cluster: c}, nil)
		for _, p := range []verdict.Ports{{Protocol: verdict.TCP, Port: 80}, {Protocol: verdict.TCP, Port: 81}, {Protocol: verdict.ICMP}} {
			m := matrixOf(t, r, p)
			for _, to := range m.OutsideEnds() {
				addrs := ofBlock(c, to)
				for _, ns := range m.Namespaces {
					var sum MatrixCell
					for i := range ns.pods {
						from := newMatrixEnd(ns.pods[i : i+1])
						cell := m.Cell(from, to)
						cells++
						seen[cell.Verdict()]++
						sum = MatrixCell{Allow: sum.Allow + cell.Allow, Deny: sum.Deny + cell.Deny, Undefined: sum.Undefined + cell.Undefined, Unknown: sum.Unknown + cell.Unknown,
							NotApplicable: sum.NotApplicable + cell.NotApplicable}
						for _, a := range addrs {
							asked++
							answer, err := verdict.FromPolicies(r.Verdicts(), verdict.Connection{From: verdict.Endpoint{Key: ns.pods[i].pod.Key}, To: verdict.AddrEnd(a),
								Protocol: p.Protocol, Port: p.Port})
							if err != nil {
								t.Fatal(err)
							}
							if string(answer.Verdict) != string(cell.Verdict()) {
								t.Fatalf("seed %d: %s → %s of %s %v: %s, and the cell says %s", seed, ns.pods[i].pod.Key, a, to.Text(), p, answer.Verdict, cell.Verdict())
							}
						}
					}
					if got := m.Cell(ns, to); got != sum {
						t.Fatalf("seed %d: %s → %s %v: %+v, pod by pod %+v", seed, ns.Name(), to.Text(), p, got, sum)
					}
					v := m.Cell(ns, to).Verdict()
					if v == verdict.Mixed {
						v = verdict.Deny
					}
					q, ok := m.ExampleOfCell(ns, to)
					if answer, err := verdict.FromPolicies(r.Verdicts(), q); !ok || err != nil || string(answer.Verdict) != string(v) {
						t.Fatalf("seed %d: %s is an example of %s, and %s (%v)", seed, q, v, answer.Verdict, err)
					}
				}
			}
		}
	}
	t.Logf("%d cells, %d connections: %v", cells, asked, seen)
	for _, v := range []verdict.Verdict{verdict.Allow, verdict.Deny, verdict.Undefined, verdict.NotApplicable} {
		if seen[v] == 0 {
			t.Errorf("no cell is %q: %v", v, seen)
		}
	}
}

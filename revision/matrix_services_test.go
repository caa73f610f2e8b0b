package revision

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"rung/model"
	"rung/model/verdict"
	"rung/test/install"
	"rung/test/made"
)

// randomServices is randomOutside with Services by all their addresses, whose endpoints are
// pods of one node or of several, on the node's network, or none, and with rules for ingress.
func randomServices(seed uint64) *model.Cluster {
	r := rand.New(rand.NewPCG(seed, 24))
	service := func(ns, name, labels string, ports ...model.ServicePort) *model.Service {
		return &model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: ns, Name: name}}, Selector: made.Pod("x/x", labels).Labels, Ports: ports}
	}
	all := service("b", "all", fmt.Sprintf("half=%d", r.IntN(2)), model.ServicePort{Port: 80, TargetPort: "81"}, model.ServicePort{Protocol: "TCP", Port: 81, TargetPort: "80", NodePort: 30081})
	all.ClusterIPs, all.ExternalIPs, all.LoadBalancerIPs = []string{"10.96.0.7", "fd02::7"}, []string{"8.8.8.8"}, []string{"192.168.7.7"}
	two := service("a", "two", "half=1", model.ServicePort{Protocol: "UDP", Port: 53, TargetPort: "5353"})
	two.ClusterIPs = []string{"10.96.0.8"}
	nobody := service("a", "nobody", "no=body", model.ServicePort{Port: 80})
	nobody.ClusterIPs = []string{"10.96.0.9"}
	objects := []model.Object{all, two, nobody}
	for i := range 2 {
		rule := made.Rule([]model.Action{model.Deny, model.Allow}[i], made.Peers(made.PodPeer("*", fmt.Sprintf("half=%d", r.IntN(2)))), made.TCP(80))
		rule.Direction = model.Ingress
		if r.IntN(2) == 0 {
			rule.Ports = nil
		}
		objects = append(objects, &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: fmt.Sprintf("in%d", i)}}, Tier: model.TierAdmin,
			Priority: int32(r.IntN(3)), Ingress: []model.Rule{rule},
			Subject: model.Subject{Namespaces: model.SelectEverything(), Pods: made.Sel(fmt.Sprintf("half=%d", r.IntN(2)))}})
	}
	ext := made.Rule(model.Deny, made.Peers(made.NetPeer("8.8.8.8/32", "192.168.7.7/32"), made.NodePeer("*")))
	ext.Direction = model.Egress
	objects = append(objects, &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: "ext"}}, Tier: model.TierAdmin, Priority: int32(r.IntN(3)),
		Egress: []model.Rule{ext}, Subject: model.Subject{Namespaces: made.Sel(fmt.Sprintf("t=%d", 1+r.IntN(2))), Pods: model.SelectEverything(), AllPods: true}})
	c, _ := randomOutside(seed).Upsert(objects, nil)
	return c
}

// TestMatrixServicesIsTrace: a cell of a pod and a Service, and of a pod and an address that is a
// Service on some port, says what single verdicts say of it in each family, pod by pod; its
// example is one of what it says.
func TestMatrixServicesIsTrace(t *testing.T) {
	seeds := uint64(12)
	if os.Getenv(install.SoakVar) == "1" {
		seeds = 1000
	}
	cells, fronts, byEndpoint, seen := 0, 0, 0, map[verdict.Verdict]int{}
	ports := []verdict.Ports{{Protocol: verdict.TCP, Port: 80}, {Protocol: verdict.TCP, Port: 81}, {Protocol: verdict.UDP, Port: 53},
		{Protocol: verdict.TCP, Port: 30081}, {}}
	for seed := range seeds {
		r := New(Facts{Cluster: randomServices(seed)}, nil)
		x := r.Verdicts()
		single := func(c verdict.Connection) (out verdict.Outcome) {
			families := verdict.OpenFamilies(x, c)
			if families == nil {
				families = []verdict.Family{verdict.AnyFamily}
			}
			for _, f := range families {
				c.Family = f
				a, err := verdict.FromPolicies(x, c)
				if err != nil {
					t.Fatal(err)
				}
				out |= verdict.NewOutcome(a.Verdict)
			}
			return out
		}
		for _, p := range ports {
			m := matrixOf(t, r, p)
			services, err := m.ServiceEnds(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			columns := services
			for _, e := range m.OutsideEnds() {
				if e.Network.IsSingleIP() && !e.addr.Is6() && p != (verdict.Ports{}) {
					columns = append(columns, e)
				}
			}
			for _, to := range columns {
				end, asked := verdict.Endpoint{Key: to.Service}, []verdict.Ports{p}
				if to.Network.IsValid() {
					end = verdict.AddrEnd(to.Network.Addr())
				} else if p == (verdict.Ports{}) {
					asked = x.ServicePorts(to.Service)
				}
				for _, ns := range m.Namespaces {
					for i := range ns.pods {
						var want MatrixCell
						var o verdict.Outcome
						for _, q := range asked {
							c := verdict.Connection{From: verdict.Endpoint{Key: ns.pods[i].pod.Key}, To: end, Protocol: q.Protocol, Port: q.Port}
							if a, err := verdict.FromPolicies(x, c); err == nil && a.Front != nil {
								fronts++
							}
							o |= single(c)
						}
						want.add(o, 1)
						cell := m.Cell(newMatrixEnd(ns.pods[i:i+1]), to)
						cells++
						if cell != want {
							t.Fatalf("seed %d: %s → %s %v: %+v, asked alone %+v", seed, ns.pods[i].pod.Key, to.Name(), p, cell, want)
						}
						seen[cell.Verdict()]++
						byEndpoint += cell.ByEndpoint
					}
					q, ok := m.ExampleOfCell(ns, to)
					cell := m.Cell(ns, to)
					v := cell.Verdict()
					if v == verdict.Mixed && cell.Deny+cell.ByPort > 0 {
						v = verdict.Deny
					}
					if a, err := verdict.FromPolicies(x, q); !ok || err != nil || string(a.Verdict) != string(v) {
						t.Fatalf("seed %d: %s is an example of %s, and %s (%v)", seed, q, v, a.Verdict, err)
					}
				}
			}
		}
	}
	t.Logf("%d cells, %d of addresses that are a Service: %v", cells, fronts, seen)
	if cells < 5000 || fronts < 500 {
		t.Error("too few to prove anything")
	}
	if byEndpoint == 0 {
		t.Error("no Service has endpoints that differ")
	}
	for _, v := range []verdict.Verdict{verdict.Allow, verdict.Deny, verdict.Mixed, verdict.Undefined, verdict.NotApplicable} {
		if seen[v] == 0 {
			t.Errorf("no cell is %q: %v", v, seen)
		}
	}
}

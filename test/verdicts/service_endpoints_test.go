package verdicts

import (
	"fmt"
	"net/netip"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/verdict"
	"rung/test/made"
)

// servicePods are the pods that an endpoint of a drawn Service may be.
func servicePods(c *model.Cluster) (out []*model.Pod) {
	for p := range c.Pods() {
		if p.CanBePeer() && p.NodeName != "" && p.PrimaryUDN() == "" || p.HostNetwork {
			out = append(out, p)
		}
	}
	return out
}

// drawService draws a Service with some endpoints, which its EndpointSlice lists, and all its
// addresses.
func drawService(w *world, pods []*model.Pod, endpoints int) (*model.Service, *model.EndpointSlice) {
	name := fmt.Sprintf("s%d", endpoints)
	s := &model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: "a", Name: name}},
		ClusterIPs: []string{fmt.Sprintf("10.96.0.%d", 20+endpoints), fmt.Sprintf("fd96::%d", 20+endpoints)}, ExternalIPs: []string{fmt.Sprintf("203.0.113.%d", 20+endpoints)},
		Ports: []model.ServicePort{{Name: "web", Protocol: "TCP", Port: 8000, TargetPort: "80"}}}
	slice := &model.EndpointSlice{Meta: model.Meta{Key: model.Key{Kind: model.KindEndpointSlice, Namespace: "a", Name: name}}, Service: name,
		Ports: []model.EndpointPort{{Name: "web", Protocol: "TCP", Port: int32(80 + w.r.IntN(3))}}}
	for _, i := range w.r.Perm(len(pods))[:min(endpoints, len(pods))] {
		slice.Addresses = append(slice.Addresses, pods[i].IPs[0])
	}
	return s, slice
}

// bruteService asks about each endpoint by its own address, and says what becomes of the Service.
// ok is false where an endpoint is the sender itself.
func bruteService(t *testing.T, x *verdict.Index, from *model.Pod, slice *model.EndpointSlice, family verdict.Family) (out verdict.Verdict, ok bool) {
	through, denied := false, false
	seen := map[verdict.Verdict]bool{}
	for _, ip := range slice.Addresses {
		at := netip.MustParseAddr(ip)
		if verdict.AddrFamily(at) != family {
			continue
		}
		for _, own := range from.IPs {
			if own == ip {
				return "", false
			}
		}
		a, err := verdict.FromPolicies(x, verdict.Connection{From: verdict.Endpoint{Key: from.Key}, To: verdict.AddrEnd(at), Protocol: verdict.TCP, Port: uint16(slice.Ports[0].Port)})
		if err != nil {
			t.Fatal(err)
		}
		seen[a.Verdict] = true
		denied = denied || a.Verdict == verdict.Deny
		untouched := a.Verdict == verdict.NotApplicable && a.Paths[0].From.Addr.IsValid() && a.Paths[0].To.Addr.IsValid()
		through = through || a.Verdict == verdict.Allow || untouched
	}
	switch {
	case through && denied:
		return verdict.Mixed, true
	case seen[verdict.Unknown]:
		return verdict.Unknown, true
	case seen[verdict.Undefined]:
		return verdict.Undefined, true
	case denied:
		return verdict.Deny, true
	case seen[verdict.Allow]:
		return verdict.Allow, true
	}
	return verdict.NotApplicable, true
}

// TestServiceEndpointsByBruteForce asks about Services with 0 to 4 endpoints by their name and by
// each of their addresses, and about each endpoint alone.
func TestServiceEndpointsByBruteForce(t *testing.T) {
	asked, seen := 0, map[verdict.Verdict]int{}
	for seed := range draws(420, 4200) {
		w := newWorld(uint64(seed) + 39_000)
		c, o := w.cluster()
		pods := servicePods(c)
		var all []model.Object
		services, slices := []*model.Service{}, []*model.EndpointSlice{}
		for n := range 5 {
			s, slice := drawService(w, pods, n)
			services, slices = append(services, s), append(slices, slice)
			all = append(all, s)
			if n > 0 {
				all = append(all, slice)
			}
		}
		c, _ = c.Upsert(all, nil)
		x, _ := indexOf(t, c, o)
		for i, s := range services {
			ends := []verdict.Endpoint{verdict.ServiceEnd("a", s.Name)}
			for _, ip := range append(s.ClusterIPs, s.ExternalIPs...) {
				ends = append(ends, verdict.AddrEnd(netip.MustParseAddr(ip)))
			}
			for p := range c.Pods() {
				for _, to := range ends {
					family := verdict.IPv4
					if to.Addr.IsValid() {
						family = verdict.AddrFamily(to.Addr)
					}
					want, ok := bruteService(t, x, p, slices[i], family)
					if !ok {
						continue
					}
					a, err := verdict.FromPolicies(x, verdict.Connection{From: verdict.Endpoint{Key: p.Key}, To: to, Protocol: verdict.TCP, Port: 8000, Family: family})
					asked++
					seen[a.Verdict]++
					if err != nil || a.Verdict != want {
						t.Fatalf("seed %d: %s → %s with endpoints %v: %s (%s), by brute force %s, %v", seed, p.Key, to, slices[i].Addresses, a.Verdict, a.Reason, want, err)
					}
				}
			}
		}
	}
	t.Logf("%d questions: %v", asked, seen)
	if asked < 20_000 {
		t.Errorf("only %d questions", asked)
	}
	for _, v := range []verdict.Verdict{verdict.Allow, verdict.Deny, verdict.Mixed, verdict.Undefined, verdict.Unknown, verdict.NotApplicable} {
		if seen[v] < 20 {
			t.Errorf("%s was drawn %d times", v, seen[v])
		}
	}
}

// TestServiceOfOpenAndDeniedEndpoints has a Service one of whose endpoints is isolated: it is neither
// allowed nor denied, by each of its addresses.
func TestServiceOfOpenAndDeniedEndpoints(t *testing.T) {
	shop := &model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: "blue", Name: "shop"}}, Selector: made.Pod("x/x", "app=shop").Labels,
		ClusterIPs: []string{"10.96.0.30"}, ExternalIPs: []string{"203.0.113.30"}, Ports: []model.ServicePort{{Protocol: "TCP", Port: 80, TargetPort: "8080"}}}
	at := func(p *model.Pod) *model.Pod {
		p.NodeName = "n1"
		return p
	}
	x, _ := indexOf(t, made.Cluster(made.NS("blue", "t=blue"), made.Node("n1", "", "172.18.0.2"), shop, at(made.Pod("blue/open", "app=shop", "10.1.0.1")),
		at(made.Pod("blue/shut", "app=shop,shut=yes", "10.1.0.2")), at(made.Pod("blue/client", "", "10.1.0.3")),
		&model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: "blue", Name: "shut"}}, Tier: model.TierNetwork, IsolatesIngress: true,
			Subject: model.Subject{Namespace: "blue", Namespaces: model.SelectEverything(), Pods: made.Sel("shut=yes")}}), compiler.Options{IPv4: true})
	for _, to := range []verdict.Endpoint{verdict.ServiceEnd("blue", "shop"), verdict.AddrEnd(netip.MustParseAddr("10.96.0.30")), verdict.AddrEnd(netip.MustParseAddr("203.0.113.30"))} {
		a, err := verdict.FromPolicies(x, verdict.Connection{From: verdict.PodEnd("blue", "client"), To: to, Protocol: verdict.TCP, Port: 80})
		if err != nil || a.Verdict != verdict.Mixed || len(a.Paths) != 2 {
			t.Errorf("%s: %s %q of %d endpoints, %v", to, a.Verdict, a.Reason, len(a.Paths), err)
		}
	}
}

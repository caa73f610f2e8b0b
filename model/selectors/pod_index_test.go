package selectors

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/test/made"
)

func podNames(x *PodIndex, s PodSet) []string {
	out := []string{}
	for p := range x.Pods(s) {
		out = append(out, p.Namespace+"/"+p.Name)
	}
	return out
}

// The product of label classes is the same as asking every pod.
func TestPodIndexEqualsAskingEveryPod(t *testing.T) {
	selectors := []string{"*", "tenant=t1", "tenant in (t1,t2),env=e0", "!tenant", "app=a3", "tier notin (x1)", "app notin (a1,a2)"}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := made.RandomCluster(r, 1+r.IntN(20), r.IntN(300))
		x := NewPodIndex(c, nil)
		for _, ns := range append(selectors, "") {
			for _, ps := range selectors {
				n, p := model.Selector{}, made.Sel(ps)
				if ns != "" {
					n = made.Sel(ns)
				}
				want := []string{}
				subjects := []*model.Pod{}
				for pod := range c.Pods() {
					if o := c.Namespace(pod.Namespace); o != nil && n.Matches(o.Labels) && p.Matches(pod.Labels) {
						want = append(want, pod.Namespace+"/"+pod.Name)
						if pod.CanBeSubject() {
							subjects = append(subjects, pod)
						}
					}
				}
				for range 2 { // computed, then remembered
					if diff := cmp.Diff(want, podNames(x, x.PodsMatching(n, p))); diff != "" {
						t.Fatalf("seed %d: %q %q (-want +got):\n%s", seed, ns, ps, diff)
					}
				}
				got := slices.Collect(x.Pods(x.SubjectSet(&model.Policy{Subject: model.Subject{Namespaces: n, Pods: p}})))
				if !slices.Equal(subjects, got) {
					t.Fatalf("seed %d: subject of %q %q: %d pods, want %d", seed, ns, ps, len(got), len(subjects))
				}
			}
		}
		for _, text := range []string{"0.0.0.0/0", "::/0", "10.1.0.0/24", "10.1.0.9/32", "fd00::/120", "192.168.0.0/16"} {
			n := netip.MustParsePrefix(text)
			want := []string{}
			for pod := range c.Pods() {
				if pod.CanBePeer() && slices.ContainsFunc(pod.IPs, func(ip string) bool { return n.Contains(netip.MustParseAddr(ip)) }) {
					want = append(want, pod.Namespace+"/"+pod.Name)
				}
			}
			if diff := cmp.Diff(want, podNames(x, x.InNetwork(n))); diff != "" {
				t.Fatalf("seed %d: network %s (-want +got):\n%s", seed, text, diff)
			}
		}
	}
}

func TestPodIndexKinds(t *testing.T) {
	host := made.Pod("blue/host", "app=web", "192.168.1.1")
	host.HostNetwork = true
	noIP := made.Pod("blue/young", "app=web")
	c := made.Cluster(made.NS("blue", "tenant=blue"), made.NS("empty", "tenant=blue"), host, noIP,
		made.WithPorts(made.Pod("blue/web", "app=web", "10.1.0.1"), model.ContainerPort{Name: "http", Protocol: "TCP", Port: 8080}, model.ContainerPort{Name: "odd", Protocol: "", Port: 1}),
		made.Pod("ghost/web", "app=web", "10.1.0.2"),
		made.Node("n1", "role=cp", "192.168.1.1"), made.Node("n2", ""))
	x := NewPodIndex(c, nil)
	web := model.Subject{Namespace: "ghost", Pods: made.Sel("app=web")}
	checks := []struct {
		what string
		got  PodSet
		want []string
	}{
		{"selected", x.SelectedPods(&model.Policy{Subject: model.Subject{Namespaces: made.Sel("*"), AllPods: true}}), []string{"blue/host", "blue/web", "blue/young"}},
		{"subject needs no address", x.SubjectSet(&model.Policy{Subject: model.Subject{Namespaces: made.Sel("*"), AllPods: true}}), []string{"blue/web", "blue/young"}},
		{"a namespace by name needs no object", x.SubjectSet(&model.Policy{Subject: web}), []string{"ghost/web"}},
		{"peer needs an address", x.PeerSet(&model.Peer{Kind: model.PeerNamespaces, Namespaces: made.Sel("tenant=blue")}), []string{"blue/web"}},
		{"peer in one namespace", x.PeerSet(&model.Peer{Kind: model.PeerPods, Namespace: "ghost", Pods: made.Sel("*")}), []string{"ghost/web"}},
		{"nodes select no pods", x.PeerSet(&model.Peer{Kind: model.PeerNodes, Nodes: made.Sel("*")}), []string{}},
		{"named port", x.WithPort("http"), []string{"blue/web"}},
		{"named port of unknown protocol", x.WithPort("odd"), []string{}},
		{"unknown namespace", x.PodsMatchingIn("nowhere", made.Sel("*")), []string{}},
		{"absent selector", x.PodsMatching(model.Selector{}, made.Sel("*")), []string{}},
	}
	for _, tt := range checks {
		if diff := cmp.Diff(tt.want, podNames(x, tt.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.what, diff)
		}
	}
	if got := len(x.NodesMatching(made.Sel("role=cp"))); got != 1 || x.NodeCount() != 2 {
		t.Errorf("%d nodes of %d, want 1 of 2", got, x.NodeCount())
	}
	var ns []string
	for n := range x.NamespacesMatching(made.Sel("tenant=blue")) {
		ns = append(ns, n.Name)
	}
	if diff := cmp.Diff([]string{"blue", "empty"}, ns); diff != "" {
		t.Errorf("namespaces (-want +got):\n%s", diff)
	}
}

func TestPodIndexConcurrently(t *testing.T) {
	x := NewPodIndex(made.RandomCluster(rand.New(rand.NewPCG(1, 1)), 10, 200), nil)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				s := made.Sel(fmt.Sprintf("app=a%d", (i+j)%40))
				x.PodsMatching(made.Sel("*"), s)
				x.InNetwork(netip.MustParsePrefix("10.0.0.0/8"))
				x.WithPort("http")
			}
		})
	}
	wg.Wait()
}

func TestPodSet(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for range 300 {
		n := 1 + r.IntN(300)
		a, b := make(PodSet, (n+63)/64), make(PodSet, (n+63)/64)
		inA, inB := map[int]bool{}, map[int]bool{}
		from := r.IntN(n)
		to := from + r.IntN(n-from)
		a.addRange(from, to)
		for i := from; i < to; i++ {
			inA[i] = true
		}
		for range r.IntN(n) {
			i := r.IntN(n)
			b.add(i)
			inB[i] = true
		}
		and, or, not := 0, 0, 0
		for i := range n {
			if inA[i] && inB[i] {
				and++
			}
			if inA[i] || inB[i] {
				or++
			}
			if inA[i] && !inB[i] {
				not++
			}
			if a.Has(i) != inA[i] {
				t.Fatalf("range %d–%d: bit %d is %v", from, to, i, a.Has(i))
			}
		}
		got := []any{a.And(b).Len(), a.Or(b).Len(), a.AndNot(b).Len(), a.Meets(b), a.IsWithin(b), a.IsEmpty(), PodSet(nil).Or(a).Len(), a.And(nil).Len()}
		want := []any{and, or, not, and > 0, not == 0, len(inA) == 0, len(inA), 0}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

func TestNetworkSet(t *testing.T) {
	var s NetworkSet
	if _, _, ok := s.NarrowestCovering(netip.MustParsePrefix("10.0.0.0/8")); ok {
		t.Error("an empty set covers something")
	}
	for i, n := range []string{"10.0.0.0/8", "10.1.2.3/16", "fd00::/64", "10.0.0.0/8"} {
		s.Add(netip.MustParsePrefix(n), i)
	}
	for in, want := range map[string]string{"10.1.9.0/24": "10.1.0.0/16 1", "10.2.0.0/16": "10.0.0.0/8 0", "10.0.0.0/8": "10.0.0.0/8 0",
		"0.0.0.0/0": "", "fd00::1/128": "fd00::/64 2", "fd01::/64": "", "11.0.0.0/8": ""} {
		got := ""
		if m, id, ok := s.NarrowestCovering(netip.MustParsePrefix(in)); ok {
			got = fmt.Sprint(m, " ", id)
		}
		if got != want {
			t.Errorf("%s is covered by %q, want %q", in, got, want)
		}
	}
}

func TestParseNetwork(t *testing.T) {
	for in, want := range map[string]bool{"10.0.0.0/8": true, "10.1.2.3/8": true, "fd00::/8": true, "::/0": true,
		"10.0.0.0": false, "10.0.0.0/33": false, "::ffff:10.0.0.0/104": false, "x/8": false, "": false} {
		if _, ok := ParseNetwork(in); ok != want {
			t.Errorf("%q: %v, want %v", in, ok, want)
		}
	}
}

func TestPortMatch(t *testing.T) {
	ports := []model.Port{made.TCP(80), {Protocol: "TCP", Start: 8000, End: 8010, Range: true}, {Name: "http"}, {Protocol: "SCTP"}}
	for _, tt := range []struct {
		ports    []model.Port
		protocol string
		port     int32
		want     bool
	}{{nil, "UDP", 53, true}, {ports, "TCP", 80, true}, {ports, "TCP", 8010, true}, {ports, "TCP", 8011, false},
		{ports, "UDP", 80, false}, {ports, "SCTP", 7, true}, {[]model.Port{{Name: "http"}}, "TCP", 80, false}, {[]model.Port{{Protocol: "tcp", Start: 80, End: 80}}, "tcp", 80, false}} {
		if got := PortMatch(tt.ports, tt.protocol, tt.port); got != tt.want {
			t.Errorf("%v %s %d: %v", tt.ports, tt.protocol, tt.port, got)
		}
	}
}

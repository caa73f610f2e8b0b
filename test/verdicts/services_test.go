package verdicts

import (
	"net/netip"
	"testing"

	"rung/model"
	"rung/model/verdict"
	"rung/test/made"
)

// serviceWorld has a Service by all its addresses, whose pods listen on another port: a policy
// denies the Service's address, and others the endpoints.
func serviceWorld(system *verdict.Precedence) *verdict.Index {
	on := func(node string, p *model.Pod) *model.Pod {
		p.NodeName = node
		return p
	}
	node := func(name string, i string) *model.Node {
		n := made.Node(name, "", "172.18.0."+i)
		n.InternalIPs, n.MgmtIPs, n.GatewayIPs = n.HostIPs, []string{"10.244." + i + ".2"}, []string{"100.64.0." + i}
		return n
	}
	web := &model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: "blue", Name: "web"}}, Selector: made.Pod("x/x", "app=web").Labels,
		ClusterIPs: []string{"10.96.0.11", "fd96::11"}, ExternalIPs: []string{"203.0.113.7"}, LoadBalancerIPs: []string{"203.0.113.8"}, Type: "LoadBalancer",
		Ports: []model.ServicePort{{Protocol: "TCP", Port: 80, TargetPort: "8080", NodePort: 30080}, {Protocol: "UDP", Port: 53, TargetPort: "5353"}}}
	none := &model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: "blue", Name: "none"}}, ClusterIPs: []string{"10.96.0.12"},
		Ports: []model.ServicePort{{Protocol: "TCP", Port: 80}}}
	c := made.Cluster(made.NS("blue", "t=blue"), made.NS("red", "t=red"), made.NS("far", "t=far"), node("n1", "2"), node("n2", "3"), web, none,
		on("n1", made.WithPorts(made.Pod("blue/web-0", "app=web", "10.1.0.1", "fd00::1"), model.ContainerPort{Name: "http", Protocol: "TCP", Port: 8080})),
		on("n2", made.Pod("red/a", "", "10.1.0.2", "fd00::2")), on("n1", made.Pod("far/a", "", "10.1.0.3")),
		// The Service range is denied, and the pods are not: the Service is reached all the same.
		wholeNamespaces("range", 5, "t=red", nil, []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("10.96.0.0/16")))}),
		wholeNamespaces("six", 6, "t=red", nil, []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("fd00::1/128")))}),
		// The pods are denied, and the Service range is allowed: the Service is not reached.
		wholeNamespaces("pods", 7, "t=far", nil, []model.Rule{made.Rule(model.Allow, made.Peers(made.NetPeer("10.96.0.0/16"))), made.Rule(model.Deny, made.Peers(made.NSPeer("t=blue")), made.TCP(8080))}))
	return verdict.NewIndex(verdict.View{Cluster: c, Options: verdict.Options{IPv4: true, IPv6: true, Precedence: system}})
}

// A Service's address is load balanced before policies are asked, whichever it is.
func TestServiceAddresses(t *testing.T) {
	red, far := verdict.PodEnd("red", "a"), verdict.PodEnd("far", "a")
	for _, system := range []*verdict.Precedence{verdict.Stages, verdict.Antrea} {
		x := serviceWorld(system)
		for _, test := range []struct {
			from     verdict.Endpoint
			to       string
			protocol verdict.Protocol
			port     uint16
			want     verdict.Verdict
			why      string
			front    verdict.FrontKind
			paths    int
		}{
			{red, "10.96.0.11", verdict.TCP, 80, verdict.Allow, "", verdict.ClusterIP, 1},
			{red, "fd96::11", verdict.TCP, 80, verdict.Deny, "", verdict.ClusterIP, 1},
			{far, "10.96.0.11", verdict.TCP, 80, verdict.Deny, "", verdict.ClusterIP, 1},
			{far, "203.0.113.7", verdict.TCP, 80, verdict.Deny, "", verdict.ExternalIP, 1},
			{far, "203.0.113.8", verdict.TCP, 80, verdict.Deny, "", verdict.LoadBalancerIP, 1},
			{far, "203.0.113.8", verdict.TCP, 443, verdict.Allow, "", "", 1}, // what else is there is none of the Service's
			{far, "172.18.0.2", verdict.TCP, 30080, verdict.Deny, "", verdict.NodePort, 1},
			{far, "172.18.0.3", verdict.TCP, 30080, verdict.Allow, "", verdict.NodePort, 1}, // the other node: its rules see an address of the node
			{far, "172.18.0.2", verdict.TCP, 30081, verdict.Allow, "", "", 1},
			{red, "10.96.0.11", verdict.TCP, 81, verdict.NotApplicable, "service blue/web has no TCP port 81; it has TCP 80 and UDP 53", verdict.ClusterIP, 0},
			{red, "10.96.0.12", verdict.TCP, 80, verdict.NotApplicable, "service blue/none has no endpoints", verdict.ClusterIP, 0},
		} {
			a, err := verdict.FromPolicies(x, verdict.Connection{From: test.from, To: verdict.AddrEnd(netip.MustParseAddr(test.to)), Protocol: test.protocol, Port: test.port})
			kind := verdict.FrontKind("")
			if a.Front != nil {
				kind = a.Front.Kind
			}
			if err != nil || a.Verdict != test.want || a.Reason != test.why || kind != test.front || len(a.Paths) != test.paths {
				t.Errorf("%s: %s → %s %s %d: %s %q of %q by %d paths, %v", system.NoPod, test.from, test.to, test.protocol, test.port, a.Verdict, a.Reason, kind, len(a.Paths), err)
			}
		}
	}
}

// Through the NodePort of another node the sender's rules see the node, and those of the
// endpoint one of the node's addresses: where they tell these apart, nobody knows.
func TestNodePortOfAnotherNode(t *testing.T) {
	for _, test := range []struct {
		name  string
		rules []model.Rule
		want  verdict.Verdict
	}{
		{"none", nil, verdict.Allow},
		{"all denied", []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("0.0.0.0/0")))}, verdict.Deny},
		{"one denied", []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("100.64.0.0/16")))}, verdict.Unknown},
		{"the sender denied", []model.Rule{made.Rule(model.Deny, made.Peers(made.NSPeer("t=far")))}, verdict.Allow},
	} {
		x := serviceWorld(nil)
		c := x.Cluster()
		x = verdict.NewIndex(verdict.View{Cluster: made.Cluster(append(objects(c), wholeNamespaces("in", 9, "t=blue", test.rules, nil))...), Options: x.Options()})
		for _, to := range []verdict.Endpoint{verdict.NodeEnd("n2"), verdict.AddrEnd(netip.MustParseAddr("172.18.0.3"))} {
			a, err := verdict.FromPolicies(x, verdict.Connection{From: verdict.PodEnd("far", "a"), To: to, Protocol: verdict.TCP, Port: 30080})
			if err != nil || a.Verdict != test.want || len(a.Paths) != 1 || a.Paths[0].Via != "n2" {
				t.Errorf("%s: to %s %s %q %v", test.name, to, a.Verdict, a.Reason, err)
			}
		}
	}
}

// A pod that reaches itself through the NodePort of another node leaves its own: its egress rules
// are asked.
func TestOwnPodByAnotherNode(t *testing.T) {
	x := serviceWorld(nil)
	deny := wholeNamespaces("nodes", 3, "t=blue", nil, []model.Rule{made.Rule(model.Deny, made.Peers(made.NodePeer("*")))})
	x = verdict.NewIndex(verdict.View{Cluster: made.Cluster(append(objects(x.Cluster()), deny)...), Options: x.Options()})
	for to, want := range map[string]verdict.Verdict{"n1": verdict.Allow, "n2": verdict.Deny} { // web-0 is on n1
		if got := single(t, x, verdict.PodEnd("blue", "web-0"), verdict.NodeEnd(to), verdict.Ports{Protocol: verdict.TCP, Port: 30080}); got != want {
			t.Errorf("by %s: %s, want %s", to, got, want)
		}
	}
}

func objects(c *model.Cluster) (out []model.Object) {
	for o := range c.Objects() {
		out = append(out, o)
	}
	return out
}

// toServices means the ClusterIP of a Service, however it is written, and no other address.
func TestAntreaToServicesByAddress(t *testing.T) {
	x := serviceWorld(verdict.Antrea)
	r := made.Rule(model.Deny, nil)
	r.Direction = model.Egress
	r.Tiered = &model.TieredRule{Action: "Drop", ToServices: []model.Key{{Kind: model.KindService, Namespace: "blue", Name: "web"}}}
	p := wholeNamespaces("to-web", 3, "t=red", nil, []model.Rule{r})
	p.Kind, p.Tiered = model.KindACNP, &model.TieredPolicy{Tier: "application", Priority: 3, AppliedTo: []model.AppliedTo{{Pods: model.SelectEverything(), Namespaces: made.Sel("t=red"), Select: true}}}
	x = verdict.NewIndex(verdict.View{Cluster: made.Cluster(append(objects(x.Cluster()), p)...), Options: x.Options()})
	for to, want := range map[string]verdict.Verdict{"10.96.0.11": verdict.Deny, "203.0.113.7": verdict.Allow, "10.1.0.1": verdict.Allow} {
		port := uint16(80)
		if a, err := verdict.FromPolicies(x, verdict.Connection{From: verdict.PodEnd("red", "a"), To: verdict.AddrEnd(netip.MustParseAddr(to)), Protocol: verdict.TCP, Port: port}); err != nil || a.Verdict != want {
			t.Errorf("%s: %s %q %v, want %s", to, a.Verdict, a.Reason, err, want)
		}
	}
}

// Families are asked each where both ends have both; that a pod lacks the port which its
// Service has is found.
func TestFamiliesAndPortsOfServices(t *testing.T) {
	x := serviceWorld(nil)
	for _, test := range []struct {
		c    verdict.Connection
		want int
	}{
		{verdict.Connection{From: verdict.PodEnd("red", "a"), To: verdict.PodEnd("blue", "web-0"), Protocol: verdict.TCP, Port: 80}, 2},
		{verdict.Connection{From: verdict.PodEnd("red", "a"), To: verdict.ServiceEnd("blue", "web"), Protocol: verdict.TCP, Port: 80}, 2},
		{verdict.Connection{From: verdict.PodEnd("far", "a"), To: verdict.PodEnd("blue", "web-0"), Protocol: verdict.TCP, Port: 80}, 0},
		{verdict.Connection{From: verdict.PodEnd("red", "a"), To: verdict.PodEnd("blue", "web-0"), Protocol: verdict.TCP, Port: 80, Family: verdict.IPv6}, 0},
		{verdict.Connection{From: verdict.PodEnd("red", "a"), To: verdict.AddrEnd(netip.MustParseAddr("fd00::1")), Protocol: verdict.TCP, Port: 80}, 0},
	} {
		if got := verdict.OpenFamilies(x, test.c); len(got) != test.want {
			t.Errorf("%s: families %v, want %d", test.c, got, test.want)
		}
	}
	pod := model.Key{Kind: model.KindPod, Namespace: "blue", Name: "web-0"}
	if s, target, ok := verdict.OnlyService(x, pod, verdict.UDP, 53); !ok || s.Name != "web" || target != 5353 {
		t.Error(s, target, ok)
	}
	for _, port := range []uint16{8080, 5353, 81} {
		if s, _, ok := verdict.OnlyService(x, pod, verdict.TCP, port); ok {
			t.Errorf("port %d: %s", port, s)
		}
	}
}

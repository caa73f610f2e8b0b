package verdicts

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/revision"
	"rung/test/made"
)

// tableWorld has one of each kind of end and rule that the table asks about.
func tableWorld() *model.Cluster {
	on := func(node string, p *model.Pod) *model.Pod {
		p.NodeName = node
		return p
	}
	host := on("n2", made.Pod("blue/host", "app=host", "172.18.0.3"))
	host.HostNetwork = true
	done := on("n1", made.Pod("blue/done", "app=web", "10.1.0.1"))
	done.Phase = "Succeeded"
	udn := on("n1", made.Pod("blue/udn", "app=web", "10.1.0.8"))
	udn.Networks = []model.PodNetwork{{Name: "blue/own", Role: "primary"}}
	n1, n2 := made.Node("n1", "", "172.18.0.2"), made.Node("n2", "", "172.18.0.3")
	n1.MgmtIPs, n2.MgmtIPs = []string{"10.244.0.2"}, []string{"10.244.1.2"}
	np := func(ns, name, pods string, in, out bool) *model.Policy {
		return &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: ns, Name: name}}, Tier: model.TierNetwork, IsolatesIngress: in, IsolatesEgress: out,
			Subject: model.Subject{Namespace: ns, Namespaces: model.SelectEverything(), Pods: made.Sel(pods)}}
	}
	ef := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindEF, Namespace: "blue", Name: "default"}}, Tier: model.TierNetwork,
		Subject: model.Subject{Namespace: "blue", Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true},
		Egress: []model.Rule{{Direction: model.Egress, Index: 0, Action: model.Deny, Peers: made.Peers(made.NetPeer("192.0.2.0/24"))},
			{Direction: model.Egress, Index: 1, Action: model.Deny, Peers: []model.Peer{{Kind: model.PeerDNS, DNSName: "www.example.com"}}, Ports: []model.Port{made.TCP(443)}}}}
	banp := wholeNamespaces("default", 0, "t=red", []model.Rule{made.Rule(model.Deny, made.Peers(made.NSPeer("*")))}, nil)
	banp.Kind, banp.Tier = model.KindBANP, model.TierBaseline
	service := func(name, app string) *model.Service {
		return &model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: "blue", Name: name}}, Selector: made.Pod("x/x", app).Labels, ClusterIPs: []string{"172.30.0.10"},
			Ports: []model.ServicePort{{Protocol: "TCP", Port: 80, TargetPort: "http"}}}
	}
	return made.Cluster(made.NS("blue", "t=blue"), made.NS("red", "t=red"), n1, n2, host, done, udn, ef, banp,
		on("n1", made.WithPorts(made.Pod("blue/web", "app=web", "10.1.0.1"), model.ContainerPort{Name: "http", Protocol: "TCP", Port: 8080})),
		on("n2", made.Pod("blue/db", "app=db", "10.1.0.2")), on("n2", made.Pod("red/web", "app=web", "10.1.0.3")),
		on("n1", made.Pod("blue/new", "app=new")), on("", made.Pod("blue/waiting", "app=new", "10.1.0.9")),
		service("web", "app=web"), service("none", "app=nobody"),
		wholeNamespaces("pass", 5, "t=red", []model.Rule{made.Rule(model.Pass, made.Peers(made.NSPeer("t=blue")), made.TCP(80)), made.Rule(model.Deny, made.Peers(made.NSPeer("t=blue")), made.TCP(81))}, nil),
		wholeNamespaces("one", 20, "t=blue", nil, []model.Rule{made.Rule(model.Allow, made.Peers(made.NetPeer("192.0.2.0/24"))), made.Rule(model.Deny, made.Peers(made.NSPeer("t=red")), made.UDP(53))}),
		wholeNamespaces("two", 20, "t=blue", nil, []model.Rule{made.Rule(model.Pass, made.Peers(made.NSPeer("t=blue"))), made.Rule(model.Allow, made.Peers(made.NSPeer("t=red")), made.UDP(53))}),
		np("blue", "closed", "app=db", true, false), np("blue", "shut", "*", true, false))
}

// wholeNamespaces makes an AdminNetworkPolicy as it is read.
func wholeNamespaces(name string, priority int32, subject string, ingress, egress []model.Rule) *model.Policy {
	p := made.ANP(name, priority, subject, ingress, egress)
	p.Subject.Pods = model.SelectEverything()
	return p
}

// say is an answer in a line: the verdict, its reason, and who decides where.
func say(a verdict.Answer) string {
	out := string(a.Verdict)
	if a.Reason != "" {
		out += " (" + a.Reason + ")"
	}
	for _, p := range a.Paths {
		for _, s := range p.Stages {
			who := s.Candidates
			if len(who) == 0 && s.Decided != nil {
				who = []verdict.Decider{*s.Decided}
			}
			if len(who)+len(s.Passed) == 0 {
				continue
			}
			out += fmt.Sprintf("; %s %s %s", s.Stage, s.Zone, s.Verdict)
			for _, d := range s.Passed {
				out += fmt.Sprintf(" after %s %d", d.Policy.Label(), d.Rule)
			}
			for _, d := range who {
				out += fmt.Sprintf(" by %s %d", d.Policy.Label(), d.Rule)
				for _, k := range d.Isolating {
					out += " of " + k.Label()
				}
			}
		}
	}
	return out
}

func TestAnswers(t *testing.T) {
	c := tableWorld()
	x, d := indexOf(t, c, compiler.Options{IPv4: true})
	zones := verdict.ZonesByName{"n1": verdict.NewZone("n1", revision.ZoneDatabase(d, "n1"), &verdict.MatchCache{}, nil), "n2": verdict.NewZone("n2", revision.ZoneDatabase(d, "n2"), &verdict.MatchCache{}, nil)}
	web, red := verdict.PodEnd("blue", "web"), verdict.PodEnd("red", "web")
	addr := func(s string) verdict.Endpoint { return verdict.AddrEnd(netip.MustParseAddr(s)) }
	for _, q := range []struct {
		verdict.Connection
		want string
	}{
		{verdict.Connection{From: web, To: red, Protocol: verdict.TCP, Port: 80}, "deny; to-lport n2 deny after ANP pass 0 by BANP default 0"},
		{verdict.Connection{From: web, To: red, Protocol: verdict.TCP, Port: 81}, "deny; to-lport n2 deny by ANP pass 1"},
		{verdict.Connection{From: web, To: red, Protocol: verdict.UDP, Port: 53}, "deny; from-lport-after-lb n1 undefined by ANP one 1 by ANP two 1; to-lport n2 deny by BANP default 0"},
		{verdict.Connection{From: red, To: verdict.PodEnd("blue", "db"), Protocol: verdict.TCP, Port: 80}, "deny; to-lport n2 deny by default deny of blue, ingress -1 of NP blue/closed of NP blue/shut"},
		{verdict.Connection{From: red, To: addr("192.0.2.7"), Protocol: verdict.ICMP}, "allow"},
		{verdict.Connection{From: web, To: addr("192.0.2.7"), Protocol: verdict.TCP, Port: 80}, "deny; from-lport-after-lb n1 allow by ANP one 0; to-lport n1 deny by EF blue/default 0"},
		{verdict.Connection{From: web, To: addr("198.51.100.1"), Protocol: verdict.TCP, Port: 443}, "unknown (the addresses of www.example.com are unknown); to-lport n1 unknown by EF blue/default 1"},
		{verdict.Connection{From: web, To: addr("198.51.100.1"), Protocol: verdict.TCP, Port: 80}, "allow"},
		{verdict.Connection{From: web, To: addr("10.1.0.3"), Protocol: verdict.TCP, Port: 81}, "deny; to-lport n2 deny by ANP pass 1"},
		{verdict.Connection{From: verdict.NodeEnd("n1"), To: web, Protocol: verdict.TCP, Port: 80}, "allow; to-lport n1 allow by rows of node n1 -1"},
		{verdict.Connection{From: verdict.NodeEnd("n2"), To: web, Protocol: verdict.TCP, Port: 80}, "deny; to-lport n2 allow by rows of node n2 -1; to-lport n1 deny by default deny of blue, ingress -1 of NP blue/shut"},
		{verdict.Connection{From: verdict.PodEnd("blue", "host"), To: verdict.PodEnd("blue", "db"), Protocol: verdict.TCP, Port: 80}, "allow; to-lport n2 allow by rows of node n2 -1"},
		{verdict.Connection{From: verdict.PodEnd("blue", "host"), To: verdict.NodeEnd("n1"), Protocol: verdict.TCP, Port: 80}, "not applicable (no policy applies: neither end is a pod of the default network)"},
		{verdict.Connection{From: web, To: verdict.PodEnd("blue", "udn"), Protocol: verdict.TCP, Port: 80}, "not applicable (ANP does not apply: the primary network of blue/udn is blue/own)"},
		{verdict.Connection{From: verdict.PodEnd("blue", "done"), To: web, Protocol: verdict.TCP, Port: 80}, "not applicable (blue/done is completed: it no longer has an address)"},
		{verdict.Connection{From: web, To: verdict.PodEnd("blue", "new"), Protocol: verdict.TCP, Port: 80}, "not applicable (blue/new has no address yet)"},
		{verdict.Connection{From: web, To: verdict.PodEnd("blue", "waiting"), Protocol: verdict.TCP, Port: 80}, "not applicable (blue/waiting is not scheduled: it has no port yet)"},
		{verdict.Connection{From: web, To: web, Protocol: verdict.TCP, Port: 80}, "not applicable (a pod reaches itself without leaving its network)"},
		{verdict.Connection{From: web, To: verdict.ServiceEnd("blue", "web"), Protocol: verdict.TCP, Port: 80}, "allow; to-lport n1 allow by hairpin rows -1"},
		{verdict.Connection{From: web, To: verdict.ServiceEnd("blue", "none"), Protocol: verdict.TCP, Port: 80}, "not applicable (service blue/none has no endpoints)"},
		{verdict.Connection{From: web, To: verdict.ServiceEnd("blue", "web"), Protocol: verdict.TCP, Port: 81}, "not applicable (service blue/web has no TCP port 81; it has TCP 80)"},
		{verdict.Connection{From: web, To: red, Protocol: verdict.TCP, Port: 80, Family: verdict.IPv6}, "not applicable (the ends have no address family in common)"},
	} {
		a, err := verdict.FromPolicies(x, q.Connection)
		if err != nil {
			t.Fatalf("%s: %v", q.Connection, err)
		}
		if d := cmp.Diff(q.want, say(a)); d != "" {
			t.Errorf("%s: %s", q.Connection, d)
		}
		r, err := verdict.FromRows(x, zones, q.Connection)
		if what := disagreement(a, r); err != nil || what != "" {
			t.Errorf("%s: %s %v", q.Connection, what, err)
		}
	}
	for what, q := range map[string]verdict.Connection{
		"ICMP has no ports":                  {From: web, To: red, Protocol: verdict.ICMP, Port: 8},
		"TCP needs a port":                   {From: web, To: red, Protocol: verdict.TCP},
		`protocol "IGMP"`:                    {From: web, To: red, Protocol: "IGMP"},
		"pod blue/gone does not exist":       {From: web, To: verdict.PodEnd("blue", "gone"), Protocol: verdict.ICMP},
		"node n9 does not exist":             {From: web, To: verdict.NodeEnd("n9"), Protocol: verdict.ICMP},
		"service blue/gone does not exist":   {From: web, To: verdict.ServiceEnd("blue", "gone"), Protocol: verdict.TCP, Port: 80},
		"cannot begin connections":           {From: verdict.ServiceEnd("blue", "web"), To: web, Protocol: verdict.TCP, Port: 80},
		"neither pod, node, Service nor":     {From: web, Protocol: verdict.ICMP},
		"of different families":              {From: addr("192.0.2.1"), To: addr("2001:db8::1"), Protocol: verdict.ICMP},
		"2001:db8::1 is not an IPv4 address": {From: web, To: addr("2001:db8::1"), Protocol: verdict.ICMP, Family: verdict.IPv4},
	} {
		if _, err := verdict.FromPolicies(x, q); !errors.Is(err, verdict.ErrQuestion) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if a, _ := verdict.FromRows(x, verdict.ZonesByName{"n1": zones["n1"]}, verdict.Connection{From: web, To: red, Protocol: verdict.TCP, Port: 80}); a.Verdict != verdict.Unknown || a.Reason != "zone n2 was not read" {
		t.Errorf("a zone that was not read: %s", say(a))
	}
}

// TestTrace: the path names what was tried in each tier, and in a word why it did not
// match.
func TestTrace(t *testing.T) {
	x, _ := indexOf(t, tableWorld(), compiler.Options{IPv4: true})
	a, err := verdict.TracePolicies(x, verdict.Connection{From: verdict.PodEnd("blue", "web"), To: verdict.PodEnd("red", "web"), Protocol: verdict.TCP, Port: 80})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range a.Paths[0].Stages {
		for _, tier := range s.Tiers {
			for _, w := range tier.Attempts {
				if w.Matched {
					w.Why = "matched"
				}
				got = append(got, fmt.Sprintf("%s %s tier %d: %s %d %s", s.Stage, s.Zone, tier.Tier, w.Policy.Label(), w.Rule, w.Why))
			}
		}
	}
	want := []string{
		"from-lport-after-lb n1 tier 1: ANP one 0 peer",
		"from-lport-after-lb n1 tier 1: ANP two 0 peer",
		"from-lport-after-lb n1 tier 1: ANP one 1 protocol",
		"from-lport-after-lb n1 tier 1: ANP two 1 protocol",
		"to-lport n1 tier 2: EF blue/default 0 peer",
		"to-lport n1 tier 2: EF blue/default 1 port",
		"to-lport n2 tier 1: ANP pass 0 matched",
		"to-lport n2 tier 2: default deny of blue, ingress -1 subject",
		"to-lport n2 tier 3: BANP default 0 matched",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestTraceOfSurprises: the path says why a rule does not match that names a Service's address, or a port that
// no regular container declares.
func TestTraceOfSurprises(t *testing.T) {
	on := func(p *model.Pod) *model.Pod { p.NodeName = "n1"; return p }
	svc := &model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: "b", Name: "db"}}, ClusterIPs: []string{"172.30.0.7"},
		Selector: model.NewLabels(map[string]string{"app": "db"}), Ports: []model.ServicePort{{Protocol: "TCP", Port: 80, TargetPort: "8099"}}}
	out := wholeNamespaces("out", 4, "t=a", nil, []model.Rule{made.Rule(model.Allow, made.Peers(made.NetPeer("172.30.0.7/32"))), made.Rule(model.Allow, made.Peers(made.NetPeer("172.31.0.0/16")))})
	in := wholeNamespaces("in", 5, "t=b", []model.Rule{made.Rule(model.Allow, made.Peers(made.NSPeer("t=a")), model.Port{Name: "metrics"}), made.Rule(model.Deny, made.Peers(made.NSPeer("t=a")))}, nil)
	x, _ := indexOf(t, made.Cluster(made.NS("a", "t=a"), made.NS("b", "t=b"), made.Node("n1", ""), svc, out, in, on(made.Pod("a/prom", "app=x", "10.1.0.1")),
		on(made.Pod("b/bare", "app=db", "10.1.0.2")),
		on(made.WithPorts(made.Pod("b/declares", "app=other", "10.1.0.3"), model.ContainerPort{Name: "metrics", Protocol: "TCP", Port: 8099}))), compiler.Options{IPv4: true})
	say := func(to verdict.Endpoint, port uint16) (got []string) {
		a, err := verdict.TracePolicies(x, verdict.Connection{From: verdict.PodEnd("a", "prom"), To: to, Protocol: verdict.TCP, Port: port})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range a.Paths[0].Stages {
			for _, tier := range s.Tiers {
				for _, w := range tier.Attempts {
					got = append(got, fmt.Sprintf("%s %d %s %s", w.Policy.Label(), w.Rule, w.Why, w.Note))
				}
			}
		}
		return got
	}
	const note = "172.30.0.7 is the address of service b/db, which load balancing replaces before rules apply"
	want := []string{"ANP out 0 peer " + note, "ANP out 1 peer ", "ANP in 0 port no container of b/bare declares a port named metrics; init containers do not count", "ANP in 1  "}
	for _, got := range [][]string{say(verdict.ServiceEnd("b", "db"), 80), say(verdict.PodEnd("b", "bare"), 8099)} {
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	want = []string{"ANP out 0 peer ", "ANP out 1 peer ", "ANP in 0  "}
	if d := cmp.Diff(want, say(verdict.PodEnd("b", "declares"), 8099)); d != "" {
		t.Error(d)
	}
}

// TestDefects: where a known defect of OVN-Kubernetes makes the difference it is named, and
// only there; the rows agree with the verdict.
func TestDefects(t *testing.T) {
	http := func(name string, app string, ip string) *model.Pod {
		p := made.WithPorts(made.Pod(name, app, ip), model.ContainerPort{Name: "http", Protocol: "TCP", Port: 8080})
		p.NodeName = "n1"
		return p
	}
	np := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: "a", Name: "np"}}, Tier: model.TierNetwork, IsolatesIngress: true,
		Subject: model.Subject{Namespace: "a", Namespaces: model.SelectEverything(), Pods: made.Sel("app=db")},
		Ingress: []model.Rule{{Direction: model.Ingress, Index: 0, Action: model.Allow, AnyPeer: true, Ports: []model.Port{{Protocol: "TCP", Name: "http"}, {Protocol: "UDP"}, made.UDP(53)}}}}
	out := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: "a", Name: "out"}}, Tier: model.TierNetwork, IsolatesIngress: true, IsolatesEgress: true,
		Subject: model.Subject{Namespace: "a", Namespaces: model.SelectEverything(), Pods: made.Sel("app=shut")}}
	half := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: "a", Name: "half"}}, Tier: model.TierNetwork, IsolatesIngress: true,
		Subject: model.Subject{Namespace: "a", Namespaces: model.SelectEverything(), Pods: made.Sel("app=shut")},
		Egress:  []model.Rule{{Direction: model.Egress, Index: 0, Action: model.Allow, AnyPeer: true}}}
	named := wholeNamespaces("named", 5, "t=a", []model.Rule{made.Rule(model.Deny, made.Peers(made.NSPeer("t=b")), model.Port{Name: "http"})}, nil)
	x, d := indexOf(t, made.Cluster(made.NS("a", "t=a"), made.NS("b", "t=b"), made.Node("n1", ""), np, out, half, named,
		http("a/db", "app=db", "10.1.0.1"), http("a/shut", "app=shut", "10.1.0.2"), http("b/one", "app=x", "10.1.0.3"), http("b/two", "app=x", "10.1.0.4")), compiler.Options{IPv4: true})
	zones := verdict.ZonesByName{"n1": verdict.NewZone("n1", revision.ZoneDatabase(d, "n1"), &verdict.MatchCache{}, nil)}
	for _, c := range []struct {
		verdict.Connection
		verdict verdict.Verdict
		defects []string
	}{
		{verdict.Connection{From: verdict.PodEnd("a", "shut"), To: verdict.PodEnd("a", "db"), Protocol: verdict.TCP, Port: 8080}, verdict.Allow, []string{verdict.DefectNoType}},
		{verdict.Connection{From: verdict.PodEnd("a", "shut"), To: verdict.PodEnd("a", "db"), Protocol: verdict.TCP, Port: 22}, verdict.Allow, []string{verdict.DefectNoType, verdict.DefectWholeProtocol}},
		{verdict.Connection{From: verdict.PodEnd("b", "one"), To: verdict.PodEnd("a", "db"), Protocol: verdict.UDP, Port: 53}, verdict.Allow, nil},
		{verdict.Connection{From: verdict.PodEnd("b", "one"), To: verdict.PodEnd("a", "db"), Protocol: verdict.UDP, Port: 54}, verdict.Deny, []string{verdict.DefectAnyPort}},
		{verdict.Connection{From: verdict.PodEnd("b", "one"), To: verdict.PodEnd("a", "db"), Protocol: verdict.TCP, Port: 8080}, verdict.Deny, nil},
		{verdict.Connection{From: verdict.PodEnd("b", "one"), To: verdict.PodEnd("b", "two"), Protocol: verdict.TCP, Port: 8080}, verdict.Deny, []string{verdict.DefectNamedPeer}},
		{verdict.Connection{From: verdict.PodEnd("b", "one"), To: verdict.PodEnd("b", "two"), Protocol: verdict.TCP, Port: 8081}, verdict.Allow, nil},
	} {
		a, err := verdict.TracePolicies(x, c.Connection)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range a.Paths[0].Stages {
			for _, tier := range s.Tiers {
				for _, w := range tier.Attempts {
					if w.Defect != "" {
						got = append(got, w.Defect)
					}
				}
			}
		}
		if d := cmp.Diff(c.defects, got); d != "" || a.Verdict != c.verdict {
			t.Errorf("%s: %s %s", c.Connection, a.Verdict, d)
		}
		r, err := verdict.FromRows(x, zones, c.Connection)
		if what := disagreement(a, r); err != nil || what != "" {
			t.Errorf("%s: %s %v", c.Connection, what, err)
		}
	}
}

// TestServiceBeforeLoadBalancing: before load balancing the packet carries the Service's
// address and port, after it the endpoint's.
func TestServiceBeforeLoadBalancing(t *testing.T) {
	x, d := indexOf(t, tableWorld(), compiler.Options{IPv4: true})
	row := func(direction, match string) *nb.ACL {
		return &nb.ACL{UUID: "extra", Action: nb.ActionDrop, Direction: direction, Match: match, Priority: 1}
	}
	for match, want := range map[*nb.ACL]verdict.Verdict{
		row(nb.FromLport, "ip4.dst == 172.30.0.10 && tcp.dst == 80"): verdict.Deny,
		row(nb.FromLport, "tcp.dst == 8080"):                         verdict.Allow,
		row(nb.ToLport, "ip4.dst == 172.30.0.10"):                    verdict.Allow,
		row(nb.ToLport, "tcp.dst == 8080"):                           verdict.Deny,
		row(nb.FromLport, "ip4.src == 10.1.0.1"):                     verdict.Deny, // the pod itself, which has not turned round yet
		row(nb.FromLport, "ip4.src == 169.254.169.5"):                verdict.Allow,
		row(nb.ToLport, "ip4.src == 10.1.0.1"):                       verdict.Allow,
	} {
		db := revision.ZoneDatabase(d, "n1")
		sw := *db.SwitchByName("n1")
		sw.ACLs = append([]string{match.UUID}, sw.ACLs...)
		db = db.Apply([]nb.RowChange{{New: match}, {Old: db.SwitchByName("n1"), New: &sw}})
		a, err := verdict.FromRows(x, verdict.ZonesByName{"n1": verdict.NewZone("n1", db, &verdict.MatchCache{}, nil)}, verdict.Connection{From: verdict.PodEnd("blue", "web"), To: verdict.ServiceEnd("blue", "web"), Protocol: verdict.TCP, Port: 80})
		if err != nil || a.Verdict != want {
			t.Errorf("%s %s: %s, want %s (%v)", match.Direction, match.Match, say(a), want, err)
		}
	}
}

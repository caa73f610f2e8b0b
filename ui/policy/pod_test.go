package policy_test

import (
	"strings"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/sources/manifests"
	"rung/test/live"
	"rung/test/uitest"
	"rung/ui/nav"
)

func podKey(ns, name string) model.Key {
	return model.Key{Kind: model.KindPod, Namespace: ns, Name: name}
}

func openPod(t testing.TB, ns, name string) *uitest.Screen {
	t.Helper()
	return uitest.OpenScreen(t, tampered(t), nav.ToPod(podKey(ns, name)))
}

func TestPodGoldens(t *testing.T) {
	s := openPod(t, "blue", "api-d0")
	s.Golden("api")
	s.ResizeAll()
	s = openPod(t, "red", "tunnel-0")
	s.Golden("udn")
}

// A pod's keys trace a connection to it, and quarantine it by a label.
func TestPodKeys(t *testing.T) {
	s := openPod(t, "blue", "api-d0")
	s.Press("@")
	s.Want("trace a connection", "blue/api-d0")
	s.Press("esc", "Q")
	s.Want("new quarantine · question 1 of", "app=api")
}

func TestTouchesInPrecedenceOrder(t *testing.T) {
	p := tampered(t)
	pod := p.Cluster.Pod("blue", "api-d0")
	s := uitest.OpenScreen(t, p, nav.ToPod(pod.Key))
	s.Resize(160, 60)
	var got []string
	for _, l := range strings.Split(s.PlainFrame(), "\n") {
		f := strings.Fields(strings.TrimLeft(l, " ▸"))
		for i := range f {
			if i > 0 && (f[i] == "ingress" || f[i] == "egress") && i+1 < len(f) && strings.Contains("0123456789", f[i+1]) {
				got = append(got, f[i-1]+" "+f[i]+" "+f[i+1])
				break
			}
		}
	}
	var want []string
	for _, x := range revision.RulesTouchingPod(revision.New(*p, nil), pod) {
		want = append(want, strings.TrimPrefix(x.Policy.Namespace+"/", "/")+x.Policy.Name+" "+x.Direction.Lower()+" "+string(rune('0'+x.Rule)))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	s.Want("10.244.1.10 · ovn-worker · Running", "app=api tier=be · namespace labels: env=prod tenant=blue",
		"120 ✗ experimental", "tier 2 · NetworkPolicy · unless a rule above decided",
		"tier 3 · baseline · unless a rule above decided", "port blue_api-d0 in ovn-worker  present")
}

func TestRuleAndBack(t *testing.T) {
	s := openPod(t, "blue", "api-d0")
	s.Press("/")
	s.Type("quarantine")
	s.Press("enter", "j")
	if l := s.Line("▸"); !strings.Contains(l, "egress 0") || !strings.Contains(l, "peer") {
		t.Fatalf("the cursor is on %q", l)
	}
	s.Press("enter")
	s.Want(`› quarantine egress 0 "deny-all-pods"`)
	s.Press("esc")
	if l := s.Line("▸"); !strings.Contains(l, "egress 0") {
		t.Errorf("back on %q", l)
	}
	s.Press("esc", "G")
	if l := s.Line("▸"); !strings.Contains(l, "port blue_api-d0") {
		t.Fatalf("at the bottom is %q", l)
	}
	s.Press("enter")
	s.Want("Logical_Switch_Port", "behind it")
}

func TestPodsThatAreSpecial(t *testing.T) {
	s := openPod(t, "kube-system", "kube-proxy-8l5xv")
	s.Want("▲ host network: no policy applies to it", "none, as expected")
	s = openPod(t, "red", "tunnel-0")
	s.Want("its primary network is red/tenant-net: AdminNetworkPolicies are not enforced there")
	s.Press("G")
	s.Want("role infrastructure-locked", "ANP not enforced on it")
	p := tampered(t)
	for _, tc := range []struct {
		change func(*model.Pod)
		want   string
	}{
		{func(p *model.Pod) { p.Phase = "Succeeded" }, "completed: its addresses are ignored"},
		{func(p *model.Pod) { p.IPs = nil }, "no address: a subject, but in no address set"},
		{func(p *model.Pod) { p.NodeName = "" }, "not scheduled: no policy applies to it until it has a node"},
		{func(p *model.Pod) { p.NodeName = "ovn-worker2" }, "○ does not exist yet: no policy is enforced on it"},
		{func(p *model.Pod) { p.NodeName = "ovn-worker2" }, "≠ the pod does not run there"},
	} {
		q := *p
		pod := *p.Cluster.Pod("blue", "api-d0")
		tc.change(&pod)
		q.Cluster, _ = p.Cluster.Upsert([]model.Object{&pod}, nil)
		q.Desired = nil
		s := uitest.OpenScreen(t, &q, nav.ToPod(pod.Key))
		s.Press("G")
		s.Want(tc.want)
	}
}

func TestGoneAndBackAgain(t *testing.T) {
	p := tampered(t)
	s := uitest.OpenScreen(t, p, nav.ToPod(podKey("blue", "api-d0")))
	old := p.Cluster
	p.Cluster, _ = old.Upsert(nil, []model.Key{podKey("blue", "api-d0")})
	p.Desired = nil
	s.Console.Set(p)
	s.Refresh()
	s.Want("■ pod blue/api-d0 no longer exists.")
	s.Press("enter", "j", "y")
	s.ResizeAll()
	p.Cluster, p.Desired = old, nil
	s.Console.Set(p)
	s.Refresh()
	s.Want("cluster-control")
}

func TestSelectionIsKeptByIdentity(t *testing.T) {
	p := tampered(t)
	s := uitest.OpenScreen(t, p, nav.ToPod(podKey("blue", "api-d0")))
	for !strings.Contains(s.Line("▸"), "multi-tenant") {
		s.Press("j")
	}
	p.Cluster, _ = p.Cluster.Upsert(nil, []model.Key{{Kind: model.KindANP, Name: "break-glass"}})
	p.Desired = nil
	s.Console.Set(p)
	s.Refresh()
	s.WantNot("break-glass")
	if l := s.Line("▸"); !strings.Contains(l, "multi-tenant") {
		t.Errorf("the cursor is on %q", l)
	}
}

func TestNotReadZone(t *testing.T) {
	p := uitest.DemoFacts(t)
	*live.Zone(t, p, "ovn-worker") = model.ZoneState{Name: "ovn-worker", Conn: model.ConnDialling}
	s := uitest.OpenScreen(t, p, nav.ToPod(podKey("blue", "api-d0")))
	s.Press("G")
	s.Want("port " + nb.PortName("blue", "api-d0") + " in ovn-worker  zone not read: dialling, never read")
}

func TestLogs(t *testing.T) {
	s := openPod(t, "blue", "api-d0")
	s.Press("l")
	if f := s.PlainFrame(); !strings.Contains(f, "log") {
		t.Errorf("l leads nowhere:\n%s", f)
	}
}

// One pod event while a pod is open: 1,000 pods, 50 policies of 20 rules.
func BenchmarkPodEvent(b *testing.B) {
	p := uitest.DemoFacts(b)
	p.Cluster = live.Big(1000, 50, 20)
	c := compiler.New(compiler.Options{})
	var all []model.Change
	for o := range p.Cluster.Objects() {
		all = append(all, model.Change{New: o})
	}
	p.Desired, _ = c.Apply(p.Cluster, all)
	uitest.Sync(p)
	s := uitest.OpenScreen(b, p, nav.ToPod(podKey("ns-003", "pod-00080")))
	s.Want("policy-00")
	i := 0
	for b.Loop() {
		b.StopTimer()
		i++
		pod := *p.Cluster.Pod("ns-003", "pod-00081")
		pod.Phase = []string{"Running", "Pending"}[i%2]
		var changes []model.Change
		p.Cluster, changes = p.Cluster.Upsert([]model.Object{&pod}, nil)
		p.Desired, _ = c.Apply(p.Cluster, changes)
		s.Console.Set(p)
		revision.FindingsOfObjects(s.Console.Revision())
		b.StartTimer()
		s.Refresh()
	}
}

// What NetworkPolicies and EgressFirewalls do to a pod: their rules, who isolates
// it, and which rules mean everybody.
func TestTier2(t *testing.T) {
	p := uitest.DemoFacts(t)
	res := manifests.Parse("more.yaml", []byte(`
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: locked, namespace: blue}
spec: {podSelector: {}, policyTypes: [Ingress, Egress], egress: [{to: [{podSelector: {}}]}]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: open, namespace: green}
spec: {podSelector: {}, ingress: [{}], egress: [{}]}
`), manifests.Options{})
	p.Cluster, _ = p.Cluster.Upsert(res.Objects, nil)
	uitest.Sync(p)
	uitest.AddUnits(p)
	s := uitest.OpenScreen(t, p, nav.ToPod(podKey("blue", "api-d0")))
	s.Resize(160, 60)
	s.Want("NP blue/locked                egress 0  Allow  subject, peer", "from pods: app=web in blue",
		"default deny of blue, ingress  Deny  isolated by NP allow-web and NP locked: what no NetworkPolicy allows is denied",
		"default deny of blue, egress  Deny  isolated by NP locked:",
		"subject of 2 NetworkPolicies, peer of", "2 rules for other pods name no peer")
	s.Press("/")
	s.Type("isolated by NP locked")
	s.Press("enter", "enter")
	s.Want("rows", "filter: (deny|ARP|ICMP) of blue, egress", "default deny of blue, egress", "ARP of blue, egress")
	s.WantNot("default deny of blue, ingress")
	s = uitest.OpenScreen(t, p, nav.ToPod(podKey("yellow", "web-f1")))
	s.Resize(80, 60)
	want := []string{"tier 2 · NetworkPolicy · unless a rule above decided ──", "default deny of yellow, egress",
		"tier 2, to-lport · EgressFirewall · decides even after an egress Allow ──", "EF yellow/default", "tier 3"}
	rest := s.PlainFrame()
	for _, x := range want {
		_, after, ok := strings.Cut(rest, x)
		if !ok {
			t.Fatalf("%q is not there, or not in its place:\n%s", x, s.PlainFrame())
		}
		rest = after
	}
}

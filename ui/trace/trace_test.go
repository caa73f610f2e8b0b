package trace_test

import (
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/live"
	"rung/test/made"
	"rung/test/uitest"
	"rung/ui/nav"
)

var since = uitest.Now.Add(-54 * time.Second)

// facts are the demo with the rows of all units, in sync.
func facts(t testing.TB) *revision.Facts {
	t.Helper()
	p := uitest.DemoFacts(t)
	uitest.AddUnits(p)
	return p
}

func open(t testing.TB, p *revision.Facts, question string) *uitest.Screen {
	t.Helper()
	return uitest.OpenScreen(t, p, nav.ToTrace(question))
}

// noDNS are facts where nobody knows the addresses of DNS names.
func noDNS(t testing.TB) *revision.Facts {
	t.Helper()
	p := facts(t)
	p.Flags.Features.DNS, p.Desired = map[string][]string{}, nil
	return p
}

// without takes policies away, objects and rows.
func without(t testing.TB, p *revision.Facts, names ...string) {
	t.Helper()
	for _, n := range names {
		p.Cluster, _ = p.Cluster.Upsert(nil, []model.Key{{Kind: model.KindANP, Name: n}})
	}
	p.Desired = nil
	uitest.Sync(p)
}

const denied = "blue/api-d0 red/web-f0 TCP 8080"

// altered makes the row that denies allow in the zone of the source, behind Rung's back.
func altered(t testing.TB, p *revision.Facts) {
	t.Helper()
	live.Edit(t, p, "ovn-worker", func(db *nb.DB) []nb.RowChange {
		deny := live.ACL(t, db, "AdminNetworkPolicy:cluster-control:Egress:5:None")
		wrong := *deny
		wrong.Action = nb.ActionAllowRelated
		return []nb.RowChange{{Old: deny, New: &wrong}}
	})
	live.Judge(t, p, since)
}

func TestGoldens(t *testing.T) {
	s := open(t, facts(t), denied)
	s.Golden("denied")
	s.ResizeAll()

	open(t, facts(t), "yellow/web-f0 restricted/vault-j0 TCP 8080").Golden("pass")

	p := facts(t)
	without(t, p, "cluster-control", "break-glass", "multi-tenant-isolation")
	open(t, p, "monitoring/prometheus-0 red/web-f0 TCP 8080").Golden("undefined")

	open(t, noDNS(t), "yellow/web-f0 kube-system/kube-proxy-8l5xv TCP 80").Golden("unknown")
	service := open(t, facts(t), "open/portal-d0 service/kube-system/kube-dns UDP 53")
	service.Golden("service")
	service.Press("enter") // the verdict on a Service leads to its endpoints; alike ones are said once
	service.Want("▸ to   kube-system/coredns-5d78c9869d-bx7k1", " kube-system/coredns-5d78c9869d-cx7k2 10.244.2.3")
	service.WantNot("endpoints ─", "leaving open/portal-d0 · from-lport-after-lb in ovn-worker2")

	p = facts(t)
	altered(t, p)
	open(t, p, denied).Golden("disagree")
}

// What a ClusterNetworkPolicy would do is said where it would, and leads to its rule.
func TestIdleCNP(t *testing.T) {
	p := facts(t)
	next := made.ANP("edge-next", 20, "*", []model.Rule{made.Rule(model.Deny, made.Peers(made.NSPeer("*")), made.UDP(5353))}, nil)
	next.Kind = model.KindCNP
	next.Ingress[0].Name = "no-dns"
	p.Cluster, _ = p.Cluster.Upsert([]model.Object{next}, nil)
	p.Desired = nil
	uitest.Sync(p)
	s := open(t, p, "open/portal-d0 kube-system/coredns-5d78c9869d-bx7k1 UDP 5353")
	s.Golden("idle-cnp")
	for s.Press("down"); !strings.Contains(s.Line("▸"), "CNP edge-next"); s.Press("down") {
		if strings.Contains(s.Line("▸"), "no row matches") {
			t.Fatal(s.PlainFrame())
		}
	}
	s.Press("enter")
	if !strings.Contains(s.PlainFrame(), "edge-next ingress 0") {
		t.Error(s.PlainFrame())
	}
}

func TestVerdictInWordsFirst(t *testing.T) {
	for question, want := range map[string]string{
		denied: `denied by ANP cluster-control egress 5 "default-deny" at blue/api-d0`,
		"open/portal-d0 service/kube-system/kube-dns UDP 53":       "allowed at both endpoints",
		"yellow/web-f0 kube-system/kube-proxy-8l5xv TCP 80":        "unknown: the addresses of mirror.example.com are unknown",
		"blue/api-d0 blue/api-d0 TCP 80":                           "not applicable: a pod reaches itself without leaving its network",
		"blue/gone red/web-f0 TCP 80":                              "cannot ask: pod blue/gone does not exist",
		"service/kube-system/kube-dns red/web-f0 TCP 80":           "cannot ask: a Service cannot begin connections; use one of its pods",
		"blue/api-d0 - TCP -":                                      "cannot ask: to is missing",
		"blue/api-d0 red/web-f0 ICMP 80":                           "cannot ask: ICMP has no ports",
		"kube-system/kube-proxy-8l5xv kube-system/kube-dns TCP 80": "cannot ask: pod kube-system/kube-dns does not exist",
	} {
		s := open(t, noDNS(t), question)
		if l := s.Line("▸"); !strings.Contains(l, want) {
			t.Errorf("%s: the first line is %q, want %q\n%s", question, l, want, s.PlainFrame())
		}
	}
}

// What decides leads to its rule, the rows' answer to the row, the ends to their pods.
func TestLeadsToRuleRowAndPod(t *testing.T) {
	s := open(t, facts(t), denied)
	for line, crumb := range map[string]string{
		"✗ denied by ANP cluster-control": `cluster-control egress 5 "default-deny"`,
		"✗ decides":                       `cluster-control egress 5 "default-deny"`,
		"agree: ✗ deny":                   "ACL ",
		"from blue/api-d0":                "pod blue/api-d0",
	} {
		s.Press("g")
		for i := 0; !strings.Contains(s.Line("▸"), line); i++ {
			if i > 40 {
				t.Fatalf("no line %q:\n%s", line, s.PlainFrame())
			}
			s.Press("j")
		}
		s.Press("enter")
		s.Want("› " + crumb)
		s.Press("esc")
		s.Want("trace blue/api-d0 → red/web-f0 tcp 8080")
		if l := s.Line("▸"); !strings.Contains(l, line) {
			t.Errorf("back on %q, not on %q", l, line)
		}
	}
}

// A policy that goes changes the answer, and the page says what it was; so does a pod.
func TestChangesAreSaid(t *testing.T) {
	p := facts(t)
	s := open(t, p, denied)
	s.WantNot("changed ")
	q := *p
	without(t, &q, "cluster-control")
	s.Console.Set(&q)
	s.Console.Advance(12 * time.Second)
	s.Refresh()
	s.Want(`changed 0s ago: was denied by ANP cluster-control egress 5 "default-deny" at blue/api-d0`)
	if l := s.Line("▸"); strings.Contains(l, "cluster-control") {
		t.Errorf("the verdict is still %q", l)
	}
	s.Console.Advance(12 * time.Second)
	s.Refresh()
	s.Want("changed 12s ago: was denied by")

	r := q
	r.Cluster, _ = q.Cluster.Upsert(nil, []model.Key{{Kind: model.KindPod, Namespace: "blue", Name: "api-d0"}})
	r.Desired = nil
	s.Console.Set(&r)
	s.Refresh()
	s.Want("cannot ask: pod blue/api-d0 does not exist", "changed 0s ago: was denied by")
}

// Rows follow their policies a moment later. That they do is no news: the page goes on
// saying what the verdict was, and not that the rows disagreed for that moment.
func TestRowsThatFollowHideNoChange(t *testing.T) {
	p := facts(t)
	s := open(t, p, "blue/api-d0 blue/api-d1 TCP 8080")
	q := *p
	q.Cluster, _ = p.Cluster.Upsert(nil, []model.Key{{Kind: model.KindANP, Name: "cluster-control"}})
	q.Desired = nil
	s.Console.Set(&q)
	s.Console.Advance(time.Second)
	s.Refresh()
	s.Want("rows disagree", "changed 0s ago: was denied by ANP cluster-control egress 5")

	followed := q
	uitest.Sync(&followed)
	s.Console.Set(&followed)
	s.Console.Advance(2 * time.Second)
	s.Refresh()
	s.Want("rows agree", "changed 2s ago: was denied by ANP cluster-control egress 5")
	s.WantNot("rows disagreed before")
}

// A rule with a named port has a row for the pods with that port; a policy that is about a
// pod by its other rows is not among those about other pods.
func TestNamedPortIsNoOtherPolicy(t *testing.T) {
	s := open(t, facts(t), denied)
	s.Resize(200, 60)
	s.WantNot("about other pods")
	s.Press("w")
	s.WantNot("other pods   ANP cluster-control")
}

// A row altered behind Rung's back: the page names the row, the zone and what is wrong.
func TestRowsDisagree(t *testing.T) {
	p := facts(t)
	s := open(t, p, denied)
	s.Want("rows agree in ovn-worker and ovn-worker2")
	q := *p
	q.Zones = append([]*model.ZoneState(nil), p.Zones...)
	altered(t, &q)
	s.Console.Set(&q)
	s.Refresh()
	s.Resize(200, 60)
	s.Want("rows disagree in zone ovn-worker, from-lport-after-lb: policies deny, rows allow; "+
		"ACL AdminNetworkPolicy:cluster-control:Egress:5:None has action allow-related, not drop",
		"≠ say allow", "changed 0s ago: rows agreed before")
	for !strings.Contains(s.Line("▸"), "rows disagree") {
		s.Press("j")
	}
	s.Press("enter")
	s.Want("› ACL ", "cluster-control")
}

func TestCopies(t *testing.T) {
	s := open(t, facts(t), denied)
	s.Press("y")
	s.Want("rung trace command", "ovnkube-trace command", "answer")
}

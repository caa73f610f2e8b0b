package rows_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/live"
	"rung/test/uitest"
	"rung/ui/nav"
)

var (
	control   = model.Key{Kind: model.KindANP, Name: "cluster-control"}
	ruleSince = uitest.Now.Add(-54 * time.Second)
)

func ruleTampered(t testing.TB) *revision.Facts {
	t.Helper()
	p := uitest.DemoFacts(t)
	live.Tampered(t, p, ruleSince)
	return p
}

func ruleOpen(t testing.TB, d model.Direction, i int) *uitest.Screen {
	t.Helper()
	return uitest.OpenScreen(t, ruleTampered(t), nav.ToRule(control, d, i))
}

// cursor is the line under the cursor, without the pane beside it.
func cursor(s *uitest.Screen) string {
	l, _, _ := strings.Cut(s.Line("▸"), "│")
	return strings.TrimSpace(l)
}

// to walks down to the first line with a text.
func ruleTo(t *testing.T, s *uitest.Screen, text string) {
	t.Helper()
	s.Press("g")
	for range 80 {
		if strings.Contains(cursor(s), text) {
			return
		}
		s.Press("j")
	}
	t.Fatalf("no line with %q:\n%s", text, s.PlainFrame())
}

func TestRuleGoldens(t *testing.T) {
	s := ruleOpen(t, model.Egress, 5)
	s.Golden("differs")
	s.ResizeAll()
	s = ruleOpen(t, model.Ingress, 1)
	s.Press("tab")
	s.Golden("named-ports")
	s.ResizeAll()
	s = ruleOpen(t, model.Egress, 1)
	s.Golden("missing")
}

func TestWhatItSays(t *testing.T) {
	s := ruleOpen(t, model.Egress, 5)
	s.Resize(120, 60) // room for all findings and what shows them
	s.Want(`egress 5 "default-deny"`, "zone ovn-worker2", "networks: 0.0.0.0/0", "ns: all → 38 of 39 pods: 1 on a user-defined network (16 here)",
		"34·5 → OVN priority 26595, tier 1", `previous rule  egress 4 "pass-to-restricted-tenants"  Pass`,
		`next rule      blue-tenant egress 0`,
		"What the 38 pods of the subject send to every IPv4 address on any port, unless an earlier rule decided, is denied.",
		"≠ In ovn-worker2: The live row of Egress:5:None says allow where the rule says Deny.",
		"≠ behind in ovn-worker2 since 14:04:06 (54s): action and priority of ACL Egress:5:None",
		"▲ DNS over TCP 5353 is not allowed by any rule above this one")
}

// Pods on user-defined networks are among a peer's and not among a subject's, and those
// without an address are nobody in its address set, which has 38: the counts say so.
func TestPeersApart(t *testing.T) {
	s := ruleOpen(t, model.Ingress, 4)
	s.Resize(200, 60)
	s.Want("ns: all → 39 pods: 1 without an address, 1 on a user-defined network", "ns: all → 38 of 39 pods")
	s.Resize(80, 60)
	s.Want("ns: all → 39 pods: 1 without an address", "ns: all → 38 of 39 pods")
}

// Columns that differ have both values; the others are unfolded by a key.
func TestDesiredBesideLive(t *testing.T) {
	s := ruleOpen(t, model.Egress, 5)
	s.Resize(120, 60)
	s.Want("≠ action        desired  drop", "live     allow", "≠ priority      desired  26595", "live     26596", "as desired in 2 of 3 zones")
	s.WantNot("from-lport")
	s.Press("space")
	s.Want("≠ priority      desired  26595", "direction     from-lport", "log           true", "external_ids  direction=Egress")
	s.Press("space")
	s.WantNot("from-lport")
	s.Press("]") // round to the first zone
	s.Want("zone ovn-control-plane", "≠ behind in ovn-worker2", "Egress:5:None  as desired")
	s.WantNot("live     allow")
	s.Press("[", "[")
	s.Want("zone ovn-worker ●")
}

// What the rule does and what is wrong stand above the rule as written.
func TestWordsFirst(t *testing.T) {
	for _, size := range [][2]int{{120, 34}, {80, 24}} {
		s := ruleOpen(t, model.Egress, 5)
		s.Resize(size[0], size[1])
		at := -1
		for _, text := range []string{"What the 38 pods of the subject send", "≠ In ovn-worker2", "≠ behind in", "■ denies everything"} {
			i := strings.Index(s.PlainFrame(), text)
			if i <= at {
				t.Errorf("%v: %q is not below the line before it:\n%s", size, text, s.PlainFrame())
			}
			at = i
		}
		if i := strings.Index(s.PlainFrame(), "as written"); i >= 0 && i < at {
			t.Errorf("%v: the rule as written comes first", size)
		}
	}
}

func TestMissingRow(t *testing.T) {
	s := ruleOpen(t, model.Egress, 1)
	s.Want("Egress:1:tcp  ≠ missing here", "In ovn-worker2: Egress:1:tcp decides nothing there: the ACL is missing.",
		"node ovn-control-plane", "destination port 6443")
}

func TestMatchTermByTerm(t *testing.T) {
	s := ruleOpen(t, model.Ingress, 2)
	s.Want("port group of the subject: 17 logical ports here", "├ green_api-c0", "pod green/api-c0  10.244.2.10", "└ 13 more",
		"address set, 2 members, ≠ differs in ovn-worker2", "≠ 10.244.1.20", "missing here: pod open/portal-d0",
		"not desired: unknown address", "└ 10.244.1.21")
	s.Press("]")
	s.Want("├ 10.244.1.20", "└ 10.244.1.21")
}

func TestSeveralACLs(t *testing.T) {
	s := ruleOpen(t, model.Ingress, 1)
	s.Want("• Ingress:1:tcp  as desired", "destination port 7564")
	s.Press("tab")
	s.Want("• Ingress:1:tcp-namedPort", "4 pairs of address and tcp port", "10.244.1.6 tcp 8080")
	s.Press("tab")
	s.Want("• Ingress:1:tcp  as desired")
	// The cursor on an ACL shows it.
	ruleTo(t, s, "tcp-namedPort")
	s.Want("• Ingress:1:tcp-namedPort")
}

func TestFollowsEverythingAndComesBack(t *testing.T) {
	for _, size := range [][2]int{{120, 34}, {80, 24}, {100, 24}} {
		t.Run(fmt.Sprintf("%d×%d", size[0], size[1]), func(t *testing.T) {
			s := ruleOpen(t, model.Ingress, 2)
			s.Resize(size[0], size[1])
			ruleTo(t, s, "Ingress:2:None")
			s.Press("enter")
			s.Want("› ACL cluster-control Ingress:2:None", "✓ As desired.")
			ruleTo(t, s, "▸   ip4.src == $")
			s.Press("enter")
			s.Want("› address set cluster-control Ingress:2:v4", "2 addresses · ≠ 1 missing, 1 extra")
			ruleTo(t, s, "10.244.1.21  ")
			s.Press("enter")
			s.Want("› pod open/portal-d1")
			s.Press("esc")
			if l := cursor(s); !strings.Contains(l, "10.244.1.21") {
				t.Errorf("back on %q", l)
			}
			s.Press("esc")
			if l := cursor(s); !strings.Contains(l, "$a13730899355151937870") {
				t.Errorf("back on %q", l)
			}
			s.Press("esc")
			if l := cursor(s); !strings.Contains(l, "Ingress:2:None") {
				t.Errorf("back on %q", l)
			}
		})
	}
}

func TestNeighboursLead(t *testing.T) {
	s := ruleOpen(t, model.Egress, 5)
	ruleTo(t, s, "next rule")
	s.Press("enter")
	s.Want(`blue-tenant egress 0 "allow-own-tenant"`, "previous rule  cluster-control egress 5")
	s = uitest.OpenScreen(t, ruleTampered(t), nav.ToRule(model.Key{Kind: model.KindANP, Name: "break-glass"}, model.Ingress, 0))
	s.Want("previous rule  (none: the first ingress rule of all)")
	s = uitest.OpenScreen(t, ruleTampered(t), nav.ToRule(model.Key{Kind: model.KindBANP, Name: "default"}, model.Ingress, 0))
	s.Want("next rule      (none: the last ingress rule of all)", "unless an AdminNetworkPolicy, a NetworkPolicy or an", "earlier rule decided, is denied.")
}

func TestCursorGoesThroughThePage(t *testing.T) {
	s := ruleOpen(t, model.Egress, 5)
	seen := []string{}
	for range 60 {
		l := cursor(s)
		if n := len(seen); n > 0 && seen[n-1] == l {
			break
		}
		seen = append(seen, l)
		s.Press("j")
	}
	all := strings.Join(seen, "\n")
	for _, want := range []string{"▸ Deny  to", "▸ ports", "▸ ACL", "▸   inport ==", "0.0.0.0/0", "▸   What the 38 pods", "≠ behind"} {
		if !strings.Contains(all, want) {
			t.Errorf("the cursor never came to %q:\n%s", want, all)
		}
	}
	for range 60 {
		s.Press("k")
	}
	if l := cursor(s); !strings.Contains(l, "What the 38 pods") {
		t.Errorf("up again the cursor is on %q", l)
	}
	s.Press("G")
	if l := cursor(s); !strings.Contains(l, "0.0.0.0/0") {
		t.Errorf("at the bottom the cursor is on %q", l)
	}
	s.Press("g")
	if l := cursor(s); !strings.Contains(l, "What the 38 pods") {
		t.Errorf("at the top the cursor is on %q", l)
	}
}

func TestSelectionOutlivesLayouts(t *testing.T) {
	s := ruleOpen(t, model.Egress, 5)
	ruleTo(t, s, "behind in ovn-worker2")
	for _, size := range [][2]int{{80, 24}, {120, 34}, {100, 20}, {200, 60}} {
		s.Resize(size[0], size[1])
		if l := cursor(s); !strings.Contains(l, "behind in ovn-worker2") {
			t.Errorf("at %v the cursor is on %q", size, l)
		}
	}
}

func TestDifferencesInFull(t *testing.T) {
	p := uitest.DemoFacts(t)
	live.Edit(t, p, "ovn-worker", func(db *nb.DB) []nb.RowChange {
		a := live.ACL(t, db, "AdminNetworkPolicy:cluster-control:Egress:2:tcp")
		c := *a
		c.Match = strings.Replace(a.Match, "8991", "8990", 1)
		c.Name = "ANP:cluster-control:Egress:22"
		return []nb.RowChange{{Old: a, New: &c}}
	})
	live.Judge(t, p, ruleSince)
	s := uitest.OpenScreen(t, p, nav.ToRule(control, model.Egress, 2))
	s.Resize(200, 60)
	s.Want("≠ match         desired  inport", "live     inport", "tcp.dst=={8990,8992}", "≠ live match, term by term",
		"destination port 8990, 8992", "live     ANP:cluster-control:Egress:22")
}

func TestFrozenRuleStillDecides(t *testing.T) {
	p := ruleTampered(t)
	k := model.Key{Kind: model.KindANP, Name: "multi-tenant-isolation"}
	live.Frozen(t, p, k, 120, ruleSince)
	s := uitest.OpenScreen(t, p, nav.ToRule(k, model.Ingress, 0))
	s.Want("≠ live, not desired", "is still enforced: drop at OVN priority 25700", "OVN-Kubernetes does not program this policy",
		"live match, term by term", "frozen in ovn-control-plane")
}

func TestWithoutLiveRows(t *testing.T) {
	p := uitest.DemoFacts(t)
	for _, z := range []string{"ovn-control-plane", "ovn-worker", "ovn-worker2"} {
		*live.Zone(t, p, z) = model.ZoneState{Name: z, Conn: model.ConnDenied, Error: "pods/exec is forbidden"}
	}
	s := uitest.OpenScreen(t, p, nav.ToRule(control, model.Ingress, 1))
	s.Want("no live row to compare", "0 logical ports desired", "desired address set, 3 members",
		"unknown in ovn-control-plane no permission, never read: pods/exec is forbidden")
	s.WantNot("missing here")
	p.Zones = nil
	s.Console.Set(p)
	s.Refresh()
	s.Want("Not checked against live rows: no zone is known.", "39 logical ports desired")
	s.ResizeAll()
}

func TestGone(t *testing.T) {
	p := ruleTampered(t)
	s := uitest.OpenScreen(t, p, nav.ToRule(control, model.Egress, 5))
	c := *p.Cluster.Policy(control)
	c.Egress = c.Egress[:2]
	p.Cluster, _ = p.Cluster.Upsert([]model.Object{&c}, nil)
	p.Desired = nil
	s.Console.Set(p)
	s.Refresh()
	s.Want("ANP cluster-control no longer has egress 5.")
	s.Press("enter")
	s.Want("AdminNetworkPolicy cluster-control")
	s.Press("esc")
	p.Cluster, _ = p.Cluster.Upsert(nil, []model.Key{control})
	p.Desired = nil
	s.Console.Set(p)
	s.Refresh()
	s.Want("ANP cluster-control no longer exists.")
	s.Press("e")
	s.Want("edit: the policy no longer exists")
	s.ResizeAll()
}

func TestControllersAreQuoted(t *testing.T) {
	p := ruleTampered(t)
	c := *p.Cluster.Policy(control)
	c.Conditions = []model.Condition{{Type: "Ready-In-Zone-ovn-worker2", Status: "True", Reason: "SetupSucceeded", Changed: model.Stamp{Time: uitest.Now.Add(-6 * time.Minute)}}}
	desired := p.Desired
	p.Cluster, _ = p.Cluster.Upsert([]model.Object{&c}, nil)
	p.Desired = desired
	s := uitest.OpenScreen(t, p, nav.ToRule(control, model.Egress, 5))
	s.Want("; controller reported", "SetupSucceeded at 13:59:00")
}

func TestEveryRuleOfTheDemo(t *testing.T) {
	p := ruleTampered(t)
	for pol := range p.Cluster.AllPolicies() {
		for _, r := range slices.Concat(pol.Ingress, pol.Egress) {
			s := uitest.OpenScreen(t, p, nav.ToRule(pol.Key, r.Direction, r.Index))
			s.Want("as written")
			s.Resize(80, 24)
			s.WantFits()
			s.Press("G")
			s.WantFits()
		}
	}
}

// A rule opens within 50 ms where it is large: 1,000 pods, 50 policies of 20
// rules, ten zones.
func BenchmarkOpen(b *testing.B) {
	p := uitest.DemoFacts(b)
	p.Cluster, p.Desired = live.Big(1000, 50, 20), nil
	uitest.Sync(p)
	k := model.Key{Kind: model.KindANP, Name: "policy-07"}
	s := uitest.OpenScreen(b, p, nav.ToPolicy(k))
	s.Press("g", "enter")
	s.Want("match, term by term")
	s.Press("esc")
	for b.Loop() {
		s.Press("enter", "esc")
	}
}

// One pod event while a rule is open: a new revision, a frame.
func BenchmarkPodEvent(b *testing.B) {
	p := uitest.DemoFacts(b)
	p.Cluster, p.Desired = live.Big(1000, 50, 20), nil
	uitest.Sync(p)
	k := model.Key{Kind: model.KindANP, Name: "policy-07"}
	s := uitest.OpenScreen(b, p, nav.ToRule(k, model.Ingress, 3))
	p.Desired = compiler.Compile(p.Cluster, compiler.Options{})
	for b.Loop() {
		b.StopTimer()
		s.Console.Set(p)
		revision.FindingsOfObjects(s.Console.Revision())
		b.StartTimer()
		s.Refresh()
	}
}

// tier2 is the demo with its NetworkPolicies, all rows in sync but for what change
// does to the judgment of a unit in ovn-worker.
func tier2(t testing.TB, astray ...model.Key) *revision.Facts {
	t.Helper()
	p := uitest.DemoFacts(t)
	uitest.AddUnits(p)
	uitest.AddHolders(p)
	for _, k := range astray {
		z := live.Zone(t, p, "ovn-worker")
		in := *z.Policies[k]
		in.InSync, in.Different, in.DiffSince, in.Touched = false, 1, ruleSince, ruleSince
		rows := revision.New(*p, nil).Rows(k, "ovn-worker")
		switch {
		case len(rows.AddressSets) > 0:
			in.Diffs = []model.RowDiff{{Kind: model.DiffDifferent, Table: nb.TableAddressSet, ID: rows.AddressSets[0].ID(),
				UUID:   z.DB.AddressSetByName(rows.AddressSets[0].Name).UUID,
				Fields: []model.FieldDiff{{Column: "addresses", Desired: "1", Live: "2", Extra: []string{"10.9.9.9"}}}}}
		default:
			t.Fatalf("%s has no set", k)
		}
		z.Policies = maps.Clone(z.Policies)
		z.Policies[k] = &in
	}
	return p
}

func TestNetworkPolicy(t *testing.T) {
	vault := model.Key{Kind: model.KindNP, Namespace: "restricted", Name: "vault-from-blue"}
	web := model.Key{Kind: model.KindNP, Namespace: "blue", Name: "allow-web"}
	s := uitest.OpenScreen(t, tier2(t), nav.ToRule(web, model.Ingress, 0))
	s.Resize(160, 60)
	s.Golden("netpol")
	s.Want("from    pods: app=web in blue → 2 pods", "order          rule 0 → OVN priority 1001, tier 2", "any matching NetworkPolicy allows it",
		"then           default deny of blue, ingress  Deny", "Ingress:0:tcp:-1  as desired", "address set shared with others, ",
		"equal in every zone", "port group of the subject", "is allowed, with the replies", "✓ as desired in 3 of 3 zones")
	ruleTo(t, s, "then    ")
	s.Press("enter")
	s.Want("rows", "ARP of blue, ingress")
	s = uitest.OpenScreen(t, tier2(t), nav.ToRule(vault, model.Egress, 0))
	s.Resize(160, 60)
	s.Want("networks: 172.30.0.0/16 except 172.30.9.0/24", "Egress:0:None:-2", "1 network (1 exception)")
	s.Press("L")
	s.Want("log Namespace restricted", "[15 min]")
}

// A set that policies share is judged by itself; the rule that reads it says so.
func TestSharedSetDiffers(t *testing.T) {
	web := model.Key{Kind: model.KindNP, Namespace: "blue", Name: "allow-web"}
	set := model.Key{Kind: model.KindPodSelector, Name: "blue_LS{ML:{app: web,},}"}
	s := uitest.OpenScreen(t, tier2(t, set), nav.ToRule(web, model.Ingress, 0))
	s.Resize(160, 60)
	s.Want("as desired, ≠ its members differ", "≠ differs in ovn-worker", "not desired: ", "10.9.9.9",
		"≠ behind in ovn-worker since 14:04:06 (54s): the sets of blue_LS{ML:{app: web,},}, which it reads: 1 different")
	s.WantNot("as desired in 3 of 3")
}

func TestEgressFirewall(t *testing.T) {
	ef := model.Key{Kind: model.KindEF, Namespace: "yellow", Name: "default"}
	s := uitest.OpenScreen(t, tier2(t), nav.ToRule(ef, model.Egress, 3))
	s.Resize(160, 60)
	s.Golden("firewall")
	s.Want("order          rule 3 → OVN priority 9997, tier 2", "every IPv4 address but 10.244.0.0/16 (the cluster's pods) on any port", "stage          to-lport: even after an ANP egress Allow", "previous rule  egress 2", "(none: the last rule of the EgressFirewall)",
		"port group of namespace yellow: 5 logical ports here", "is denied.", "as desired in 3 of 3 zones")
	s = uitest.OpenScreen(t, tier2(t), nav.ToRule(ef, model.Egress, 2))
	s.Resize(160, 60)
	s.Want("domain: mirror.example.com")
}

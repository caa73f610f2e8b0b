package policy_test

import (
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/live"
	"rung/test/uitest"
	"rung/ui/nav"
)

var (
	control = model.Key{Kind: model.KindANP, Name: "cluster-control"}
	since   = uitest.Now.Add(-54 * time.Second)
)

func anp(name string) model.Key { return model.Key{Kind: model.KindANP, Name: name} }

func tampered(t testing.TB) *revision.Facts {
	t.Helper()
	p := uitest.DemoFacts(t)
	live.Tampered(t, p, since)
	return p
}

// replace changes an object of the cluster.
func replace(p *revision.Facts, objects ...model.Object) {
	p.Cluster, _ = p.Cluster.Upsert(objects, nil)
	p.Desired = nil
}

func TestGoldens(t *testing.T) {
	p := tampered(t)
	c := *p.Cluster.Policy(control)
	c.Conditions = []model.Condition{
		{Type: "Ready-In-Zone-ovn-worker", Status: "True", Reason: "SetupSucceeded", Message: "Setting up OVN DB plumbing was successful", Changed: model.Stamp{Time: uitest.Now.Add(-time.Hour)}},
		{Type: "Ready-In-Zone-ovn-worker2", Status: "False", Reason: "SetupFailed", Message: "transaction timed out", Changed: model.Stamp{Time: uitest.Now.Add(-time.Minute)}},
	}
	ev := &model.Event{Meta: model.Meta{Key: model.Key{Kind: model.KindEvent, Namespace: "default", Name: "e1"}}, About: control, Type: "Warning",
		Reason: "ANPWithDuplicatePriority", Message: "another ANP has this priority", Reporter: "ovn-worker2", Last: uitest.Now.Add(-2 * time.Minute), Count: 3}
	desired := p.Desired
	replace(p, &c, ev)
	p.Desired = desired // conditions change no rows
	s := uitest.OpenScreen(t, p, nav.ToPolicy(control))
	for _, part := range []string{"rules", "pods", "yaml", "zones", "findings"} {
		s.Golden(part)
		s.Press("tab")
	}
	s.ResizeAll()
	s.Press("Z")
	s.ResizeAll()
	s.Press("v")
	s.ResizeAll()
}

func TestFollowsRulesPodsAndZones(t *testing.T) {
	s := uitest.OpenScreen(t, tampered(t), nav.ToPolicy(control))
	s.Press("G", "enter")
	s.Want("cluster-control › egress 5 \"default-deny\"")
	s.Press("esc")
	if l := s.Line("▸"); !strings.Contains(l, "egress 5") {
		t.Errorf("back from the rule the cursor is on %q", l)
	}
	s.Press("p")
	s.Want("[pods 38 of 39]", "  39 lines")
	s.Press("j", "enter")
	s.Want("› pod blue/api-d1")
	s.Press("esc", "Z", "j", "j")
	if l := s.Line("▸"); !strings.Contains(l, "ovn-worker2") {
		t.Fatalf("the cursor is on %q", l)
	}
	s.Press("enter")
	s.Want("rows", "filter: ANP cluster-control ", "≠ missing")
	s.WantNot("blue-tenant")
	s.Press("esc", "esc") // the filter, then the page
	s.Press("j", "enter") // the missing ACL
	s.Want("Missing here: this is the desired row.")
	s.Press("esc", "j", "enter")
	s.Want("2 columns differ from the desired row", "≠ priority", "desired      : 26595")
}

func TestHead(t *testing.T) {
	s := uitest.OpenScreen(t, tampered(t), nav.ToPolicy(control))
	s.Want("AdminNetworkPolicy cluster-control   tier 1 · priority 34", "ns: all → 38 of 39 pods: 1 on a user-defined network, not enforced",
		"deny=alert", "5 ingress and 6 egress rules → 12 ACLs", "≠ behind in ovn-worker2 since 14:04:06 (54s): 1 missing, 2 different · in sync in 2 of 3 zones",
		"[rules 11]  pods 38 of 39   YAML   zones 2/3   findings ■3 ▲6 ◇10")
	// The pods of the subject and those of a peer that is written alike: one count.
	if l := s.Line("ingress 4"); !regexp.MustCompile(`ns: all .* 39 +1`).MatchString(l) {
		t.Errorf("the peers of every namespace: %q", l)
	}
}

func TestReasonsForNoRows(t *testing.T) {
	p := tampered(t)
	live.Frozen(t, p, anp("multi-tenant-isolation"), 120, since)
	s := uitest.OpenScreen(t, p, nav.ToPolicy(anp("multi-tenant-isolation")))
	s.Want("priority 120", "▣ frozen: still enforced at 43", "error attempting to add ANP multi-tenant-isolation with priority 120")
	s.Press("Z")
	s.Want("▣ frozen still enforced at 43 with 2 ACLs; no desired rows: above 99")

	s = uitest.OpenScreen(t, p, nav.ToPolicy(anp("experimental")))
	s.Want("✗ not enforced: above 99", "pods: app=canary → 1 pod", "zones –")
	s.WantNot("in sync") // there is nothing to be in sync with
	s.Press("f")
	s.Want("[findings ■1 ◇5]", "priority 120 is above 99: OVN-Kubernetes does not enforce the policy", "(priority-unsupported)")
}

func TestZonesThatWereNotRead(t *testing.T) {
	p := uitest.DemoFacts(t)
	z := live.Zone(t, p, "ovn-worker")
	z.Conn, z.Error, z.SyncedAt = model.ConnLost, "connection refused", uitest.Now.Add(-3*time.Minute)
	z = live.Zone(t, p, "ovn-worker2")
	*z = model.ZoneState{Name: "ovn-worker2", Conn: model.ConnDenied, Error: "pods/exec is forbidden"}
	s := uitest.OpenScreen(t, p, nav.ToPolicy(control))
	s.Press("Z")
	s.Want("✓ in sync", "◌ stale lost, rows read 14:02:00 (3m): connection refused", "? unknown no permission, never read: pods/exec is forbidden")
	p.Zones = nil
	s.Console.Set(p)
	s.Refresh()
	s.Want("? not checked against live rows: no zones", "No zones: not checked")
}

func TestSettlesThenFallsBehind(t *testing.T) {
	p := uitest.DemoFacts(t)
	live.Tampered(t, p, uitest.Now.Add(-2*time.Second))
	s := uitest.OpenScreen(t, p, nav.ToPolicy(control))
	s.Want("◐ settling in ovn-worker2 since 14:04:58 (2s)")
	s.Console.Advance(4 * time.Second)
	s.Refresh()
	s.Want("≠ behind in ovn-worker2 since 14:04:58 (6s)")
}

func TestOtherKinds(t *testing.T) {
	s := uitest.OpenScreen(t, tampered(t), nav.ToPolicy(model.Key{Kind: model.KindBANP, Name: "default"}))
	s.Want("BaselineAdminNetworkPolicy default   tier 3", "in sync in 3 of 3 zones")
	s.Press("m")
	s.Want("BANP default has no priority")
}

// tier2 is the demo with its NetworkPolicies and the EgressFirewall in sync, but
// for a unit whose ACL is missing in ovn-worker.
func tier2(t testing.TB, astray ...model.Key) *revision.Facts {
	t.Helper()
	p := uitest.DemoFacts(t)
	uitest.AddUnits(p)
	uitest.AddHolders(p)
	for _, k := range astray {
		z := live.Zone(t, p, "ovn-worker")
		in := *z.Policies[k]
		in.InSync, in.Missing, in.DiffSince, in.Touched = false, 1, since, since
		in.Diffs = []model.RowDiff{{Kind: model.DiffMissing, Table: nb.TableACL, ID: revision.New(*p, nil).Rows(k, "ovn-worker").ACLs[1].ID()}}
		z.Policies = maps.Clone(z.Policies)
		z.Policies[k] = &in
	}
	return p
}

func TestNetworkPolicy(t *testing.T) {
	web := model.Key{Kind: model.KindNP, Namespace: "blue", Name: "allow-web"}
	s := uitest.OpenScreen(t, tier2(t), nav.ToPolicy(web))
	s.Golden("netpol")
	s.Want("NetworkPolicy blue/allow-web", "pods: app=api in blue → 2 pods", "isolates ingress: denied unless a NetworkPolicy of blue allows it",
		"off  set by namespace blue", "1 ingress and 0 egress rules → 1 ACL", "✓ in sync in 3 of 3 zones", "[rules 1]", "zones 3/3",
		"ingress · traffic to the subject's pods · any match is allowed")
	s.Press("Z")
	s.Golden("netpol-zones")
	s.Want("1 ACL, 2 ports here", "rows it shares with other policies", "default deny of blue, ingress  ✓ in sync in 3 of 3 zones",
		"default deny of blue, egress  ✓ in sync", "sets of blue_LS{ML:{app: web,},}  ✓ in sync")
	s.ResizeAll()
	s.Press("L")
	s.Want("log Namespace blue", "Logging of the NetworkPolicies and the EgressFirewall of blue.", "Now: off", "traffic no rule allows", "[15 min]")
	s.Press("esc", "m")
	s.Want("move: a NetworkPolicy has no priority to move")
	s.Press("r")
	s.Want("default deny of blue, ingress", "ARP of blue, ingress", "NP blue/allow-web ingress 0")
	s.WantNot("of blue, egress", "NP green")
	s.Press("esc", "esc")

	deny := revision.DefaultDeny("blue", model.Ingress)
	s = uitest.OpenScreen(t, tier2(t, deny), nav.ToPolicy(web))
	s.Want("✓ in sync in 3 of 3 zones · ■ except default deny of blue, ingress")
	s.Press("Z")
	s.Want("default deny of blue, ingress  ≠ behind in ovn-worker since 14:04:06 (54s): 1 missing · in sync in 2 of 3 zones", "≠ ACL defaultDeny  missing")
	s.Press("/")
	s.Type("defaultDeny")
	s.Press("enter", "enter")
	s.Want("defaultDeny")
}

func TestEgressFirewall(t *testing.T) {
	s := uitest.OpenScreen(t, tier2(t), nav.ToPolicy(model.Key{Kind: model.KindEF, Namespace: "yellow", Name: "default"}))
	s.Golden("firewall")
	s.Want("EgressFirewall yellow/default   tier 2", "set by namespace yellow", "✓ in sync in 3 of 3 zones", "first match decides")
	s.WantNot("isolates")
	s.Press("Z")
	s.Want("5 ports here in the group of namespace yellow", "sets of DNS name mirror.example.com")
}

// A direction that policyTypes leave out isolates nobody, and says so.
func TestOutsidePolicyTypes(t *testing.T) {
	p := uitest.DemoFacts(t)
	web := model.Key{Kind: model.KindNP, Namespace: "blue", Name: "allow-web"}
	c := *p.Cluster.Policy(web)
	c.IsolatesIngress = false
	replace(p, &c)
	s := uitest.OpenScreen(t, p, nav.ToPolicy(web))
	s.Want("isolates nothing: policyTypes names no direction", "ingress · ▲ not in policyTypes: isolates nothing, but still allows")
}

func TestGone(t *testing.T) {
	p := tampered(t)
	s := uitest.OpenScreen(t, p, nav.ToPolicy(anp("blue-tenant")))
	s.Want("[rules 2]")
	p.Cluster, _ = p.Cluster.Upsert(nil, []model.Key{anp("blue-tenant")})
	p.Desired = nil
	live.Judge(t, p, since)
	s.Console.Set(p)
	s.Refresh()
	s.Want("■ ANP blue-tenant no longer exists.", "7 ACLs still decide in ovn-control-plane, ovn-worker and ovn-worker2")
	s.Press("e")
	s.Want("edit: the policy no longer exists")
	for range 5 {
		s.Press("tab")
		s.WantFits()
	}
	s = uitest.OpenScreen(t, p, nav.ToPolicy(anp("never-was")))
	s.Want("ANP never-was no longer exists")
}

func TestMouse(t *testing.T) {
	s := uitest.OpenScreen(t, tampered(t), nav.ToPolicy(control))
	click := func(text string) {
		t.Helper()
		for y, l := range strings.Split(s.PlainFrame(), "\n") {
			if i := strings.Index(l, text); i >= 0 {
				s.Send(tea.MouseClickMsg{X: len([]rune(l[:i])), Y: y, Button: tea.MouseLeft})
				return
			}
		}
		t.Fatalf("no %q on the screen", text)
	}
	click("YAML")
	s.Want("[YAML]")
	click("rules 11")
	s.Want("[rules 11]")
	click("egress 2")
	if l := s.Line("▸"); !strings.Contains(l, "egress 2") {
		t.Fatalf("clicked egress 2, the cursor is on %q", l)
	}
	click("egress 2")
	s.Want(`› egress 2 "allow-to-splunk"`)
	click("address set")
	click("address set")
	s.Want("› address set cluster-control Egress:2:v4")
	s.Press("esc")
	click("ACL            Egress:2:tcp")
	click("ACL            Egress:2:tcp")
	s.Want("› ACL cluster-control Egress:2:tcp")
}

func TestBroken(t *testing.T) {
	s := uitest.OpenScreen(t, tampered(t), nav.ToPolicy(anp("old-form")))
	s.Want("ANP old-form could not be read and decides nothing.", "[findings ■1]", "15-broken.yaml")
	for _, key := range []string{"e", "m"} {
		s.Press(key)
		s.Want(": could not be read: 15-broken.yaml:19, which is built into Rung")
	}
	s.Press("v")
	s.Want("[YAML]", "could not be read: 15-broken.yaml:19, which is built into Rung")
	s.WantNot("text is unknown", "no longer exists")
	s.ResizeAll()
}

func TestYAMLSearchAndFold(t *testing.T) {
	p := tampered(t)
	c := *p.Cluster.Policy(control)
	c.YAML = "metadata:\n  managedFields:\n  - manager: kubectl\n    operation: Update\n  name: cluster-control\nspec:\n  priority: 34 # here\nstatus:\n  conditions: []\n"
	replace(p, &c)
	s := uitest.OpenScreen(t, p, nav.ToPolicy(control))
	s.Press("v")
	s.Want("managedFields: … 2 lines left out", "status: … 1 line left out", "priority: 34 # here")
	s.WantNot("manager: kubectl")
	s.Press("F")
	s.Type("PRIO")
	s.Press("enter")
	s.Want(`"PRIO" is not in the text`)
	s.Press("esc")
	s.Press("F")
	s.Type("prio")
	s.Press("enter")
	if l := s.Line("▸"); !strings.Contains(l, "priority") {
		t.Errorf("found %q", l)
	}
}

func TestFilterHoldsInEveryPart(t *testing.T) {
	s := uitest.OpenScreen(t, tampered(t), nav.ToPolicy(control))
	s.Press("/")
	s.Type("monitoring")
	s.Press("enter")
	s.Want("filter: monitoring", "ingress 1", "1 of 11 match")
	s.WantNot("egress 5")
	s.Press("p")
	s.Want("3 of 39 match", "monitoring/prometheus-0")
	s.WantNot("blue/api-d0")
}

func TestSelectionFollowsTheRule(t *testing.T) {
	p := tampered(t)
	s := uitest.OpenScreen(t, p, nav.ToPolicy(control))
	s.Press("p", "j", "j") // blue/db-g0
	if l := s.Line("▸"); !strings.Contains(l, "blue/db-g0") {
		t.Fatal(l)
	}
	p.Cluster, _ = p.Cluster.Upsert(nil, []model.Key{{Kind: model.KindPod, Namespace: "blue", Name: "api-d0"}})
	p.Desired = nil
	s.Console.Set(p)
	s.Refresh()
	if l := s.Line("▸"); !strings.Contains(l, "blue/db-g0") {
		t.Errorf("after a pod before it went the cursor is on %q", l)
	}
}

func TestChangesGoThroughThePreview(t *testing.T) {
	s := uitest.OpenScreen(t, tampered(t), nav.ToPolicy(control))
	s.Press("m")
	s.Want("Move ANP cluster-control", "New priority (now 34")
	s.Press("esc", "L")
	s.Want("log ANP cluster-control")
	s.Press("esc", "D")
	if got := strings.Join(s.Console.Calls, " "); got != "preview delete cluster-control" {
		t.Errorf("calls: %s, want the preview of the deletion alone", got)
	}
}

package ladder_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/test/uitest"
	"rung/test/wait"
	"rung/ui"
	"rung/ui/nav"
)

func open(t *testing.T) *uitest.Screen {
	t.Helper()
	return uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Ladder))
}

// goTo walks down until the cursor is on a line with the text.
func goTo(t *testing.T, s *uitest.Screen, text string) {
	t.Helper()
	s.Press("g")
	for range 200 {
		if strings.Contains(s.Line("▸"), text) {
			return
		}
		s.Press("j")
	}
	t.Fatalf("no line with %q:\n%s", text, s.PlainFrame())
}

func TestDemo(t *testing.T) {
	s := open(t)
	s.Golden("demo")
	s.ResizeAll()
	s.Resize(200, 60)
	s.Want("┌ blue-tenant", "├ green-tenant", "└ yellow-tenant", "✗ experimental", "✗ above 99: not enforced",
		"≠ conflicts with quarantine (ingress 0)", "= 40 shared by 4, no conflict", "39 free  61–99", "3A 1P 1D", "D:alert",
		"tier 2 · NetworkPolicy 4 · EgressFirewall 1 · multicast 1 · ⏎ unfolds", "not read · 1 object skipped · ⏎ unfolds")
	s.WantNot("in sync", "3/3", "off", "tier 0", "old-form")
}

func TestStates(t *testing.T) {
	p := uitest.DemoFacts(t)
	k := model.Key{Kind: model.KindANP, Name: "cluster-control"}
	change := func(zone int, f func(z *model.ZoneState)) {
		z := *p.Zones[zone]
		z.Policies = map[model.PolicyKey]*model.PolicyInZone{}
		for key, x := range p.Zones[zone].Policies {
			c := *x
			z.Policies[key] = &c
		}
		f(&z)
		p.Zones[zone] = &z
	}
	change(2, func(z *model.ZoneState) {
		x := z.Policies[k]
		x.InSync, x.Different, x.Touched = false, 1, uitest.Now.Add(-time.Second)
	})
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Resize(200, 50)
	s.Want("settling, 1 row")
	s.Console.Advance(10 * time.Second) // a second later nothing was said, but it is behind now
	s.Press("j")
	s.Want("1 row behind ovn-worker2")

	change(0, func(z *model.ZoneState) {
		x := z.Policies[model.Key{Kind: model.KindANP, Name: "experimental"}]
		x.LiveACLs, x.LivePriority = 1, 50
	})
	p.Number++
	s.Console.Set(p)
	s.Refresh()
	s.Want("frozen: still enforced at 50")

	for i := range p.Zones {
		change(i, func(z *model.ZoneState) { z.Conn, z.SyncedAt, z.DB = model.ConnDialling, time.Time{}, nil })
	}
	p.Number++
	s.Console.Set(p)
	s.Refresh()
	s.Want("starting", "◐◐◐")
	s.WantNot("in sync")
}

func TestNoLiveRows(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Zones, p.Mode.Sandbox = nil, false
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Resize(200, 40)
	s.Want("not checked against live rows")
	s.WantNot("0/0") // nothing was looked at
}

func TestGapsAndFolds(t *testing.T) {
	s := open(t)
	goTo(t, s, "5 free")
	s.Press("space")
	s.Want("35 ┊ free", "39 ┊ free", "30 free")
	if !strings.Contains(s.Line("▸"), "35 ┊ free") {
		t.Errorf("the cursor is on %q", s.Line("▸"))
	}
	s.Press("j", "space")
	s.WantNot("35 ┊ free")
	s.Resize(120, 140)
	s.Press("z")
	s.Want(" 0 ┊ free", "99 ┊ free")
	s.Press("z")
	s.WantNot("┊ free")
	goTo(t, s, "tier 2")
	s.Press("enter")
	s.Want("NP allow-web", "⏎ folds")
	s.Press("space")
	s.WantNot("NP allow-web")
}

func TestBrokenAndOpen(t *testing.T) {
	s := open(t)
	goTo(t, s, "not read")
	s.Press("enter")
	goTo(t, s, "old-form")
	s.Press("enter")
	s.Want("not read", "spec.ingress[0].from[0].namespaces.namespaceSelector", "old form of a peer")
	s.Press("x")
	s.WantNot("any key closes")
	s.Press("m")
	s.Want("move: old-form could not be read")
}

// Kinds that Rung does not read are no policies that could not be read.
func TestLeftAside(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Broken = []model.Broken{{Severity: model.SeverityInfo, Code: "unknown-kind", Message: "left aside: 9 objects of kinds that Rung does not read: ConfigMap 8, Secret 1"}}
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Press("z")
	s.Resize(120, 140)
	s.Want("tier 3")
	s.WantNot("not read", "left out", "left aside")
}

func TestSort(t *testing.T) {
	s := open(t)
	for !strings.Contains(s.PlainFrame(), "by PODS") {
		s.Press(">")
	}
	s.Press("S")
	s.Want("PODS ↓")
	s.WantNot("free", "tier 1")
	first := ""
	for i, l := range strings.Split(s.PlainFrame(), "\n") {
		if i == 3 {
			first = l
		}
	}
	if !strings.Contains(first, "38") {
		t.Errorf("the first line by pods is %q", first)
	}
	for !strings.Contains(s.PlainFrame(), "tier 1") {
		s.Press("<")
	}
	s.Want("tier 1")
}

// By PRIO the lines stand as they decide, tier by tier, whatever has no priority where it
// is on the ladder; downwards the other way round.
func TestSortByPriority(t *testing.T) {
	s := open(t)
	s.Resize(120, 60)
	places := func() (out []string) {
		for _, name := range []string{"break-glass", "cluster-control", "quarantine", "experimental", "default"} {
			for i, l := range strings.Split(s.PlainFrame(), "\n") {
				if i > 2 && strings.Contains(l, " "+name+" ") {
					out = append(out, fmt.Sprintf("%02d %s", i, name))
					break
				}
			}
		}
		slices.Sort(out)
		for i := range out {
			out[i] = out[i][3:]
		}
		return out
	}
	s.Press(">")
	s.Want("by PRIO", "PRIO ↑")
	if got := strings.Join(places(), " "); got != "break-glass cluster-control quarantine experimental default" {
		t.Errorf("upwards: %s", got)
	}
	s.Press("S")
	if got := strings.Join(places(), " "); got != "default experimental quarantine cluster-control break-glass" {
		t.Errorf("downwards: %s", got)
	}
}

// TestCarryWithALog: where a log is read, the priority a policy is carried to says how many
// of its lines would be decided differently.
func TestCarryWithALog(t *testing.T) {
	f := uitest.NewFake(uitest.DemoFacts(t))
	c := f.Revision().Cluster
	var pods []model.Change
	for o := range c.Objects() {
		pods = append(pods, model.Change{New: o})
	}
	f.LogStore.Observe(pods)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { f.LogStore.Run(ctx); close(done) }()
	defer func() { cancel(); <-done }()
	for range 2 {
		f.LogStore.Offer(logline.Line{At: uitest.Now, Zone: "ovn-worker", Name: "ANP:cluster-control:Egress:5", Verdict: "drop", Direction: nb.FromLport, Proto: "tcp",
			Src: netip.MustParseAddr(c.Pod("blue", "api-d0").IPs[0]), Dst: netip.MustParseAddr(c.Pod("blue", "api-d1").IPs[0]), DstPort: 80})
	}
	wait.Within(t, wait.Patience, "the lines are taken in", func() bool { return f.LogStore.LastNumber() == 2 })
	s := uitest.OpenWith(t, f, ui.Options{})
	s.Resize(120, 34)
	goTo(t, s, "cluster-control")
	s.Press("m", "j")
	s.Want("34 → 35  free  no verdict changes")
	s.WantNot("log line")
	s.Press("4", "1")
	s.Want("opens 122 pairs, 2 log lines")
}

// answered gives a console whose previews are recorded.
func answered(t *testing.T) (*uitest.Screen, *[]change.Mutation) {
	var got []change.Mutation
	f := uitest.NewFake(uitest.DemoFacts(t))
	f.OnPreview = func(m change.Mutation) (*gate.Preview, error) {
		got = append(got, m)
		return &gate.Preview{Mutation: m, Title: "a change"}, nil
	}
	return uitest.OpenWith(t, f, ui.Options{}), &got
}

func TestCarry(t *testing.T) {
	s, got := answered(t)
	goTo(t, s, "cluster-control")
	s.Press("m")
	s.Want("moving cluster-control: 34 (unchanged)", "◆ cluster-control", "← moving", "⏎ preview", "esc cancel")
	s.Press("j", "j")
	s.Want("34 → 36", "34 → 36  free  no verdict changes", "← free", "5 free   31–35")
	s.Golden("carry")
	s.Press("j", "j", "j", "j")
	s.Want("34 → 40  = with blue-tenant and 3 more  opens 122 pairs", "├ yellow-tenant", "← = 5 at 40")
	s.Press("ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d")
	s.Want("34 → 99")
	s.Press("esc")
	s.Want("cluster-control stays at 34")
	s.WantNot("moving")
	if len(*got) != 0 {
		t.Errorf("letting go previewed %v", *got)
	}
	s.Press("m", "k", "k", "k", "k", "enter")
	s.WantNot("moving")
	if len(*got) != 1 || ((*got)[0].Op != change.OpMove || (*got)[0].Priority != 30 || (*got)[0].Policy.Name != "cluster-control") {
		t.Errorf("previewed %+v", *got)
	}
	s.ResizeAll()
}

func TestCarryFromAFilter(t *testing.T) {
	s, _ := answered(t)
	s.Press("/")
	s.Type("control")
	s.Press("enter", "m")
	s.Want("moving cluster-control", "break-glass")
	s.Press("esc")
	goTo(t, s, "default")
	s.Press("m")
	s.Want("move: BANP default has no priority")
	goTo(t, s, "30 free")
	s.Press("m")
	s.Want("move: no policy here")
}

func TestChanges(t *testing.T) {
	s, got := answered(t)
	goTo(t, s, "└ quarantine")
	s.Press("L")
	s.Want("log ANP quarantine")
	s.Press("esc")
	s.WantNot("log ANP")
	s.Press("D")
	if n := len(*got); n != 1 || (*got)[0].Op != change.OpDelete || (*got)[0].Policy.Name != "quarantine" {
		t.Errorf("previewed %+v", *got)
	}
}

// A NetworkPolicy or EgressFirewall is deleted from its line as from its page; what
// cannot be done there says why, and a unit says whose rows it is.
func TestChangesInTier2(t *testing.T) {
	s, got := answered(t)
	s.Resize(160, 90)
	goTo(t, s, "tier 2")
	s.Press("enter")
	for _, tc := range []struct {
		line, key, want string
	}{
		{"NP allow-web", "m", "move: a NetworkPolicy has no priority to move"},
		{"EF yellow", "m", "move: an EgressFirewall has no priority to move"},
		{"NP allow-web", "L", "log Namespace blue"},
		{"EF yellow", "L", "log Namespace yellow"},
		{"─ deny ingress", "L", "log Namespace blue"},
		{"▽ blue", "L", "log Namespace blue"},
		{"─ hairpin", "L", "logging: no policy here: hairpin rows"},
		{"─ deny ingress", "D", "delete: no policy here: rows of default deny of blue, ingress"},
		{"─ deny ingress", "m", "move: no policy here: rows of default deny of blue, ingress"},
		{"─ hairpin", "e", "edit: no policy here: hairpin rows"},
		{"─ hairpin", "l", "log lines: hairpin rows never log"},
		{"▽ blue", "D", "delete: no policy here"},
	} {
		goTo(t, s, tc.line)
		s.Press(tc.key)
		s.Want(tc.want)
		if tc.key == "L" {
			s.Press("esc")
		}
	}
	if len(*got) != 0 {
		t.Fatalf("previewed %+v", *got)
	}
	goTo(t, s, "─ deny ingress")
	s.Press("l")
	s.Want("filter: default deny of blue, ingress")
	s.Press("esc", "esc")
	for _, line := range []string{"NP allow-web", "EF yellow"} {
		goTo(t, s, line)
		s.Press("D")
		s.Press("esc")
	}
	var deleted []string
	for _, m := range *got {
		deleted = append(deleted, string(m.Op)+" "+m.Policy.Label())
	}
	if diff := cmp.Diff([]string{"delete NP blue/allow-web", "delete EF yellow/default"}, deleted); diff != "" {
		t.Errorf("previewed (-want +got):\n%s", diff)
	}
}

// A filter goes to the policy of that name, not to one above whose finding names it.
func TestFilterGoesToTheName(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Ladder))
	s.Press("/")
	s.Type("quarant")
	s.Press("enter")
	s.Want("allow-metrics")
	if !strings.Contains(s.Line("▸"), " quarantine ") {
		t.Errorf("the cursor is on %q", s.Line("▸"))
	}
}

// A filter that leaves out the line under the cursor puts it on the first policy found, not on
// the line that stands nearest.
func TestFilterGoesToAPolicy(t *testing.T) {
	s := open(t)
	for _, from := range []string{"cluster-control", "quarantine", "default"} {
		s.Press("esc")
		goTo(t, s, from)
		s.Press("/")
		s.Type("multi")
		s.Press("enter")
		s.Want("multicast")
		if l := s.Line("▸"); !strings.Contains(l, "multi-tenant-isolation") {
			t.Errorf("from %s the cursor is on %q:\n%s", from, l, s.PlainFrame())
		}
	}
	s.Press("j")
	at := s.Line("▸")
	s.Press("/")
	s.Press("enter")
	if l := s.Line("▸"); l != at {
		t.Errorf("the cursor went from %q to %q", at, l)
	}
}

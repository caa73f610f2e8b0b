package ladder_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"rung/model"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// Digits go straight to a priority: m42⏎.
func TestCarryByDigits(t *testing.T) {
	s, got := answered(t)
	goTo(t, s, "cluster-control")
	s.Press("m", "4")
	s.Want("moving cluster-control: 34 → 4_")
	s.Press("2")
	s.Want("34 → 42_", "42 ◆ cluster-control", "← free")
	s.Press("1")
	s.Want("the largest priority is 99", "34 → 42_")
	s.Press("backspace")
	s.Want("34 → 4_", " 4 ◆ cluster-control")
	s.Press("backspace")
	s.Want("34 (unchanged)")
	s.Press("4", "0")
	s.Want("34 → 40_  = with blue-tenant and 3 more")
	s.Press("j")
	s.Want("34 → 41  free") // walking on from there
	s.Press("4", "2", "enter")
	s.WantNot("moving")
	if len(*got) != 1 || (*got)[0].Priority != 42 || (*got)[0].Policy.Name != "cluster-control" {
		t.Errorf("previewed %+v", *got)
	}
	s.Press("4")
	s.WantNot("→ 4_")
}

// Brackets say what stands beside what: sorting destroys that, and a filter leaves out
// some of a rung.
func TestNoBracketsWhereTheyMeanNothing(t *testing.T) {
	s := open(t)
	s.Want("┌ blue-tenant")
	s.Press(">", ">")
	s.Want("by POLICY", "40 blue-tenant")
	s.WantNot("┌ ", "├ ", "└ ", "─ break-glass", "✗ experimental")
	s.Press("<", "<")
	s.Want("┌ blue-tenant")
	s.Press("/")
	s.Type("green")
	s.Press("enter")
	s.Want("─ green-tenant")
	s.WantNot("├ green-tenant")
}

// The filter reads the notes in their short forms, also those for which there is no room,
// and not the sentences below, which name other policies.
func TestFilterReadsNotes(t *testing.T) {
	s := open(t)
	s.Resize(80, 24)
	for text, want := range map[string][2]string{
		"UDN pods": {"quarantine", "break-glass"},
		"green":    {"green-tenant", "red-tenant  "}, // its row: a note below has no column after a name
	} {
		s.Press("/")
		s.Type(text)
		s.Press("enter")
		s.Want(want[0])
		s.WantNot(want[1])
		s.Press("esc")
	}
}

// The notes of the cursor's row stand below, the worst first, and change with it.
func TestNotesBelow(t *testing.T) {
	s := open(t)
	s.Resize(200, 60)
	below := func() string {
		lines := strings.Split(s.PlainFrame(), "\n")
		return strings.TrimSpace(lines[57]) + " " + strings.TrimSpace(lines[58]) // above the keys
	}
	goTo(t, s, "└ quarantine")
	if got := below(); !strings.HasPrefix(got, "≠ conflicts with allow-metrics at 60 · ▲ ingress 0: never applies · ▲ egress 0: never applies · ▲ 1 pod of the subject has a primary user-defined network") {
		t.Errorf("of quarantine: %q", got)
	}
	goTo(t, s, "┌ blue-tenant")
	if got := below(); !strings.HasPrefix(got, "= at 40 with green-tenant, red-tenant and yellow-tenant · ▲ ingress 0: never applies · ▲ egress 0: never applies") {
		t.Errorf("of blue-tenant: %q", got)
	}
	goTo(t, s, "experimental")
	if got := below(); !strings.HasPrefix(got, "✗ not enforced: 120 is above 99") {
		t.Errorf("of experimental: %q", got)
	}
	s.Resize(80, 24)
	goTo(t, s, "34 ─")
	// The line and the one below it show the first of them, and count the same rest.
	if l := strings.Split(s.PlainFrame(), "\n")[22]; !strings.Contains(l, "■ ingress 4: denies everything between all pods") || !strings.HasSuffix(strings.TrimSpace(l), "  +8 more: ⏎ f") {
		t.Errorf("at 80: %q", l)
	}
	if l := s.Line("34 ─"); !strings.HasSuffix(strings.TrimSpace(l), "■2 blocks all +7") {
		t.Errorf("at 80: %q", l)
	}
}

// A zone behind is seen at 80 cells, and its name stands below.
func TestZoneBehindAt80(t *testing.T) {
	p := uitest.DemoFacts(t)
	z := *p.Zones[2]
	z.Policies = map[model.PolicyKey]*model.PolicyInZone{}
	for key, x := range p.Zones[2].Policies {
		c := *x
		if key.Name == "cluster-control" {
			c.InSync, c.Different, c.Touched = false, 1, uitest.Now.Add(-time.Minute)
		}
		z.Policies[key] = &c
	}
	p.Zones[2] = &z
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Resize(80, 24)
	goTo(t, s, "34 ─ cluster-control")
	if l := s.Line("34 ─ cluster-control"); !strings.Contains(l, "1 row behind ") || strings.Contains(l, "…") {
		t.Errorf("the row: %q", l)
	}
	if l := strings.Split(s.PlainFrame(), "\n")[22]; !strings.HasPrefix(strings.TrimSpace(l), "≠ 1 row behind ovn-worker2") {
		t.Errorf("below: %q", l)
	}
}

// LOG stays at 80 cells once something logs, and gives way where nothing does.
func TestLogStaysWhereSomethingLogs(t *testing.T) {
	p := uitest.DemoFacts(t)
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Resize(80, 24)
	s.Want("LOG", "D:alert")
	head := func() string { return strings.Split(s.PlainFrame(), "\n")[2] }
	var quiet []model.Object
	for x := range p.Cluster.Policies(model.KindANP) {
		c := *x
		c.Logging, c.HasLogging = "", false
		quiet = append(quiet, &c)
	}
	for x := range p.Cluster.Policies(model.KindBANP) {
		c := *x
		c.Logging, c.HasLogging = "", false
		quiet = append(quiet, &c)
	}
	p.Cluster, _ = p.Cluster.Upsert(quiet, nil)
	uitest.Sync(p)
	s = uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Resize(80, 24)
	if strings.Contains(head(), "LOG") {
		t.Errorf("nothing logs, and LOG stays: %q", head())
	}
}

// With --ascii the ladder holds nothing but ASCII, whatever it shows.
func TestASCII(t *testing.T) {
	odd := regexp.MustCompile(`[^\x00-\x7f]+`)
	s := uitest.OpenWith(t, uitest.NewFake(everything(t)), ui.Options{Config: ui.Config{ASCII: true}, Page: nav.NewPage(nav.Ladder)})
	check := func(what string) {
		t.Helper()
		for _, size := range [][2]int{{80, 24}, {120, 34}, {200, 90}} {
			s.Resize(size[0], size[1])
			for _, l := range strings.Split(ansi.Strip(s.View()), "\n") {
				if x := odd.FindString(l); x != "" {
					t.Errorf("%s at %d: %q in %q", what, size[0], x, l)
				}
			}
		}
	}
	check("at first")
	s.Press("g", "enter")
	check("tier 0")
	for range 60 {
		s.Press("j")
	}
	check("at the end")
	s.Press("g")
	for !strings.Contains(s.PlainFrame(), "> ") || !strings.Contains(s.Line("> "), "cluster-control") {
		s.Press("j")
	}
	s.Press("m", "4", "2")
	check("moving")
	s.Press("esc", ">")
	check("sorted")
}

package cluster_test

import (
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rung/change"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/sources/manifests"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// found are the findings of the demo, as the command line lists them.
func found(t *testing.T, p *revision.Facts) []model.Finding {
	t.Helper()
	all, err := revision.AllFindings(revision.New(*p, nil), t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sizes are those of the golden frames.
var sizes = [][2]int{{80, 24}, {100, 30}, {120, 34}, {160, 45}, {200, 60}}

func TestFindings(t *testing.T) {
	p := uitest.DemoFacts(t)
	uitest.AddUnits(p)
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Findings))
	n := model.CountFindings(found(t, p))
	s.Want(fmt.Sprintf("f findings ■%d ▲%d", n.Errors, n.Warnings), fmt.Sprintf("── %d errors · %d warnings under their cause ─", n.Errors, model.CountUnderRoots(found(t, p)).Warnings),
		fmt.Sprintf("%d lines", n.Total()), "▷ 10 rules never apply · denies everything between all pods", "10 rules never apply because of it",
		"↳ move it below the rules that allow")
	s.WantNot("└ blue-tenant")
	s.GoldenAt("findings", sizes...)
	s.Press("space")
	s.Want("▽ 10 rules never apply", "└ blue-tenant", "never applies …  fix: move to 33, above cluster-control")
	s.Press("/")
	s.Type("red-tenant")
	s.Press("enter")
	s.Want("└ red-tenant") // a filter finds what is folded
	s.ResizeAll()
}

// unfoldAll unfolds the findings under every cause.
func unfoldAll(s *uitest.Screen, all []model.Finding) {
	s.Press("g")
	for _, f := range all {
		if f.Root {
			s.Press("space")
		}
		s.Press("j")
	}
	s.Press("g")
}

// A key previews the fix that a line names; without one it says so.
func TestFix(t *testing.T) {
	p := uitest.DemoFacts(t)
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Findings))
	s.Press(".")
	s.Want("no change is known to fix this for sure")
	for _, tt := range []struct{ filter, fix, preview string }{
		{"dns-tcp", "fix: add TCP 5353 to egress 0", "preview: apply"},
		{"unsupported", "fix: move to ", "experimental"},
		{"green-tenant ANP green-tenant ingress 0 rule-never", "fix: move to 33, above cluster-control", "green-tenant"},
	} {
		s.Press("/")
		s.Type(tt.filter)
		s.Press("enter")
		s.Want(tt.fix)
		s.Press(".")
		s.Want("preview", tt.preview)
		s.Press("esc", "esc")
	}
}

// Every fix of the demo removes its finding.
func TestFixesHelp(t *testing.T) {
	p := uitest.DemoFacts(t)
	r, fixed := revision.New(*p, nil), 0
	for _, f := range found(t, p) {
		if f.Fix == (model.Fix{}) {
			continue
		}
		fixed++
		m, err := change.FixMutation(r, &f)
		if err != nil {
			t.Fatal(err)
		}
		next := *r.Cluster.Policy(f.Policy)
		next.Priority = int32(m.Priority)
		if m.Op == change.OpApply {
			read, broken := manifests.ParsePolicy(m.YAML)
			if read == nil {
				t.Fatal(broken)
			}
			next = *read
		}
		q := *p
		q.Cluster, _ = p.Cluster.Upsert([]model.Object{&next}, nil)
		q.Desired = nil
		for _, g := range found(t, &q) {
			if g.Code == f.Code && g.Policy == f.Policy && g.Direction == f.Direction && g.Rule == f.Rule {
				t.Errorf("%s of %s remains after %q: %s", f.Code, f.Policy, f.Fix.Text, g.Message)
			}
		}
	}
	if fixed < 5 {
		t.Errorf("only %d fixes are known", fixed)
	}
}

// Every finding can be read in full, on every screen that is worth the name.
func TestWhole(t *testing.T) {
	p := uitest.DemoFacts(t)
	all := found(t, p)
	for _, size := range [][2]int{{80, 24}, {100, 30}, {160, 45}} {
		s := uitest.OpenScreen(t, p, nav.NewPage(nav.Findings))
		s.Resize(size[0], size[1])
		for i, f := range all {
			// Below the heading, without the breaks of its lines.
			_, below, _ := strings.Cut(s.PlainFrame(), " · "+f.Code+" ─")
			text := func(s string) string { return strings.Join(strings.Fields(s), "") }
			if !strings.Contains(text(below), text(f.Message)) || !strings.Contains(text(below), "↳"+text(f.Remedy)) {
				t.Fatalf("at %v finding %d is not there in full: %+v\n%s", size, i, f, s.PlainFrame())
			}
			if f.Root {
				s.Press("space")
			}
			s.Press("j")
		}
	}
}

// The names of policies are never cut while there is a column of lesser worth.
func TestNames(t *testing.T) {
	p := uitest.DemoFacts(t)
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Findings))
	unfoldAll(s, found(t, p))
	for _, w := range []int{80, 100, 120, 160, 200} {
		s.Resize(w, 60)
		for _, f := range found(t, p) {
			s.Want(f.Policy.ShortLabel() + " ")
		}
	}
}

// Enter leads to what a finding is about, and back to its line.
func TestLeads(t *testing.T) {
	p := uitest.DemoFacts(t)
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	for _, tt := range []struct{ filter, selected, page string }{
		{"dns-tcp", "cluster-control", `egress 5 "default-deny"`},
		{"unsupported", "experimental", "Ladder › findings › experimental"},
		{"unknown-field", "old-form", "could not be read"},
	} {
		s.Press("f", "/")
		s.Type(tt.filter)
		s.Press("enter")
		s.Want("▸ ", tt.selected)
		s.Press("enter")
		s.Want("findings › ", tt.page)
		s.Press("esc")
		s.Want("filter: "+tt.filter, tt.selected)
		s.Press("esc", "esc")
		s.Want(" Ladder ")
	}
	// Over to the policy itself, whose key of the same letter shows its own findings.
	s.Press("f", "/")
	s.Type("dns-tcp")
	s.Press("enter", "o")
	s.Want("findings › cluster-control", "[rules 11]")
	s.Press("f")
	s.Want("[findings ■3 ▲6 ◇10]", "(closed-to-all)")
	s.Press("esc", "esc", "esc")
	// The palette, and the count in the header.
	s.Press(":")
	s.Type("findings")
	s.Press("enter")
	s.Want("› findings")
	s.Press("esc")
	s.WantNot("› findings")
	header := strings.Split(s.PlainFrame(), "\n")[0]
	x := ansi.StringWidth(header[:strings.Index(header, "findings")])
	s.Send(tea.MouseClickMsg{X: x - 3, Y: 0, Button: tea.MouseLeft})
	s.Send(tea.MouseClickMsg{X: x, Y: 1, Button: tea.MouseLeft})
	s.WantNot("› findings")
	s.Send(tea.MouseClickMsg{X: x + 10, Y: 0, Button: tea.MouseLeft})
	s.Want("› findings")
}

// Of one severity, and sorted.
func TestSeverity(t *testing.T) {
	p := uitest.DemoFacts(t)
	n := model.CountFindings(found(t, p))
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Findings))
	unfoldAll(s, found(t, p))
	s.Press("V")
	s.Want("errors only", fmt.Sprintf("  %d lines", n.Errors))
	s.WantNot("warnings ─")
	s.Press("V")
	serious := 0
	for _, f := range found(t, p) {
		if f.Severity != model.SeverityInfo {
			serious++
		}
	}
	s.Want("errors and warnings", fmt.Sprintf("  %d lines", serious))
	s.Press("V")
	s.Want(fmt.Sprintf("  %d lines", len(found(t, p))))
	s.Press(">", "S", "g")
	s.Want("SEVERITY ↓")
	if first := strings.Split(s.PlainFrame(), "\n")[3]; !strings.Contains(first, "info") {
		t.Errorf("turned round the least is first: %q", first)
	}
}

// What comparing the zones finds stands apart, leads to the rows of its zone, and goes
// when the zone has caught up.
func TestZoneFindings(t *testing.T) {
	p := uitest.DemoFacts(t)
	uitest.AddUnits(p)
	k := model.PolicyKey{Kind: model.KindANP, Name: "red-tenant"}
	whole := p.Zones[2]
	z := *whole
	z.Policies = maps.Clone(z.Policies)
	behind := *z.Policies[k]
	behind.InSync, behind.Missing, behind.DiffSince, behind.Touched = false, 1, uitest.Now.Add(-30*time.Second), uitest.Now.Add(-30*time.Second)
	behind.Diffs = []model.RowDiff{{Kind: model.DiffMissing, Table: "ACL", ID: "default-network-controller:AdminNetworkPolicy:red-tenant:Egress:0:None"}}
	z.Policies[k] = &behind
	p.Zones[2] = &z
	f := uitest.NewFake(p)
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.NewPage(nav.Findings)})
	n := model.CountFindings(found(t, p))
	s.Press("G")
	s.Want("comparing the zones: 1, counted apart", "ovn-worker2", "zone-lags", "is missing", "look at the zone's ovnkube-controller",
		fmt.Sprintf("findings ■%d ▲%d", n.Errors, n.Warnings))
	s.GoldenAt("finding-zones", sizes...)
	s.Press("enter")
	s.Want("findings › rows", "zone ovn-worker2", "filter: ANP red-tenant ")
	s.Press("esc", "V")
	s.WantNot("comparing the zones")
	s.Press("V", "V")
	p.Zones[2] = whole
	f.Set(p)
	s.Refresh()
	s.WantNot("comparing the zones")
}

// A cluster with nothing to say about it.
func TestNothing(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Cluster, p.Broken = nil, nil
	p.Zones = nil
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Findings))
	s.Want("nothing found", "findings none")
	s.Press("enter")
	s.Want("no finding here")
	s.Press("o", "t", "t", "t", "y", "G", "j", "k")
	s.ResizeAll()
}

// sameZones: a zone is in trouble in the header, on the zones page, on the cluster's and
// beside a rule alike, by what `rung zones` prints as ovn_trouble.
func sameZones(t *testing.T) {
	t.Helper()
	p := uitest.ClusterFacts(t)
	p.Down = map[string][]model.Fault{}
	for i, z := range p.Zones {
		if i%2 == 0 {
			p.Down[z.Name] = []model.Fault{{Process: "ovn-northd", State: "died", Since: model.Stamp{Time: uitest.Now}}}
		}
	}
	r, n, marks := revision.New(*p, nil), 0, ""
	for _, z := range r.Zones {
		mark := "●"
		if len(revision.BehindTexts(r, z, uitest.Now)) > 0 {
			n, mark = n+1, "▲"
		}
		marks += mark
		page := nav.ToRule(model.Key{Kind: model.KindANP, Name: "cluster-control"}, model.Egress, 0)
		page.Zone = z.Name
		s := uitest.OpenScreen(t, p, page)
		s.Resize(200, 60)
		s.Want("zone " + z.Name + " " + mark)
		s = uitest.OpenScreen(t, p, nav.NewPage(nav.Zones))
		s.Resize(200, 60)
		s.Want(mark + " " + z.Name)
	}
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Cluster))
	s.Resize(200, 60)
	s.Want("zones "+marks, fmt.Sprintf("●%d read  ▲%d OVN trouble", len(r.Zones)-n, n))
	if n == 0 || n == len(r.Zones) {
		t.Errorf("%d of %d zones are in trouble", n, len(r.Zones))
	}
}

// Header, page, tabs and ladder count alike: all from the list that `rung lint` prints.
func TestSameCounts(t *testing.T) {
	p := uitest.DemoFacts(t)
	all := found(t, p)
	n := model.CountFindings(all)
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	header := fmt.Sprintf("findings ■%d ▲%d ◇%d", n.Errors, n.Warnings, n.Infos)
	s.Resize(200, 90)
	s.Want(header)
	s.Press("f")
	s.Want(header)
	unfoldAll(s, all)
	lines := map[string]model.FindingCount{}
	for _, l := range strings.Split(s.PlainFrame(), "\n") {
		fields := strings.Fields(strings.Replace(strings.TrimPrefix(l, "▸"), "└ ", "", 1))
		if len(fields) < 4 {
			continue
		}
		name := fields[2]
		if fields[2] == "NP" || fields[2] == "EF" || fields[2] == "BANP" {
			name += " " + fields[3]
		}
		c := lines[name]
		switch strings.Join(fields[:2], " ") {
		case "■ error":
			c.Errors++
		case "▲ warning":
			c.Warnings++
		case "◇ info":
			c.Infos++
		default:
			continue
		}
		lines[name] = c
	}
	of := map[model.PolicyKey][]model.Finding{}
	for _, f := range all {
		of[f.Policy] = append(of[f.Policy], f)
	}
	for k, fs := range of {
		want := model.CountFindings(fs)
		if lines[k.ShortLabel()] != want {
			t.Errorf("%s: %+v on the page, %+v in all", k, lines[k.ShortLabel()], want)
		}
		policy := uitest.OpenScreen(t, p, nav.ToPolicy(k))
		policy.Press("f")
		var tab []string
		for _, x := range []struct {
			sign string
			n    int
		}{{"■", want.Errors}, {"▲", want.Warnings}, {"◇", want.Infos}} {
			if x.n > 0 {
				tab = append(tab, x.sign+strconv.Itoa(x.n))
			}
		}
		policy.Want("[findings "+strings.Join(tab, " ")+"]", "  "+words.Count(want.Total(), "line"))
	}
	if len(of) < 8 || n.Errors < 3 || n.Warnings < 5 || n.Infos < 5 {
		t.Errorf("the demo shows little: %d policies, %+v", len(of), n)
	}
	sameZones(t)
	// The ladder marks the policies that have more than information, and never with more
	// than there is.
	ladder := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	ladder.Resize(200, 60)
	marks := regexp.MustCompile(`[●▲≠](\d*)`)
	for p := range p.Cluster.Policies(model.KindANP) {
		n, line := model.CountFindings(of[p.Key]), ladder.Line("─ "+p.Name)
		if line == "" {
			continue // one of several at a priority
		}
		m := marks.FindStringSubmatch(line)
		if (m != nil) != (n.Errors+n.Warnings > 0 && p.Priority <= model.MaxPriority) {
			t.Errorf("the ladder marks %q, of %+v", line, n)
		}
		if m != nil && m[1] > strconv.Itoa(max(n.Errors, n.Warnings)) {
			t.Errorf("the ladder counts %q, of %+v", line, n)
		}
	}
}

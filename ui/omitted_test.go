package ui_test

import (
	"strings"
	"testing"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/uitest"
	"rung/ui/nav"
)

// unread is what a file that could not be read says of itself.
const unread = "policies/torn.yaml"

// With a file that could not be read the header of every page counts it, at the sizes that
// screens have, and leads to the list; no page says so without one.
func TestEveryAnswerSaysWhatIsNotCounted(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Broken = nil // the demo's own
	zone, control := p.Zones[0].Name, model.Key{Kind: model.KindANP, Name: "cluster-control"}
	acl := ""
	for row := range p.Zones[0].DB.ACLs() {
		acl = row.UUID
		break
	}
	pages := map[string]nav.Page{
		"policy": nav.ToPolicy(control),
		"rule":   nav.ToRule(control, model.Egress, 4),
		"row":    nav.ToRow(zone, nb.TableACL, acl),
		"rows":   {Kind: nav.Rows, Zone: zone},
		"pod":    nav.ToPod(model.Key{Kind: model.KindPod, Namespace: "blue", Name: "api-d0"}),
		"trace":  nav.ToTrace("blue/api-d0 red/web-f0 TCP 8080"),
	}
	for _, k := range []nav.PageKind{nav.Ladder, nav.Zones, nav.Activity, nav.Logs, nav.Sessions, nav.Template, nav.Plan, nav.Matrix, nav.Findings} {
		pages[string(k)] = nav.NewPage(k)
	}
	torn := *p
	torn.Broken = []model.Broken{{Severity: model.SeverityError, Code: "unreadable", Message: "line 3: not YAML", Origin: model.Origin{File: unread, Item: -1}}}
	for name, page := range pages {
		t.Run(name, func(t *testing.T) {
			calm, s := uitest.OpenScreen(t, p, page), uitest.OpenScreen(t, &torn, page)
			for _, size := range [][2]int{{80, 24}, {120, 34}, {200, 60}} {
				calm.Resize(size[0], size[1])
				calm.WantNot("!1")
				s.Resize(size[0], size[1])
				s.WantFits()
				s.Want("!1")
			}
			if calmer(s.Line("findings"), calm.Line("findings")) {
				t.Errorf("the header is calmer with it: %q, without: %q", s.Line("findings"), calm.Line("findings"))
			}
			s.Press("!")
			s.Want("› not counted", "▲ "+unread+" could not be read and is ignored: line 3: not YAML")
			s.Press("esc")
			s.WantNot("› not counted")
		})
	}
}

// calmer says whether a header counts no error where another would.
func calmer(header, other string) bool {
	return !strings.Contains(header, "●") || header == other
}

// Many are counted, and all are listed with what to do about them.
func TestManyAreCounted(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Broken = []model.Broken{
		{Severity: model.SeverityError, Message: "line 3: not YAML", Origin: model.Origin{File: unread, Item: -1}},
		{Severity: model.SeverityError, Key: model.Key{Kind: model.KindANP, Name: "deny-all"}, Field: "spec.subject", Message: "is missing", Remedy: "give it a subject", Origin: model.Origin{File: "10-deny.yaml", Line: 3, Item: -1}},
		{Severity: model.SeverityError, Key: model.Key{Kind: model.KindANP, Name: "deny-some"}, Field: "spec.subject", Message: "is missing", Origin: model.Origin{File: "10-deny.yaml", Line: 30, Item: -1}},
	}
	p.Zones[1].Partial = "3 rows of 20 are damaged"
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Resize(200, 60)
	s.Want("!4 not read")
	s.Resize(120, 34)
	s.Want("!4 not read")
	s.Press("!")
	s.Golden("omitted")
	s.Press("G")
	s.Want("assuming ")
	s = uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Omitted))
	s.Want("AdminNetworkPolicy old-form")
}

// TestBrokenFileOpens: what could not be read in a file on disk is opened there, from the list and from its finding;
// in a file that is built in it is not, and the key says so.
func TestBrokenFileOpens(t *testing.T) {
	for _, source := range []string{"files", "demo"} {
		p := uitest.DemoFacts(t)
		p.Broken = []model.Broken{{Severity: model.SeverityError, Code: "unknown-field", Key: model.Key{Kind: model.KindANP, Name: "torn"},
			Message: "unknown field", Origin: model.Origin{Source: source, File: "policies/torn.yaml", Line: 7}}}
		s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
		s.Press("!", "enter")
		if source == "demo" {
			s.Want("› not counted", "built into Rung")
			continue
		}
		s.Want("edit policies/torn.yaml")
		s.Press("esc", "esc", "f")
		s.WantNot("edit policies/torn.yaml")
		s.Press("/")
		s.Type("unknown field")
		s.Press("enter", "enter")
		s.Want("edit policies/torn.yaml")
	}
}

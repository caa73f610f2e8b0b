package template_test

import (
	"strings"
	"testing"

	"rung/model"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

func start(t *testing.T, page nav.Page) (*uitest.Gated, *uitest.Screen) {
	t.Helper()
	g := uitest.NewGated(t, nil)
	return g, uitest.OpenWith(t, g.Fake, ui.Options{Page: page, StateDir: t.TempDir()})
}

// TestPick: the list, with a blank policy first.
func TestPick(t *testing.T) {
	_, s := start(t, nav.ToTemplate(50))
	s.Want("blank policy", "at priority 50", "tenant-isolation", "label, tenants, priority")
	s.Golden("pick")
	s.ResizeAll()
}

// TestForm: what is offered follows the answers before, values are taken in and out, what is
// no answer is said where it stands.
func TestForm(t *testing.T) {
	_, s := start(t, nav.ToTemplate(50))
	s.Press("j", "enter")
	s.Want("new tenant-isolation", "Which label of namespaces tells tenants apart?", "▸label", "31,33", "7 values on 8 namespaces")
	s.Golden("form-label")
	s.Press("down")
	s.Want("tenants   dev,") // values of another label
	s.Press("up", "enter")
	s.Want("Which of its values are tenants to isolate?", "[x] blue")
	s.Press("down", "space")
	s.Want("[ ] blue", "tenants   green,open,red,restricted,splunk,yellow")
	s.Golden("form-tenants")
	s.Press("up", "space")
	s.Want("[x] blue")
	s.Press("enter")
	s.Want("At which priorities?", "free, before cluster-control (34)", "enter previews")
	s.Press("ctrl+u")
	s.Type("30")
	s.Press("enter")
	s.Want("■ 30 is taken by break-glass")
	s.Golden("form-priority")
	s.ResizeAll()
	s.Press("esc")
	s.WantNot("At which priorities?")
}

// TestMake: the policies are previewed with their texts, no goes back to the list, and yes
// makes all of them.
func TestMake(t *testing.T) {
	g, s := start(t, nav.ToTemplate(50))
	s.Press("j", "j", "j", "j", "enter", "enter", "enter", "enter")
	s.Want("Create ANP quarantine-2", "nothing is written yet")
	s.Golden("preview")
	s.Press("esc")
	s.Want("blank policy", "nothing was changed")
	s.Press("enter", "enter", "enter", "enter", "a", "y")
	p := g.Engine.Revision().Cluster.Policy(model.PolicyKey{Kind: model.KindANP, Name: "quarantine-2"})
	if p == nil || p.Priority != 32 || !strings.Contains(p.YAML, "rung/template") {
		t.Errorf("made %+v", p)
	}
}

// TestMissing: a set that misses nothing says so, and a policy of no set as well.
func TestMissing(t *testing.T) {
	_, s := start(t, nav.ToMissing(model.PolicyKey{Kind: model.KindANP, Name: "cluster-control"}))
	s.Want("✗ ANP cluster-control is of no set made from a template")
}

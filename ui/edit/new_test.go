package edit_test

import (
	"strings"
	"testing"

	"rung/model"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

func startNew(t *testing.T, page nav.Page) (*uitest.Gated, *uitest.Screen) {
	t.Helper()
	g := uitest.NewGated(t, nil)
	return g, uitest.OpenWith(t, g.Fake, ui.Options{Page: page, StateDir: t.TempDir()})
}

// TestPick: the list, with a blank policy first.
func TestPick(t *testing.T) {
	_, s := startNew(t, nav.ToTemplate(50))
	s.Want("blank policy", "at priority 50", "tenant-isolation", "label, tenants, priority")
	s.Golden("pick")
	s.ResizeAll()
}

// TestQuestions: one question after the other, with what the cluster offers by the answers before; what is no
// answer is said where it stands.
func TestQuestions(t *testing.T) {
	_, s := startNew(t, nav.ToTemplate(50))
	s.Press("j", "enter")
	s.Want("new tenant-isolation", "Which label of namespaces tells tenants apart?", "7 values on 8 namespaces")
	s.Golden("question-label")
	s.Press("down")
	s.Want("▸ env")
	s.Press("enter")
	s.Want("Which of its values are tenants to isolate?", "dev,") // values of another label
	s.Press("esc", "enter", "enter")
	s.Want("blue,green,open,red,restricted,splunk,yellow", "every value")
	s.Press("down")
	s.Want("▸ blue")
	s.Golden("question-tenants")
	s.Press("up", "enter")
	s.Want("At which priorities?", "free, before cluster-control (34)")
	s.Press("ctrl+u")
	s.Type("30,31")
	s.Press("enter")
	s.Want("■ 30 is taken by break-glass")
	s.Golden("question-priority")
	s.ResizeAll()
	s.Press("esc")
	s.WantNot("At which priorities?")
}

// TestMake: the policies are previewed with their texts, no goes back to the list, and yes
// makes all of them.
func TestMake(t *testing.T) {
	g, s := startNew(t, nav.ToTemplate(50))
	s.Press("j", "j", "j", "j", "enter", "enter", "enter", "enter")
	s.Want("Create ANP quarantine-2", "nothing is written yet")
	s.Golden("preview")
	s.Press("esc")
	s.Want("blank policy", "nothing was changed")
	s.Press("enter", "enter", "enter", "enter", "a", "y")
	p := g.Engine.Revision().Cluster.Policy(model.PolicyKey{Kind: model.KindANP, Name: "quarantine-2"})
	if p == nil || p.Priority != 32 || !strings.Contains(p.YAML, "is shut off") {
		t.Errorf("made %+v", p)
	}
}

package edit_test

import (
	"context"
	"strings"
	"testing"

	"rung/model"
	"rung/test/uitest"
	"rung/themes"
	"rung/ui"
	"rung/ui/action"
	"rung/ui/edit"
	"rung/ui/nav"
	"rung/ui/view"
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

// TestChosenBeforeTheClusterIsRead: a template that is chosen early opens when the cluster is read, unless the user
// moves on.
func TestChosenBeforeTheClusterIsRead(t *testing.T) {
	f := uitest.NewFake(uitest.DemoFacts(t))
	for _, movesOn := range []bool{false, true} {
		env := &view.Env{Console: f, Rev: f.Revision(), Now: uitest.Now, Styles: themes.BuiltinThemes().FindStyles(themes.Adaptive, true), W: 100, H: 30}
		v := edit.NewFromTemplate(nav.ToTemplate(50))
		v.Sync(env)
		read := env.TakeAsks()[0].(view.RunAsk).Do
		v.Do(env, action.Down)
		v.Do(env, action.Open)
		if asks := env.TakeAsks(); asks[0] != (view.ToastAsk{Text: "still reading the cluster; tenant-isolation opens then"}) {
			t.Errorf("chosen too early: %+v", asks)
		}
		if movesOn {
			v.Do(env, action.Down)
		}
		v.(view.Receiver).ReceiveResult(env, read(context.Background()))
		asks := env.TakeAsks()
		if opened := len(asks) == 1; opened == movesOn {
			t.Errorf("moves on %v: %+v", movesOn, asks)
		}
	}
}

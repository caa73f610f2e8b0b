package ui_test

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rung/engine"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// underWay is a plan that this Rung runs.
func underWay(done int) *revision.PlanState {
	return &revision.PlanState{Total: 9, Done: done, State: revision.PlanRunning, Step: "green-tenant 40 → 30",
		Runner: revision.PlanRunner{PID: 4711, Since: uitest.Now, IsOwn: true}}
}

// A plan that is under way or stopped is in the header of every page, at every width
// that has room for more than context and mode.
func TestPlanBadge(t *testing.T) {
	p := uitest.DemoFacts(t)
	other := underWay(4)
	other.Runner.IsOwn = false
	stopped, back, waiting := underWay(4), underWay(4), underWay(4)
	stopped.State, stopped.Runner = revision.PlanStopped, revision.PlanRunner{}
	back.RollingBack, back.StepsAtRollback, waiting.State = true, 5, revision.PlanWaiting
	backStopped := underWay(4)
	backStopped.RollingBack, backStopped.StepsAtRollback, backStopped.State, backStopped.Runner = true, 5, revision.PlanStopped, revision.PlanRunner{}
	for _, x := range []struct {
		name        string
		plan        *revision.PlanState
		long, short string
	}{
		{"running", underWay(4), "plan 4/9 running", "plan 4/9 run"},
		{"run elsewhere", other, "plan 4/9 running", "plan 4/9 run"},
		{"waiting", waiting, "plan 4/9 waiting", "plan 4/9 waits"},
		{"stopped", stopped, "plan 4/9 stopped", "plan 4/9 stopped"},
		{"rolling back", back, "plan rolling back 1/5", "plan back 1/5"},
		{"rollback stopped", backStopped, "plan rolling back 1/5 stopped", "plan back 1/5 stopped"},
	} {
		t.Run(x.name, func(t *testing.T) {
			p.Plan = x.plan
			for _, kind := range []nav.PageKind{nav.Ladder, nav.Rows, nav.Zones, nav.Logs, nav.Activity, nav.Plan, nav.Contexts, nav.Cluster} {
				s := uitest.OpenScreen(t, p, nav.NewPage(kind))
				for _, w := range []int{200, 120, 80, 40} {
					s.Resize(w, 24)
					head, _, _ := strings.Cut(s.PlainFrame(), "\n")
					if !strings.Contains(head, x.long) && (w > 80 || !strings.Contains(head, x.short)) {
						t.Errorf("%s at %d lacks %q: %s", kind, w, x.long, head)
					}
				}
			}
		})
	}
	p.Plan = underWay(9)
	p.Plan.State = revision.PlanDone
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	if head, _, _ := strings.Cut(s.PlainFrame(), "\n"); strings.Contains(head, "plan") {
		t.Errorf("a plan that is done is in the header: %s", head)
	}
}

// The end of a plan is a message on whatever page is open, and a stop is announced in the header.
func TestPlanEndIsAnnounced(t *testing.T) {
	stopped := underWay(4)
	stopped.State, stopped.Why = revision.PlanStopped, "interrupted"
	done := underWay(9)
	done.State = revision.PlanDone
	back := underWay(0)
	back.State, back.RollingBack = revision.PlanDone, true
	for want, end := range map[string]*revision.PlanState{"Re-space: stopped, 4 of 9 done: interrupted": stopped, "Re-space: finished": done,
		"Re-space: rolled back": back} {
		facts := uitest.DemoFacts(t)
		facts.Plan = underWay(3)
		facts.Plan.Stopping = true
		f := uitest.NewFake(facts)
		s := uitest.OpenWith(t, f, ui.Options{Page: nav.NewPage(nav.Zones)})
		s.Want("plan 3/9 stopping")
		end.Title = "Re-space"
		facts.Number++
		facts.Plan = end
		f.Set(facts)
		s.Refresh()
		s.Want(want)
	}
}

// The badge leads to the plan, by key, by name and by the mouse.
func TestPlanBadgeLeads(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Plan = underWay(4)
	for name, lead := range map[string]func(*uitest.Screen){
		"key":     func(s *uitest.Screen) { s.Press("A") },
		"palette": func(s *uitest.Screen) { s.Press(":"); s.Type("plan"); s.Press("enter") },
		"mouse": func(s *uitest.Screen) {
			head, _, _ := strings.Cut(s.PlainFrame(), "\n")
			before, _, _ := strings.Cut(head, "plan 4/9")
			s.Send(tea.MouseClickMsg{X: len([]rune(before)) + 2, Y: 0, Button: tea.MouseLeft})
		},
	} {
		s := uitest.OpenScreen(t, p, nav.NewPage(nav.Zones))
		lead(s)
		if !strings.Contains(s.PlainFrame(), "zones › plan") {
			t.Errorf("by %s it leads elsewhere:\n%s", name, s.PlainFrame())
		}
	}
}

// Leaving while a plan runs asks; it stays unless told otherwise, stops the plan when it
// is told to, and leaves at once when asked twice. A plan that another Rung runs is none of
// its business.
func TestQuitAsksWhileAPlanRuns(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Plan = underWay(3)
	open := func() *uitest.Screen { return uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder)) }
	calls := func(s *uitest.Screen) string { return strings.Join(s.Console.Calls, ", ") }

	s := open()
	s.Press("3", "q")
	s.WantNot("A plan is running")
	s.Press("q")
	s.Want("A plan is running", "it can be continued later", "[ n stay ]")
	s.Golden("leave")
	s.ResizeAll()
	s.Press("enter")
	s.WantNot("A plan is running")
	if s.Quits() || calls(s) != "" {
		t.Errorf("stay leaves: %s", calls(s))
	}

	s.Press("ctrl+c", "y")
	if s.Quits() || calls(s) != "plan stop" {
		t.Errorf("it leaves before the plan has stopped, or does not stop it: %s", calls(s))
	}
	stopped := *p.Plan
	stopped.State, stopped.Runner = revision.PlanStopped, revision.PlanRunner{}
	p.Plan = &stopped
	s.Console.Set(p)
	s.Refresh()
	if !s.Quits() {
		t.Error("it stays though the plan has stopped")
	}

	p.Plan = underWay(3)
	for _, keys := range [][]string{{"ctrl+c", "ctrl+c"}, {"ctrl+c", "y", "ctrl+c"}} {
		s = open()
		s.Press(keys[:len(keys)-1]...)
		if s.Quits() {
			t.Errorf("%v: it leaves too early", keys)
		}
		s.Press(keys[len(keys)-1])
		if !s.Quits() {
			t.Errorf("%v: it stays", keys)
		}
	}

	p.Plan.Runner.IsOwn = false
	s = open()
	s.Press("q")
	if !s.Quits() {
		t.Error("it asks about the plan of another Rung")
	}
}

// A cluster is not left while its plan runs, waiting or not.
func TestNoSwitchWhileAPlanRuns(t *testing.T) {
	for _, state := range []string{revision.PlanRunning, revision.PlanWaiting} {
		p := uitest.DemoFacts(t)
		p.Plan = underWay(3)
		p.Plan.State = state
		f := uitest.NewFake(p)
		f.ContextNames, f.Current = []string{"prod-eu", "prod-us"}, "prod-eu"
		s := uitest.OpenWith(t, f, ui.Options{Page: nav.NewPage(nav.Contexts), Switch: func(context.Context, string) (ui.Console, error) {
			t.Error("the cluster was left")
			return nil, engine.ErrNoCluster
		}})
		s.Press("j", "enter")
		s.Want("a plan is running: stop it first")
	}
}

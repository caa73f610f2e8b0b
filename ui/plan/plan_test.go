package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rung/engine/gate"
	"rung/engine/revision"
	"rung/model"
	"rung/model/plan"
	"rung/ui"
	"rung/ui/nav"
	"rung/ui/uitest"
)

func anp(name string) model.PolicyKey { return model.PolicyKey{Kind: model.KindANP, Name: name} }

type world struct {
	g     *uitest.Gated
	s     *uitest.Screen
	state string
}

func start(t *testing.T) *world {
	t.Helper()
	w := &world{g: uitest.NewGated(t, nil), state: t.TempDir()}
	// The engine behind the gate has no zone and would refuse to run a plan:
	// its steps are previewed one by one.
	w.g.OnPlan = func(p *plan.Plan) (*gate.Preview, error) {
		out := &gate.Preview{Mutation: gate.Mutation{Op: gate.OpMove, Plan: true}, Title: "Plan", Notes: p.Notes}
		for _, s := range p.Steps {
			one, err := w.g.Engine.Preview(t.Context(), gate.Mutation{Op: gate.OpMove, Policy: anp(s.Policy), Priority: s.To})
			if err != nil {
				return nil, err
			}
			out.Objects, out.Rows, out.Commands = append(out.Objects, one.Objects...), append(out.Rows, one.Rows...), append(out.Commands, one.Commands...)
			out.Guards = append(out.Guards, one.Guards...)
			if out.ConfirmName == "" {
				out.ConfirmName = one.ConfirmName
			}
		}
		return out, nil
	}
	w.s = uitest.OpenWith(t, w.g.Fake, ui.Options{Page: nav.To(nav.Plan), StateDir: w.state})
	return w
}

func (w *world) calls(prefix string) (n int) {
	for _, c := range w.g.Calls {
		if strings.HasPrefix(c, prefix) {
			n++
		}
	}
	return n
}

// says makes the engine report the state of a plan.
func (w *world) says(p *revision.PlanState) {
	w.g.Parts.Plan = p
	w.g.Follow()
	w.s.Refresh()
}

func TestPropose(t *testing.T) {
	w := start(t)
	s := w.s
	s.Want("re-space: step 10, from 10", "30   10 ─ break-glass", "= 4 share 40", "not enforced: above 99", "no prefix inverts two policies",
		"10 policies · 95 of 100 slots free", "free: 0–29", "steps, each waits for every zone", "parted until step")
	s.Golden("propose")
	s.Resizes()

	s.Press("s", "ctrl+u")
	s.Type("50")
	s.Press("enter")
	s.Want("no room", "the widest step that fits")
	s.Press("ctrl+u")
	s.Type("5 x")
	s.Press("enter")
	s.Want(`"x" is no number`)
	s.Press("ctrl+u")
	s.Type("5 20")
	s.Press("enter")
	s.Want("re-space: step 5, from 20", "30   20 ─ break-glass")
	s.Press("tab", "j", "tab", "o")
	s.Want("break-glass")
}

func TestInsert(t *testing.T) {
	w := start(t)
	s := w.s
	s.Press("i")
	s.Want("room between break-glass and cluster-control", "32 is free: no policy has to move")
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", "false")
	s.Press("esc", "n")
	s.Want("the editor ended with exit status 1; nothing was changed")
	if w.calls("commit") != 0 {
		t.Error("something was written")
	}
}

func TestMakeRoom(t *testing.T) {
	w := start(t)
	p, err := w.g.Engine.Preview(t.Context(), gate.Mutation{Op: gate.OpMove, Policy: anp("break-glass"), Priority: 33})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.g.Engine.Commit(t.Context(), p, gate.Confirm{Yes: true, Name: p.ConfirmName}); err != nil {
		t.Fatal(err)
	}
	w.g.Follow()
	s := w.s
	s.Refresh()
	s.Press("i")
	s.Want("room between break-glass and cluster-control", "then 34 is free", "34   35 ─ cluster-control")
	s.Golden("room")
}

func TestRun(t *testing.T) {
	w := start(t)
	s := w.s
	s.Press("enter")
	s.Want("Run 9 steps, each when every zone shows the last?", "ANP break-glass             spec.priority  30 → 10", "consequences")
	s.Golden("preview")
	s.Press("esc")
	s.Want("nothing was changed", "re-space: step 10")
	s.Press("R", "a")
	s.Type("cluster-control")
	s.Press("enter")
	if w.calls("plan start") == 0 {
		name := strings.SplitAfter(s.Line("Type "), "Type ")
		t.Fatalf("the plan was not started %q\n%s", name, s.Frame())
	}
	s.Want("the plan runs")

	w.says(&revision.PlanState{Total: 9, Done: 3, State: gate.PlanRunning, Step: "green-tenant 40 → 30", Why: "waiting for zone ovn-worker2"})
	s.Want("▶ running", "3 of 9 done", "green-tenant 40 → 30", "waiting for zone ovn-worker2", "S stops it", "✓ 3", "▶ 4")
	s.Golden("running")
	s.Press("R")
	s.Want("a plan is running")
	s.Press("S")
	if w.calls("plan stop") != 1 {
		t.Error("S did not stop it")
	}
	w.says(&revision.PlanState{Total: 9, Done: 3, State: gate.PlanPaused, Step: "green-tenant 40 → 30", Why: "zone ovn-worker2: lost"})
	s.Want("❚❚ waiting", "zone ovn-worker2: lost", "it goes on by itself when that is over")
	s.Golden("paused")
	w.says(&revision.PlanState{Total: 9, Done: 3, State: gate.PlanStopped, Step: "green-tenant 40 → 30", Why: "interrupted"})
	s.Want("■ stopped", "3 of 9 done", "c goes on · b takes the steps back · f leaves the policies as they are")
	s.Golden("stopped")
	s.Press("R")
	s.Want("a plan stopped half way")
	s.Press("c", "enter")
	if w.calls("plan resume") != 0 {
		t.Error("went on without a yes")
	}
	s.Press("c", "y", "b", "y", "f")
	if w.calls("plan resume") != 1 || w.calls("plan back") != 1 || w.calls("plan dismiss") != 1 {
		t.Error(w.g.Calls)
	}
	w.says(&revision.PlanState{Total: 9, Done: 9, State: gate.PlanDone})
	s.Want("✓ done", "9 of 9 done", "f closes this")
	w.says(nil)
	s.Want("re-space: step 10")
}

// A question about a plan that goes on meanwhile is not asked any more.
func TestPlanChangedUnderTheQuestion(t *testing.T) {
	w := start(t)
	s := w.s
	w.says(&revision.PlanState{Total: 9, Done: 3, State: gate.PlanStopped, Step: "green-tenant 40 → 30", Why: "interrupted"})
	for _, key := range []string{"c", "b"} {
		s.Press(key)
		w.says(&revision.PlanState{Total: 9, Done: 4, State: gate.PlanStopped, Step: "blue-tenant 40 → 20", Why: "interrupted"})
		s.Want("changed: look again. The plan is stopped, with 4 of 9")
		s.Press("y", "enter")
		w.says(&revision.PlanState{Total: 9, Done: 3, State: gate.PlanStopped, Step: "green-tenant 40 → 30", Why: "interrupted"})
	}
	if w.calls("plan resume")+w.calls("plan back") != 0 {
		t.Error(w.g.Calls)
	}
	// What only the engine knows is said.
	w.g.PlanErr = &gate.StaleError{Title: "the plan", What: "ANP b was changed meanwhile"}
	s.Press("c", "y")
	s.Want("look again: ANP b was changed meanwhile")
}

// TestOldPlan is a plan that a former run left.
func TestOldPlan(t *testing.T) {
	w := start(t)
	w.says(&revision.PlanState{Total: 7, Done: 2, State: gate.PlanStopped, Step: "a 1 → 2", Why: "interrupted"})
	w.s.Want("■ stopped", "2 of 7 done", "not listed here")
	w.s.Resizes()
}

func TestExport(t *testing.T) {
	w := start(t)
	w.s.Press("x")
	w.s.Want("9 policies, in the order of the steps, are in")
	files, _ := filepath.Glob(filepath.Join(w.state, "saved", "plan-*.yaml"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	b, _ := os.ReadFile(files[0])
	if n := strings.Count(string(b), "kind: AdminNetworkPolicy"); n != 9 || !strings.Contains(string(b), "# step 1 of 9: ") || !strings.Contains(string(b), "priority: 10\n") {
		t.Errorf("%d policies:\n%.300s", n, b)
	}
}

func TestMove(t *testing.T) {
	w := start(t)
	w.s.Press("j", "m", "ctrl+u")
	w.s.Type("35")
	w.s.Press("enter")
	w.s.Want("Move ANP cluster-control from 34 to 35")
}

func TestEmpty(t *testing.T) {
	s := uitest.Open(t, &revision.Facts{Loaded: true}, nav.To(nav.Plan))
	s.Want("there is no AdminNetworkPolicy", "0 policies · 100 of 100 slots free")
	s.Press("enter", "m", "o", "x", "n")
	s.Resizes()
}

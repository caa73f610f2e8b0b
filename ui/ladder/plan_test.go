package ladder_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/planrun"
	"rung/model"
	"rung/model/plan"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

func adminPolicyKey(name string) model.PolicyKey {
	return model.PolicyKey{Kind: model.KindANP, Name: name}
}

type world struct {
	g     *uitest.Gated
	s     *uitest.Screen
	state string
}

// Times are those of one place in every golden.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

func start(t *testing.T) *world {
	t.Helper()
	w := &world{g: uitest.NewGated(t, nil), state: t.TempDir()}
	// The engine behind the gate has no zone and would refuse to run a plan:
	// its steps are previewed one by one.
	w.g.OnPlan = func(p *plan.Plan) (*gate.Preview, error) {
		out := &gate.Preview{Mutation: change.Mutation{Op: change.OpMove, Plan: true}, Title: "Plan", Notes: p.Notes}
		for _, s := range p.Steps {
			one, err := w.g.Engine.Preview(t.Context(), change.Mutation{Op: change.OpMove, Policy: adminPolicyKey(s.Policy), Priority: float64(s.To)})
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
	w.s = uitest.OpenWith(t, w.g.Fake, ui.Options{Page: nav.NewPage(nav.Plan), StateDir: w.state})
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
	w.g.ShowNewest()
	w.s.Refresh()
}

func TestPropose(t *testing.T) {
	w := start(t)
	s := w.s
	s.Want("re-space: step 10, starting at 10", "30   10 ─ break-glass", "= 4 share 40", "not enforced: above 99", "at no step do two policies swap order or become newly tied",
		"now → planned", "95 of 100 priorities free", "free: 0–29", "9 steps, waiting for every zone after each", "tie broken until step 6: of blue-tenant,")
	s.Golden("propose")
	s.ResizeAll()

	s.Press("d")
	s.Want("Step and start. Largest possible: step ")
	s.Press("ctrl+u")
	s.Type("50")
	s.Press("enter")
	s.Want("no room", "largest possible:")
	s.Press("ctrl+u")
	s.Type("5 x")
	s.Press("enter")
	s.Want("must be 0–")
	s.Press("ctrl+u")
	s.Type("5 20")
	s.Press("enter")
	s.Want("re-space: step 5, starting at 20", "30   20 ─ break-glass")
	s.Press("tab", "j", "tab", "o")
	s.Want("break-glass")
}

// At 80 columns no name of a policy is cut as long as something of lesser worth stands
// beside it, and what is said about one ends with a word.
func TestNamesAreWhole(t *testing.T) {
	w := start(t)
	steps := append(nine(4, 1), revision.PlanStep{Policy: "a-policy-with-a-long-name", From: 1, To: 2, State: revision.StepPending})
	for _, width := range []int{80, 100, 120} {
		w.s.Resize(width, 24)
		w.says(nil)
		for _, frame := range []func(){func() {}, func() { w.says(&revision.PlanState{Total: 10, Done: 4, State: revision.PlanRunning, Steps: steps}) }} {
			frame()
			for _, name := range []string{"─ break-glass ", "─ cluster-control ", "─ multi-tenant-isolation ", "┌ allow-metrics  = 2", "✗ experimental  ", "└ quarantine "} {
				w.s.Want(name)
			}
			for _, line := range strings.Split(w.s.PlainFrame(), "\n")[1:] { // the header says what it leaves out
				if strings.Contains(line, "…") {
					t.Errorf("at %d cells something is cut: %s", width, line)
				}
			}
		}
	}
}

func TestInsert(t *testing.T) {
	w := start(t)
	s := w.s
	s.Press("i")
	s.Want("room between break-glass and cluster-control", "Priority 32 is free. Create a policy there?")
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
	p, err := w.g.Engine.Preview(t.Context(), change.Mutation{Op: change.OpMove, Policy: adminPolicyKey("break-glass"), Priority: 33})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.g.Engine.Commit(t.Context(), p, gate.Confirm{Yes: true, Name: p.ConfirmName}); err != nil {
		t.Fatal(err)
	}
	w.g.ShowNewest()
	s := w.s
	s.Refresh()
	s.Press("i")
	s.Want("room between break-glass and cluster-control", "then 34 is free", "34   35 ─ cluster-control")
	s.Golden("room")
}

// nine are the steps of the demo's plan: so many done, then so many written that are not
// shown everywhere.
func nine(done, written int) []revision.PlanStep {
	steps := []revision.PlanStep{{Policy: "break-glass", From: 30, To: 10}, {Policy: "cluster-control", From: 34, To: 20},
		{Policy: "blue-tenant", From: 40, To: 30, Note: "tie broken until step 6: of blue-tenant, green-tenant, red-tenant and yellow-tenant, those at 30 come before those at 40"},
		{Policy: "green-tenant", From: 40, To: 30},
		{Policy: "red-tenant", From: 40, To: 30},
		{Policy: "yellow-tenant", From: 40, To: 30, Note: "tied again at 30"}, {Policy: "multi-tenant-isolation", From: 43, To: 40},
		{Policy: "allow-metrics", From: 60, To: 50, Note: "tie broken until step 9: allow-metrics (50) comes before quarantine (60)"},
		{Policy: "quarantine", From: 60, To: 50, Note: "tied again at 50"}}
	for i := range steps {
		switch {
		case i < done:
			steps[i].State = revision.StepDone
		case i < done+written:
			steps[i].State = revision.StepWaiting
		default:
			steps[i].State = revision.StepPending
		}
	}
	return steps
}

// here runs plans in this process.
var here = revision.PlanRunner{PID: 4711, Since: uitest.Now.Add(-time.Minute), IsOwn: true}

// under is the demo's plan with three steps done and the fourth written.
func under(state string) *revision.PlanState {
	p := &revision.PlanState{Title: "re-space: step 10, starting at 10", Total: 9, Done: 3, State: state, Step: "green-tenant 40 → 30",
		Steps: nine(3, 1), Runner: here}
	if state == revision.PlanStopped {
		p.Runner, p.Why, p.Steps = revision.PlanRunner{}, "interrupted", nine(3, 0)
	}
	return p
}

func TestRun(t *testing.T) {
	w := start(t)
	s := w.s
	s.Press("enter")
	s.Want("Run 9 steps, waiting for every zone after each?", "consequences")
	s.Resize(120, 60)
	s.Want("ANP break-glass             spec.priority  30 → 10")
	s.Resize(120, 34)
	s.Golden("preview")
	s.Press("esc")
	s.Want("nothing was changed", "re-space: step 10")
	s.Press("enter", "a")
	s.Type("blue-tenant")
	s.Press("enter")
	if w.calls("plan start") == 0 {
		t.Fatalf("the plan was not started\n%s", s.PlainFrame())
	}
	s.Want("now → planned")

	p := under(revision.PlanRunning)
	p.Waits = []revision.PlanWait{{Zone: "ovn-worker2", Why: "settling", Since: uitest.Now.Add(-2 * time.Second)}}
	w.says(p)
	s.Want("◐ running", "4 of 9 done", "step: green-tenant 40 → 30", "waiting for ovn-worker2 (settling 2 s)", "x stop after this step", "✓ 3", "○ 4")
	s.Golden("running")
	s.Press("enter")
	s.Want("run: the plan is running")
	s.Press("b")
	s.Want("roll back: the plan is running: end it first")
	s.Press("d")
	s.Want("distance: the plan is running")
	s.Press("x")
	if w.calls("plan stop") != 1 {
		t.Error("x did not stop it")
	}
	s.Want("stopping after this step")
	p = under(revision.PlanWaiting)
	p.Waits = []revision.PlanWait{{Zone: "ovn-worker2", Why: "lost", Since: uitest.Now.Add(-12 * time.Second)}}
	w.says(p)
	s.Want("○ running", "waiting for ovn-worker2 (lost 12 s)", "it continues by itself · x stop")
	s.Golden("waiting")
	s.Console.Advance(3 * time.Second)
	s.Refresh()
	s.Want("waiting for ovn-worker2 (lost 15 s)")
	stopped := under(revision.PlanStopped) // it says what it waited for then, however long ago that was
	stopped.Since = uitest.Now.Add(-time.Second)
	stopped.Waits = []revision.PlanWait{{Zone: "ovn-worker2", Why: "lost", Since: uitest.Now.Add(-13 * time.Second)}}
	w.says(stopped)
	s.Want("interrupted; it waited for ovn-worker2 (lost 12 s)")
	s.WantNot("waiting for ovn-worker2")
	w.says(&revision.PlanState{Total: 9, Done: 9, State: revision.PlanDone, Steps: nine(9, 0)})
	s.Want("✓ finished", "9 of 9 steps", "x close")
	s.Golden("done")
	s.Press("b")
	s.Want("roll back: the plan is done")
	s.Press("d", "enter")
	s.Want("re-space: step 10")
	s.WantNot("✓ finished")
	w.says(nil)
	s.Want("re-space: step 10")
}

// A stopped plan is continued or rolled back through a preview with all its guards, or
// kept as it is, each only after a yes.
func TestStopped(t *testing.T) {
	w := start(t)
	s := w.s
	var asked []bool
	w.g.OnPlanAgain = func(back bool) (*gate.Preview, error) {
		asked = append(asked, back)
		return &gate.Preview{Mutation: change.Mutation{Op: change.OpMove, Plan: true}, Title: "the plan",
			Guards: []change.Guard{{Code: "deny-system", Policy: adminPolicyKey("allow-metrics"), Message: "ANP allow-metrics leaves its place"}}, ConfirmName: "allow-metrics"}, nil
	}
	w.says(under(revision.PlanStopped))
	s.Want("■ stopped", "3 of 9 done", "next: green-tenant 40 → 30", "interrupted", "⏎ continue · b roll back · x keep as is", "✓ 3")
	s.Golden("stopped")
	s.ResizeAll()
	s.Press("d")
	s.Want("distance: a plan has stopped: continue it, roll it back or keep its result")

	s.Press("enter")
	s.Want("Continue with the 6 remaining steps, waiting for every zone after each?", "ANP allow-metrics leaves its place", "apply (type allow-metrics)")
	s.Press("a")
	s.Type("allow-metrics")
	if w.calls("plan resume") != w.calls("plan resume preview") {
		t.Error("it continues before the name was confirmed")
	}
	s.Press("enter")
	s.Want("■ stopped") // the Fake does not move
	s.Press("b")
	s.Want("Roll back, the last step first, waiting for every zone after each?", "apply (type allow-metrics)")
	s.Press("a")
	s.Type("allow-metrics")
	s.Press("enter")
	s.Want("■ stopped")
	s.Press("x")
	s.Want("Keep as is", "3 of 9 steps done", "U undoes the steps that are done")
	s.Golden("keep")
	s.Press("enter")
	if w.calls("plan keep") != 0 {
		t.Error("no is not the answer by itself")
	}
	s.Press("x", "y")
	if w.calls("plan keep") != 1 || w.calls("plan back") != 1+w.calls("plan back preview") || !slices.Equal(asked, []bool{false, true}) {
		t.Error(w.g.Calls, asked)
	}
}

// Without the right to change anything a stopped plan says so where it offers the ways
// out.
func TestStoppedReadOnly(t *testing.T) {
	w := start(t)
	w.g.Parts.Mode.Writes = false
	w.says(under(revision.PlanStopped))
	w.s.Want("cannot continue or roll back: read-only (W allows changes)", "x keep as is")
	w.s.WantNot("⏎ continue", "b roll back ·")
	w.s.Press("enter")
	w.s.Want("run: read-only")
}

// The preview of a stopped plan says who took the plan meanwhile, and what became of it.
func TestTakenByAnother(t *testing.T) {
	for did, then := range map[string]struct{ back, done bool }{"is continuing": {}, "is rolling back": {back: true}, "finished": {done: true}, "rolled back": {true, true}} {
		w := start(t)
		taken := false
		w.g.OnPlanAgain = func(bool) (*gate.Preview, error) {
			if taken {
				return nil, fmt.Errorf("%w: the plan is running: stop it first", planrun.ErrPlan)
			}
			return &gate.Preview{Mutation: change.Mutation{Op: change.OpMove, Plan: true}, Title: "the plan"}, nil
		}
		w.says(under(revision.PlanStopped))
		w.s.Press("enter")
		w.s.Want("Continue with the 6 remaining steps")
		taken = true
		p := under(revision.PlanRunning)
		p.RollingBack, p.Runner = then.back, revision.PlanRunner{PID: 99, Since: uitest.Now}
		by := " (pid 99)"
		if then.done {
			p.State, by = revision.PlanDone, ""
		}
		w.says(p)
		w.g.PlanErr = fmt.Errorf("%w: the plan is running: stop it first", planrun.ErrPlan)
		w.s.Press("a", "y")
		w.s.Want("refused: another console or command" + by + " " + did + " the plan")
		w.s.WantNot("could not be worked out")
	}
}

// A stopped plan that can go neither way says why, and the ways out, and offers nothing
// else.
func TestStoppedStuck(t *testing.T) {
	w := start(t)
	p := under(revision.PlanStopped)
	p.Stuck = "allow-metrics is at 38, the plan expects 60: move allow-metrics back to 60, or end the plan here (x, rung plan --keep)"
	p.Why = p.Stuck
	w.says(p)
	for _, width := range []int{80, 120} {
		w.s.Resize(width, 34)
		flat := strings.Join(strings.Fields(w.s.PlainFrame()), " ")
		if n := strings.Count(flat, "allow-metrics is at 38"); n != 1 {
			t.Errorf("at %d the reason stands there %d times:\n%s", width, n, w.s.PlainFrame())
		}
		w.s.Want("cannot continue or roll back: allow-metrics", "--keep)") // no name is broken
		w.s.WantNot("⏎ continue", "b roll back ·")
	}
	w.s.Press("b")
	w.s.Want("roll back: allow-metrics is at 38")
	if w.calls("plan back preview") != 0 {
		t.Error(w.g.Calls)
	}
}

// A plan that another Rung runs is listed and left alone.
func TestRunElsewhere(t *testing.T) {
	w := start(t)
	s := w.s
	p := under(revision.PlanRunning)
	p.Runner.IsOwn = false
	w.says(p)
	by := "run by another Rung (pid 4711, since " + p.Runner.Since.Local().Format(time.TimeOnly) + ")"
	s.Want("◐ "+by+": 4 of 9 done", "✓ 3", "only that Rung can stop it")
	s.Golden("elsewhere")
	for _, key := range []string{"enter", "x", "b", "d", "i", "ctrl+s"} {
		s.Press("k") // whatever was said before is over
		s.Press(key)
		s.Want("■ ", ": "+by)
	}
	for _, call := range []string{"plan stop", "plan keep", "plan resume", "plan back"} {
		if w.calls(call) != 0 {
			t.Error(w.g.Calls)
		}
	}
}

// The filter is that of the view in sight: a preview in front is not opened with the filter of the page behind it.
func TestFilterOfThePreview(t *testing.T) {
	s := start(t).s
	filter := func(text string) {
		s.Press("/")
		s.Type(text)
		s.Press("enter")
	}
	filter("quarantine")
	s.Want("filter: quarantine", " match")
	s.Press("enter")
	s.Want("Run 9 steps", "consequences", "ANP break-glass")
	s.WantNot("filter: ")
	filter("becomes free")
	s.WantNot("ANP break-glass")
	s.Press("esc")
	s.Want("ANP break-glass")
	filter("becomes free")
	s.Press("esc", "esc")
	s.Want("break-glass", "quarantine")
	s.WantNot("filter: ", "Run 9 steps")
}

// What is asked about a plan that changes meanwhile cannot be answered any more.
func TestPlanChangedUnderTheQuestion(t *testing.T) {
	w := start(t)
	s := w.s
	w.says(under(revision.PlanStopped))
	s.Press("x")
	p := under(revision.PlanRunning)
	p.Runner.IsOwn = false
	w.says(p)
	s.Want("Changed since you were asked: the plan is run by another")
	s.Press("y", "esc")
	w.says(under(revision.PlanStopped))
	s.Press("x")
	w.says(nil)
	s.Want("the plan has ended")
	s.Press("y", "esc")
	if w.calls("plan keep") != 0 {
		t.Error(w.g.Calls)
	}
	// What only the engine knows is said.
	w.g.PlanErr = &gate.StaleError{Title: "the plan", Difference: "ANP b was changed meanwhile"}
	w.says(under(revision.PlanStopped))
	s.Press("x", "y")
	s.Want("look again: ANP b was changed meanwhile")
}

// TestRollingBack is a plan on its way back.
func TestRollingBack(t *testing.T) {
	w := start(t)
	p := under(revision.PlanRunning)
	p.RollingBack, p.Done, p.StepsAtRollback = true, 4, 5 // the fourth was written back
	w.says(p)
	w.s.Want("◐ rolling back  2 of 5 back", "30   30 ─ break-glass")
	p = under(revision.PlanStopped)
	p.RollingBack, p.StepsAtRollback = true, 5
	w.says(p)
	w.s.Want("■ rollback stopped  2 of 5 back", "next: blue-tenant 30 → 40", "b roll back the rest · ⏎ continue the plan · x keep as is")
	p = &revision.PlanState{Total: 9, State: revision.PlanDone, RollingBack: true, Steps: nine(0, 0)}
	w.says(p)
	w.s.Want("✓ rolled back")
	w.s.WantNot("undo all of it")
}

// TestUndoOffered: a plan that is done offers the undo that is about it, and no other.
func TestUndoOffered(t *testing.T) {
	w := start(t)
	done := revision.PlanState{Title: "Re-space: step 10", Total: 9, Done: 9, State: revision.PlanDone, Steps: nine(9, 0)}
	for title, offered := range map[string]bool{done.Title: true, "Move ANP quarantine from 60 to 62": false, "": false} {
		p := done
		w.says(nil)
		w.g.Parts.Plan, w.g.Parts.Undo = &p, title
		w.g.Set(w.g.Parts)
		w.s.Refresh()
		w.s.Want("✓ finished")
		if offered {
			w.s.Want("undo all of it")
			w.s.Press("b")
			w.s.Want("undo reverts all of it")
		} else {
			w.s.WantNot("undo all of it")
			w.s.Press("b")
			w.s.Want("roll back: the plan is done")
			w.s.WantNot("undo reverts all of it")
		}
	}
}

func TestExport(t *testing.T) {
	w := start(t)
	w.s.Press("ctrl+s")
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
	s := uitest.OpenScreen(t, &revision.Facts{Loaded: true}, nav.NewPage(nav.Plan))
	s.Want("no AdminNetworkPolicies", "100 of 100 priorities free")
	s.Press("enter", "m", "o", "x", "b", "n")
	s.ResizeAll()
}

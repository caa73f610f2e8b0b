//go:build unix

package journey_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rung/test/install"
)

// wall is a policy whose every move wants its name typed: it denies whatever covers
// every namespace.
func wall(priority int) string {
	return fmt.Sprintf(`apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: wall
spec:
  priority: %d
  subject:
    namespaces: {}
  ingress:
  - name: default-deny
    action: Deny
    from:
    - namespaces: {}
`, priority)
}

// few writes a cluster of three nodes with three policies, the first of which is
// guarded. Re-spaced by 10 from 10 they move in three steps, the first of them wall's.
func few(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(short(t), "few.yaml")
	var noPods []string // so that guard rails are judged from the policies alone
	for doc := range strings.SplitSeq(nodes(), "---\n") {
		if !strings.Contains(doc, "kind: Pod\n") {
			noPods = append(noPods, doc)
		}
	}
	write(t, path, strings.Join(noPods, "---\n")+"---\n"+wall(34)+"---\n"+policyText("p1", 40)+"---\n"+policyText("p2", 50))
	return path
}

// planned goes to the plan, chooses a spacing, and comes to the preview of its steps.
func (c *console) planned(spacing string, steps int) *console {
	c.t.Helper()
	c.press("A").at("plan").does("d", "re-space the ladder").answers("re-space the ladder", "ctrl+u")
	c.Type(spacing)
	step, start, _ := strings.Cut(spacing, " ")
	c.sees("> " + spacing).press("enter").sees("step " + step + ", starting at " + start)
	return c.press("enter").sees(fmt.Sprintf("Run %d steps, waiting for every zone after each?", steps))
}

// stalls stops the server of a zone; the function lets it go on.
func (c *console) stalls(zone string) (goesOn func()) {
	c.t.Helper()
	pid := serverOf(c.t, c.sockets()[zone])
	signal(c.t, pid, syscall.SIGSTOP)
	c.t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	return func() { signal(c.t, pid, syscall.SIGCONT) }
}

// kills ends the program as nothing can prevent.
func (c *console) kills() {
	c.t.Helper()
	signal(c.t, c.Pid(), syscall.SIGKILL)
	if code, err := c.Terminal.Wait(patience); err != nil || code != 128+int(syscall.SIGKILL) {
		c.t.Fatalf("killed, it ended with %d, %v", code, err)
	}
}

// at80 is the small screen on which an admin has to find everything, too.
const wide80, high24 = 80, 24

// TestTwoConsoles: two consoles on one state folder. What one runs, the other lists and
// says whose it is; it starts no other plan, ends nothing, sees the plan end, and can undo
// it since they have one history.
func TestTwoConsoles(t *testing.T) {
	t.Parallel()
	server := install.Server(t, "ovsdb-server")
	path, _ := crowd(t)
	s := setup{files: []string{path}, home: short(t), h: 44, args: []string{"--traffic", "0", "--write-back", "--sandbox-ovsdb", server}}
	one := open(t, s).ready()
	s.w, s.h = wide80, high24
	two := open(t, s).ready()

	one.planned("5 5", 24).does("a", "[ n no ]").answers("[ n no ]")
	goesOn := one.stalls("node2")
	one.press("y").sees("waiting for node2 (")

	// On the page where it is, and on the plan's.
	two.sees("plan ", "/24")
	two.press("A").at("plan").sees(fmt.Sprintf("run by another Rung (pid %d", one.Pid()), "waiting for node2 (", "24 steps")
	for _, x := range []struct{ key, title string }{{"enter", "run"}, {"x", "end the plan"}, {"b", "roll back"}, {"d", "distance"}} {
		two.press(x.key)
		two.refused(x.title, "run by another rung")
	}
	goesOn()
	one.sees("✓ finished", "24 of 24 steps")
	two.sees("✓ finished", "24 of 24 steps")
	two.press("1").at("Ladder").misses("/24 ").pick("p23")
	// One history: what one did, the other can undo.
	two.does("U", "Run 24 steps, waiting for every zone after each?").press("esc")
	two.quits()
	one.quits()
}

// TestPlanKilled: killed in the middle of a plan and started again, Rung says so on every
// page, lists the steps, and continues.
func TestPlanKilled(t *testing.T) {
	t.Parallel()
	server := install.Server(t, "ovsdb-server")
	path := few(t)
	s := setup{files: []string{path}, home: short(t), args: []string{"--traffic", "0", "--write-back", "--sandbox-ovsdb", server}}
	c := open(t, s).ready()
	c.planned("10 10", 3).does("a", "Type wall")
	c.stalls("node1")
	c.types("Type wall", "wall").sees("waiting for node1 (")
	servers := map[string]int{}
	for zone, socket := range c.sockets() {
		servers[zone] = serverOf(t, socket)
	}
	c.kills()
	gone(t, servers)

	s.w, s.h = wide80, high24
	c = open(t, s).ready()
	c.sees("/3 stopped")
	c.press("A").at("plan").sees("■ stopped", "wall", "34 → 10", "p1", "40 → 20", "p2", "50 → 30", "⏎ continue · b roll back · x keep as is")
	c.does("enter", "Continue with ", "waiting for every zone after each?").does("a", "[ n no ]").answers("[ n no ]", "y")
	c.sees("✓ finished", "3 of 3 steps").misses("/3 stopped")
	for name, want := range map[string]int{"wall": 10, "p1": 20, "p2": 30} {
		if text := read(t, path); !strings.Contains(text, fmt.Sprintf("name: %s\nspec:\n  priority: %d\n", name, want)) {
			t.Errorf("the file does not have %s at %d", name, want)
		}
	}
	c.quits()
}

// TestRollBack: a plan that was stopped is rolled back through one preview that asks for
// the guarded name first, and a mistyped one changes nothing; kept as it is, a plan is
// gone, and what it did can be undone.
func TestRollBack(t *testing.T) {
	t.Parallel()
	server := install.Server(t, "ovsdb-server")
	c := open(t, setup{files: []string{few(t)}, w: wide80, h: high24, args: []string{"--traffic", "0", "--sandbox-ovsdb", server}}).ready()
	stopped := func() {
		c.planned("10 10", 3).sees("apply (type wall)").does("a", "Type wall")
		goesOn := c.stalls("node0")
		c.types("Type wall", "wall").sees("waiting for node0 (")
		c.does("x", "■ stopped", "/3 stopped")
		goesOn()
	}
	stopped()
	c.does("b", "Roll back, the last step first, waiting for every zone after each?", "apply (type wall)")
	c.does("a", "Type wall").types("Type wall", "wal").sees("the name is wall", "/3 stopped") // and the question stays
	c.Type("l")
	c.sees("> wall").press("enter").sees("✓ rolled back").misses("/3 stopped")
	c.press("1").at("Ladder").pick("34 ─ wall")

	stopped()
	c.does("x", "Keep as is", "[ n no ]").answers("[ n no ]", "esc").sees("■ stopped")
	c.does("x", "Keep as is", "[ n no ]").answers("[ n no ]", "y").misses("/3 stopped")
	c.press("1").at("Ladder").pick("10 ─ wall")
	c.does("U", "apply (type wall)").press("esc")
	c.quits()
}

// TestUndoOfAPlan: one undo takes a whole plan back, one redo runs it again, each with
// one preview and by the same steps as any plan.
func TestUndoOfAPlan(t *testing.T) {
	t.Parallel()
	c := open(t, setup{files: []string{few(t)}, args: []string{"--traffic", "0"}}).ready()
	c.planned("10 10", 3).does("a", "Type wall").types("Type wall", "wall").sees("✓ finished", "3 of 3 steps", "U undo all of it")
	c.press("1").at("Ladder").pick("10 ─ wall")
	for _, way := range []struct{ key, ladder string }{{"U", "34 ─ wall"}, {"R", "10 ─ wall"}, {"U", "34 ─ wall"}} {
		c.does(way.key, "Run 3 steps, waiting for every zone after each?", "apply (type wall)")
		c.does("a", "Type wall").types("Type wall", "wall")
		c.at("plan").sees("✓ finished", "3 of 3 steps")
		c.press("1").at("Ladder").pick(way.ladder)
	}
	c.quits()
}

// TestLeavingARunningPlan: q on the first page and ctrl+c ask before they leave a plan
// that runs; stay is the answer unless another is given, and ctrl+c again leaves at once.
func TestLeavingARunningPlan(t *testing.T) {
	t.Parallel()
	server := install.Server(t, "ovsdb-server")
	s := setup{files: []string{few(t)}, home: short(t), w: wide80, h: high24, args: []string{"--traffic", "0", "--write-back", "--sandbox-ovsdb", server}}
	c := open(t, s).ready()
	c.planned("10 10", 3).does("a", "Type wall")
	c.stalls("node0")
	c.types("Type wall", "wall").sees("waiting for node0 (").press("1").at("Ladder")
	c.does("q", "A plan is running", "[ n stay ]").answers("[ n stay ]", "enter").misses("[ n stay ]").at("Ladder")
	c.does("ctrl+c", "A plan is running", "it can be continued later").answers("[ n stay ]", "tab").sees("[ y stop after this step and leave ]").press("enter")
	c.ended(0)

	c = open(t, s).ready()
	c.sees("/3 stopped").press("A").at("plan").does("enter", "Continue with ").does("a", "[ n no ]").answers("[ n no ]")
	c.stalls("node0")
	c.press("y").sees("waiting for node0 (")
	c.does("ctrl+c", "A plan is running").press("ctrl+c")
	c.ended(0)
	c = open(t, s).ready()
	c.sees("/3 stopped").quits()
}

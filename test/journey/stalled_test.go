//go:build unix

package journey_test

import (
	"regexp"
	"strings"
	"testing"

	"rung/test/install"
)

// firstStep is wall's step of the plan of few, with the sign before it; what it waits for
// stands in the line below.
var firstStep = regexp.MustCompile(`([✓○◐ ]) 1  wall +34 → 10`)

// stepAt is the sign of the first step, and what the line below says; empty where the
// screen does not have the step.
func stepAt(f *frame) (sign, below string) {
	for y := range f.Height - 1 {
		if m := firstStep.FindStringSubmatch(f.Line(y)); m != nil {
			_, below, _ = strings.Cut(f.Line(y+1), "│")
			return m[1], strings.TrimSpace(below)
		}
	}
	return "", ""
}

// flat is the text of the screen on one line, as it was before it was broken into lines.
func flat(f *frame) string { return strings.Join(strings.Fields(f.Text()), " ") }

// says waits until every text is on the screen, however it is broken into lines.
func (c *console) says(texts ...string) *console {
	c.t.Helper()
	for _, text := range texts {
		c.until("says "+text, func(f *frame) bool { return strings.Contains(flat(f), text) })
	}
	return c
}

// TestStalledZone: a zone whose server stops while a plan runs is waited for by name, and
// the step that it does not show has no ✓ before the zone is back and shows it, though all
// others do. Then the plan goes on by itself.
func TestStalledZone(t *testing.T) {
	t.Parallel()
	server := install.Server(t, "ovsdb-server")
	c := open(t, setup{files: []string{few(t)}, w: wide80, h: high24, args: []string{"--traffic", "0", "--sandbox-ovsdb", server}}).ready()
	c.planned("10 10", 3).does("a", "Type wall")
	goesOn := c.stalls("node1")
	at10 := func(zone string) bool {
		n := 0
		for _, row := range dump(t, c.sockets()[zone]) {
			if row.ids()["k8s.ovn.org/name"] != "wall" {
				continue
			}
			n++
			if row.acl(t).Priority != maxOVNPriority-100*10 {
				return false
			}
		}
		return n > 0
	}
	c.types("Type wall", "wall")
	// The others have it long since when the time that it waits is shown in seconds.
	waits := regexp.MustCompile(`^waiting for node1 \(.* [2-9] s\)$`)
	c.until("waits for node1 at its first step", func(f *frame) bool {
		sign, below := stepAt(f)
		if sign == "✓" {
			t.Fatalf("node1 does not answer, and the step is done\n%s", f.Boxed())
		}
		return sign == "○" && waits.MatchString(below)
	})
	c.sees("○ running  1 of 3 done", "it continues by itself")
	for _, zone := range []string{"node0", "node2"} {
		if !at10(zone) {
			t.Errorf("%s does not have wall at 10, and it is node1 that is waited for", zone)
		}
	}
	goesOn()
	c.until("is done with its first step", func(f *frame) bool { sign, _ := stepAt(f); return sign == "✓" })
	if !at10("node1") {
		t.Error("the step is done, and node1 does not have wall at 10")
	}
	c.sees("✓ finished", "3 of 3 steps").misses("waiting for node1")
	c.quits()
}

// TestPolicyOfAPlanMovedAway: who moves a policy that a stopped plan is still to move is
// told before the yes what that does to the plan; the plan then says what stands in its
// way and how to get out, on going on as on going back; the undo of the move is such a way,
// and the plan continues to its end.
func TestPolicyOfAPlanMovedAway(t *testing.T) {
	t.Parallel()
	server := install.Server(t, "ovsdb-server")
	path := few(t)
	c := open(t, setup{files: []string{path}, w: wide80, h: high24, args: []string{"--traffic", "0", "--write-back", "--sandbox-ovsdb", server}}).ready()
	c.planned("10 10", 3).does("a", "Type wall")
	goesOn := c.stalls("node0")
	c.types("Type wall", "wall").sees("waiting for node0 (").does("x", "■ stopped", "1/3 stopped")
	goesOn()

	c.press("1").at("Ladder").pick("40 ─ p1").does("m", "moving p1").press("4", "5").sees("40 → 45")
	c.does("enter", "Apply?").says("a plan stopped at 1 of 3: its step 2 moves p1; after this change it can be neither continued nor rolled back")
	c.does("a", "[ n no ]").answers("[ n no ]", "y").at("Ladder").sees("45 ─ p1", "1/3 stopped")

	const out = "p1 is at 45, the plan expects 40: move p1 back to 40, or end the plan here (x, rung plan --keep)"
	c.press("A").at("plan").says("cannot continue or roll back: " + out)
	for _, x := range []struct{ key, title string }{{"enter", "run"}, {"b", "roll back"}} {
		c.press(x.key)
		c.refused(x.title, "p1 is at 45")
		c.says(out)
	}

	c.does("U", "45 → 40", "Apply?").says("a plan stopped at 1 of 3: after this change it can be continued or rolled back again")
	c.does("a", "[ n no ]").answers("[ n no ]", "y").sees("⏎ continue · b roll back · x keep as is")
	c.does("enter", "Continue with the 2 remaining steps").does("a", "[ n no ]").answers("[ n no ]", "y")
	c.sees("✓ finished", "3 of 3 steps").misses("/3 stopped")
	for name, want := range map[string]string{"wall": "10", "p1": "20", "p2": "30"} {
		if text := read(t, path); !strings.Contains(text, "name: "+name+"\nspec:\n  priority: "+want+"\n") {
			t.Errorf("the file does not have %s at %s:\n%s", name, want, text)
		}
	}
	c.quits()
}

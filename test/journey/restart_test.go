//go:build unix

package journey_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rung/test/install"
)

// TestUndoAfterRestart: a change is written into the file it came from, and only
// there; after a restart it can be taken back, unless somebody changed the file
// meanwhile.
func TestUndoAfterRestart(t *testing.T) {
	t.Parallel()
	dir, home := examples(t), short(t)
	file := filepath.Join(dir, "13-conflict.yaml")
	before := read(t, file)
	s := setup{files: []string{dir}, home: home, args: []string{"--write-back", "--traffic", "0"}}

	c := open(t, s).ready()
	c.sees("WRITES FILES").pick("└ quarantine").does("m", "moving quarantine").press("j").sees("60 → 61")
	c.does("enter", "60 → 61", "Apply?").does("a", "[ n no ]").answers("(files of", "y")
	c.at("Ladder").sees("61 ─ quarantine")
	after := read(t, file)
	if want := strings.Replace(before, "priority: 60\n  subject:\n    namespaces:", "priority: 61\n  subject:\n    namespaces:", 1); after != want {
		t.Fatalf("the file is now\n%s\nwant\n%s", after, want)
	}
	c.quits()

	c = open(t, s).ready()
	c.sees("61 ─ quarantine").press("U").sees("61 → 60", "Apply?")
	c.does("a", "[ n no ]").answers("[ n no ]", "y") // policies above decide all that it matches
	c.at("Ladder").sees("60 └ quarantine")
	if now := read(t, file); now != before {
		t.Errorf("undo left\n%s\nwant\n%s", now, before)
	}
	c.quits()
}

// TestUndoOfWhatChangedMeanwhile: undo of an object that somebody else changed
// shows the difference and offers a merge instead of overwriting it.
func TestUndoOfWhatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := examples(t)
	file := filepath.Join(dir, "13-conflict.yaml")
	c := open(t, setup{files: []string{dir}, args: []string{"--write-back", "--traffic", "0"}}).ready()
	c.pick("└ quarantine").does("m", "moving quarantine").press("j", "j").sees("60 → 62")
	c.does("enter", "60 → 62", "Apply?").does("a", "[ n no ]").answers("(files of", "y")
	c.at("Ladder").sees("62 ─ quarantine")
	other := strings.Replace(read(t, file), "team: red", "team: blue", 1)
	write(t, file, other)
	c.sees("ns: team=blue")
	c.press("U").sees("Cannot be done", "merge")
	if now := read(t, file); now != other {
		t.Errorf("the file was written:\n%s", now)
	}
	c.press("u").sees("62 → 60", "merged: your change", "Apply?").does("a", "[ n no ]").answers("(files of", "y")
	c.at("Ladder").sees("60 └ quarantine", "ns: team=blue")
	if now, want := read(t, file), strings.Replace(other, "priority: 62", "priority: 60", 1); now != want {
		t.Errorf("the merge left\n%s\nwant\n%s", now, want)
	}
	c.quits()
}

// TestPlanSurvivesAKill: Rung is killed in the middle of a plan; started again it
// says how far the plan came and goes on with it.
func TestPlanSurvivesAKill(t *testing.T) {
	t.Parallel()
	server := install.Server(t, "ovsdb-server")
	path, _ := crowd(t)
	home := short(t)
	s := setup{files: []string{path}, home: home, h: 44, args: []string{"--traffic", "0", "--write-back", "--sandbox-ovsdb", server}}
	c := open(t, s).ready()
	c.planned("5 5", 24)
	servers := map[string]int{}
	for zone, socket := range c.sockets() {
		servers[zone] = serverOf(t, socket)
	}
	c.does("a", "[ n no ]").answers("[ n no ]")
	// Stopped before the plan begins: on a busy machine all its steps are done before
	// anybody sees that it runs.
	signal(t, servers["node2"], syscall.SIGSTOP)
	c.press("y").sees("waiting for node2 (")
	c.kills()
	gone(t, servers)

	c = open(t, s).ready()
	c.press("6").at("plan").sees(" of 24 done", "stopped")
	c.does("enter", "Continue with ").does("a", "[ n no ]").answers("[ n no ]", "y")
	c.sees("✓ finished", "24 of 24 steps")
	text := read(t, path)
	slot, last := 0, -1
	for i, p := range crowded {
		if p != last {
			slot, last = slot+5, p
		}
		if want := fmt.Sprintf("name: p%02d\nspec:\n  priority: %d\n", i, slot); !strings.Contains(text, want) {
			t.Errorf("the file lacks %q", want)
		}
	}
	c.quits()
}

// gone waits until processes are no more.
func gone(t *testing.T, pids map[string]int) {
	t.Helper()
	for name, pid := range pids {
		for end := time.Now().Add(patience); alive(pid); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the server of %s (%d) lives on", name, pid)
			}
		}
	}
}

// alive says whether a process runs; one that only waits to be buried does not.
func alive(pid int) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	state := strings.TrimSpace(string(out))
	return err == nil && state != "" && !strings.HasPrefix(state, "Z")
}

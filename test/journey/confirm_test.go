//go:build unix

package journey_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// onTrial moves quarantine from 60 to 61 on trial.
func (c *console) onTrial() {
	c.t.Helper()
	c.sees("WRITES FILES").pick("└ quarantine").does("m", "moving quarantine").press("j").sees("60 → 61")
	c.does("enter", "60 → 61", "Apply?").does("a", "[ n no ]", "[ ] auto-revert in 60s").does("space", "[x] auto-revert in 60s")
	c.answers("(files of", "y")
	c.at("Ladder").sees("61 ─ quarantine", "reverts in ", "Y keeps")
}

// TestChangeOnTrial: a change is counted down on every page, kept by one key, and put back
// at its time where nobody presses it.
func TestChangeOnTrial(t *testing.T) {
	t.Parallel()
	dir := examples(t)
	file := filepath.Join(dir, "13-conflict.yaml")
	before := read(t, file)
	c := open(t, setup{files: []string{dir}, args: []string{"--write-back", "--traffic", "0"}}).ready()
	c.onTrial()
	for _, page := range []string{"3", "5", "f", "1"} {
		c.press(page).sees("reverts in ", "Y keeps")
	}
	c.press("Y").sees("confirmed").misses("reverts in ")
	kept := read(t, file)
	if kept == before {
		t.Fatal("the file was not changed")
	}
	c.press("U").sees("61 → 60", "Apply?").does("a", "[ n no ]").answers("[ n no ]", "y")
	c.at("Ladder").sees("60 └ quarantine")

	c.onTrial()
	began := time.Now()
	if _, err := c.Terminal.WaitUntil("puts it back", func(f *frame) bool { return strings.Contains(f.Text(), "60 └ quarantine") }, time.Minute+patience); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 40*time.Second {
		t.Errorf("put back after %s", took)
	}
	c.sees("reverted: not confirmed within 60s")
	if now := read(t, file); now != before {
		t.Errorf("the file is now\n%s", now)
	}
	c.quits()
}

// TestChangeOnTrialSurvivesAKill: Rung is killed while a change waits to be confirmed; the
// next one says so first, and puts it back when its time is over.
func TestChangeOnTrialSurvivesAKill(t *testing.T) {
	t.Parallel()
	dir, home := examples(t), short(t)
	file := filepath.Join(dir, "13-conflict.yaml")
	before := read(t, file)
	s := setup{files: []string{dir}, home: home, args: []string{"--write-back", "--traffic", "0"}}
	c := open(t, s).ready()
	c.onTrial()
	c.kills()
	if read(t, file) == before {
		t.Fatal("the file was not changed")
	}

	// In time it is offered.
	c = open(t, s)
	c.sees("An earlier run of Rung made this change on trial", "revert it then", "keep it")
	c.kills()

	var pending string
	err := filepath.WalkDir(home, func(path string, _ os.DirEntry, err error) error {
		if filepath.Ext(path) == ".json" && filepath.Base(filepath.Dir(path)) == "revert" {
			pending = path
		}
		return err
	})
	if err != nil || pending == "" {
		t.Fatalf("no pending revert below %s: %v", home, err)
	}
	text := regexp.MustCompile(`"until":"20`).ReplaceAllString(read(t, pending), `"until":"19`)
	write(t, pending, text)
	if err := os.Chmod(pending, 0o600); err != nil {
		t.Fatal(err)
	}
	c = open(t, s)
	c.sees("An earlier run of Rung made this change on trial", "reverted: not confirmed within 60s")
	c.answers("Result: reverted", "enter")
	c.at("Ladder").sees("60 └ quarantine")
	if now := read(t, file); now != before {
		t.Errorf("the file is now\n%s", now)
	}
	c.quits()
}

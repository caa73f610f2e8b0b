package logs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rung/model"
	"rung/ui/nav"
)

// E makes a rule of the line under the cursor, or of the lines that the filter shows, and
// goes on in the editor with what it covers; what keeps it from that is said.
func TestProposeARule(t *testing.T) {
	dir := t.TempDir()
	given := filepath.Join(dir, "given")
	editor := filepath.Join(dir, "ed")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nfor f; do :; done\ncp \"$f\" "+given+"\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", editor)
	w := newTail(t, 100)
	s := w.open(nav.NewPage(nav.Logs))
	s.Press("E")
	s.Want("no lines to propose a rule from")

	w.line("cluster-control", model.Egress, 5, "blue/api-d0", "red/web-f0", 8080, "drop")
	w.line("cluster-control", model.Egress, 5, "blue/api-d0", "blue/api-d1", 80, "drop")
	w.line("cluster-control", model.Egress, 5, "203.0.113.9", "203.0.113.10", 80, "drop")
	s = w.open(nav.NewPage(nav.Logs))
	s.Press("E")
	s.Want("propose a rule", "a  allow 203.0.113.9 → 203.0.113.10 tcp 80", "A  allow the 3 lines shown")
	s.Press("a", "enter")
	s.Want("no rule for ANP from-log: the source is not a pod, and policies apply to pods only")

	s.Press("k", "E", "d")
	s.Want("propose a rule that denies 1 line", "> from-log")
	s.Press("ctrl+u")
	s.Type("BANP/none")
	s.Press("enter")
	s.Want(`no policy "BANP/none"`)
	s.Press("ctrl+u")
	s.Type("shut=7")
	s.Press("enter")
	text, err := os.ReadFile(given)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# rung: denies only the logged connections.\n# rung: proposed from the log: ", "name: shut\n", "priority: 7\n", "action: Deny", "port: 80\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	s.Want("logs") // the editor failed: back on the lines

	// The marked lines alone, for a rule and for the clipboard.
	s.Press("k", "space", "space", "k", "k", "space")
	s.Want("1 marked · ○ paused", "▸•")
	s.Press("E")
	s.Want("▸ A  allow the 1 marked line")
	s.Press("esc", "y")
	s.Want("1 marked line")
	s.Press("esc", "space", "G", "space", "space")
	s.Want("1 marked · ○ paused") // a mark on the last line does not follow
	s.Press("space", "G")
	s.Want("● follow")
	s.WantNot("marked")

	// The lines of the filter alone.
	s.Press("/")
	s.Type("8080")
	s.Press("enter", "E")
	s.Want("A  allow the 1 line shown")
	s.Press("A", "enter")
	if text, err = os.ReadFile(given); err != nil || !strings.Contains(string(text), "kind: AdminNetworkPolicy\nmetadata:\n  name: from-log") {
		t.Errorf("%v\n%s", err, text)
	}
}

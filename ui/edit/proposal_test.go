package edit_test

import (
	"strings"
	"testing"

	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// TestProposal: a text that was proposed goes to the editor with what is said of it above,
// and to the preview though nobody changed it; an editor that fails leaves it.
func TestProposal(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy string
	}{{"of a policy that is there", "cluster-control"}, {"of a new one", ""}} {
		w := start(t, "true")
		text := strings.Replace(w.policy("cluster-control").YAML, "priority: 34", "priority: 36", 1)
		page := nav.ToProposal(anp(c.policy), 0, text, w.policy("cluster-control").YAML, "proposed from the log: 1 rule.\nThey cover no other connection.", nil)
		want := "spec.priority  34 → 36"
		if c.policy == "" {
			page = nav.ToProposal(anp(""), 36, strings.Replace(text, "name: cluster-control", "name: from-log", 1), "", "proposed from the log: 1 rule.", nil)
			page.Key.Kind = ""
			want = "Create ANP from-log"
		}
		w.s = uitest.OpenWith(t, w.g.Fake, ui.Options{Page: page, StateDir: w.state})
		w.s.Want(want, "nothing is written yet")
		if got := w.seen("1"); !strings.HasPrefix(got, "# rung: proposed from the log: 1 rule.\n") || !strings.Contains(got, "priority: 36") {
			t.Errorf("%s: the editor was given\n%s", c.name, got)
		}
		w.s.Press("esc")
		w.s.Want("nothing was changed; your text is kept in")
	}
	// The policy changed since the text was made: what others wrote is not taken back.
	w := start(t, "true")
	text := w.policy("cluster-control").YAML
	w.s = uitest.OpenWith(t, w.g.Fake, ui.Options{StateDir: w.state,
		Page: nav.ToProposal(anp("cluster-control"), 0, strings.Replace(text, "priority: 34", "priority: 36", 1), strings.Replace(text, "priority: 34", "priority: 33", 1), "proposed from the log: 1 rule.", nil)})
	w.s.Want("was changed meanwhile")

	w = start(t, "exit 1")
	w.s = uitest.OpenWith(t, w.g.Fake, ui.Options{Page: nav.ToProposal(anp("cluster-control"), 0, w.policy("cluster-control").YAML, w.policy("cluster-control").YAML, "proposed from the log: 1 rule.", nil), StateDir: w.state})
	w.s.Want("nothing was changed")
	if n := len(w.files()); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

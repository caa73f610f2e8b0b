package preview_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
	"rung/ui/preview"
)

func anp(name string) model.PolicyKey { return model.PolicyKey{Kind: model.KindANP, Name: name} }

// between are the sizes between those of all goldens.
var between = [][2]int{{100, 30}, {160, 44}}

func open(t *testing.T, g *uitest.Gated) *uitest.Screen {
	t.Helper()
	return uitest.OpenWith(t, g.Fake, ui.Options{Page: nav.NewPage(nav.Ladder)})
}

// move carries cluster-control to 41, below the tenants, and stops at the preview.
func move(s *uitest.Screen) { s.Press("j", "j", "m", "4", "1", "enter") }

func (w *world) calls(prefix string) (n int) {
	for _, c := range w.g.Calls {
		if strings.HasPrefix(c, prefix) {
			n++
		}
	}
	return n
}

type world struct {
	g *uitest.Gated
	s *uitest.Screen
}

func start(t *testing.T, change func(*revision.Facts)) *world {
	t.Helper()
	g := uitest.NewGated(t, change)
	return &world{g, open(t, g)}
}

func (w *world) priority(name string) int32 {
	return w.g.Engine.Revision().Cluster.Policy(anp(name)).Priority
}

func TestMove(t *testing.T) {
	w := start(t, nil)
	s := w.s
	move(s)
	s.Want("Move ANP cluster-control from 34 to 41", "spec.priority  34 → 41", "12 changed: priority −700", "34 becomes free",
		"opens 20 pairs across namespaces, denied today, into blue", "nothing is written yet", "apply (type cluster-control)", "▲ opens 122 pairs · 20 across namespaces",
		"3 caveats: ! lists all", "connections that change")
	s.Resize(120, 100)
	s.Want("blue-tenant egress 0")
	s.Golden("move", between...)
	s.ResizeAll()

	s.Resize(120, 100)
	s.Press("v")
	s.Want("-  priority: 34", "+  priority: 41")
	s.Press("v")
	s.Resize(120, 34)

	s.Press("/")
	s.Type("into blue")
	s.Press("enter")
	s.Want("opens 20 pairs across namespaces, denied today, into blue", "apply (type cluster-control)")
	s.WantNot("34 becomes free")
	s.Press("esc")
	s.Want("34 becomes free")

	// The answer is No: by enter, by esc. Another name is said to be wrong, and can be
	// mended.
	s.Press("a", "enter")
	s.Want("nothing was changed")
	s.Press("a")
	s.Type("cluster")
	s.Press("enter")
	s.Want("the name is cluster-control", "> cluster")
	s.Press("esc")
	s.Want("nothing was changed", "Move ANP cluster-control")
	s.Press("esc")
	s.Want("nothing was changed", "PRIO")
	if n := w.calls("commit"); n != 0 || w.priority("cluster-control") != 34 {
		t.Fatalf("%d commits without a yes", n)
	}

	s.Press("m", "4", "1", "enter", "enter")
	s.Type("cluster-control")
	s.Press("enter")
	if got := w.priority("cluster-control"); got != 41 {
		t.Fatalf("priority %d after yes\n%s", got, s.PlainFrame())
	}
	s.Want("Move ANP cluster-control from 34 to 41: done, live in 3/3 zones · U undoes it", "41 ─ cluster-control")
	if !strings.Contains(s.Line("41 ─ cluster-control"), "▸") {
		t.Errorf("the cursor is not on what was changed:\n%s", s.PlainFrame())
	}
}

// The key that undoes is told where it undoes this change: not another one that came in
// front of it meanwhile, and not one that leaves nothing to undo.
func TestToldHowToUndo(t *testing.T) {
	for name, undo := range map[string]string{"another change is newer": "Move ANP quarantine from 60 to 62", "nothing can be undone": ""} {
		w := start(t, nil)
		commit := w.g.OnCommit
		w.g.OnCommit = func(p *gate.Preview, c gate.Confirm) (*gate.Result, error) {
			r, err := commit(p, c)
			w.g.Parts.Undo = undo
			w.g.Set(w.g.Parts)
			return r, err
		}
		move(w.s)
		w.s.Press("a")
		w.s.Type("cluster-control")
		w.s.Press("enter")
		w.s.Want("Move ANP cluster-control from 34 to 41: done, live")
		if strings.Contains(w.s.PlainFrame(), "undoes it") {
			t.Errorf("%s:\n%s", name, w.s.PlainFrame())
		}
	}
}

// However often undo and redo are asked for, one preview of them is open, and one step
// back leads to where it was asked.
func TestUndoDoesNotPileUp(t *testing.T) {
	w := start(t, nil)
	s := w.s
	move(s)
	s.Press("a")
	s.Type("cluster-control")
	s.Press("enter", "U", "U", "U")
	s.Want("Undo: Move ANP cluster-control from 34 to 41")
	if n := w.calls("preview"); n > 2 {
		t.Errorf("%d previews worked out", n)
	}
	s.Press("ctrl+r", "U", "esc")
	s.Want("PRIO")
	s.WantNot("Undo: Move")
}

func TestUndo(t *testing.T) {
	w := start(t, nil)
	s := w.s
	move(s)
	s.Press("a")
	s.Type("cluster-control")
	s.Press("enter", "U")
	s.Want("Undo: Move ANP cluster-control from 34 to 41", "spec.priority  41 → 34", "allow → deny", "cuts 122 of the 168 pairs", "apply (type cluster-control)")
	s.Press("a", "y", "enter")
	s.Want("the name is cluster-control")
	if got := w.priority("cluster-control"); got != 41 {
		t.Fatalf("priority %d after a plain yes", got)
	}
	s.Press("esc", "a")
	s.Type("cluster-control")
	s.Press("enter")
	if got := w.priority("cluster-control"); got != 34 {
		t.Fatalf("priority %d after undo\n%s", got, s.PlainFrame())
	}
	s.Want("34 ─ cluster-control", "Undo: Move ANP")
}

func TestUndoConflict(t *testing.T) {
	w := start(t, nil)
	s := w.s
	move(s)
	s.Press("a")
	s.Type("cluster-control")
	s.Press("enter")

	// Somebody else changes a label meanwhile, elsewhere in the text.
	now := w.g.Engine.Revision().Cluster.Policy(anp("cluster-control")).YAML
	other := strings.Replace(now, `"default-deny"`+"\n    action: \"Deny\"\n    to:", `"deny-rest"`+"\n    action: \"Deny\"\n    to:", 1)
	if other == now {
		t.Fatal("the demo's policy has another text")
	}
	apply(t, w, other)
	s.Refresh()

	past := w.g.Engine.History()
	var id uint64
	for _, e := range past {
		if strings.HasPrefix(e.Title, "Move") {
			id = e.ID
		}
	}
	s = uitest.OpenWith(t, w.g.Fake, ui.Options{Page: nav.NewPage(nav.Ladder)})
	w.g.OnPreview = undoOf(w, id)
	s.Press("U")
	s.Want("changed meanwhile: ANP cluster-control", "your change", "u merge", "Cannot be done")
	s.Golden("conflict", between...)
	w.g.OnPreview = func(m change.Mutation) (*gate.Preview, error) { return w.g.Engine.Preview(t.Context(), m) }
	s.Press("a")
	if w.calls("commit") != 1 {
		t.Error("a blocked preview was committed")
	}
	s.Press("u")
	s.Want("merged: your change", "spec.priority  41 → 34")
	s.Press("a")
	s.Type("cluster-control")
	s.Press("enter")
	p := w.g.Engine.Revision().Cluster.Policy(anp("cluster-control"))
	if p.Priority != 34 || !strings.Contains(p.YAML, "deny-rest") {
		t.Errorf("after the merge: priority %d, the other change kept: %v\n%s", p.Priority, strings.Contains(p.YAML, "deny-rest"), s.PlainFrame())
	}
}

// undoOf makes U take back one entry of the history and not the newest.
func undoOf(w *world, id uint64) func(change.Mutation) (*gate.Preview, error) {
	return func(m change.Mutation) (*gate.Preview, error) {
		m.Undo = id
		return w.g.Engine.Preview(context.Background(), m)
	}
}

func apply(t *testing.T, w *world, text string) {
	t.Helper()
	p, err := w.g.Engine.Preview(t.Context(), change.Mutation{Op: change.OpApply, YAML: []byte(text)})
	if err != nil || p.Blocked != "" {
		t.Fatalf("%v %s", err, p.Blocked)
	}
	if _, err := w.g.Engine.Commit(t.Context(), p, gate.Confirm{Yes: true, Name: p.ConfirmName}); err != nil {
		t.Fatal(err)
	}
	w.g.ShowNewest()
}

func TestDelete(t *testing.T) {
	w := start(t, nil)
	s := w.s
	s.Press("j", "j", "j", "j", "D") // blue-tenant has no guard: its name must be typed all the same
	s.Want("Delete ANP blue-tenant", "is deleted", "2 removed", "apply (type blue-tenant)")
	s.Golden("delete", between...)
	s.Press("a")
	s.Type("blue-tenan")
	s.Press("enter")
	if w.calls("commit") != 0 {
		t.Fatal("deleted without the name")
	}
	s.Want("the name is blue-tenant", "> blue-tenan ")
	s.Type("t")
	s.WantNot("the name is")
	s.Press("enter")
	if w.g.Engine.Revision().Cluster.Policy(anp("blue-tenant")) != nil {
		t.Fatalf("still there\n%s", s.PlainFrame())
	}
	s.Want("Delete ANP blue-tenant: done", "PRIO")
	s.WantNot("┌ blue-tenant", "─ blue-tenant")
}

// A match, the ports and the ACLs of a row can be read whole: one key breaks long lines and lists
// all members.
func TestWholeRows(t *testing.T) {
	for _, size := range [][2]int{{80, 200}, {120, 200}} {
		s := start(t, nil).s
		s.Press("j", "j", "j", "j", "D")
		s.Resize(size[0], size[1])
		s.Want("ACL Egress:0:None")
		s.WantNot("10.244.1.9)")
		s.Press("w")
		if _, body, _ := strings.Cut(s.PlainFrame(), "\n"); strings.Contains(body, "…") { // the header says what it leaves out
			t.Errorf("something is cut:\n%s", body)
		}
		s.Want("a3843734981952587678", "10.244.1.9)")
		if text := strings.Join(strings.Fields(s.PlainFrame()), " "); size[0] == 80 && !strings.Contains(text, `inport == @a3843734981952587678 && ((ip4.dst == $a5223199256170914275))`) {
			t.Errorf("the match is not whole:\n%s", s.PlainFrame())
		}
		s.Press("w")
		if _, body, _ := strings.Cut(s.PlainFrame(), "\n"); !strings.Contains(body, "…") {
			t.Errorf("nothing is cut again:\n%s", body)
		}
	}
}

// A long preview is read by its headings; a short one offers no key for it.
func TestSections(t *testing.T) {
	w := start(t, nil)
	s := w.s
	s.Press("j", "j", "D")
	s.Resize(80, 24)
	s.Want("Delete ANP cluster-control", "more lines · } next section", "} next section  w whole")
	for _, heading := range []string{"consequences", "guard rails with examples", "connections that change", "same verdict, by another rule", "rows, per zone"} {
		s.Press("}")
		if lines := strings.Split(s.PlainFrame(), "\n"); !strings.Contains(lines[2], "── "+heading) {
			t.Errorf("not at %s\n%s", heading, s.PlainFrame())
		}
	}
	s.Press("{", "{", "{", "{", "{")
	s.Want("▸  Delete ANP cluster-control")
	s.Resize(200, 500)
	s.WantNot("next section")
}

// A NetworkPolicy goes through the same gate: the preview has the rows it shares
// with others, by their names.
func TestDeleteNetworkPolicy(t *testing.T) {
	w := start(t, nil)
	web := model.Key{Kind: model.KindNP, Namespace: "blue", Name: "allow-web"}
	s := uitest.OpenWith(t, w.g.Fake, ui.Options{Page: nav.ToPolicy(web)})
	s.Press("D")
	s.Golden("netpol-delete", between...)
	s.Resize(200, 60)
	s.Want("Delete NP blue/allow-web", "ACL Ingress:0:tcp:-1", "port group", "ACL default deny of blue, ingress: defaultDeny",
		"port group default deny of blue, egress", "address set of blue_LS{ML:{app: web,},}: v4",
		"2 pods of blue no longer isolated: ingress is now allowed unless a rule denies it")
	s.Press("a")
	s.Type("allow-web")
	s.Press("enter")
	if w.g.Engine.Revision().Cluster.Policy(web) != nil {
		t.Fatalf("still there\n%s", s.PlainFrame())
	}
	s.Press("U")
	s.Want("Undo: Delete NP blue/allow-web", "isolates 2 pods of blue (ingress)")
}

func TestLogLevel(t *testing.T) {
	w := start(t, nil)
	s := w.s
	s.Press("j", "j", "L")
	s.Golden("question", between...)
	s.Press("a", "enter")
	s.Want("Log ANP cluster-control for 15 min: allow, deny and pass at", "changed: log, severity")
	s.Press("a", "y")
	s.Want("logging confirmed in 3/3 zones")
}

func TestReadOnly(t *testing.T) {
	w := start(t, nil)
	s := w.s
	move(s)
	if err := w.g.Engine.SetWrites(false); err != nil {
		t.Fatal(err)
	}
	w.g.Parts.Mode.Writes = false
	w.g.ShowNewest()
	s.Refresh()
	s.Want("Cannot be done: read-only")
	s.Press("a")
	s.Want("read-only")
	if w.calls("commit") != 0 {
		t.Error("committed")
	}
}

func TestLate(t *testing.T) {
	defer preview.SetFollowTime(10 * time.Millisecond)()
	w := start(t, nil)
	w.g.Lag = true
	s := w.s
	move(s)
	s.Press("a")
	s.Type("cluster-control")
	s.Press("enter")
	s.Want("Written. 0 of 3 zones show it", "ovn-worker", "12 of 12 ACLs not live yet", "esc leave")
	s.Golden("late", between...)
	w.g.Lag = false
	w.g.ShowNewest()
	s.Refresh()
	s.Want("Written. 3 of 3 zones show it")
	s.Press("a")
	s.Want("already written")
	s.Press("esc")
	s.Want("PRIO")
}

func TestFailures(t *testing.T) {
	w := start(t, nil)
	s := w.s
	commit := w.g.OnCommit
	w.g.OnCommit = func(*gate.Preview, gate.Confirm) (*gate.Result, error) { return nil, errors.New("disk full") }
	move(s)
	s.Press("a")
	s.Type("cluster-control")
	s.Press("enter")
	s.Want("Not written: disk full. Nothing was changed.", "Apply?")

	// Stale: worked out again, and then it can be made.
	w.g.OnCommit = func(*gate.Preview, gate.Confirm) (*gate.Result, error) {
		return nil, fmt.Errorf("ANP x %w", change.ErrStale)
	}
	n := w.calls("preview")
	s.Press("a")
	s.Type("cluster-control")
	s.Press("enter")
	if w.calls("preview") != n+1 {
		t.Error("a stale preview was not worked out again")
	}
	w.g.OnCommit = commit
	s.Press("a")
	s.Type("cluster-control")
	s.Press("enter")
	s.Want("41 ─ cluster-control")

	w.g.OnPreview = func(change.Mutation) (*gate.Preview, error) { return nil, errors.New("out of memory") }
	s.Press("U")
	s.Want("The change could not be computed: out of memory", "Nothing was changed")
	s.Press("a")
	s.Want("it could not be computed")
	s.Press("esc")
	s.Want("PRIO")
}

func TestWorkedOutAgain(t *testing.T) {
	w := start(t, nil)
	s := w.s
	move(s)
	now := w.g.Engine.Revision().Cluster.Policy(anp("cluster-control")).YAML
	apply(t, w, strings.Replace(now, "priority: 34", "priority: 33", 1))
	s.Refresh()
	s.Want("Move ANP cluster-control from 33 to 41", "the preview has changed")
}

// A question that is open while its change becomes another stays, becomes the question
// about that one, and says so; the first yes makes nothing, by name or by y.
func TestChangedUnderTheQuestion(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string // up to the preview
		yes  string   // typed, and then enter
	}{
		{"move", []string{"j", "j", "m", "4", "1", "enter"}, "cluster-control"},
		{"delete", []string{"j", "j", "D"}, "cluster-control"},
		{"logging", []string{"j", "j", "L", "a", "enter"}, "y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := start(t, nil)
			s := w.s
			s.Press(c.keys...)
			s.Press("a")
			// What changes nothing does not disturb the question.
			w.g.ShowNewest()
			s.Refresh()
			s.WantNot("look again")
			now := w.g.Engine.Revision().Cluster.Policy(anp("cluster-control")).YAML
			other := strings.Replace(now, "action: \"Allow\"", "action: \"Deny\"", 1)
			if other == now {
				t.Fatalf("the demo's policy has another text\n%s", now)
			}
			apply(t, w, other)
			done := w.calls("commit")
			s.Refresh()
			s.Want("This question changed and was reloaded: ANP", "nothing is written yet")
			yes := func() {
				if c.yes == "y" {
					s.Press("y")
				} else {
					s.Press("enter")
				}
			}
			if c.yes != "y" {
				s.Type(c.yes)
			}
			yes()
			if w.calls("commit") != done {
				t.Fatal("committed what was not read")
			}
			s.Want("■ not done: the question changed meanwhile", "reloaded")
			if c.yes != "y" {
				s.Want(" > " + c.yes)
			}
			yes()
			if w.calls("commit") != done+1 {
				t.Errorf("not committed\n%s", s.PlainFrame())
			}
		})
	}
}

// What the screen does not know yet the gate does: the new preview is shown, and
// another yes wanted.
func TestChangedBehindTheQuestion(t *testing.T) {
	w := start(t, nil)
	s := w.s
	s.Press("j", "j", "j", "j", "m", "j", "enter", "a") // blue-tenant
	before := w.g.Engine.Revision().Cluster.Policy(anp("blue-tenant"))
	apply(t, w, strings.NewReplacer("action: \"Allow\"", "action: \"Deny\"", "action: Allow", "action: Deny").Replace(before.YAML))
	s.Press("y")
	s.Want("the preview has changed", "ANP blue-tenant was changed meanwhile")
	if got := w.priority("blue-tenant"); got != before.Priority {
		t.Fatalf("priority %d", got)
	}
}

// An undo that is asked about is that undo, also when the policy is edited.
func TestChangedUnderAnUndo(t *testing.T) {
	w := start(t, nil)
	s := w.s
	move(s)
	s.Press("a")
	s.Type("cluster-control")
	s.Press("enter", "U", "a")
	now := w.g.Engine.Revision().Cluster.Policy(anp("cluster-control")).YAML
	apply(t, w, strings.Replace(now, "action: \"Allow\"", "action: \"Deny\"", 1))
	s.Refresh()
	s.Want("This question changed and was reloaded: it can no", "Cannot be done")
	s.Press("y")
	if got := w.priority("cluster-control"); got != 41 {
		t.Errorf("undone without a yes: %d", got)
	}
}

// A preview on the screen follows what it is about, not its own object alone: another
// policy at its place, a pod it applies to, a zone that is lost.
func TestFollowsWhatItIsAbout(t *testing.T) {
	defer preview.SetRestTime(time.Millisecond)()
	for _, c := range []struct {
		name   string
		change func(t *testing.T, w *world)
		want   []string
	}{
		{"another policy at the place", func(t *testing.T, w *world) {
			other := strings.NewReplacer("name: quarantine", "name: newcomer", "priority: 60", "priority: 41").
				Replace(w.g.Engine.Revision().Cluster.Policy(anp("quarantine")).YAML)
			apply(t, w, other)
		}, []string{"conflicts with newcomer", "the preview has changed (reloaded "}},
		{"writing switched off", func(t *testing.T, w *world) {
			if err := w.g.Engine.SetWrites(false); err != nil {
				t.Fatal(err)
			}
			w.g.Parts.Mode.Writes = false
			w.g.ShowNewest()
		}, []string{"Cannot be done: read-only", "the preview has changed (reloaded "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := start(t, nil)
			move(w.s)
			w.s.WantNot("the preview has changed")
			c.change(t, w)
			w.s.Refresh()
			w.s.Want(c.want...)
		})
	}
}

// What is typed into a question whose change becomes another stands there still and goes
// on; not a letter of it is a key of the page, and the enter on its way makes nothing.
func TestTypedNameIsKept(t *testing.T) {
	defer preview.SetRestTime(time.Millisecond)()
	w := start(t, nil)
	s := w.s
	move(s)
	s.Press("a")
	s.Type("cluster-")
	w.edited(t, "Allow", "Deny")
	done := w.calls("commit")
	s.Refresh()
	s.Want("reloaded: ANP", " > cluster- ", "Type cluster-control to confirm")
	s.Type("contr")
	w.edited(t, "Deny", "Allow") // and once more, back to what was read first
	s.Refresh()
	s.Want("reloaded: ", " > cluster-contr ")
	s.Type("ol")
	for _, size := range [][2]int{{30, 8}, {40, 10}, {80, 24}, {120, 34}} {
		s.Resize(size[0], size[1])
		s.WantFits()
		if got, ok := s.TextBeforeCursor(); !ok || !strings.HasSuffix(got, " > cluster-control") {
			t.Errorf("%v: typed %q\n%s", size, got, s.PlainFrame())
		}
	}
	s.Press("enter")
	if w.calls("commit") != done {
		t.Fatal("a yes to what was not read")
	}
	s.Want("not done: the question changed meanwhile", " > cluster-control ")
	s.Press("enter")
	if w.calls("commit") != done+1 {
		t.Errorf("not committed\n%s", s.PlainFrame())
	}
}

// edited has the policy changed by somebody else.
func (w *world) edited(t *testing.T, from, to string) {
	t.Helper()
	now := w.g.Engine.Revision().Cluster.Policy(anp("cluster-control")).YAML
	other := strings.Replace(now, "action: \""+from+"\"", "action: \""+to+"\"", 1)
	if other == now {
		t.Fatalf("no %s in\n%s", from, now)
	}
	apply(t, w, other)
}

// A page that has done its work while another one is looked at leaves that one alone, and
// what is typed there.
func TestDoneElsewhere(t *testing.T) {
	w := start(t, nil)
	s := w.s
	commit := w.g.OnCommit
	w.g.OnCommit = func(p *gate.Preview, c gate.Confirm) (*gate.Result, error) {
		s.Press(":") // while it is being written
		s.Type("zones")
		s.Press("enter")
		s.Press("/")
		s.Type("ovn")
		return commit(p, c)
	}
	move(s)
	s.Press("a")
	s.Type("cluster-control")
	s.Press("enter")
	s.Refresh()
	s.Want("filter: ovn", "› zones")
	s.Type("-wor")
	s.Want("filter: ovn-wor")
	s.Press("esc", "esc")
	s.Want("PRIO", "41 ─ cluster-control")
}

// Where nothing can be done no yes is offered, neither by the question nor by the hints;
// the key says why.
func TestBlockedOffersNoYes(t *testing.T) {
	w := start(t, nil)
	s := w.s
	move(s)
	hints := func() string { // of the question, and of the keys below
		lines := strings.Split(strings.TrimRight(s.PlainFrame(), "\n"), "\n")
		return strings.Join(lines[len(lines)-2:], " ")
	}
	if !strings.Contains(hints(), " a ") {
		t.Fatalf("no yes is offered: %q", hints())
	}
	w.g.OnPreview = func(change.Mutation) (*gate.Preview, error) {
		return &gate.Preview{Title: "Move ANP cluster-control from 34 to 41", Blocked: "ANP cluster-control was removed meanwhile"}, nil
	}
	s.Press("esc")
	s.Press("m", "j", "enter")
	s.Want("Cannot be done: ANP cluster-control was removed meanwhile")
	s.WantNot("Apply?")
	if strings.Contains(hints(), " a ") || strings.Contains(hints(), "editing") {
		t.Errorf("a yes is offered: %q", hints())
	}
	s.Press("a")
	s.Want("apply: ANP cluster-control was removed meanwhile")
	if w.calls("commit") != 0 {
		t.Error("committed")
	}
}

// At 80×24 guards, what becomes of connections and the question are on the screen without
// scrolling, whole.
func TestConsequencesAreSeenAtOnce(t *testing.T) {
	for name, keys := range map[string][]string{
		"move": {"j", "j", "m", "4", "1", "enter"}, "delete": {"j", "j", "D"}, "delete a tied one": {"j", "j", "j", "j", "D"},
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t, nil)
			var last *gate.Preview
			preview := w.g.OnPreview
			w.g.OnPreview = func(m change.Mutation) (*gate.Preview, error) {
				p, err := preview(m)
				last = p
				return p, err
			}
			w.s.Press(keys...)
			w.s.Resize(80, 24)
			frame := strings.Join(strings.Fields(w.s.PlainFrame()), " ")
			var texts []string
			for _, g := range last.Guards {
				texts = append(texts, g.Message)
				if len(last.Guards) > 3 { // in brief; whole below
					texts[len(texts)-1] = strings.TrimRight(strings.Split(g.Message, "for example")[0], " ,:")
					if parts := strings.Split(texts[len(texts)-1], "), "); len(parts) > 3 {
						texts[len(texts)-1] = parts[0] + "), " + parts[1] + ")"
					}
				}
			}
			for _, text := range append(texts, last.Effect.Headline()) {
				if !strings.Contains(frame, strings.Join(strings.Fields(text), " ")) {
					t.Errorf("not on the screen: %q\n%s", text, w.s.PlainFrame())
				}
			}
			w.s.Want("Apply?")
		})
	}
}

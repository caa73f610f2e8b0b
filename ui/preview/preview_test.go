package preview_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"rung/engine/gate"
	"rung/engine/revision"
	"rung/model"
	"rung/ui"
	"rung/ui/nav"
	"rung/ui/preview"
	"rung/ui/uitest"
)

func anp(name string) model.PolicyKey { return model.PolicyKey{Kind: model.KindANP, Name: name} }

// between are the sizes between those of all goldens.
var between = [][2]int{{100, 30}, {160, 44}}

func open(t *testing.T, g *uitest.Gated) *uitest.Screen {
	t.Helper()
	return uitest.OpenWith(t, g.Fake, ui.Options{Page: nav.To(nav.Ladder)})
}

// move carries cluster-control to 35 and stops at the preview.
func move(s *uitest.Screen) { s.Press("j", "j", "m", "j", "enter") }

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
	s.Want("Move ANP cluster-control from 34 to 35", "spec.priority  34 → 35", "12 changed: priority −100", "34 becomes free",
		"its subject covers every namespace", "nothing is written yet", "yes, then type cluster-control", "kubectl patch anp cluster-control")
	s.Golden("move", between...)
	s.Resizes()

	s.Press("v")
	s.Want("-  priority: 34", "+  priority: 35")
	s.Press("v")

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

	s.Press("m", "j", "enter", "enter")
	s.Type("cluster-control")
	s.Press("enter")
	if got := w.priority("cluster-control"); got != 35 {
		t.Fatalf("priority %d after yes\n%s", got, s.Frame())
	}
	s.Want("Move ANP cluster-control from 34 to 35: done, rows follow in 3/3 zones · U undoes it", "35 ─ cluster-control")
	if !strings.Contains(s.Line("35 ─ cluster-control"), "▸") {
		t.Errorf("the cursor is not on what was changed:\n%s", s.Frame())
	}
}

func TestUndo(t *testing.T) {
	w := start(t, nil)
	s := w.s
	move(s)
	s.Press("a")
	s.Type("cluster-control")
	s.Press("enter", "U")
	s.Want("Undo: Move ANP cluster-control from 34 to 35", "spec.priority  35 → 34")
	s.Press("a")
	s.Type("cluster-control")
	s.Press("enter")
	if got := w.priority("cluster-control"); got != 34 {
		t.Fatalf("priority %d after undo\n%s", got, s.Frame())
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
	s = uitest.OpenWith(t, w.g.Fake, ui.Options{Page: nav.To(nav.Ladder)})
	w.g.OnPreview = undoOf(w, id)
	s.Press("U")
	s.Want("changed meanwhile: ANP cluster-control", "your change", "u merge", "Cannot be done")
	s.Golden("conflict", between...)
	w.g.OnPreview = func(m gate.Mutation) (*gate.Preview, error) { return w.g.Engine.Preview(t.Context(), m) }
	s.Press("a")
	if w.calls("commit") != 1 {
		t.Error("a blocked preview was committed")
	}
	s.Press("u")
	s.Want("merged: your change", "spec.priority  35 → 34")
	s.Press("a")
	s.Type("cluster-control")
	s.Press("enter")
	p := w.g.Engine.Revision().Cluster.Policy(anp("cluster-control"))
	if p.Priority != 34 || !strings.Contains(p.YAML, "deny-rest") {
		t.Errorf("after the merge: priority %d, the other change kept: %v\n%s", p.Priority, strings.Contains(p.YAML, "deny-rest"), s.Frame())
	}
}

// undoOf makes U take back one entry of the history and not the newest.
func undoOf(w *world, id uint64) func(gate.Mutation) (*gate.Preview, error) {
	return func(m gate.Mutation) (*gate.Preview, error) {
		m.Undo = id
		return w.g.Engine.Preview(context.Background(), m)
	}
}

func apply(t *testing.T, w *world, text string) {
	t.Helper()
	p, err := w.g.Engine.Preview(t.Context(), gate.Mutation{Op: gate.OpApply, YAML: []byte(text)})
	if err != nil || p.Blocked != "" {
		t.Fatalf("%v %s", err, p.Blocked)
	}
	if _, err := w.g.Engine.Commit(t.Context(), p, gate.Confirm{Yes: true, Name: p.ConfirmName}); err != nil {
		t.Fatal(err)
	}
	w.g.Follow()
}

func TestDelete(t *testing.T) {
	w := start(t, nil)
	s := w.s
	s.Press("j", "j", "j", "j", "D") // blue-tenant has no guard: its name must be typed all the same
	s.Want("Delete ANP blue-tenant", "is deleted", "2 removed", "then type blue-tenant")
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
		t.Fatalf("still there\n%s", s.Frame())
	}
	s.Want("Delete ANP blue-tenant: done", "PRIO")
	s.WantNot("┌ blue-tenant", "─ blue-tenant")
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
		"2 pods of blue no longer isolated (ingress): what nothing else denies gets through")
	s.Press("a")
	s.Type("allow-web")
	s.Press("enter")
	if w.g.Engine.Revision().Cluster.Policy(web) != nil {
		t.Fatalf("still there\n%s", s.Frame())
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
	s.Want("Set logging of ANP cluster-control to alert", "changed: log, severity")
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
	w.g.Follow()
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
	s.Want("Written. 0 of 3 zones show it", "ovn-worker", "12 of 12 ACLs to come", "esc leave")
	s.Golden("late", between...)
	w.g.Lag = false
	w.g.Follow()
	s.Refresh()
	s.Want("Written. 3 of 3 zones show it")
	s.Press("a")
	s.Want("it is written already")
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
		return nil, fmt.Errorf("ANP x %w", gate.ErrStale)
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
	s.Want("35 ─ cluster-control")

	w.g.OnPreview = func(gate.Mutation) (*gate.Preview, error) { return nil, errors.New("out of memory") }
	s.Press("U")
	s.Want("The change could not be worked out: out of memory", "Nothing was changed")
	s.Press("a")
	s.Want("it could not be worked out")
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
	s.Want("Move ANP cluster-control from 33 to 35", "changed since you opened it")
}

// A question that is open while its change becomes another cannot be said yes to:
// not by the name, not by y, whatever asked.
func TestChangedUnderTheQuestion(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string // up to the preview
		yes  string   // typed, and then enter
	}{
		{"move", []string{"j", "j", "m", "j", "enter"}, "cluster-control"},
		{"delete", []string{"j", "j", "D"}, "cluster-control"},
		{"logging", []string{"j", "j", "L", "a", "enter"}, "y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := start(t, nil)
			s := w.s
			s.Press(c.keys...)
			s.Press("a")
			// What changes nothing does not disturb the question.
			w.g.Follow()
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
			s.Want("changed: look again. ANP cluster-control was changed", "Nothing was done", "enter or esc closes")
			s.Type(c.yes)
			s.Want("changed: look again. ANP cluster-control was changed")
			s.Press("enter")
			if w.calls("commit") != done {
				t.Fatal("committed what was not read")
			}
			s.Want("changed since you opened it: shown again at ", "nothing is written yet")
			// The new change can be said yes to; the name that was typed stands there still.
			s.Press("a")
			if c.yes == "y" {
				s.Type(c.yes)
			}
			s.Press("enter")
			if w.calls("commit") != done+1 {
				t.Errorf("not committed\n%s", s.Frame())
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
	s.Want("changed since you opened it", "ANP blue-tenant was changed meanwhile")
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
	s.Want("changed: look again. It cannot be done any more")
	s.Type("cluster-control")
	s.Press("enter")
	if got := w.priority("cluster-control"); got != 35 {
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
			other := strings.NewReplacer("name: quarantine", "name: newcomer", "priority: 60", "priority: 35").
				Replace(w.g.Engine.Revision().Cluster.Policy(anp("quarantine")).YAML)
			apply(t, w, other)
		}, []string{"conflicts with newcomer", "changed since you opened it: shown again at "}},
		{"writing switched off", func(t *testing.T, w *world) {
			if err := w.g.Engine.SetWrites(false); err != nil {
				t.Fatal(err)
			}
			w.g.Parts.Mode.Writes = false
			w.g.Follow()
		}, []string{"Cannot be done: read-only", "changed since you opened it: shown again at "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := start(t, nil)
			move(w.s)
			w.s.WantNot("changed since you opened it")
			c.change(t, w)
			w.s.Refresh()
			w.s.Want(c.want...)
		})
	}
}

// What was typed into a question whose change became another stands in the next one,
// unless that wants another name; the enter that was on its way makes nothing.
func TestTypedNameIsKept(t *testing.T) {
	defer preview.SetRestTime(time.Millisecond)()
	w := start(t, nil)
	s := w.s
	move(s)
	s.Press("a")
	s.Type("cluster-")
	now := w.g.Engine.Revision().Cluster.Policy(anp("cluster-control")).YAML
	apply(t, w, strings.Replace(now, "action: \"Allow\"", "action: \"Deny\"", 1))
	done := w.calls("commit")
	s.Refresh()
	s.Want("changed: look again. ANP cluster-control was changed")
	s.Type("con")
	s.Press("enter")
	if w.calls("commit") != done {
		t.Fatal("a yes to what was not read")
	}
	s.Want("changed since you opened it: shown again at ")
	s.Press("a")
	s.Want("cluster-con")
	s.Type("trol")
	s.Press("enter")
	if w.calls("commit") != done+1 {
		t.Errorf("not committed\n%s", s.Frame())
	}
}

// Where nothing can be done no yes is offered, neither by the question nor by the hints;
// the key says why.
func TestBlockedOffersNoYes(t *testing.T) {
	w := start(t, nil)
	s := w.s
	move(s)
	hints := func() string {
		lines := strings.Split(strings.TrimRight(s.Frame(), "\n"), "\n")
		return lines[len(lines)-1]
	}
	if !strings.Contains(hints(), " a ") {
		t.Fatalf("no yes is offered: %q", hints())
	}
	w.g.OnPreview = func(gate.Mutation) (*gate.Preview, error) {
		return &gate.Preview{Title: "Move ANP cluster-control from 34 to 35", Blocked: "ANP cluster-control was removed meanwhile"}, nil
	}
	s.Press("esc")
	s.Press("m", "j", "enter")
	s.Want("Cannot be done: ANP cluster-control was removed meanwhile")
	s.WantNot("Apply?")
	if strings.Contains(hints(), " a ") || strings.Contains(hints(), "editing") {
		t.Errorf("a yes is offered: %q", hints())
	}
	s.Press("a")
	s.Want("cannot be done: ANP cluster-control was removed meanwhile")
	if w.calls("commit") != 0 {
		t.Error("committed")
	}
}

// At 80×24 guards, consequences and the question are on the screen without scrolling,
// whole.
func TestConsequencesAreSeenAtOnce(t *testing.T) {
	for name, keys := range map[string][]string{
		"move": {"j", "j", "m", "j", "enter"}, "delete": {"j", "j", "D"}, "delete a tied one": {"j", "j", "j", "j", "D"},
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t, nil)
			var last *gate.Preview
			preview := w.g.OnPreview
			w.g.OnPreview = func(m gate.Mutation) (*gate.Preview, error) {
				p, err := preview(m)
				last = p
				return p, err
			}
			w.s.Press(keys...)
			w.s.Resize(80, 24)
			frame := strings.Join(strings.Fields(w.s.Frame()), " ")
			var texts []string
			for _, g := range last.Guards {
				texts = append(texts, g.Message)
			}
			for _, text := range append(texts, last.Notes...) {
				// A word that is broken at its hyphen has a space there on the screen.
				if !strings.Contains(strings.ReplaceAll(frame, "- ", "-"), strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "- ", "-")) {
					t.Errorf("not on the screen: %q\n%s", text, w.s.Frame())
				}
			}
			w.s.Want("Apply?")
		})
	}
}

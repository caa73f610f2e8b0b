package gate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/history"
	"rung/model"
	"rung/sources/files"
	"rung/test/changing"
	"rung/test/given"
)

var yes = Confirm{Yes: true, By: "cli"}

func typed(name string) Confirm {
	return Confirm{Yes: true, Name: name, By: "console"}
}

// do previews and commits.
func do(t *testing.T, w *world, g *Gate, m change.Mutation, a Confirm) *Result {
	t.Helper()
	p, err := g.Preview(context.Background(), w.Current(), m)
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.Commit(context.Background(), p, a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCommit(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, given.ANP("control", 34, "", "in allow team=ops", "in deny *"), given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue"))
	g := w.Gate(dir)
	r := do(t, w, g, changing.Move("control", 36), typed("control"))
	if w.Priority("control") != 36 || r.Undo == 0 || len(r.Written) != 1 {
		t.Fatalf("not moved: %d, %+v", w.Priority("control"), r)
	}
	do(t, w, g, change.Mutation{Op: change.OpLogLevel, Policy: given.ANPKey("control"), Levels: model.LogLevels{Deny: "alert", Allow: "info"}}, yes)
	if p := w.Current().Cluster.Policy(given.ANPKey("control")); p.Logging != `{"allow":"info","deny":"alert"}` {
		t.Errorf("annotation %q", p.Logging)
	}
	do(t, w, g, changing.Apply(given.ANP("new", 50, "tenant=red", "in allow tenant=red")), yes)
	do(t, w, g, changing.Remove("blue"), typed("blue"))
	if w.Priority("new") != 50 || w.Priority("blue") != -1 {
		t.Error("not applied or not deleted")
	}
	do(t, w, g, change.Mutation{Op: change.OpUndo}, yes)          // blue comes back
	do(t, w, g, change.Mutation{Op: change.OpUndo}, typed("new")) // new goes
	do(t, w, g, change.Mutation{Op: change.OpUndo}, yes)          // logging off again
	if p := w.Current().Cluster.Policy(given.ANPKey("control")); w.Priority("new") != -1 || w.Priority("blue") != 40 || p.HasLogging {
		t.Errorf("undone wrongly: %d %d %q", w.Priority("new"), w.Priority("blue"), p.Logging)
	}
	// A restart: the history is still there, the move can still be undone.
	g = w.Gate(dir)
	do(t, w, g, change.Mutation{Op: change.OpUndo}, typed("control"))
	if w.Priority("control") != 34 {
		t.Errorf("at %d after the last undo", w.Priority("control"))
	}
	p := g.resolveMutation(w.Current(), change.Mutation{Op: change.OpUndo})
	if p.Blocked != "nothing to undo" {
		t.Errorf("one undo too many: %q", p.Blocked)
	}
	// The newest undo can be redone by its number.
	do(t, w, g, change.Mutation{Op: change.OpUndo, Undo: g.Config.History.Entries()[0].ID}, typed("control"))
	if w.Priority("control") != 36 {
		t.Errorf("at %d after the redo", w.Priority("control"))
	}
	do(t, w, g, change.Mutation{Op: change.OpUndo}, typed("control")) // and undone again
	if w.Priority("control") != 34 {
		t.Errorf("at %d after the second undo", w.Priority("control"))
	}
	checkAudit(t, dir)
}

func checkAudit(t *testing.T, dir string) {
	t.Helper()
	var got []string
	for _, r := range changing.ReadAudit(t, dir) {
		if r.User != "ada" || r.Mode != "sandbox" || r.Context != "policies/" || len(r.Objects) != 1 || r.Result != history.OK {
			t.Errorf("audit %+v", r)
		}
		got = append(got, string(r.Op)+" "+r.Objects[0].Change+" "+r.Objects[0].Name+": "+strings.Join(r.Commands, "; "))
	}
	patch := func(from, to string) string {
		return `kubectl patch anp control --type=json -p '[{"op":"test","path":"/spec/priority","value":` + from +
			`},{"op":"replace","path":"/spec/priority","value":` + to + `}]'`
	}
	want := []string{
		"move update control: " + patch("34", "36"),
		`log-level update control: kubectl annotate anp control 'k8s.ovn.org/acl-logging={"allow":"info","deny":"alert"}' --overwrite`,
		"apply create new: kubectl apply -f -",
		"delete delete blue: kubectl delete anp blue",
		"undo create blue: kubectl apply -f -",
		"undo delete new: kubectl delete anp new",
		"undo update control: kubectl annotate anp control k8s.ovn.org/acl-logging-",
		"undo update control: " + patch("36", "34"),
		"undo update control: " + patch("34", "36"),
		"undo update control: " + patch("36", "34"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit (-want +got)\n%s", diff)
	}
	for _, name := range []string{filepath.Join(dir, "audit.jsonl"), history.OpenJournal(nil, dir, history.Changes, "test").Path} {
		st, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if files.OpenToOthers(st) {
			t.Errorf("%s has mode %v", name, st.Mode())
		}
	}
}

// What the gate does not let through changes nothing, and is audited.
func TestCommitRefuses(t *testing.T) {
	control := given.ANP("control", 34, "", "in allow team=ops", "in deny *")
	blue := given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue")
	for _, c := range []struct {
		name    string
		m       change.Mutation
		a       Confirm
		between func(*world, *Gate, *Preview)
		want    error
		result  string // of the audit, empty for no line
	}{
		{"nobody said yes", changing.Move("blue", 41), Confirm{}, nil, change.ErrNotConfirmed, ""},
		{"no name", changing.Remove("control"), yes, nil, change.ErrNotConfirmed, history.Refused},
		{"another name", changing.Remove("control"), typed("blue"), nil, change.ErrNotConfirmed, history.Refused},
		{"the guards taken out of the preview", changing.Remove("control"), yes, func(_ *world, _ *Gate, p *Preview) {
			p.Guards, p.Effect, p.ConfirmName = nil, nil, ""
		}, change.ErrStale, history.Refused},
		{"read-only since", changing.Move("blue", 41), yes, func(w *world, _ *Gate, _ *Preview) { w.SetWrites(false) }, change.ErrBlocked, history.Refused},
		{"changed since", changing.Move("blue", 41), yes, func(w *world, _ *Gate, _ *Preview) {
			w.Edit(given.ANP("blue", 40, "tenant=blue", "in allow tenant=red"))
		}, change.ErrStale, history.Refused},
		{"gone since", changing.Move("blue", 41), yes, func(w *world, _ *Gate, _ *Preview) { w.Edit(given.ANP("x", 1, "tenant=red"), given.ANPKey("blue")) },
			change.ErrBlocked, history.Refused},
		{"made by somebody else since", changing.Apply(given.ANP("new", 50, "tenant=red")), yes, func(w *world, _ *Gate, _ *Preview) {
			w.Edit(given.ANP("new", 51, "tenant=red"))
		}, change.ErrStale, history.Refused},
		{"a guard since", changing.Move("blue", 60), yes, func(w *world, _ *Gate, _ *Preview) {
			w.Edit(given.ANP("wall", 50, "tenant=blue", "in deny tenant=blue"))
		}, change.ErrStale, history.Refused},
		{"undone since", change.Mutation{Op: change.OpUndo}, yes, func(w *world, g *Gate, _ *Preview) {
			e := g.Config.History.Entries()[0]
			if _, err := g.Config.History.Push(history.Entry{Title: "x", Undoes: e.ID}); err != nil {
				w.T.Fatal(err)
			}
		}, change.ErrBlocked, history.Refused},
		{"the writer fails", changing.Move("blue", 41), yes, func(w *world, _ *Gate, _ *Preview) { w.Fail = errors.New("disk full") }, nil, history.Failed},
		{"the audit cannot be written", changing.Move("blue", 41), yes, func(_ *world, g *Gate, _ *Preview) {
			g.Config.Audit = history.NewAudit(nil, filepath.Join(os.DevNull, "no folder"))
		}, nil, ""},
		{"no preview", change.Mutation{Op: change.OpMove}, yes, nil, change.ErrBlocked, history.Refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			w := newWorld(t, control, blue)
			g := w.Gate(dir)
			if c.m.Op == change.OpUndo {
				do(t, w, g, changing.Move("blue", 42), yes)
			}
			if err := g.Config.Audit.Write(history.AuditRecord{Title: "the first"}); err != nil {
				t.Fatal(err)
			}
			p, err := g.Preview(context.Background(), w.Current(), c.m)
			if err != nil {
				t.Fatal(err)
			}
			if c.between != nil {
				c.between(w, g, p)
			}
			before, written := w.Current().Cluster, len(w.Written)
			r, err := g.Commit(context.Background(), p, c.a)
			if r != nil || err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Fatalf("%+v %v, want %v", r, err, c.want)
			}
			if w.Current().Cluster != before || len(w.Written) != written {
				t.Error("something was written")
			}
			lines := changing.ReadAudit(t, dir)
			got := ""
			if last := lines[len(lines)-1]; last.Title != "the first" {
				got = last.Result
				if last.Error == "" {
					t.Error("the audit does not say why")
				}
			}
			if got != c.result {
				t.Errorf("audited as %q, want %q", got, c.result)
			}
		})
	}
}

// A preview that is a few revisions old is fine as long as its objects are the
// same.
func TestCommitAfterOtherChanges(t *testing.T) {
	w := newWorld(t, given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue"))
	g := w.Gate("")
	p, err := g.Preview(context.Background(), w.Current(), changing.Move("blue", 41))
	if err != nil {
		t.Fatal(err)
	}
	w.Edit(given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue")) // read again, another pointer
	w.Edit(given.ANP("other", 10, "tenant=red"))
	if _, err := g.Commit(context.Background(), p, yes); err != nil {
		t.Fatal(err)
	}
	if w.Priority("blue") != 41 {
		t.Errorf("at %d", w.Priority("blue"))
	}
}

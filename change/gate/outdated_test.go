package gate

import (
	"context"
	"errors"
	"strings"
	"testing"

	"rung/change"
	"rung/compiler"
	"rung/model"
	"rung/revision"
	"rung/test/changing"
	"rung/test/given"
)

var (
	seenBlue    = given.ANP("blue", 40, "tenant=blue", "in allow tenant=red")
	seenGuarded = given.ANP("guarded", 20, "role=own", "in deny team=ops")
	seenLogs    = change.Mutation{Op: change.OpLogLevel, Policy: given.ANPKey("blue"), Levels: model.LogLevels{Deny: "alert"}}
)

// What was read is what is committed: between the preview and the yes, whatever
// was asked for, nothing may change that the preview showed.
func TestSeenIsCommitted(t *testing.T) {
	ops := map[string]change.Mutation{"move": changing.Move("blue", 45), "delete": changing.Remove("blue"), "log-level": seenLogs, "undo": {Op: change.OpUndo},
		"apply": changing.Apply(given.ANP("blue", 40, "tenant=blue", "in deny tenant=red"))}
	for _, c := range []struct {
		name string
		ops  string // for which it holds, all when empty
		edit func(*world)
		want string // of the error, empty where nothing is in the way
	}{
		{"nothing", "", func(*world) {}, ""},
		{"the same objects once more", "", func(w *world) { w.Edit(seenBlue) }, ""},
		{"another replica", "", func(w *world) {
			w.Edit(changing.APod("blue", "a-web-7", "app: web", 7) + changing.APod("red", "a-web-8", "app: web", 8))
		}, ""},
		{"another rollout", "", func(w *world) { w.Edit(changing.APod("blue", "web-9", "app: web, pod-template-hash: x7", 9)) }, ""},
		{"pods that have nothing to do with it", "", func(w *world) { w.Edit(changing.APod("green", "new", "app: new", 10)) }, ""},
		{"a policy elsewhere", "", func(w *world) { w.Edit(given.ANP("far", 90, "tenant=green", "in allow tenant=green")) }, ""},
		{"the zone comes back", "", func(w *world) { w.zoneIs("control", model.ConnSynced) }, ""},

		{"a comment in its file", "", func(w *world) { w.Edit("# mine\n" + seenBlue) }, "ANP blue was changed meanwhile"},
		{"a label", "", func(w *world) {
			w.Edit(strings.Replace(seenBlue, "  name: blue", "  name: blue\n  labels: {owner: ada}", 1))
		}, "ANP blue was changed meanwhile"},
		{"a rule", "", func(w *world) { w.Edit(given.ANP("blue", 40, "tenant=blue", "in allow tenant=green")) }, "blue was changed meanwhile"},
		{"removed", "", func(w *world) { w.Edit(given.ANP("far", 90, "tenant=green"), given.ANPKey("blue")) }, "blue"},
		{"a pod it applies to", "", func(w *world) { w.Edit(changing.APod("blue", "canary", "app: canary", 11)) }, "ANP blue applies to or reaches other pods than before"},
		{"a namespace it applies to", "", func(w *world) { w.Edit(changing.APod("blue2", "web", "app: web", 12)) }, "applies to or reaches"},
		{"a pod it allows", "", func(w *world) { w.Edit(changing.APod("red", "canary", "app: canary", 13)) }, "applies to or reaches"},
		{"a zone lost", "", func(w *world) { w.zoneIs("worker", model.ConnLost) }, "zone worker was lost"},
		{"the mode", "", func(w *world) { w.SetWrites(false) }, "it can no longer be done: read-only"},
		{"the neighbours", "move", func(w *world) { w.Edit(given.ANP("between", 42, "tenant=green", "in allow tenant=green")) }, "moves below between (42)"},
		{"the place", "move", func(w *world) { w.Edit(given.ANP("there", 45, "tenant=green", "in allow tenant=green")) }, "shares priority 45 with there"},
		{"a guard rail", "apply", func(w *world) {
			w.Edit(changing.APod("kube-public", "web", "app: web", 14))
			w.Edit(changing.ANamespace("kube-public", "tenant: blue"))
		}, "a guard rail: cuts connections of kube-public (2 pairs)"},
	} {
		for name, m := range ops {
			if c.ops != "" && !strings.Contains(c.ops, name) {
				continue
			}
			t.Run(c.name+"/"+name, func(t *testing.T) {
				start := seenBlue
				if m.Op == change.OpUndo {
					start = strings.Replace(seenBlue, "priority: 40", "priority: 45", 1)
				}
				w := newWorld(t, start)
				w.zoneIs("worker", model.ConnSynced)
				w.zoneIs("control", model.ConnLost)
				g := w.Gate("")
				if m.Op == change.OpUndo {
					do(t, w, g, changing.Move("blue", 40), yes)
				}
				readThenEdit(t, w, g, m, c.edit, c.want)
			})
		}
	}
}

// readThenEdit previews, edits behind it and commits.
func readThenEdit(t *testing.T, w *world, g *Gate, m change.Mutation, edit func(*world), want string) {
	t.Helper()
	p, err := g.Preview(context.Background(), w.Current(), m)
	if err != nil || p.Blocked != "" {
		t.Fatalf("%v %+v", err, p.Blocked)
	}
	edit(w)
	before := w.Current().Cluster
	_, err = g.Commit(context.Background(), p, Confirm{Yes: true, Name: p.ConfirmName})
	if want == "" {
		if err != nil {
			t.Errorf("disturbed: %v", err)
		}
		return
	}
	var stale *StaleError
	if !errors.As(err, &stale) || !errors.Is(err, change.ErrStale) || !strings.Contains(stale.Difference, want) {
		t.Fatalf("%v, want %q", err, want)
	}
	if w.Current().Cluster != before {
		t.Error("something was written")
	}
	if stale.Preview.Blocked != "" {
		if !errors.Is(err, change.ErrBlocked) {
			t.Error("it cannot be done, and the error does not say so")
		}
		return
	}
	// The preview that comes with the refusal is whole, and can be committed.
	if len(stale.Preview.Notes) == 0 || len(stale.Preview.Commands) == 0 {
		t.Errorf("not a whole preview: %+v", stale.Preview)
	}
	if _, err := g.Commit(context.Background(), stale.Preview, Confirm{Yes: true, Name: stale.Preview.ConfirmName}); err != nil {
		t.Errorf("the new preview: %v", err)
	}
}

// What follows from a change hangs on more than on objects: on how they are compiled,
// on the rows that zones have, and on the files that are written.
func TestSeenBesideTheObjects(t *testing.T) {
	// as makes the newest revision another of the same objects.
	as := func(w *world, change func(*revision.Facts)) {
		w.Mu.Lock()
		defer w.Mu.Unlock()
		f := w.Rev.Facts
		f.Number++
		change(&f)
		w.Rev = revision.New(f, w.Rev)
	}
	t.Run("compile settings", func(t *testing.T) {
		w := newWorld(t, seenBlue)
		readThenEdit(t, w, w.Gate(""), changing.Remove("blue"), func(w *world) {
			as(w, func(f *revision.Facts) {
				f.Desired = compiler.Compile(f.Cluster, compiler.Options{IPv4: true, IPv6: true})
			})
		}, "other rows")
	})
	t.Run("rows of a zone", func(t *testing.T) {
		w := newWorld(t, given.ANP("blue", 140, "tenant=blue", "in allow tenant=red")) // above what is enforced
		w.zoneIs("worker", model.ConnSynced)
		readThenEdit(t, w, w.Gate(""), changing.Remove("blue"), func(w *world) {
			as(w, func(f *revision.Facts) {
				f.Zones = []*model.ZoneState{{Name: "worker", Conn: model.ConnSynced, Policies: map[model.PolicyKey]*model.PolicyInZone{
					given.ANPKey("blue"): {LiveACLs: 1, LivePriority: 40}}}}
			})
		}, "frozen rows")
	})
}

func (w *world) zoneIs(name string, conn model.ConnState) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	var zones []*model.ZoneState
	for _, z := range w.Zones {
		if z.Name != name {
			zones = append(zones, z)
		}
	}
	w.Zones = append(zones, &model.ZoneState{Name: name, Conn: conn, Policies: map[model.PolicyKey]*model.PolicyInZone{}})
	w.Publish()
}

// A guard rail that says something else than what was read, or wants another
// name, is not confirmed by the yes to what was read.
func TestSeenGuards(t *testing.T) {
	w := newWorld(t, seenGuarded)
	w.WithoutPods()
	g := w.Gate("")
	w.Edit(changing.ANamespace("kube-system", "role: own"))
	p, err := g.Preview(context.Background(), w.Current(), changing.Move("guarded", 21))
	if err != nil || p.ConfirmName != "guarded" {
		t.Fatalf("%v %q", err, p.ConfirmName)
	}
	w.Edit(changing.ANamespace("kube-public", "role: own"))
	_, err = g.Commit(context.Background(), p, typed("guarded"))
	var stale *StaleError
	if !errors.As(err, &stale) || !strings.Contains(stale.Difference, "kube-public") {
		t.Fatal(err)
	}
}

// A zone that is out of reach is told of, and then no surprise.
func TestPreviewTellsLostZones(t *testing.T) {
	w := newWorld(t, seenBlue)
	w.zoneIs("worker", model.ConnLost)
	p, err := w.Gate("").Preview(t.Context(), w.Current(), changing.Move("blue", 45))
	if err != nil || !strings.Contains(strings.Join(p.Notes, "\n"), "out of reach: worker") {
		t.Errorf("%v %q", err, p.Notes)
	}
}

// The preview of an undo and of a redo follows the history and the plan under way, also
// where there is nothing to undo when it is opened.
func TestOutdatedByTheHistory(t *testing.T) {
	then := revision.New(revision.Facts{Undo: "Move ANP a"}, nil)
	for name, facts := range map[string]revision.Facts{
		"another undo": {Undo: "Move ANP b"},
		"a redo":       {Undo: "Move ANP a", Redo: "Move ANP b"},
		"a plan":       {Undo: "Move ANP a", Plan: &revision.PlanState{Total: 9, State: revision.PlanRunning}},
	} {
		same := *then
		same.Undo, same.Redo, same.Plan = facts.Undo, facts.Redo, facts.Plan
		now := &same
		for _, op := range []change.Op{change.OpUndo, change.OpRedo} {
			p := &Preview{Mutation: change.Mutation{Op: op}, Blocked: "nothing to undo"}
			if !p.IsOutdated(then, now) {
				t.Errorf("%s: the preview of an %s stays as it is", name, op)
			}
			if p.IsOutdated(now, now) {
				t.Errorf("%s: outdated by itself", name)
			}
		}
		// A plan that has begun may be what a move now stands in the way of.
		if p := (&Preview{Mutation: change.Mutation{Op: change.OpMove}}); p.IsOutdated(then, now) != (facts.Plan != nil) {
			t.Errorf("%s: a move depends on plans alone", name)
		}
	}
}

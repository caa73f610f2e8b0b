package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rung/change"
	"rung/change/history"
	"rung/change/write"
	"rung/model"
	"rung/revision"
	"rung/test/given"
	"rung/test/wait"
)

// railsMet counts what the metric says, by code.
func railsMet(t *testing.T, e *Engine) map[string]float64 {
	t.Helper()
	families, err := e.Health().Registry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		if f.GetName() != "rung_guard_rails_met_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			out[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
		}
	}
	return out
}

// Files that another program edits pass no gate: the guard rails that such a change meets are
// said, audited and counted, and nothing is said of one that meets none, nor of the changes
// that are made here and written to the files.
func TestRailsOfChangedFiles(t *testing.T) {
	denies := given.ANP("one", 10, "tenant=blue", "in deny *")
	w := newLiveWorld(t, denies)
	state := t.TempDir()
	r := w.run(func(c *Config) {
		c.Reconcile, c.StateDir = true, state
		c.Writer = c.Sources[0].(*write.Files)
		c.Mode.WriteBack = true
	})
	r.until("read", func(rev *revision.Revision) bool { return rev.Loaded })
	said := func() (out []model.Activity) {
		for _, a := range r.Activity(0) {
			if a.Rail != "" {
				out = append(out, a)
			}
		}
		return out
	}
	next := func(n int, contains ...string) {
		t.Helper()
		if !wait.Poll(wait.Patience, func() bool { return len(said()) >= n }) {
			t.Fatalf("%d rails are said, want %d: %+v", len(said()), n, said())
		}
		all := said()
		if len(all) != n {
			t.Fatalf("%d rails are said, want %d: %+v", len(all), n, all)
		}
		for _, want := range contains {
			if text := all[n-1].Summary; !strings.Contains(text, want) {
				t.Errorf("it says %q, without %q", text, want)
			}
		}
	}
	w.file("policies.yaml", given.ANP("one", 10, "tenant=blue", "in allow *"))
	next(1, "policies.yaml changed: ANP one: guard rail opens: opens ")

	// What is made here passed the gate, and is not told again.
	r.change(change.Mutation{Op: change.OpDelete, Policy: given.ANPKey("one")})
	r.until("it is gone", func(rev *revision.Revision) bool { return rev.Cluster.Policy(given.ANPKey("one")) == nil })
	r.change(change.Mutation{Op: change.OpUndo})
	r.until("it is back", func(rev *revision.Revision) bool { return rev.Cluster.Policy(given.ANPKey("one")) != nil })
	w.file("other.yaml", given.ANP("two", 20, "tenant=red", "in pass monitoring=none"))
	r.until("two is read", func(rev *revision.Revision) bool { return rev.Cluster.Policy(given.ANPKey("two")) != nil })

	if err := os.Remove(filepath.Join(w.manifests, "other.yaml")); err != nil {
		t.Fatal(err)
	}
	next(2, "other.yaml changed: ANP two: guard rail deletes: deletes ANP two")
	if got := railsMet(t, r.Engine); got["opens"] != 1 || got["deletes"] != 1 || len(got) != 2 {
		t.Errorf("counted %v", got)
	}
	text, err := os.ReadFile(filepath.Join(state, "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var audited []string
	for line := range strings.Lines(string(text)) {
		var rec history.AuditRecord
		if err := json.Unmarshal([]byte(line), &rec); err != nil {
			t.Fatal(err)
		}
		if rec.Op == "source" {
			audited = append(audited, strings.Join(rec.Guards, " ")+": "+rec.Title)
			// The files keep it, whatever Rung itself writes to.
			if len(rec.Objects) != 1 || rec.Result != "ok" || rec.Sandbox {
				t.Errorf("%+v", rec)
			}
		}
	}
	if len(audited) != 2 || !strings.HasPrefix(audited[0], "opens: policies.yaml changed: ANP one; opens ") ||
		audited[1] != "deletes: other.yaml changed: ANP two; deletes ANP two" {
		t.Errorf("audited %q", audited)
	}
}

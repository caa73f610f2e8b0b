package engine

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/write"
	"rung/engine/lab"
	"rung/model"
	"rung/model/plan"
	"rung/revision"
	"rung/sources/kube"
	"rung/test/given"
	"rung/test/given/troubled"
	"rung/test/wait"
)

// inSync says whether every zone shows every ANP and BANP.
func inSync(r *revision.Revision) bool {
	if !r.Loaded || len(r.Zones) == 0 {
		return false
	}
	for _, kind := range []model.Kind{model.KindANP, model.KindBANP} {
		for p := range r.Cluster.Policies(kind) {
			if s := revision.SummarizePolicy(r, p.Key, r.At); r.WhyNoRows(p.Key) == nil && s.State != model.StateInSync {
				return false
			}
		}
	}
	return true
}

// The gate in a running engine: the built-in cluster and zones in memory.
func TestGateOfAnEngine(t *testing.T) {
	defer wait.NoLeaks(t)
	dir, err := os.MkdirTemp("", "rung") // socket paths must be short
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	e, err := New(ctx, Config{Mode: revision.Mode{Name: "demo", Sandbox: true}, Sources: []kube.Source{write.NewFiles(write.FileOptions{Demo: troubled.Files})},
		Sandbox: lab.New(lab.Config{Server: "builtin", Dir: dir}), Writes: true, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	wait := func(what string, holds func(*revision.Revision) bool) *revision.Revision {
		t.Helper()
		if err := e.WaitFor(ctx, holds); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return e.Revision()
	}
	rev := wait("in sync", inSync)
	k := given.ANPKey("cluster-control")
	from := rev.Cluster.Policy(k).Priority
	uuids := func(r *revision.Revision) string {
		var out []string
		for _, z := range r.Zones {
			for a := range z.DB.ACLs() {
				if strings.Contains(a.ID(), ":cluster-control:") {
					out = append(out, z.Name+a.ID()+a.UUID)
				}
			}
		}
		return strings.Join(out, "\n")
	}
	before := uuids(rev)

	// Below the tenants, which opens what it denies.
	p, err := e.Preview(ctx, movedTo("cluster-control", from+7))
	if err != nil || p.Blocked != "" || p.ConfirmName != "cluster-control" || len(p.Rows) == 0 {
		t.Fatalf("%v %+v", err, p)
	}
	if _, err := e.Commit(ctx, p, gate.Confirm{Yes: true}); !errors.Is(err, change.ErrNotConfirmed) {
		t.Fatal(err)
	}
	r, err := e.Commit(ctx, p, gate.Confirm{Yes: true, Name: "cluster-control", By: "cli"})
	if err != nil {
		t.Fatal(err)
	}
	rev = e.Revision()
	if rev.Cluster.Policy(k).Priority != from+7 || rev.Undo != p.Title || r.Undo == 0 {
		t.Errorf("after the commit: %d, undo %q", rev.Cluster.Policy(k).Priority, rev.Undo)
	}
	moved := func(to int32) func(*revision.Revision) bool {
		return func(r *revision.Revision) bool {
			for _, z := range r.Zones {
				if p := z.PolicyJoin(k); p == nil || !p.InSync || p.LivePriority != to {
					return false
				}
			}
			return true
		}
	}
	rev = wait("the rows of the move", moved(from+7))
	if uuids(rev) != before {
		t.Error("rows were made anew instead of changed")
	}
	p, err = e.Preview(ctx, change.Mutation{Op: change.OpUndo})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Commit(ctx, p, gate.Confirm{Yes: true, Name: "cluster-control", By: "cli"}); err != nil {
		t.Fatal(err)
	}
	wait("the rows of the undo", moved(from))
	if e.Revision().Undo != "" || len(e.History()) != 2 {
		t.Errorf("undo %q, %d entries", e.Revision().Undo, len(e.History()))
	}

	b, err := plan.BoardOfCluster(e.Revision().Cluster, model.MaxPriority, false)
	if err != nil {
		t.Fatal(err)
	}
	pl, err := b.Respace(9, 5)
	if err != nil {
		t.Fatal(err)
	}
	pre, err := e.PreviewPlan(ctx, change.RunPlan(&pl))
	if err != nil || pre.Blocked != "" {
		t.Fatalf("%v %s", err, pre.Blocked)
	}
	if err := e.BeginPlan(ctx, pre, gate.Confirm{Yes: true, Name: pre.ConfirmName, By: "cli"}); err != nil {
		t.Fatal(err)
	}
	if e.Revision().Plan == nil {
		t.Error("a plan that was started is not in the revision")
	}
	rev = wait("the plan", func(r *revision.Revision) bool {
		return r.Plan.State == revision.PlanDone || r.Plan.State == revision.PlanStopped
	})
	if rev.Plan.State != revision.PlanDone || rev.Plan.Done != len(pl.Steps) {
		t.Errorf("%+v", rev.Plan)
	}
	for _, s := range pl.Then {
		if got := rev.Cluster.Policy(given.ANPKey(s.Policy)).Priority; got != s.Priority {
			t.Errorf("%s at %d, want %d", s.Policy, got, s.Priority)
		}
	}
	wait("in sync after the plan", inSync)
	if err := e.SetWrites(false); err != nil {
		t.Fatal(err)
	}
	if p, err = e.Preview(ctx, movedTo("cluster-control", 1)); err != nil || !strings.HasPrefix(p.Blocked, "read-only: ") {
		t.Errorf("%v %q", err, p.Blocked)
	}
}

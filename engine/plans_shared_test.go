package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"rung/change"
	"rung/change/gate"
	"rung/change/write"
	"rung/engine/lab"
	"rung/model"
	"rung/model/plan"
	"rung/revision"
	"rung/test/given"
)

// refusing is a Writer that cannot write one policy.
type refusing struct {
	change.Writer
	name string
}

func (w refusing) Write(ctx context.Context, changes []change.ObjectChange) error {
	for _, c := range changes {
		if c.Key.Name == w.name {
			return errors.New("disk full")
		}
	}
	return w.Writer.Write(ctx, changes)
}

// Two consoles on one state folder: what one does with the history and with a plan is a
// fact of the other's revisions, without anybody asking.
func TestStateFolderIsFollowed(t *testing.T) {
	w := newLiveWorld(t, given.ANP("one", 10, "tenant=blue", "in allow tenant=red"), given.ANP("two", 20, "tenant=red", "in allow tenant=blue"))
	dir := t.TempDir()
	console := func(sandbox bool) *liveRun {
		return w.run(func(c *Config) {
			c.Writer, c.Mode.WriteBack, c.StateDir = refusing{c.Sources[0].(*write.Files), "one"}, true, dir
			if sandbox {
				c.Sandbox = lab.New(lab.Config{Server: "builtin", Dir: w.sockets})
			}
		})
	}
	a, b := console(true), console(false)
	a.settle("control", "worker")
	b.until("read", func(r *revision.Revision) bool { return r.Loaded })

	a.change(movedTo("two", 21))
	b.until("the other's change", func(r *revision.Revision) bool { return r.Undo == "Move ANP two from 20 to 21" })
	a.change(change.Mutation{Op: change.OpUndo})
	b.until("the other's undo", func(r *revision.Revision) bool {
		return r.Undo == "" && r.Redo == "Move ANP two from 20 to 21"
	})

	board, err := plan.BoardOfCluster(a.Revision().Cluster, model.MaxPriority, false)
	if err != nil {
		t.Fatal(err)
	}
	p, err := board.Respace(15, 15)
	if err != nil {
		t.Fatal(err)
	}
	pre, err := a.PreviewPlan(a.ctx, change.RunPlan(&p))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.BeginPlan(a.ctx, pre, gate.Confirm{Yes: true, Name: pre.ConfirmName, By: "test"}); err != nil {
		t.Fatal(err)
	}
	a.until("stopped", func(r *revision.Revision) bool { return r.Plan != nil && r.Plan.State == revision.PlanStopped })
	got := b.until("the other's plan", func(r *revision.Revision) bool {
		return r.Plan != nil && r.Plan.State == revision.PlanStopped && r.Plan.Title == "Re-space: step 15, starting at 15"
	})
	if len(got.Plan.Steps) != 2 || !strings.Contains(got.Plan.Why, "disk full") || got.Plan.Done != 1 {
		t.Errorf("%+v", got.Plan)
	}
	if err := a.KeepPlan(a.Revision()); err != nil {
		t.Fatal(err)
	}
	b.until("the plan is gone", func(r *revision.Revision) bool { return r.Plan == nil })
}

package history_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/history"
	"rung/change/planrun"
	"rung/change/trial"
	"rung/model"
	"rung/model/plan"
	"rung/revision"
	"rung/sources/files"
	"rung/test/changing"
	"rung/test/faultfs"
	"rung/test/gating"
	"rung/test/given"
)

// process is a Rung on a state folder: with a gate, plans and trials.
type process struct {
	t      *testing.T
	w      *gating.World
	g      *gate.Gate
	plans  *planrun.Plans
	trials *trial.Trials
	ctx    context.Context
	end    func() // it and what it runs: its locks go with it
	// unrecorded says that it told that a change was made and is not in the history.
	unrecorded bool
}

func start(t *testing.T, w *gating.World, dir string, disk files.FS) *process {
	t.Helper()
	h, err := history.Open(disk, dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, w: w, g: w.NewGate(gate.Config{Writer: w, History: h, Audit: history.NewAudit(disk, dir)})}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	p.ctx, p.end = ctx, func() { cancel(); wg.Wait(); p.trials.RevertAtExit(ctx) }
	p.plans = planrun.New(p.g, planrun.Config{Subscribe: w.Subscribe, Dir: dir, Context: "test", Disk: disk, Ctx: ctx,
		Run:     func(f func()) bool { wg.Go(f); return true },
		Publish: func(s *revision.PlanState) { w.Mu.Lock(); defer w.Mu.Unlock(); w.Plan = s; w.Publish() }})
	p.trials = trial.New(p.g, trial.Config{Dir: dir, Context: "test", Disk: disk})
	return p
}

// commit makes a change, if that is possible on this disk.
func (p *process) commit(m change.Mutation, within time.Duration) *gate.Result {
	pre, err := p.g.Preview(p.ctx, p.w.Current(), m)
	if err != nil {
		p.t.Fatal(err)
	}
	res, err := p.g.Commit(p.ctx, pre, gate.Confirm{Yes: true, Name: pre.ConfirmName, By: "cli", TrialTime: within})
	p.unrecorded = p.unrecorded || errors.Is(err, change.ErrNotRecorded)
	return res
}

// settled waits until no plan runs here.
func (p *process) settled() string {
	for p.w.Current().Plan.IsUnderWay() {
		time.Sleep(time.Millisecond)
	}
	if s := p.w.Current().Plan; s != nil {
		return s.State
	}
	return ""
}

func (p *process) at() string {
	return fmt.Sprint(p.w.Priority("a"), p.w.Priority("b"), p.w.Priority("new"))
}

const (
	before, moved, whole, planned = "3 4 -1", "7 4 -1", "7 8 9", "10 20 -1"
)

// scenes are what takes more than one step: run does it, truth looks at it in the next
// process, by what the one before said and by where the policies stand.
var scenes = []struct {
	name  string
	run   func(p *process) (made bool)
	truth func(p *process, made bool) (wrong string)
}{
	{"a change on trial that is put back", func(p *process) bool {
		res := p.commit(changing.Move("a", 7), time.Minute)
		p.w.Wait(time.Minute)
		u := p.trials.RevertAtExit(p.ctx)
		p.unrecorded = p.unrecorded || u != nil && strings.Contains(u.Ended, change.ErrNotRecorded.Error())
		return res != nil
	}, func(p *process, made bool) string {
		p.w.Wait(time.Second)
		if u := p.trials.RevertExpired(p.ctx); u.IsOpen() || p.at() != before {
			return fmt.Sprintf("%+v, policies at %s", u, p.at())
		}
		return p.history(before)
	}},
	{"a change on trial that is confirmed", func(p *process) bool {
		p.commit(changing.Move("a", 7), time.Minute)
		_, err := p.trials.ConfirmTrial("cli")
		return err == nil
	}, func(p *process, confirmed bool) string {
		p.w.Wait(time.Minute)
		if u := p.trials.RevertExpired(p.ctx); u.IsOpen() || confirmed && p.at() != moved || p.at() != moved && p.at() != before {
			return fmt.Sprintf("%+v, policies at %s", u, p.at())
		}
		return p.history(p.at())
	}},
	{"a change of several objects", func(p *process) bool {
		return p.commit(changing.Apply(given.ANP("a", 7, "tenant=blue", "in allow tenant=blue"),
			given.ANP("b", 8, "tenant=green", "in allow tenant=green"), given.ANP("new", 9, "", "in allow team=ops")), 0) != nil
	}, func(p *process, made bool) string {
		if u := p.trials.RevertExpired(p.ctx); u.IsOpen() || made && p.at() != whole {
			return fmt.Sprintf("%+v, policies at %s", u, p.at())
		}
		return p.history(p.at())
	}},
	{"a plan", func(p *process) bool {
		if p.plans.BeginPlan(p.ctx, p.respace(), gate.Confirm{Yes: true, By: "cli"}) != nil {
			return false
		}
		return p.settled() == revision.PlanDone
	}, func(p *process, done bool) string {
		st, err := p.plans.ReadPlan()
		if err != nil || done && p.at() != planned {
			return fmt.Sprint(err, p.at())
		}
		if st == nil { // it never began, or it is whole
			return p.history(p.at())
		}
		made := map[string]int{before: 0, "3 20 -1": 1, planned: 2}
		if n, ok := made[p.at()]; !ok || st.State != revision.PlanStopped || st.StepsMade() != n {
			return fmt.Sprintf("%s, %d made, policies at %s", st.State, st.StepsMade(), p.at())
		}
		pre, err := p.plans.PreviewPlan(p.ctx, change.ContinuePlan(false))
		if err == nil {
			err = p.plans.BeginPlan(p.ctx, pre, gate.Confirm{Yes: true, By: "cli"})
		}
		if s := p.settled(); err != nil && !errors.Is(err, planrun.ErrPlan) || s != revision.PlanDone || p.at() != planned {
			return fmt.Sprintf("continued: %v, %s, policies at %s", err, s, p.at())
		}
		return p.history(planned)
	}},
}

// respace is the preview of a plan of two steps.
func (p *process) respace() *gate.Preview {
	b, err := plan.BoardOfCluster(p.w.Current().Cluster, model.MaxPriority, false)
	if err != nil {
		p.t.Fatal(err)
	}
	pl, err := b.Respace(10, 10)
	if err != nil {
		p.t.Fatal(err)
	}
	pre, err := p.plans.PreviewPlan(p.ctx, change.RunPlan(&pl))
	if err != nil {
		p.t.Fatal(err)
	}
	return pre
}

// history says what is wrong with the history where the policies stand so: numbers are given
// once, and what stands can be undone if it is not as it was.
func (p *process) history(at string) string {
	entries, open := p.g.Config.History.Entries(), 0
	var ids []uint64
	for _, e := range entries {
		ids = append(ids, e.ID)
		if !e.Undone && e.Undoes == 0 {
			open++
		}
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != len(entries) || !p.unrecorded && (at == before && open > 0 || at != before && open != 1) {
		return fmt.Sprintf("policies at %s, and the history has %q", at, changing.Titles(p.g.Config.History))
	}
	return ""
}

// follow has the rows of a zone follow the policies, until stop.
func follow(w *gating.World) (stop func()) {
	ticks, end := w.Subscribe()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		var last *model.Cluster
		for ctx.Err() == nil {
			if now := w.Current().Cluster; now != last {
				last = now
				w.Zone("worker", model.ConnSynced, true)
			}
			select {
			case <-ctx.Done():
			case <-ticks:
			}
		}
	})
	return func() { end(); cancel(); wg.Wait() }
}

// fault is what happens to a process at an operation of its disk.
type fault string

const (
	kill fault = "killed at"
	fail fault = "after a failed"
	tear fault = "killed in the middle of"
)

// lives runs a scene in a process whose disk has a fault at an operation, 0 for none, and
// then in the next one. ops are the operations that write.
func lives(t *testing.T, run func(p *process) bool, truth func(p *process, made bool) string, f fault, at int) (ops []faultfs.Op, wrong string) {
	w, dir := gating.NewWorld(t, given.ANP("a", 3, "tenant=blue", "in allow tenant=blue"), given.ANP("b", 4, "tenant=green", "in allow tenant=green")), t.TempDir()
	w.Zone("worker", model.ConnSynced, true)
	defer follow(w)()
	disk := &faultfs.FS{}
	p := start(t, w, dir, disk)
	from := disk.Ops()
	var mu sync.Mutex
	disk.Before = func(op faultfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		op.N -= from
		if slices.Contains([]string{"write", "sync", "syncfolder", "rename", "remove", "truncate", "place", "lock"}, op.Kind) {
			ops = append(ops, op)
		}
		switch {
		case op.N != at || f == tear:
			return nil
		case f == kill:
			disk.Kill()
			return faultfs.ErrDead
		}
		return faultfs.ErrIO
	}
	disk.Tear = func(op faultfs.Op, bytes int) int {
		if f == tear && op.N-from == at {
			return bytes / 2
		}
		return -1
	}
	made := run(p)
	disk.Kill()
	p.end()
	w.Mu.Lock()
	w.Plan = nil
	w.Publish()
	w.Mu.Unlock()
	next := start(t, w, dir, nil)
	defer next.end()
	next.unrecorded = p.unrecorded
	wrong = truth(next, made)
	if wrong != "" {
		return ops, wrong
	}
	for _, kind := range []string{history.PlanJournal, history.Trial} {
		if left, _ := filepath.Glob(filepath.Join(dir, kind, "*.json")); len(left) > 0 {
			return ops, fmt.Sprintf("%s is left", left)
		}
	}
	return ops, ""
}

// A process is killed at every write of everything that takes more than one step, or in the
// middle of it, or the disk fails there. The next process on its state folder says what
// became of it, ends or continues it, and leaves nothing.
func TestKilledAtEveryWrite(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			ops, wrong := lives(t, s.run, s.truth, "", 0)
			if wrong != "" || len(ops) < 15 {
				t.Fatalf("nothing fails, and of %d writes: %s", len(ops), wrong)
			}
			for _, op := range ops {
				faults := []fault{kill, fail}
				if op.Kind == "write" {
					faults = append(faults, tear)
				}
				for _, f := range faults {
					if _, wrong := lives(t, s.run, s.truth, f, op.N); wrong != "" {
						t.Errorf("%s %s of %s: %s", f, op.Kind, filepath.Base(op.Path), wrong)
					}
				}
			}
			t.Logf("%d writes", len(ops))
		})
	}
}

package engine

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"rung/change/gate"
	"rung/engine/lab"
	"rung/model"
	"rung/revision"
	"rung/sources/kube"
	"rung/test/given"
	"rung/test/wait"
)

func TestWait(t *testing.T) {
	e := quiet(t, nil)
	bg := context.Background()
	if err := e.WaitFor(bg, func(r *revision.Revision) bool { return r != nil }); err != nil {
		t.Errorf("what holds at once: %v", err)
	}
	ctx, cancel := context.WithTimeout(bg, 10*time.Millisecond)
	defer cancel()
	if err := e.WaitFor(ctx, func(*revision.Revision) bool { return false }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("its time is up: %v", err)
	}
	// Nobody makes a revision: the condition is about the time alone.
	first, late := time.Now().Add(30*time.Millisecond), time.Now().Add(60*time.Millisecond)
	looks := 0
	if err := e.WaitFor(bg, func(*revision.Revision) bool { looks++; return time.Now().After(late) }, late, first); err != nil || looks > 3 {
		t.Error(err, looks)
	}
	got := make(chan error, 1)
	go func() {
		got <- e.WaitFor(bg, func(r *revision.Revision) bool { return r.Cluster.Policy(given.ANPKey("one")) != nil })
	}()
	e.sendToLoop(func(s *loopState) { s.takeUpdate("a", kube.SourceUpdate{Upsert: []model.Object{at(t, 1, 1)}}) })
	if err := <-got; err != nil {
		t.Error(err)
	}
	go func() { got <- e.WaitFor(bg, func(*revision.Revision) bool { return false }) }()
	e.Close()
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Errorf("the engine has ended: %v", err)
	}
}

// TestAfterClose: an engine that has ended answers, starts nothing and does not
// hang.
func TestAfterClose(t *testing.T) {
	e := quiet(t, nil)
	e.Close()
	e.Close()
	if e.loop.Go(func() { t.Error("started") }) {
		t.Error("something was started")
	}
	if e.runInLoop(func(*loopState) {}) {
		t.Error("the loop runs")
	}
	if e.Revision() == nil || e.Revision().Ladder() == nil {
		t.Error("the last revision is gone")
	}
	ticks, stop := e.Subscribe()
	stop()
	select {
	case <-ticks:
		t.Error("a tick")
	default:
	}
	p, err := e.Preview(context.Background(), applied(given.ANP("two", 3, "", "in deny *")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Commit(context.Background(), p, gate.Confirm{Yes: true, Name: p.ConfirmName}); err == nil {
		t.Error("a change of an engine that has ended")
	}
}

// TestCloseUnderLoad ends engines while pods come and go, rows are written,
// connections are made up and changes are asked for.
func TestCloseUnderLoad(t *testing.T) {
	for _, after := range []time.Duration{0, 20 * time.Millisecond, 400 * time.Millisecond} {
		t.Run(after.String(), func(t *testing.T) {
			w := newLiveWorld(t, livePolicies()...)
			r := w.run(func(c *Config) {
				c.Sandbox = lab.New(lab.Config{Server: "builtin", Dir: w.sockets, Traffic: 500, Churn: 500})
				c.StateDir = t.TempDir()
			})
			var wg sync.WaitGroup
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			for i := range 3 {
				wg.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						p, err := r.Preview(ctx, movedTo("one", int32(20+(n+i)%5)))
						if err == nil && p.Blocked == "" {
							_, _ = r.Commit(ctx, p, gate.Confirm{Yes: true, Name: p.ConfirmName})
						}
						revision.FindingsOfObjects(r.Revision())
						_ = r.SetWrites(true)
					}
				})
			}
			time.Sleep(after)
			done := make(chan struct{})
			go func() { r.Close(); close(done) }()
			select {
			case <-done:
			case <-time.After(wait.Patience):
				t.Fatal("Close hangs")
			}
			cancel()
			wg.Wait()
			wait.NoLeaks(t)
		})
	}
}

func TestConfig(t *testing.T) {
	for _, tt := range []struct {
		name string
		cfg  Config
		want string // in the error; empty: fine
	}{
		{"nothing", Config{}, ""},
		{"family", Config{Flags: revision.Flags{Family: "ipv5"}}, "ipv5"},
		{"two places for rows", Config{Sandbox: lab.New(lab.Config{}), NB: map[string]string{"": "unix:x"}}, "cannot be combined"},
		{"rows written without objects", Config{Reconcile: true, NB: map[string]string{"": "unix:x"}}, "look stale"},
		{"rows written for Antrea", Config{Flags: revision.Flags{System: "antrea"}, Reconcile: true, Sources: []kube.Source{idle("a")}}, "has no rows"},
		{"rows looked at without objects", Config{NB: map[string]string{"": "unix:x"}}, ""},
		{"two sources of one name", Config{Sources: []kube.Source{idle("a"), idle("a")}}, `called "a"`},
		{"priorities below 0 in OVN", Config{Flags: revision.Flags{MaxPriority: 300}}, "299"},
		{"the last that is not", Config{Flags: revision.Flags{MaxPriority: 299}}, ""},
		{"negative priority", Config{Flags: revision.Flags{MaxPriority: -1}}, "299"},
		{"too many events", Config{Sandbox: lab.New(lab.Config{Churn: 1e18})}, "churn"},
		{"endless events", Config{Sandbox: lab.New(lab.Config{Traffic: math.Inf(1)})}, "traffic"},
		{"no number of events", Config{Sandbox: lab.New(lab.Config{Churn: math.NaN()})}, "churn"},
		{"fewer than none", Config{Sandbox: lab.New(lab.Config{Traffic: -1})}, "traffic"},
		{"hardly any", Config{Sandbox: lab.New(lab.Config{Churn: 1e-300})}, ""},
	} {
		err := tt.cfg.check()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

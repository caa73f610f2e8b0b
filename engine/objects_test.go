package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/manifests"
	"rung/test/given"
	"rung/test/wait"
)

// idle is a source whose steps the test tells the loop itself.
type idle string

func (i idle) Name() string { return string(i) }

func (i idle) Run(ctx context.Context, _ func(kube.SourceUpdate)) { <-ctx.Done() }

// quiet is an engine of sources a and b, without zones.
func quiet(t testing.TB, set func(*Config)) *Engine {
	t.Helper()
	cfg := Config{Mode: revision.Mode{Name: "files", Title: "t"}, Sources: []kube.Source{idle("a"), idle("b")}, Writes: true}
	if set != nil {
		set(&cfg)
	}
	e, err := New(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(); wait.NoLeaks(t) })
	return e
}

// at is a policy "one" of a priority as a source reads it from a line.
func at(t testing.TB, priority, line int) *model.Policy {
	t.Helper()
	p, broken := manifests.ParsePolicy([]byte(given.ANP("one", priority, "", "in deny *")))
	if p == nil {
		t.Fatal(broken)
	}
	p.Origin = model.Origin{Source: "a", File: "a.yaml", Line: line, Item: -1}
	return p
}

// TestOverlay: what stands after sources and changes made here, and where it
// stands.
func TestOverlay(t *testing.T) {
	key := given.ANPKey("one")
	type step func(*loopState)
	reads := func(from string, priority, line int) step {
		p := at(t, priority, line)
		return func(s *loopState) { s.takeUpdate(from, kube.SourceUpdate{Upsert: []model.Object{p}}) }
	}
	loses := func(from string) step {
		return func(s *loopState) { s.takeUpdate(from, kube.SourceUpdate{Remove: []model.Key{key}}) }
	}
	change := func(priority int) step {
		return func(s *loopState) {
			p := at(t, priority, 0)
			p.Origin = model.Origin{Item: -1}
			if old := s.cluster.Policy(key); old != nil {
				p.Origin = old.Origin
			}
			s.putPolicies(map[model.Key]*model.Policy{key: p})
		}
	}
	remove := func(s *loopState) { s.putPolicies(map[model.Key]*model.Policy{key: nil}) }
	for _, tt := range []struct {
		name  string
		steps []step
		want  string // priority and line, "gone"
		over  int    // changes kept
		told  string // in the activity
	}{
		{"a change stands over the source", []step{reads("a", 1, 10), change(2)}, "2 10", 1, ""},
		{"also when the source says the same from another line", []step{reads("a", 1, 10), change(2), reads("a", 1, 20)}, "2 20", 1, ""},
		{"and once more", []step{reads("a", 1, 10), change(2), reads("a", 1, 20), reads("a", 1, 30)}, "2 30", 1, ""},
		{"the source changes it: that is newer, and told", []step{reads("a", 1, 10), change(2), reads("a", 3, 10)}, "3 10", 0, "changed at its source"},
		{"written back, then read", []step{reads("a", 1, 10), change(2), reads("a", 2, 12)}, "2 12", 0, ""},
		{"read before the change came here", []step{reads("a", 1, 10), reads("a", 2, 12), change(2)}, "2 12", 0, ""},
		{"and its next change is followed", []step{reads("a", 1, 10), reads("a", 2, 12), change(2), reads("a", 4, 12)}, "4 12", 0, ""},
		{"taken back", []step{reads("a", 1, 10), change(2), change(1)}, "1 10", 0, ""},
		{"deleted here", []step{reads("a", 1, 10), remove}, "gone", 1, ""},
		{"deleted here, said again the same", []step{reads("a", 1, 10), remove, reads("a", 1, 20)}, "gone", 1, ""},
		{"deleted here, changed at the source", []step{reads("a", 1, 10), remove, reads("a", 3, 10)}, "3 10", 0, "changed at its source"},
		{"deleted here and at the source", []step{reads("a", 1, 10), remove, loses("a")}, "gone", 0, ""},
		{"deleted here and put back", []step{reads("a", 1, 10), remove, change(1)}, "1 10", 0, ""},
		{"changed here, gone at the source", []step{reads("a", 1, 10), change(2), loses("a")}, "gone", 0, "removed at its source"},
		{"made here", []step{change(2)}, "2 0", 1, ""},
		{"made here and deleted leaves nothing behind", []step{change(2), remove}, "gone", 0, ""},
		{"made here, lost by a source that never had it", []step{change(2), loses("a")}, "2 0", 1, ""},
		{"made here, then a source has another", []step{change(2), reads("a", 5, 7)}, "5 7", 0, "changed at its source"},
		{"made here, then a source reads it", []step{change(2), reads("a", 2, 7)}, "2 7", 0, ""},
		{"two sources: the first decides", []step{reads("b", 6, 1), reads("a", 1, 10)}, "1 10", 0, ""},
		{"in whatever order", []step{reads("a", 1, 10), reads("b", 6, 1)}, "1 10", 0, ""},
		{"when the first loses it the other has it still", []step{reads("a", 1, 10), reads("b", 6, 1), loses("a")}, "6 1", 0, ""},
		{"both lose it", []step{reads("a", 1, 10), reads("b", 6, 1), loses("a"), loses("b")}, "gone", 0, ""},
		{"removed and read in one step", []step{func(s *loopState) {
			p := at(t, 8, 3)
			s.takeUpdate("a", kube.SourceUpdate{Upsert: []model.Object{at(t, 1, 10)}})
			s.takeUpdate("a", kube.SourceUpdate{Upsert: []model.Object{p}, Remove: []model.Key{key}})
			s.takeUpdate("a", kube.SourceUpdate{Upsert: []model.Object{p}})
		}}, "8 3", 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := quiet(t, nil)
			over := 0
			for _, step := range tt.steps {
				e.runInLoop(func(s *loopState) { step(s); over = len(s.overlay) })
			}
			got := "gone"
			if p := e.Revision().Cluster.Policy(key); p != nil {
				got = fmt.Sprint(p.Priority, " ", p.Origin.Line)
			}
			if got != tt.want || over != tt.over {
				t.Errorf("%s, %d changes kept; want %s and %d", got, over, tt.want, tt.over)
			}
			if c := e.Revision().Desired.Policy(key); (c == nil) != (tt.want == "gone") {
				t.Errorf("compiled: %v", c)
			}
			var told []string
			for _, a := range e.Activity(0) {
				told = append(told, a.Summary)
			}
			if text := strings.Join(told, "\n"); (tt.told == "") != (text == "") || !strings.Contains(text, tt.told) {
				t.Errorf("told %q, want %q", text, tt.told)
			}
		})
	}
}

// TestSourceState: when a source was read and since when it is as it is.
func TestSourceState(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	e := quiet(t, func(c *Config) { c.Clock = func() time.Time { return now } })
	tell := func(u kube.SourceUpdate) model.SourceState {
		now = now.Add(time.Minute)
		e.runInLoop(func(s *loopState) { s.takeUpdate("a", u) })
		return e.Revision().Sources[0]
	}
	synced := model.SourceState{Name: "a", Conn: model.ConnSynced}
	lost := model.SourceState{Name: "a", Conn: model.ConnLost, Error: "no such folder"}
	minute := func(n int) time.Time { return time.Date(2026, 1, 1, 0, n, 0, 0, time.UTC) }
	for i, tt := range []struct {
		u        kube.SourceUpdate
		at, read time.Time
		loaded   bool
	}{
		{kube.SourceUpdate{State: model.SourceState{Name: "a", Conn: model.ConnDialling}}, minute(1), time.Time{}, false},
		{kube.SourceUpdate{State: synced, HasBroken: true, Broken: []model.Broken{{Message: "x"}}}, minute(2), minute(2), false},
		{kube.SourceUpdate{State: synced, Loaded: true}, minute(2), minute(3), false},
		{kube.SourceUpdate{State: lost}, minute(4), minute(3), false},
		{kube.SourceUpdate{State: lost}, minute(4), minute(3), false},
		{kube.SourceUpdate{State: synced, Upsert: []model.Object{at(t, 1, 1)}}, minute(6), minute(6), false},
	} {
		got := tell(tt.u)
		want := tt.u.State
		want.At, want.ReadAt = tt.at, tt.read
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", i, diff)
		}
		if e.Revision().Loaded != tt.loaded {
			t.Errorf("step %d: loaded although b has not delivered", i)
		}
	}
	if b := e.Revision().Broken; len(b) != 1 || b[0].Message != "x" {
		t.Errorf("what was broken stays until it is told anew: %v", b)
	}
	e.runInLoop(func(s *loopState) { s.takeUpdate("b", kube.SourceUpdate{Loaded: true, HasBroken: true}) })
	if !e.Revision().Loaded || len(e.Revision().Broken) != 1 {
		t.Error("both have delivered")
	}
	e.runInLoop(func(s *loopState) { s.takeUpdate("a", kube.SourceUpdate{State: synced, HasBroken: true}) })
	if len(e.Revision().Broken) != 0 {
		t.Error("nothing is broken any more")
	}
}

// TestConditionsGo: what was reported about a policy does not outlive it.
func TestConditionsGo(t *testing.T) {
	e := quiet(t, nil)
	one, again := at(t, 1, 1), at(t, 1, 1)
	one.UID, again.UID = "1", "2"
	report := func() {
		e.state.reports.ForZone("x").SetCondition(one.Key, model.Condition{Type: "Ready-In-Zone-x", Status: "True"})
		e.runInLoop(func(*loopState) {})
	}
	tell := func(u kube.SourceUpdate) { e.runInLoop(func(s *loopState) { s.takeUpdate("a", u) }) }
	count := func() int { return len(e.Revision().Conditions(one.Key)) }
	report()
	if count() != 0 {
		t.Error("a condition of no policy")
	}
	tell(kube.SourceUpdate{Upsert: []model.Object{one}})
	report()
	old := e.Revision()
	if count() != 1 {
		t.Error("no condition")
	}
	tell(kube.SourceUpdate{Upsert: []model.Object{again}})
	if count() != 0 {
		t.Error("the condition of another policy of that name")
	}
	report()
	tell(kube.SourceUpdate{Remove: []model.Key{one.Key}})
	if count() != 0 {
		t.Error("the condition of a policy that is gone")
	}
	if len(old.Conditions(one.Key)) != 1 {
		t.Error("an old revision changed")
	}
}

// TestSetWrites: what is merely off can be switched on, what was started
// read-only cannot.
func TestSetWrites(t *testing.T) {
	for _, tt := range []struct {
		name             string
		writes, readOnly bool
		first            string // writes now, and why not
		ok               bool   // switching on
	}{
		{"on", true, false, "true ", true},
		{"off", false, false, "false ", true},
		{"read-only", true, true, "false started with --readonly", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := quiet(t, func(c *Config) { c.Writes, c.ReadOnly, c.StateDir = tt.writes, tt.readOnly, t.TempDir() })
			mode := func() string {
				m := e.Revision().Mode
				return fmt.Sprint(m.Writes, " ", m.WhyNot)
			}
			if mode() != tt.first {
				t.Errorf("%q, want %q", mode(), tt.first)
			}
			if err := e.SetWrites(false); err != nil || e.Revision().Mode.Writes {
				t.Errorf("%v, %s", err, mode())
			}
			err := e.SetWrites(true)
			if (err == nil) != tt.ok || !tt.ok && !errors.Is(err, model.ErrRejected) || e.Revision().Mode.Writes != tt.ok {
				t.Errorf("%v, %s", err, mode())
			}
			e.Close()
			if err := e.SetWrites(false); err == nil {
				t.Error("an engine that has ended was switched")
			}
		})
	}
}

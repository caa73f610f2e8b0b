package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"rung/model"
	"rung/revision"
	"rung/sources/kube"
	"rung/test/given"
	"rung/test/wait"
)

// Nobody in an engine that nothing happens to wakes up whoever waits for it.
func TestIdleEngineSleeps(t *testing.T) {
	e := quiet(t, nil)
	e.runInLoop(func(*loopState) {})
	ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	looks := 0
	if err := e.WaitFor(ctx, func(*revision.Revision) bool { looks++; return false }); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if looks > 3 {
		t.Errorf("looked %d times in 0.7 s, and nothing happened", looks)
	}
}

// Settling becomes behind by the time alone: whoever waits is woken then, for each
// policy once, without a new revision.
func TestSettlingEndsByItself(t *testing.T) {
	e := quiet(t, nil)
	one, two := given.ANPKey("one"), given.ANPKey("two")
	now := time.Now()
	touched := func(ago time.Duration) *model.PolicyInZone {
		return &model.PolicyInZone{Different: 1, LivePriority: -1, Touched: now.Add(ago - model.SettleTime), DiffSince: now.Add(ago - model.SettleTime)}
	}
	z := &model.ZoneState{Name: "z", Conn: model.ConnSynced, SyncedAt: now,
		Policies: map[model.PolicyKey]*model.PolicyInZone{one: touched(200 * time.Millisecond), two: touched(400 * time.Millisecond)}}
	for k, p := range z.Policies {
		p.Policy = k
	}
	z.SettlesAt = z.NextBehind(now)
	e.runInLoop(func(s *loopState) {
		for _, name := range []string{"a", "b"} { // rows of unread objects are not comparable
			s.takeUpdate(name, kube.SourceUpdate{Loaded: true, State: model.SourceState{Name: name, Conn: model.ConnSynced}})
		}
		s.zones.States()["z"] = z
		s.MarkChanged()
	})
	number := e.Revision().Number
	ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
	defer cancel()
	var seen []int
	if err := e.WaitFor(ctx, func(r *revision.Revision) bool {
		behind := 0
		for _, k := range []model.PolicyKey{one, two} {
			if r.Zone("z").PolicyJoin(k).StateAt(r.Zone("z"), e.Now()) == model.StateBehind {
				behind++
			}
		}
		seen = append(seen, behind)
		return behind == 2
	}); err != nil {
		t.Fatalf("%v: %v", err, seen)
	}
	if len(seen) > 4 || e.Revision().Number != number {
		t.Errorf("saw %v in %d revisions", seen, e.Revision().Number-number)
	}
}

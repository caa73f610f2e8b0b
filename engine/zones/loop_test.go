package zones

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"rung/model"
	"rung/revision"
)

func TestActivityIsBounded(t *testing.T) {
	l := NewLoop(t.Context(), time.Now)
	for i := range 5 * activityKept {
		l.RecordActivity(model.Activity{Ops: i})
	}
	if got := l.Activity(0); len(got) != activityKept || got[0].Ops != 4*activityKept || len(l.activity) > 2*activityKept {
		t.Errorf("%d kept of %d", len(got), len(l.activity))
	}
	if got := l.Activity(5*activityKept - 2); len(got) != 2 || got[1].Seq != 5*activityKept {
		t.Errorf("%+v", got)
	}
	if got := l.Activity(1 << 40); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// An alarm rings once, at the time that was set last, and not when it was stopped; when
// the loop has ended nothing of it runs on, which synctest holds.
func TestAlarms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLoop(t.Context(), time.Now)
		began := time.Now()
		var rang []time.Duration
		note := func() { rang = append(rang, time.Since(began)) }
		once, moved, stopped, never := l.NewAlarm(note), l.NewAlarm(note), l.NewAlarm(note), l.NewAlarm(note)
		l.Start(func(*revision.Revision) *revision.Revision { return nil })
		l.Do(func() {
			once.Set(2 * time.Second)
			moved.Set(time.Second)
			moved.Set(3 * time.Second)
			stopped.Set(time.Second)
			stopped.Stop()
			never.Set(time.Hour)
		})
		time.Sleep(10 * time.Second)
		l.Close()
		if want := []time.Duration{2 * time.Second, 3 * time.Second}; !slices.Equal(rang, want) {
			t.Errorf("rang after %v, want %v", rang, want)
		}
	})
}

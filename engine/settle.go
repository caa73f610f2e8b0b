package engine

import (
	"time"

	"rung/engine/loop"
	"rung/model"
)

// alarms are what the loop does at a time and not because somebody says so.
type alarms struct {
	dialect *loop.Alarm // other options may be taken over
	sweep   *loop.Alarm // a swept zone is to be read
	settle  *loop.Alarm // a difference settles no longer
	flows   *loop.Alarm // nobody looks at a zone's flows any more
}

// settling is when differences of a zone come to count as behind, which no revision
// tells.
type settling struct {
	of   *model.ZoneState
	next time.Time // zero: none does
}

// awaitSettled sets the alarm for the first difference that settles no longer.
func (s *state) awaitSettled() {
	now := s.e.Now()
	var first time.Time
	for name, z := range s.zones {
		w := s.settling[name]
		if w.of != z {
			w = settling{z, z.Settles}
		}
		if !w.next.IsZero() && !w.next.After(now) {
			w.next = z.NextBehind(now)
		}
		s.settling[name] = w
		if !w.next.IsZero() && (first.IsZero() || w.next.Before(first)) {
			first = w.next
		}
	}
	for name := range s.settling {
		if s.zones[name] == nil {
			delete(s.settling, name)
		}
	}
	if first.IsZero() {
		s.alarms.settle.Stop()
		return
	}
	s.alarms.settle.Set(first.Sub(now) + loop.Slack)
}

package engine

import (
	"time"

	"rung/model"
)

// alarm is a timer of the engine's loop: what is due is done by the loop, and
// nothing of it is left when the loop has ended. Its zero value never rings.
type alarm struct{ timer *time.Timer }

// set makes it ring once, after d, and not when it would have before.
func (a *alarm) set(d time.Duration) {
	a.stop()
	a.timer = time.NewTimer(d)
}

func (a *alarm) stop() {
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
}

// rings is what the loop listens to.
func (a *alarm) rings() <-chan time.Time {
	if a.timer == nil {
		return nil
	}
	return a.timer.C
}

// alarms are what the loop does at a time and not because somebody says so.
type alarms struct {
	dialect alarm // other options may be taken over
	sweep   alarm // a swept zone is to be read
	settle  alarm // a difference settles no longer
	flows   alarm // nobody looks at a zone's flows any more
}

func (a *alarms) stop() {
	a.dialect.stop()
	a.sweep.stop()
	a.settle.stop()
	a.flows.stop()
}

// settling is when differences of a zone come to count as behind, which no revision
// tells.
type settling struct {
	of   *model.ZoneState
	next time.Time // zero: none does
}

// settleSlack is how much later than due it is looked: what is due at a time holds
// after it.
const settleSlack = time.Millisecond

// awaitSettled sets the alarm for the first difference that settles no longer.
func (s *state) awaitSettled() {
	now := s.e.now()
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
		s.alarms.settle.stop()
		return
	}
	s.alarms.settle.set(first.Sub(now) + settleSlack)
}

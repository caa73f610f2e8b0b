package zones

import (
	"time"

	"rung/engine/loop"
	"rung/model"
)

// settling is when differences of a zone come to count as behind, which no revision
// tells.
type settling struct {
	state *model.ZoneState
	next  time.Time // zero: none does
}

// awaitSettled sets the alarm for the first difference that settles no longer.
func (z *Set) awaitSettled() {
	now := z.Now()
	var first time.Time
	for name, st := range z.states {
		w := z.settling[name]
		if w.state != st {
			w = settling{st, st.Settles}
		}
		if !w.next.IsZero() && !w.next.After(now) {
			w.next = st.NextBehind(now)
		}
		z.settling[name] = w
		if !w.next.IsZero() && (first.IsZero() || w.next.Before(first)) {
			first = w.next
		}
	}
	for name := range z.settling {
		if z.states[name] == nil {
			delete(z.settling, name)
		}
	}
	if first.IsZero() {
		z.settleAlarm.Stop()
		return
	}
	z.settleAlarm.Set(first.Sub(now) + loop.Slack)
}

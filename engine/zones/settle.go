package zones

import (
	"maps"
	"time"

	"rung/model"
)

// settlingZone holds when the next difference of a zone begins to count as behind. No new revision marks that
// moment.
type settlingZone struct {
	state       *model.ZoneState
	nextSettles time.Time // zero: none settles
}

// awaitSettled sets the alarm for the first difference that stops settling.
func (z *Set) awaitSettled() {
	now := z.Now()
	var first time.Time
	for name, st := range z.states {
		w := z.settling[name]
		if w.state != st {
			w = settlingZone{st, st.SettlesAt}
		}
		if !w.nextSettles.IsZero() && !w.nextSettles.After(now) {
			w.nextSettles = st.NextBehind(now)
		}
		z.settling[name] = w
		if !w.nextSettles.IsZero() && (first.IsZero() || w.nextSettles.Before(first)) {
			first = w.nextSettles
		}
	}
	maps.DeleteFunc(z.settling, func(name string, _ settlingZone) bool { return z.states[name] == nil })
	if first.IsZero() {
		z.settleAlarm.Stop()
		return
	}
	z.settleAlarm.Set(first.Sub(now) + DueTolerance)
}

package engine

import (
	"slices"

	"rung/model"
)

// statusOf takes the conditions of the reconcilers into the policies.
type statusOf struct{ e *Engine }

// SetCondition sets one condition of a policy, keyed by type.
func (st statusOf) SetCondition(k model.PolicyKey, c model.Condition) {
	st.e.send(func(s *state) {
		if s.cluster.Policy(k) == nil {
			return // it went while this was on its way
		}
		if s.conditions[k] == nil {
			s.conditions[k] = map[string]model.Condition{}
		}
		s.conditions[k][c.Type] = c
		s.conditionsNew = true
		s.dirty = true
	})
}

// eventsOf takes the events of one zone's reconciler.
type eventsOf struct {
	e    *Engine
	zone string
}

// eventsKept bounds the events Rung's own reconciler made.
const eventsKept = 200

// Event adds an event, or counts it up when the same stands already.
func (ev eventsOf) Event(x model.Event) {
	ev.e.send(func(s *state) {
		i := slices.IndexFunc(s.events, func(o *model.Event) bool {
			return o.About == x.About && o.Reason == x.Reason && o.Message == x.Message && o.Reporter == x.Reporter
		})
		if i >= 0 {
			again := *s.events[i]
			again.Count++
			again.Last = x.Last
			s.events = append(slices.Delete(slices.Clone(s.events), i, i+1), &again)
		} else {
			x.Count = max(x.Count, 1)
			s.events = append(slices.Clone(s.events), &x)
		}
		if n := len(s.events); n > eventsKept {
			s.events = s.events[n-eventsKept:]
		}
		s.dirty = true
	})
}

package engine

import (
	"slices"

	"rung/model"
	"rung/sources/kube"
)

// reports take what one zone's reconciler says into the policies on screen, and hand
// it to the API server where that is this replica's to do.
type reports struct {
	e    *Engine
	zone string
	w    *owned
}

// SetCondition sets one condition of a policy, keyed by type.
func (st reports) SetCondition(k model.PolicyKey, c model.Condition) {
	st.w.report(func(r *kube.Reporter) { r.SetCondition(st.zone, k, c) })
	st.e.send(func(s *state) {
		if s.cluster.Policy(k) == nil {
			return // it went while this was on its way
		}
		if s.conditions[k] == nil {
			s.conditions[k] = map[string]model.Condition{}
		}
		s.conditions[k][c.Type] = c
		s.conditionsNew = true
		s.Changed()
	})
}

// eventsKept bounds the events Rung's own reconciler made.
const eventsKept = 200

// Event adds an event, or counts it up when the same stands already.
func (st reports) Event(x model.Event) {
	st.w.report(func(r *kube.Reporter) { r.Event(x) })
	st.e.send(func(s *state) {
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
		s.Changed()
	})
}

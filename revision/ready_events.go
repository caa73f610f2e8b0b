package revision

import (
	"slices"
	"time"

	"rung/model"
)

// ReadyPrefix is the prefix of the condition type that each zone's controller sets on a policy; the zone
// follows (ovn-kubernetes.md#status-conditions).
const ReadyPrefix = "Ready-In-Zone-"

// EventGroup is the same event from several controllers: a warning about a policy comes once from every zone
// (ovn-kubernetes.md#events).
type EventGroup struct {
	Type, Reason, Message string
	Count                 int       // over all reporters
	Reporters             []string  // known ones, by name
	Last                  time.Time // the newest occurrence
}

// EventGroups returns the events about an object, equal ones merged, newest first.
func EventGroups(r *Revision, k model.Key) []EventGroup {
	type same struct{ kind, reason, message string }
	at := map[same]int{}
	var out []EventGroup
	for _, ev := range r.Events(k) { // oldest first
		id := same{ev.Type, ev.Reason, ev.Message}
		i, ok := at[id]
		if !ok {
			i = len(out)
			at[id] = i
			out = append(out, EventGroup{Type: ev.Type, Reason: ev.Reason, Message: ev.Message})
		}
		g := &out[i]
		g.Count += max(ev.Count, 1)
		g.Last = ev.Last
		if ev.Reporter != "" {
			g.Reporters = append(g.Reporters, ev.Reporter)
		}
	}
	for i := range out {
		slices.Sort(out[i].Reporters)
		out[i].Reporters = slices.Compact(out[i].Reporters)
	}
	slices.SortStableFunc(out, func(a, b EventGroup) int { return b.Last.Compare(a.Last) })
	return out
}

package zones

import (
	"maps"

	"rung/compiler"
	"rung/model"
	"rung/reconciler"
)

// takeStep hands the next desired rows to the zone's reconciler and notes what it has to judge again.
func (l *zoneLoop) takeStep(d *compiler.Desired, delta *compiler.Delta, loaded bool) {
	l.steps++
	if delta == nil || delta.Everything {
		l.lastStep = l.steps
	} else {
		for k := range delta.Policies {
			l.changed[k] = l.steps
		}
	}
	l.SetDesired(d, delta, loaded)
}

// judgedState returns a zone's state by the newest objects: a policy that changed since the zone was judged is
// settling, whatever its rows were before. The screen must never show a change together with "in sync" only
// because the reconciler has not looked yet.
func (z *Set) judgedState(st *model.ZoneState) *model.ZoneState {
	if st.Agent != "" {
		return z.agents.withNewer(st)
	}
	if st.Conn == model.ConnSwept && st.Changed != z.changes {
		next := *st
		next.Changed = z.changes
		z.states[st.Name] = &next
		return &next
	}
	l := z.loops[st.Name]
	if l == nil || st.DB == nil {
		return st
	}
	maps.DeleteFunc(l.changed, func(_ model.PolicyKey, step uint64) bool { return step <= st.Steps })
	if len(l.changed) == 0 && l.lastStep <= st.Steps {
		return st
	}
	next := *st
	next.Judging = true
	next.Policies = maps.Clone(st.Policies)
	mark := func(k model.PolicyKey) {
		now := &model.PolicyInZone{Policy: k, Touched: z.Now(), LivePriority: -1}
		if was := st.Policies[k]; was != nil {
			now.LiveACLs, now.LivePriority = was.LiveACLs, was.LivePriority
		} else if c := z.world().Desired.Policy(k); c == nil || !c.HasRowsIn(st.Name) {
			return
		}
		if next.Policies == nil {
			next.Policies = map[model.PolicyKey]*model.PolicyInZone{}
		}
		reconciler.StatesByUnit(next.Policies).Put(z.world().Desired, k, now)
	}
	for k := range l.changed {
		mark(k)
	}
	if l.lastStep > st.Steps {
		for k := range st.Policies {
			mark(k)
		}
		for c := range z.world().Desired.Policies() {
			mark(c.Key)
		}
	}
	return &next
}

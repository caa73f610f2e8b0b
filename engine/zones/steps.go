package zones

import (
	"cmp"
	"sync"

	"rung/compiler"
	"rung/model"
	"rung/reconciler"
)

// noteStep records a step of the desired rows for the swept zones.
func (z *Set) noteStep(d *compiler.Desired, delta *compiler.Delta, first bool) {
	z.steps++
	at := model.ChangeStep{Step: z.steps, At: z.Now()}
	if first || delta == nil || delta.Everything {
		delta = nil
		if first {
			at.At = at.At.Add(-model.SettleTime) // the objects existed before Rung's start
		}
		z.changes = z.changes.AfterAnyChange(at)
	} else if !delta.IsEmpty() {
		units := make(map[model.PolicyKey]struct{}, len(delta.Policies))
		for k := range delta.Policies {
			units[k] = struct{}{}
		}
		for i := range delta.Members {
			units[delta.Members[i].Set.Policy] = struct{}{}
		}
		ports := map[string][]model.PolicyKey{}
		for i := range delta.Ports {
			p := &delta.Ports[i]
			if _, everywhere := units[p.Policy]; !everywhere {
				ports[p.Zone] = append(ports[p.Zone], p.Policy)
			}
		}
		z.changes = z.changes.AfterStep(at, units, ports)
	}
	z.differs.addStep(d, delta, z.steps, z.changes)
}

// forgetSteps drops, every 1000 steps, what all swept zones have seen.
func (z *Set) forgetSteps() {
	if z.steps-z.forgotten < 1000 {
		return
	}
	least := z.steps
	for _, m := range z.members {
		if !m.followed && m.lastState != nil && m.lastState.Steps > 0 {
			least = min(least, m.lastState.Steps)
		}
	}
	// A zone not read for so long counts as outdated in whatever changed since.
	z.forgotten = z.steps
	if least > 0 {
		z.changes = z.changes.ForgetUpTo(least)
	}
}

// lazyDiffer makes the differ of the newest desired rows on demand.
type lazyDiffer struct {
	mu      sync.Mutex
	desired *compiler.Desired
	number  uint64
	changes *model.ChangeSteps
	// lastMade is the last differ made, delta the changes since; nil: none.
	lastMade *reconciler.ZoneDiffer
	delta    *compiler.Delta
}

func (l *lazyDiffer) addStep(d *compiler.Desired, delta *compiler.Delta, number uint64, changes *model.ChangeSteps) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delta = cmp.Or(delta, &compiler.Delta{Everything: true})
	switch {
	case l.lastMade == nil:
	case l.delta != nil:
		l.delta = reconciler.MergeDeltas(l.delta, delta)
	default:
		l.delta = delta
	}
	l.desired, l.number, l.changes = d, number, changes
}

// newestDiffer returns a differ of the newest desired rows, with the number of their step.
func (l *lazyDiffer) newestDiffer() (*reconciler.ZoneDiffer, uint64, *model.ChangeSteps) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lockedDiffer(), l.number, l.changes
}

// lockedDiffer is newestDiffer for callers that hold the lock.
func (l *lazyDiffer) lockedDiffer() *reconciler.ZoneDiffer {
	switch {
	case l.lastMade == nil:
		l.lastMade = reconciler.NewZoneDiffer(l.desired)
	case l.delta != nil:
		l.lastMade = l.lastMade.WithDesired(l.desired, l.delta)
	}
	l.delta = nil
	return l.lastMade
}

// setMembers lists a desired set once for all zones compared with the same rows, as all followed zones are at
// the start.
func (l *lazyDiffer) setMembers(d *compiler.Desired, s *compiler.SetSpec) []string {
	l.mu.Lock()
	if d != l.desired {
		l.mu.Unlock()
		return d.SetMembers(s) // there are newer rows
	}
	look := l.lockedDiffer()
	l.mu.Unlock()
	return look.SetMembers(s)
}

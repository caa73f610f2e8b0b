package reconciler

import (
	"sync"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// ZoneDiffer finds the differences between one Desired and zones that are read as a whole,
// now and then, in the words of a reconciler that observes: it runs the same tracker
// once. Sets that all zones share are listed once. It may be used from any goroutine.
type ZoneDiffer struct {
	Desired *compiler.Desired

	mu     sync.RWMutex
	Listed map[*compiler.SetSpec][]string
}

// NewZoneDiffer makes a ZoneDiffer that has listed nothing yet.
func NewZoneDiffer(d *compiler.Desired) *ZoneDiffer {
	return &ZoneDiffer{Desired: d, Listed: map[*compiler.SetSpec][]string{}}
}

// WithDesired is a ZoneDiffer for the next desired rows, which takes over what is known to
// be as before. delta is what changed between the two; nil means anything may
// have.
func (d *ZoneDiffer) WithDesired(desired *compiler.Desired, delta *compiler.Delta) *ZoneDiffer {
	next := NewZoneDiffer(desired)
	if delta == nil || delta.Everything {
		return next
	}
	changed := make(map[*compiler.SetSpec]bool, len(delta.Members))
	for i := range delta.Members {
		changed[delta.Members[i].Set] = true
	}
	// Only what the next Desired still has: sets of units that are gone, or were
	// compiled anew, go.
	d.mu.RLock()
	defer d.mu.RUnlock()
	for c := range desired.Policies() {
		if _, anew := delta.Policies[c.Key]; anew {
			continue
		}
		for _, s := range c.Sets {
			if m, known := d.Listed[s]; known && !changed[s] {
				next.Listed[s] = m
			}
		}
	}
	return next
}

// SetMembers lists a set of its desired rows, for zones that are read now and then and for zones
// that are followed. The list must not be changed. Two that ask at once may both list it.
func (d *ZoneDiffer) SetMembers(s *compiler.SetSpec) []string {
	d.mu.RLock()
	m, known := d.Listed[s]
	d.mu.RUnlock()
	if known {
		return m
	}
	m = d.Desired.SetMembers(s)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Listed[s] = m
	return m
}

// ZoneRead is a zone as it was read once.
type ZoneRead struct {
	Zone string
	DB   *nb.DB
	// At is when the rows were asked for.
	At time.Time
	// Before is the result of the read before this one, nil at first: a difference that
	// still stands keeps its age.
	Before map[model.PolicyKey]*model.PolicyInZone
	// Changed says when the desired rows of a unit changed last; a zero time
	// means at At. Nil says so of all.
	Changed func(model.PolicyKey) time.Time
}

// JudgeZone judges the rows of a zone. The caller sees to it that all objects have been
// read: rows that are not desired count as left over.
func (d *ZoneDiffer) JudgeZone(g ZoneRead) map[model.PolicyKey]*model.PolicyInZone {
	t := New(g.Zone)
	t.Observing = true
	t.MembersOf = d.SetMembers
	t.beginStep()
	t.Desired, t.DB = d.Desired, g.DB
	if t.DB == nil {
		t.DB = (*nb.DB)(nil).Apply(nil)
	}
	t.indexAll(nil)
	t.compareAll()
	t.finishStep(g.At)
	out := make(JoinsByUnit, len(t.Tracks))
	for k := range t.Tracks {
		p := t.JoinPolicy(k)
		if p == nil {
			continue
		}
		if g.Changed != nil {
			if at := g.Changed(k); !at.IsZero() {
				p.Touched = at
			}
		}
		if was := g.Before[k]; was != nil && stillDiffers(was.Diffs, p.Diffs) && !was.DiffSince.IsZero() {
			p.DiffSince = was.DiffSince
		}
		out.Put(d.Desired, k, p)
	}
	return out
}

// stillDiffers says whether a row differs in both lists.
func stillDiffers(before, now []model.RowDiff) bool {
	was := make(map[[2]string]struct{}, len(before))
	for i := range before {
		was[[2]string{before[i].Table, before[i].ID}] = struct{}{}
	}
	for i := range now {
		if _, both := was[[2]string{now[i].Table, now[i].ID}]; both {
			return true
		}
	}
	return false
}

package reconciler

import (
	"sync"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/nb"
)

// Looker judges zones that are read as a whole, now and then, against one
// Desired, in the words of a reconciler that observes: it runs the same tracker
// once. What all zones share is listed once. It may be used from any goroutine.
type Looker struct {
	desired *compiler.Desired

	mu      sync.RWMutex
	members map[*compiler.SetSpec][]string
}

// NewLooker makes a Looker that has listed nothing yet.
func NewLooker(d *compiler.Desired) *Looker {
	return &Looker{desired: d, members: map[*compiler.SetSpec][]string{}}
}

// Next is a Looker for the next desired rows, which takes over what is known to
// be as before. delta is what changed between the two; nil means anything may
// have.
func (l *Looker) Next(d *compiler.Desired, delta *compiler.Delta) *Looker {
	next := NewLooker(d)
	if delta == nil || delta.All {
		return next
	}
	changed := make(map[*compiler.SetSpec]bool, len(delta.Members))
	for i := range delta.Members {
		changed[delta.Members[i].Set] = true
	}
	// Only what the next Desired still has: sets of units that are gone, or were
	// compiled anew, go.
	l.mu.RLock()
	defer l.mu.RUnlock()
	for c := range d.Policies() {
		if _, anew := delta.Policies[c.Key]; anew {
			continue
		}
		for _, s := range c.Sets {
			if m, known := l.members[s]; known && !changed[s] {
				next.members[s] = m
			}
		}
	}
	return next
}

// MergeDeltas is the delta of two steps taken together, for Next.
func MergeDeltas(a, b *compiler.Delta) *compiler.Delta { return mergeDeltas(a, b) }

// Members lists a set of its desired rows, for zones that are looked at and those
// that are followed. Nobody changes the list. Two that ask at once may both list it.
func (l *Looker) Members(s *compiler.SetSpec) []string {
	l.mu.RLock()
	m, known := l.members[s]
	l.mu.RUnlock()
	if known {
		return m
	}
	m = l.desired.Members(s)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.members[s] = m
	return m
}

// Glance is one look at a zone.
type Glance struct {
	Zone string
	DB   *nb.DB
	// At is when the rows were asked for.
	At time.Time
	// Before is what the last look found, nil at first: a difference that still
	// stands keeps its age.
	Before map[model.PolicyKey]*model.PolicyInZone
	// Changed says when the desired rows of a unit changed last; a zero time
	// means at At. Nil says so of all.
	Changed func(model.PolicyKey) time.Time
}

// Look judges the rows of a zone. All objects have been read, the caller sees to
// it: what is not desired counts as left over.
func (l *Looker) Look(g Glance) map[model.PolicyKey]*model.PolicyInZone {
	t := newTracker(g.Zone)
	t.observing = true
	t.membersOf = l.Members
	t.begin()
	t.desired, t.db = l.desired, g.DB
	if t.db == nil {
		t.db = (*nb.DB)(nil).Apply(nil)
	}
	t.reindex(nil)
	t.compareAll()
	t.finish(g.At)
	out := make(map[model.PolicyKey]*model.PolicyInZone, len(t.tracks))
	for k := range t.tracks {
		p := t.join(k)
		if p == nil {
			continue
		}
		if g.Changed != nil {
			if at := g.Changed(k); !at.IsZero() {
				p.Touched = at
			}
		}
		if was := g.Before[k]; was != nil && standing(was.Diffs, p.Diffs) && !was.DiffSince.IsZero() {
			p.DiffSince = was.DiffSince
		}
		out[k] = p
	}
	return out
}

// standing says whether a row differs in both lists.
func standing(before, now []model.RowDiff) bool {
	if len(before) == 0 || len(now) == 0 {
		return false
	}
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

package reconciler

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// ZoneDiffer compares one Desired with zones that are read as a whole now and then. It runs an observing
// Tracker once per read. Sets shared by all zones are listed once. Any goroutine may use it.
type ZoneDiffer struct {
	Desired *compiler.Desired

	mu     sync.RWMutex
	Listed map[*compiler.SetSpec][]string
}

// NewZoneDiffer returns a ZoneDiffer that has not listed any set yet.
func NewZoneDiffer(d *compiler.Desired) *ZoneDiffer {
	return &ZoneDiffer{Desired: d, Listed: map[*compiler.SetSpec][]string{}}
}

// WithDesired returns a ZoneDiffer for the next desired rows that keeps the lists of unchanged sets. delta is
// the difference; nil means anything may have changed.
func (d *ZoneDiffer) WithDesired(desired *compiler.Desired, delta *compiler.Delta) *ZoneDiffer {
	next := NewZoneDiffer(desired)
	if delta == nil || delta.Everything {
		return next
	}
	changed := make(map[*compiler.SetSpec]bool, len(delta.Members))
	for i := range delta.Members {
		changed[delta.Members[i].Set] = true
	}
	// Sets of removed or recompiled units are dropped.
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

// SetMembers lists a desired set, for followed and for swept zones. The list must not be changed. Concurrent
// callers may both list it.
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

// ZoneRead is the result of reading a zone once.
type ZoneRead struct {
	Zone string
	DB   *nb.DB
	// At is the time of the request.
	At time.Time
	// Before is the previous read's result, nil at first: lasting differences keep their age.
	Before map[model.PolicyKey]*model.PolicyInZone
	// Changed returns when a unit's desired rows last changed. A zero time, or a nil Changed, means at At.
	Changed func(model.PolicyKey) time.Time
}

// JudgeZone compares a zone's rows with the desired rows. The caller must have read all objects first:
// undesired rows count as left over.
func (d *ZoneDiffer) JudgeZone(g ZoneRead) map[model.PolicyKey]*model.PolicyInZone {
	t := NewTracker(g.Zone)
	t.Observing, t.ListMembers = true, d.SetMembers
	t.beginStep()
	t.Desired, t.DB = d.Desired, cmp.Or(g.DB, &nb.DB{})
	t.indexAll(nil)
	t.compareAll()
	t.finishStep(g.At)
	out := make(StatesByUnit, len(t.Tracks))
	for k := range t.Tracks {
		p := t.JoinPolicy(k)
		if p == nil {
			continue
		}
		if g.Changed != nil {
			p.Touched = cmp.Or(g.Changed(k), p.Touched)
		}
		if was := g.Before[k]; was != nil && stillDiffers(was.Diffs, p.Diffs) && !was.DiffSince.IsZero() {
			p.DiffSince = was.DiffSince
		}
		out.Put(d.Desired, k, p)
	}
	return out
}

// stillDiffers reports whether a row is in both lists.
func stillDiffers(before, now []model.RowDiff) bool {
	was := make(map[[2]string]bool, len(before))
	for i := range before {
		was[[2]string{before[i].Table, before[i].ID}] = true
	}
	return slices.ContainsFunc(now, func(d model.RowDiff) bool { return was[[2]string{d.Table, d.ID}] })
}

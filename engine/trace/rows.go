package trace

import (
	"sync"

	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/revision"
)

// orderedRows holds the rows of a zone, sorted by the first caller.
type orderedRows struct {
	db   *nb.DB // of a zone that was read
	make func() *verdict.Zone
}

// tracerRows gives a Tracer's sorted rows of a revision.
type tracerRows struct {
	tracer   *Tracer
	revision *revision.Revision
}

// Zone returns the sorted rows of a zone, nil if it was not read. Several zones may be sorted at once, each by
// one goroutine.
func (z tracerRows) Zone(name string) *verdict.Zone {
	of := z.tracer.zoneRows(z.revision, name)
	if of == nil {
		return nil
	}
	return of.make()
}

func (t *Tracer) zoneRows(r *revision.Revision, name string) *orderedRows {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.zones == nil || t.Compiled && t.compiledFor != r {
		t.zones, t.compiledFor = map[string]*orderedRows{}, r
	}
	known := t.zones[name]
	if t.Compiled {
		if known == nil {
			known = &orderedRows{make: sync.OnceValue(func() *verdict.Zone { return revision.CompiledZone(r, name, &t.matches) })}
			t.zones[name] = known
		}
		return known
	}
	z := r.Zone(name)
	switch {
	case z == nil || z.DB == nil:
		return nil
	case known != nil && known.db == z.DB:
		return known
	}
	old := known
	next := &orderedRows{db: z.DB, make: sync.OnceValue(func() *verdict.Zone {
		var before *verdict.Zone
		if old != nil {
			before, old = old.make(), nil
		}
		return verdict.NewZone(name, z.DB, &t.matches, before)
	})}
	t.zones[name] = next
	rows := 0
	for _, z := range t.zones {
		rows += z.db.Len()
	}
	t.matches.ForgetUnused(rows)
	return next
}

package trace

import (
	"sync"

	"rung/model/ovn/nb"
	"rung/model/verdict/walk"
	"rung/revision"
)

// ordered is the rows of a zone, put in order by whoever asks first.
type ordered struct {
	db   *nb.DB // of a zone that was read
	make func() *walk.Zone
}

// rowsOf are the rows of a revision as a Tracer has them.
type rowsOf struct {
	t *Tracer
	r *revision.Revision
}

// rows returns the rows to ask in a revision.
func (t *Tracer) rows(r *revision.Revision) walk.ZoneRows { return rowsOf{t, r} }

// Zone is the rows of a zone in order, nil where it was not read. Several may be put in
// order at once, each of them by one goroutine.
func (z rowsOf) Zone(name string) *walk.Zone {
	of := z.t.zone(z.r, name)
	if of == nil {
		return nil
	}
	return of.make()
}

func (t *Tracer) zone(r *revision.Revision, name string) *ordered {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.zones == nil || t.Compiled && t.of != r {
		t.zones, t.of = map[string]*ordered{}, r
	}
	known := t.zones[name]
	if t.Compiled {
		if known == nil {
			known = &ordered{make: sync.OnceValue(func() *walk.Zone { return revision.CompiledZone(r, name, &t.matches) })}
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
	next := &ordered{db: z.DB, make: sync.OnceValue(func() *walk.Zone {
		var before *walk.Zone
		if old != nil {
			before, old = old.make(), nil
		}
		return walk.NewZone(name, z.DB, &t.matches, before)
	})}
	t.zones[name] = next
	t.forget()
	return next
}

// forget lets go of matches that no row has any more.
func (t *Tracer) forget() {
	rows := 0
	for _, z := range t.zones {
		rows += z.db.Len()
	}
	t.matches.ForgetUnused(rows)
}

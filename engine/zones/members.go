package zones

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/clean"
	"rung/reconciler"
	"rung/sources/retry"
)

// member is a zone that is followed or swept, as its rank allows. The
// engine's loop owns it.
type member struct {
	name     string
	open     func() (reconciler.Zone, error)
	writes   bool // Rung writes to it: always followed
	early    bool // control plane: before others that nobody looked at
	ofNode   bool // goes with its Node
	followed bool
	// named, where set, makes a zone of the member that is called by its address,
	// once its database has a name.
	named func(name string)

	// last is the state that the last read found, or the one known when the zone was
	// followed last; it stays on screen until the followed zone's rows are there.
	last      *model.ZoneState
	reading   bool
	reads     int       // successful, since it was first known
	fails     int       // in a row
	due       time.Time // of the next read, by the process's clock
	readAt    time.Time // of the last read, by the process's clock
	again     bool      // the last read was to look at a difference again
	oldSince  time.Time // since when its desired rows are others than those it was judged by
	connSince time.Time
}

// know takes a zone in; what becomes of it, rank says.
func (z *Set) know(m *member) {
	if z.members[m.name] != nil {
		return
	}
	z.members[m.name] = m
	m.connSince = z.Now()
	z.states[m.name] = z.blank(m)
	z.Changed()
}

// forget ends a zone.
func (z *Set) forget(name string) {
	if l := z.loops[name]; l != nil {
		l.stop()
		delete(z.loops, name)
	}
	delete(z.members, name)
	delete(z.states, name)
	z.looks.forget(name)
	z.reports.ForgetZone(name)
}

// blank is the state of a zone that was not read yet.
func (z *Set) blank(m *member) *model.ZoneState {
	return &model.ZoneState{Name: m.name, Conn: model.ConnStarting, ConnAt: m.connSince, Writes: m.writes}
}

// rank follows the zones that come first, up to the limit, and sweeps the others.
func (z *Set) rank() {
	if z.objectsFirst() {
		z.schedule()
		return
	}
	looked := z.looks.Of(func(name string) bool { return z.members[name] != nil })
	ranked := make([]*member, 0, len(z.members))
	for _, m := range z.members {
		ranked = append(ranked, m)
	}
	slices.SortFunc(ranked, func(a, b *member) int {
		return cmp.Or(trueFirst(a.writes, b.writes), looked[b.name].Compare(looked[a.name]),
			trueFirst(a.early, b.early), strings.Compare(a.name, b.name))
	})
	limit := z.cfg.Follow
	for i, m := range ranked {
		if m.followed && i >= limit && !m.writes {
			z.demote(m)
		}
	}
	for i, m := range ranked {
		// One that could not be opened is tried again when its time has come.
		if !m.followed && (i < limit || m.writes) && (m.fails == 0 || isLooked(m, looked) || !time.Now().Before(m.due)) {
			z.promote(m)
		}
	}
	z.schedule()
}

// trueFirst orders what is before what is not.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// objectsFirst says whether following has to wait for the objects: reading the rows
// of many zones would keep the ladder waiting. It does not wait for long, since rows
// are worth seeing while an API server is dead.
func (z *Set) objectsFirst() bool {
	return len(z.members) > z.cfg.Follow && !z.world().Loaded && time.Since(z.began) < objectsWait
}

// objectsWait is how long that may be.
const objectsWait = 2 * time.Second

// isLooked says whether somebody looks at a zone right now.
func isLooked(m *member, looked map[string]time.Time) bool {
	return time.Since(looked[m.name]) < time.Second
}

// promote watches a zone from now on.
func (z *Set) promote(m *member) {
	zone, err := m.open()
	if err != nil {
		z.failed(m, err)
		return
	}
	m.followed, m.fails = true, 0
	z.Add(zone, m.writes)
}

// demote watches a zone no longer; what was known stays, but its rows.
func (z *Set) demote(m *member) {
	l, now := z.loops[m.name], z.Now()
	l.stop()
	delete(z.loops, m.name)
	m.followed, m.due, m.readAt, m.oldSince = false, time.Now(), time.Time{}, time.Time{}
	st := z.states[m.name]
	z.Changed()
	if st == nil || st.DB == nil {
		if m.last != nil {
			z.states[m.name] = m.last
		} else {
			z.states[m.name] = z.blank(m)
		}
		return
	}
	next := *st
	next.DB, next.Rows, next.Pending, next.Paused = nil, st.DB.Len(), 0, ""
	next.Steps, next.Changed = l.first+st.Steps-1, z.changes
	next.Policies = z.keep.policies(trimmed(st.Policies))
	if st.Current() {
		next.Conn, next.ConnAt, next.SyncedAt = model.ConnSwept, now, now
		m.reads++
		m.readAt = time.Now()
		m.due = m.readAt.Add(z.cfg.Sweep.TTL)
	}
	m.last = &next
	z.states[m.name] = &next
}

// arrived takes in what a followed zone's reconciler published. Until its rows
// were read, what was known before stays on screen.
func (z *Set) arrived(l *zoneLoop, st *model.ZoneState) {
	if z.loops[st.Name] != l {
		return // it was dropped meanwhile
	}
	z.Changed()
	m := z.members[st.Name]
	if m != nil && m.named != nil {
		if name := nameOf(st.DB); name != "" {
			m.named(name)
			return
		}
	}
	if m == nil || st.DB != nil || m.last == nil {
		if m != nil && st.DB != nil {
			m.last = nil
		}
		z.states[st.Name] = st
		return
	}
	next := *m.last
	next.Endpoint, next.Writes = st.Endpoint, st.Writes
	if st.Conn == model.ConnLost || st.Conn == model.ConnDenied {
		next.Conn, next.ConnAt, next.Error, next.Attempts = st.Conn, st.ConnAt, st.Error, st.Attempts
	}
	z.states[st.Name] = &next
}

// failed books a zone that could not be opened or read; it backs off.
func (z *Set) failed(m *member, err error) {
	m.fails++
	m.due = time.Now().Add(retry.After(m.fails, time.Second, z.cfg.Sweep.TTL))
	next := z.blank(m)
	if m.last != nil {
		*next = *m.last
	}
	conn := connOf(err)
	if next.Conn != conn {
		next.Conn, next.ConnAt = conn, z.Now()
	}
	next.Error, next.Attempts = clean.Text(err.Error()), m.fails
	m.last = next
	if !m.followed {
		z.states[m.name] = next
		z.Changed()
	}
}

package zones

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
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
	// onNamed, where set, makes a zone of the member that is called by its address,
	// once its database has a name.
	onNamed func(name string)

	// lastState is the state that the last read found, or the one known when the zone was
	// followed last; it stays on screen until the followed zone's rows are there.
	lastState *model.ZoneState
	reading   bool
	reads     int       // successful, since it was first known
	fails     int       // in a row
	dueAt     time.Time // of the next read, by the process's clock
	readAt    time.Time // of the last read, by the process's clock
	rereads   bool      // the last read was to look at a difference again
	oldSince  time.Time // since when its desired rows are others than those it was judged by
	connSince time.Time
}

// addMember takes a zone in; what becomes of it, rankMembers says.
func (z *Set) addMember(m *member) {
	if z.members[m.name] != nil {
		return
	}
	z.members[m.name] = m
	m.connSince = z.Now()
	z.states[m.name] = z.unreadState(m)
	z.MarkChanged()
}

// removeMember ends a zone.
func (z *Set) removeMember(name string) {
	if l := z.loops[name]; l != nil {
		l.stop()
		delete(z.loops, name)
	}
	delete(z.members, name)
	delete(z.states, name)
	z.looks.forgetZone(name)
	z.reports.ForgetZone(name)
}

// unreadState is the state of a zone that was not read yet.
func (z *Set) unreadState(m *member) *model.ZoneState {
	return &model.ZoneState{Name: m.name, Conn: model.ConnStarting, ConnAt: m.connSince, Writes: m.writes}
}

// rankMembers follows the zones that come first, up to the limit, and sweeps the others.
func (z *Set) rankMembers() {
	if z.objectsFirst() {
		z.scheduleReads()
		return
	}
	looked := z.looks.TimesOf(func(name string) bool { return z.members[name] != nil })
	ranked := make([]*member, 0, len(z.members))
	for _, m := range z.members {
		ranked = append(ranked, m)
	}
	slices.SortFunc(ranked, func(a, b *member) int {
		return cmp.Or(compareTrueFirst(a.writes, b.writes), looked[b.name].Compare(looked[a.name]),
			compareTrueFirst(a.early, b.early), strings.Compare(a.name, b.name))
	})
	limit := z.cfg.Follow
	for i, m := range ranked {
		if m.followed && i >= limit && !m.writes {
			z.stopFollowing(m)
		}
	}
	for i, m := range ranked {
		// One that could not be opened is tried again when its time has come.
		if !m.followed && (i < limit || m.writes) && (m.fails == 0 || isLooked(m, looked) || !time.Now().Before(m.dueAt)) {
			z.startFollowing(m)
		}
	}
	z.scheduleReads()
}

// compareTrueFirst orders what is before what is not.
func compareTrueFirst(a, b bool) int {
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
	return len(z.members) > z.cfg.Follow && !z.world().Loaded && time.Since(z.begunAt) < objectsWait
}

// objectsWait is how long that may be.
const objectsWait = 2 * time.Second

// isLooked says whether somebody looks at a zone right now.
func isLooked(m *member, looked map[string]time.Time) bool {
	return time.Since(looked[m.name]) < time.Second
}

// startFollowing watches a zone from now on.
func (z *Set) startFollowing(m *member) {
	zone, err := m.open()
	if err != nil {
		z.bookFailure(m, err)
		return
	}
	m.followed, m.fails = true, 0
	z.AddZone(zone, m.writes)
}

// stopFollowing watches a zone no longer; what was known stays, but its rows.
func (z *Set) stopFollowing(m *member) {
	l, now := z.loops[m.name], z.Now()
	l.stop()
	delete(z.loops, m.name)
	m.followed, m.dueAt, m.readAt, m.oldSince = false, time.Now(), time.Time{}, time.Time{}
	st := z.states[m.name]
	z.MarkChanged()
	if st == nil || st.DB == nil {
		if m.lastState != nil {
			z.states[m.name] = m.lastState
		} else {
			z.states[m.name] = z.unreadState(m)
		}
		return
	}
	next := *st
	next.DB, next.Rows, next.Pending, next.Paused = nil, st.DB.Len(), 0, ""
	next.Steps, next.Changed = l.firstStep+st.Steps-1, z.changes
	next.Policies = z.keep.sharedPolicies(trimDifferences(st.Policies))
	if st.IsCurrent() {
		next.Conn, next.ConnAt, next.SyncedAt = model.ConnSwept, now, now
		m.reads++
		m.readAt = time.Now()
		m.dueAt = m.readAt.Add(z.cfg.Sweep.TTL)
	}
	m.lastState = &next
	z.states[m.name] = &next
}

// takeState takes in what a followed zone's reconciler published. Until its rows
// were read, what was known before stays on screen.
func (z *Set) takeState(l *zoneLoop, st *model.ZoneState) {
	if z.loops[st.Name] != l {
		return // it was dropped meanwhile
	}
	z.MarkChanged()
	m := z.members[st.Name]
	if m != nil && m.onNamed != nil {
		if name := nameOf(st.DB); name != "" {
			m.onNamed(name)
			return
		}
	}
	if m != nil && m.onNamed != nil && st.Conn == model.ConnDialling && st.Attempts > 0 {
		failed := *st
		failed.Conn = model.ConnLost // without an answer there is no zone to wait for
		st = &failed
	}
	if m == nil || st.DB != nil || m.lastState == nil {
		if m != nil && st.DB != nil {
			m.lastState = nil
		}
		z.states[st.Name] = st
		return
	}
	next := *m.lastState
	next.Endpoint, next.Writes = st.Endpoint, st.Writes
	if st.Conn == model.ConnLost || st.Conn == model.ConnDenied {
		next.Conn, next.ConnAt, next.Error, next.Attempts = st.Conn, st.ConnAt, st.Error, st.Attempts
	}
	z.states[st.Name] = &next
}

// bookFailure books a zone that could not be opened or read; it backs off.
func (z *Set) bookFailure(m *member, err error) {
	m.fails++
	m.dueAt = time.Now().Add(retry.WaitAfter(m.fails, time.Second, z.cfg.Sweep.TTL))
	next := z.unreadState(m)
	if m.lastState != nil {
		*next = *m.lastState
	}
	conn := connOf(err)
	if next.Conn != conn {
		next.Conn, next.ConnAt = conn, z.Now()
	}
	next.Error, next.Attempts = words.CleanText(err.Error()), m.fails
	m.lastState = next
	if !m.followed {
		z.states[m.name] = next
		z.MarkChanged()
	}
}

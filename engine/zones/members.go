package zones

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/reconciler"
	"rung/sources/retry"
)

// member is a zone that is followed or swept, depending on its rank. The engine's loop owns it.
type member struct {
	name          string
	open          func() (reconciler.Zone, error)
	writes        bool // Rung writes it: always followed
	early         bool // control plane: ranks before others nobody looks at
	belongsToNode bool // exists as long as its Node
	followed      bool
	// onNamed, if set, renames a member called by its address, once its database tells the name.
	onNamed func(name string)

	// lastState is the state of the last read, or the last one as a followed zone; it stays on screen until
	// the followed zone's rows arrive.
	lastState *model.ZoneState
	reading   bool
	reads     int       // successful, since it was added
	fails     int       // in a row
	dueAt     time.Time // next read, by the process's clock
	readAt    time.Time // last read, by the process's clock
	rereads   bool      // the last read checked a difference again
	oldSince  time.Time // since when its desired rows differ from those it was judged by
	connSince time.Time
}

// addMember adds a zone; rankMembers then follows or sweeps it.
func (z *Set) addMember(m *member) {
	if z.members[m.name] != nil {
		return
	}
	z.members[m.name] = m
	m.connSince = z.Now()
	z.states[m.name] = z.unreadState(m)
	z.MarkChanged()
	if z.agents.isReported(m.name) {
		z.agents.showReport(m.name, true)
	}
}

// removeMember ends and removes a zone.
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

// unreadState returns the state of a zone not read yet.
func (z *Set) unreadState(m *member) *model.ZoneState {
	return &model.ZoneState{Name: m.name, Conn: model.ConnStarting, ConnAt: m.connSince, Writes: m.writes}
}

// rankMembers follows the zones that rank first, up to the limit, and sweeps the others.
func (z *Set) rankMembers() {
	// Reading the rows of many zones would delay the ladder. The wait is short, since rows are useful even
	// without an API server.
	if len(z.members) > z.cfg.Follow && !z.world().Loaded && time.Since(z.begunAt) < objectsWait {
		z.scheduleReads()
		return
	}
	if z.agents.awaitsReports() {
		z.sweepAlarm.Set(objectsWait)
		return
	}
	looked := z.looks.RetainTimes(func(name string) bool { return z.members[name] != nil })
	ranked := make([]*member, 0, len(z.members))
	for _, m := range z.members {
		ranked = append(ranked, m)
	}
	slices.SortFunc(ranked, func(a, b *member) int {
		return cmp.Or(model.FalseFirst(b.writes, a.writes), looked[b.name].Compare(looked[a.name]),
			model.FalseFirst(b.early, a.early), strings.Compare(a.name, b.name))
	})
	limit := z.cfg.Follow
	follows := func(i int, m *member) bool {
		return m.writes || i < limit && (!looked[m.name].IsZero() || !z.agents.isReported(m.name))
	}
	for i, m := range ranked {
		if m.followed && !follows(i, m) {
			z.stopFollowing(m)
		}
	}
	for i, m := range ranked {
		// A zone that failed to open is tried again when due.
		isLooked := time.Since(looked[m.name]) < time.Second
		if !m.followed && follows(i, m) && (m.fails == 0 || isLooked || !time.Now().Before(m.dueAt)) {
			z.startFollowing(m)
		}
	}
	z.scheduleReads()
}

// objectsWait bounds how long following waits for the objects.
const objectsWait = 2 * time.Second

// startFollowing begins to watch a zone.
func (z *Set) startFollowing(m *member) {
	zone, err := m.open()
	if err != nil {
		z.recordFailure(m, err)
		return
	}
	m.followed, m.fails = true, 0
	z.AddZone(zone, m.writes)
}

// stopFollowing stops watching a zone; its state stays known, without its rows.
func (z *Set) stopFollowing(m *member) {
	l, now := z.loops[m.name], z.Now()
	l.stop()
	delete(z.loops, m.name)
	m.followed, m.dueAt, m.readAt, m.oldSince = false, time.Now(), time.Time{}, time.Time{}
	st := z.states[m.name]
	z.MarkChanged()
	if st == nil || st.DB == nil {
		z.states[m.name] = cmp.Or(m.lastState, z.unreadState(m))
		if z.agents.isReported(m.name) {
			z.agents.showReport(m.name, true)
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
	if z.agents.isReported(m.name) {
		z.agents.showReport(m.name, true)
	}
}

// takeState takes a followed zone's state from its reconciler. Until its rows were read, the earlier state
// stays on screen.
func (z *Set) takeState(l *zoneLoop, st *model.ZoneState) {
	if z.loops[st.Name] != l {
		return // dropped meanwhile
	}
	z.MarkChanged()
	m := z.members[st.Name]
	if m != nil && m.onNamed != nil {
		if name := zoneNameInDB(st.DB); name != "" {
			m.onNamed(name)
			return
		}
		if st.Conn == model.ConnDialling && st.Attempts > 0 {
			failed := *st
			failed.Conn = model.ConnLost // without an answer there is nothing to wait for
			st = &failed
		}
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

// recordFailure records that a zone could not be opened or read, and delays the next attempt.
func (z *Set) recordFailure(m *member, err error) {
	m.fails++
	m.dueAt = time.Now().Add(retry.WaitAfter(m.fails, time.Second, z.cfg.Sweep.TTL))
	next := *cmp.Or(m.lastState, z.unreadState(m))
	conn := words.Choose(errors.Is(err, fs.ErrPermission), model.ConnDenied, model.ConnLost)
	if next.Conn != conn {
		next.Conn, next.ConnAt = conn, z.Now()
	}
	next.Error, next.Attempts = words.CleanText(err.Error()), m.fails
	if z.agents != nil && z.agents.reports[m.name] != nil && !z.agents.isReported(m.name) {
		next.Error = z.agents.whyNotFresh(m.name) + "; " + next.Error
	}
	m.lastState = &next
	if !m.followed {
		z.states[m.name] = &next
		z.MarkChanged()
	}
}

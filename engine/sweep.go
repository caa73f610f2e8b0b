package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/reconciler/tracker"
	"rung/revision"
)

// zoneReader is a zone that can be read once, without being watched. One that
// cannot is watched until its rows are there.
type zoneReader interface {
	Read(ctx context.Context) (*nb.DB, error)
}

const (
	// sweepTimeout bounds one read of a zone.
	sweepTimeout = 30 * time.Second
	// sweepMin is the part of the TTL that a zone rests at least, however often
	// its desired rows change.
	sweepMin = 4
)

// sight is what a read of a zone found.
type sight struct {
	name    string // that the database has
	state   *model.ZoneState
	dialect *dialect.Dialect
	err     error
}

// schedule reads the swept zones whose time has come, a few at once, and wakes
// up when the next one's has.
func (z *zoneSet) schedule(s *state) {
	s.alarms.sweep.Stop()
	if !s.allLoaded() || s.Context().Err() != nil {
		return
	}
	now := time.Now()
	wake := time.Duration(-1)
	for z.running < s.e.cfg.Sweep.Parallel {
		m, in := z.nextDue(s, now)
		if m == nil {
			wake = in
			break
		}
		z.read(s, m)
	}
	if wake >= 0 {
		s.alarms.sweep.Set(wake)
	}
}

// nextDue is the swept zone to read next, or how long there is none; negative for
// ever.
func (z *zoneSet) nextDue(s *state, now time.Time) (next *zoneMember, in time.Duration) {
	in = -1
	var at time.Time
	for _, m := range z.members {
		if m.followed || m.reading {
			continue
		}
		if due := z.dueAt(s, m, now); next == nil || due.Before(at) || due.Equal(at) && m.name < next.name {
			next, at = m, due
		}
	}
	if next != nil && at.After(now) {
		return nil, at.Sub(now)
	}
	return next, in
}

// dueAt is when a zone is to be read: once its last read is old, or sooner when
// its desired rows changed, after the time that the controller has for it.
func (z *zoneSet) dueAt(s *state, m *zoneMember, now time.Time) time.Time {
	if m.fails > 0 || m.last == nil || z.changes.Newest(m.name).Step <= m.last.Steps {
		return m.due
	}
	if m.oldSince.IsZero() {
		m.oldSince = now
	}
	due := m.oldSince.Add(model.SettleTime)
	if rest := m.readAt.Add(s.e.cfg.Sweep.TTL / sweepMin); rest.After(due) {
		due = rest
	}
	if m.due.Before(due) {
		return m.due
	}
	return due
}

// read starts a read of a zone.
func (z *zoneSet) read(s *state, m *zoneMember) {
	zone, err := m.open()
	if err != nil {
		z.failed(s, m, err)
		return
	}
	var before model.ZoneState
	if m.last != nil {
		before = *m.last
	}
	e := s.e
	m.reading = true
	z.running++
	if !e.loop.Go(func() {
		got := z.sweep(zone, m.name, &before)
		e.send(func(s *state) { z.swept(s, m, got) })
	}) {
		m.reading = false
		z.running--
	}
}

// sweep reads a zone and judges its rows by what is desired now.
func (z *zoneSet) sweep(zone reconciler.Zone, name string, before *model.ZoneState) (out sight) {
	e := z.e
	ctx, cancel := context.WithTimeout(e.loop.Context(), sweepTimeout)
	defer cancel()
	at := e.Now() // the rows are not older
	db, server, err := readOnce(ctx, zone)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("reading zone %s: not answering within %v", name, sweepTimeout)
		}
		return sight{err: err}
	}
	if server == "" {
		server = before.Server
	}
	out.name = nameOf(db)
	e.slots.Take(func() {
		out.dialect = e.infer(db)
		l, step, changes := e.differs.newest()
		found := l.Diff(tracker.ZoneRead{Zone: name, DB: db, At: at, Before: before.Policies,
			Changed: func(k model.PolicyKey) time.Time { return changes.Last(name, k).At }})
		out.state = &model.ZoneState{Name: name, Endpoint: zone.Endpoint(), Server: server, Conn: model.ConnSwept, ConnAt: at,
			SyncedAt: at,
			Policies: e.keep.policies(trimmed(found)), Rows: db.Len(), Steps: step, Changed: changes}
	})
	return out
}

// readOnce reads a zone's rows once.
func readOnce(ctx context.Context, zone reconciler.Zone) (db *nb.DB, server string, err error) {
	if r, ok := zone.(zoneReader); ok {
		db, err := r.Read(ctx)
		return db, "", err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	why := ""
	zone.Run(ctx, func(u model.ZoneUpdate) {
		if u.DB != nil && db == nil {
			db, server = u.DB, u.Server
			cancel()
		}
		if why = u.Error; u.Attempts > 0 && why != "" {
			cancel() // it would try for ever
		}
	})
	switch {
	case db != nil:
		return db, server, nil
	case why != "":
		return nil, "", errors.New(why)
	}
	return nil, "", fmt.Errorf("reading zone %s: %w", zone.Name(), ctx.Err())
}

// swept takes in what a read found.
func (z *zoneSet) swept(s *state, m *zoneMember, got sight) {
	m.reading = false
	z.running--
	defer z.rank(s) // a place may be free, and others are due
	if z.members[m.name] != m {
		return // its node went meanwhile
	}
	if m.followed && m.last == nil {
		return // watched meanwhile, and its rows are there
	}
	if got.err != nil {
		z.failed(s, m, got.err)
		return
	}
	if m.named != nil && got.name != "" {
		m.named(s, got.name)
		return
	}
	st := got.state
	m.last, m.fails, m.oldSince, m.readAt = st, 0, time.Time{}, time.Now()
	m.reads++
	again := wait.Jitter(s.e.cfg.Sweep.TTL*9/10, 0.1) // so that zones do not come all at once
	if in := settlesIn(st); in > 0 {
		// Not twice in a row: it must not take the others' turn for ever.
		if m.again {
			in = max(in, s.e.cfg.Sweep.TTL/sweepMin)
		}
		again = min(again, in)
		m.again = !m.again
	} else {
		m.again = false
	}
	m.due = m.readAt.Add(again)
	s.zones[m.name] = st
	s.Changed()
	s.dialectOf(m.name, got.dialect)
	if s.outdatedByDialect(st) {
		m.due = time.Now() // read while the options changed
	}
	z.forgetSteps()
}

// settlesIn is how long after its read a zone is to be read again, because a
// difference is new or was too young to judge; zero when none was.
func settlesIn(st *model.ZoneState) (in time.Duration) {
	const after = model.SettleTime + 100*time.Millisecond
	for _, p := range st.Policies {
		switch {
		case p.State(st, st.SyncedAt) == model.StateSettling:
			in = max(in, after-st.SyncedAt.Sub(p.Touched))
		case p.DiffSince.Equal(st.SyncedAt):
			in = after
		}
	}
	return in
}

// sweepState counts for a revision.
func (z *zoneSet) sweepState() revision.SweepState {
	var out revision.SweepState
	round := -1
	unread := false
	for _, m := range z.members {
		if m.followed {
			continue
		}
		out.Total++
		if m.fails > 0 {
			out.Failed++
		} else if round < 0 || m.reads < round {
			round = m.reads
		}
		if m.last == nil || m.last.SyncedAt.IsZero() {
			unread = true
			continue
		}
		out.Read++
		if out.Oldest.IsZero() || m.last.SyncedAt.Before(out.Oldest) {
			out.Oldest = m.last.SyncedAt
		}
	}
	if out.Round = max(round, 0); unread {
		out.Oldest = time.Time{}
	}
	return out
}

// connOf is the state of a zone that could not be read.
func connOf(err error) model.ConnState {
	if errors.Is(err, fs.ErrPermission) {
		return model.ConnDenied
	}
	return model.ConnLost
}

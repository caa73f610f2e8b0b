package zones

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/reconciler"
	"rung/revision"
)

// zoneReader is a zone that can be read once, without being watched. Other zones are watched until their rows
// arrive.
type zoneReader interface {
	Read(ctx context.Context) (*nb.DB, error)
}

const (
	// sweepTimeout bounds one read of a zone.
	sweepTimeout = 30 * time.Second
	// sweepMin bounds the rest of a swept zone: at least TTL/sweepMin, however often its desired rows change.
	sweepMin = 4
)

// readResult is the result of a read of a zone.
type readResult struct {
	name    string // the database's own
	state   *model.ZoneState
	dialect *dialect.Dialect
	err     error
}

// scheduleReads reads the swept zones that are due, a few at once, and sets the alarm for the next.
func (z *Set) scheduleReads() {
	z.sweepAlarm.Stop()
	if z.agents.awaitsReports() {
		z.sweepAlarm.Set(objectsWait)
		return
	}
	if !z.world().Loaded || z.Context().Err() != nil {
		return
	}
	now := time.Now()
	for z.readsRunning < z.cfg.Sweep.Parallel {
		m, in := z.nextDue(now)
		if m == nil {
			if in >= 0 {
				z.sweepAlarm.Set(in)
			}
			return
		}
		z.startRead(m)
	}
}

// nextDue returns the swept zone to read next, or the time until one is due; negative for never.
func (z *Set) nextDue(now time.Time) (next *member, in time.Duration) {
	in = -1
	var at time.Time
	for _, m := range z.members {
		if m.followed || m.reading {
			continue
		}
		if due := z.dueAt(m, now); next == nil || due.Before(at) || due.Equal(at) && m.name < next.name {
			next, at = m, due
		}
	}
	if next != nil && at.After(now) {
		return nil, at.Sub(now)
	}
	return next, in
}

// dueAt returns when to read a zone: once its last read is old. If its desired rows changed it is sooner, but
// leaves the controller time to write them.
func (z *Set) dueAt(m *member, now time.Time) time.Time {
	if m.fails > 0 || m.lastState == nil || z.changes.NewestStep(m.name).Step <= m.lastState.Steps {
		return m.dueAt
	}
	if m.oldSince.IsZero() {
		m.oldSince = now
	}
	due := m.oldSince.Add(model.SettleTime)
	if rest := m.readAt.Add(z.cfg.Sweep.TTL / sweepMin); rest.After(due) {
		due = rest
	}
	return words.Choose(m.dueAt.Before(due), m.dueAt, due)
}

// startRead begins a read of a zone.
func (z *Set) startRead(m *member) {
	zone, err := m.open()
	if err != nil {
		z.recordFailure(m, err)
		return
	}
	var before model.ZoneState
	if m.lastState != nil {
		before = *m.lastState
	}
	m.reading = true
	z.readsRunning++
	if !z.Go(func() {
		got := z.readZone(zone, m.name, &before)
		z.Send(func() { z.takeSwept(m, got) })
	}) {
		m.reading = false
		z.readsRunning--
	}
}

// readZone reads a zone and judges its rows by the newest desired rows.
func (z *Set) readZone(zone reconciler.Zone, name string, before *model.ZoneState) (out readResult) {
	ctx, cancel := context.WithTimeout(z.Context(), sweepTimeout)
	defer cancel()
	at := z.Now() // rows are not older
	db, server, err := readOnce(ctx, zone)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("reading zone %s: not answering within %v", name, sweepTimeout)
		}
		return readResult{err: err}
	}
	out.name = zoneNameInDB(db)
	defer z.cfg.Slots.TakeSlot()()
	out.dialect = z.dialects.InferDialect(db)
	l, step, changes := z.differs.newestDiffer()
	found := l.JudgeZone(reconciler.ZoneRead{Zone: name, DB: db, At: at, Before: before.Policies,
		Changed: func(k model.PolicyKey) time.Time { return changes.LastStep(name, k).At }})
	out.state = &model.ZoneState{Name: name, Endpoint: zone.Endpoint(), Server: cmp.Or(server, before.Server), Conn: model.ConnSwept,
		ConnAt: at, SyncedAt: at,
		Policies: z.keep.sharedPolicies(trimDifferences(found)), Rows: db.Len(), Steps: step, Changed: changes}
	out.state.Writer, out.state.Epoch = reconciler.HolderIn(db)
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
		why = u.Error
		if u.Attempts > 0 && why != "" {
			cancel() // it would try forever
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

// takeSwept takes the result of a read.
func (z *Set) takeSwept(m *member, got readResult) {
	m.reading = false
	z.readsRunning--
	defer z.rankMembers() // a follow slot may be free, and others are due
	if z.members[m.name] != m {
		return // its node was deleted meanwhile
	}
	if z.agents.isReported(m.name) {
		return // its agent speaks for it since
	}
	if m.followed && m.lastState == nil {
		return // followed meanwhile, and its rows are there
	}
	if got.err != nil {
		z.recordFailure(m, got.err)
		return
	}
	if m.onNamed != nil && got.name != "" {
		m.onNamed(got.name)
		return
	}
	st := got.state
	m.lastState, m.fails, m.oldSince, m.readAt = st, 0, time.Time{}, time.Now()
	m.reads++
	again := wait.Jitter(z.cfg.Sweep.TTL*9/10, 0.1) // jitter, so that reads do not come all at once
	if in := rereadIn(st); in > 0 {
		// Not twice in a row, or it would take the others' turn forever.
		if m.rereads {
			in = max(in, z.cfg.Sweep.TTL/sweepMin)
		}
		again = min(again, in)
		m.rereads = !m.rereads
	} else {
		m.rereads = false
	}
	m.dueAt = m.readAt.Add(again)
	z.states[m.name] = st
	z.MarkChanged()
	z.dialects.takeDialect(m.name, got.dialect)
	if z.dialects.IsOutdated(st) {
		m.dueAt = time.Now() // read while the options changed
	}
	z.forgetSteps()
}

// rereadIn returns how long after its read to read a zone again, because a difference is new or was too young
// to judge; zero if none was.
func rereadIn(st *model.ZoneState) (in time.Duration) {
	const after = model.SettleTime + 100*time.Millisecond
	for _, p := range st.Policies {
		switch {
		case p.StateAt(st, st.SyncedAt) == model.StateSettling:
			in = max(in, after-st.SyncedAt.Sub(p.Touched))
		case p.DiffSince.Equal(st.SyncedAt):
			in = after
		}
	}
	return in
}

// SweepCounts counts the swept zones for a revision.
func (z *Set) SweepCounts() revision.SweepState {
	var out revision.SweepState
	round := -1
	for _, m := range z.members {
		if m.followed {
			continue
		}
		if st := z.states[m.name]; st != nil && st.Agent != "" {
			out.Reported++
			if out.OldestReport.IsZero() || st.SyncedAt.Before(out.OldestReport) {
				out.OldestReport = st.SyncedAt
			}
			continue
		}
		out.Total++
		if m.fails > 0 {
			out.Failed++
		} else if round < 0 || m.reads < round {
			round = m.reads
		}
		if m.lastState == nil || m.lastState.SyncedAt.IsZero() {
			continue
		}
		out.Read++
		if out.Oldest.IsZero() || m.lastState.SyncedAt.Before(out.Oldest) {
			out.Oldest = m.lastState.SyncedAt
		}
	}
	out.Round = max(round, 0)
	if out.Read < out.Total {
		out.Oldest = time.Time{}
	}
	return out
}

// RereadSwept makes the swept zones due, because they were judged by other desired rows. It is for the loop.
func (z *Set) RereadSwept() {
	for _, m := range z.members {
		if !m.followed && m.lastState != nil && m.fails == 0 {
			m.dueAt = time.Now()
		}
	}
	if len(z.members) > 0 {
		z.scheduleReads()
	}
}

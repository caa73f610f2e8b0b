package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"rung/engine/loop"
	"rung/model"
	"rung/model/clean"
	"rung/model/ovn/nb"
	"rung/model/ovn/sb"
	"rung/revision"
	"rung/sources/nbdb"
	"rung/sources/nbdb/dbfile"
	"rung/sources/nbdb/remote"
	"rung/sources/retry"
)

// flowLinger is how long a zone's Southbound database is followed after somebody looked
// at its flows last: going from a rule to a row and back reads nothing again.
const flowLinger = 30 * time.Second

// southSource is a connection to a Southbound database. Run is called once.
type southSource interface {
	Run(ctx context.Context, sink func(nbdb.SouthboundUpdate))
}

// southSet holds the Southbound databases: it follows those whose flows are wanted. It is
// a part of state: the loop's alone.
type southSet struct {
	e      *Engine
	states map[string]*revision.Southbound
	loops  map[string]*southLoop
	limit  *nbdb.Limiter // their own: zones do not wait for them
	view   []*revision.Southbound
	counts map[string]revision.Count
	// sandbox are the addresses of those of the sandbox's zones.
	sandbox map[string]string
}

// southLoop is a database that is followed.
type southLoop struct{ stop context.CancelFunc }

func newSouthSet(e *Engine) *southSet {
	return &southSet{e: e, states: map[string]*revision.Southbound{}, loops: map[string]*southLoop{},
		limit: nbdb.NewLimiter(nbdb.DefaultDials), counts: map[string]revision.Count{},
		sandbox: map[string]string{}}
}

// LookAtFlows says of which zones somebody looks at the logical flows now. Their
// Southbound databases are followed from then on, and some time longer. Like LookAt it
// does not wait, and a page may call it for every frame.
func (e *Engine) LookAtFlows(zones ...string) { e.flowLooks.note(zones) }

// runFlowLooks follows what somebody began to look at, and shows which of the sandbox's
// processes run.
func (e *Engine) runFlowLooks() {
	for {
		select {
		case <-e.loop.Context().Done():
			return
		case <-e.flowLooks.news:
			e.do(func(s *state) { s.south.sync(s) })
		case <-e.daemons.news:
			e.do(func(s *state) { s.Changed() })
		}
	}
}

// place is where a zone's Southbound database is, and how it is reached.
func (w *southSet) place(s *state, zone string) (endpoint string, open func() southSource) {
	addr, ok := s.e.cfg.SB[zone]
	if !ok && len(s.zones) == 1 {
		addr, ok = s.e.cfg.SB[""]
	}
	if !ok {
		addr = w.sandbox[zone]
	}
	if z := s.zones[zone]; addr == "" && z != nil && isFile(z.Endpoint) {
		addr = dbfile.SouthboundBeside(z.Endpoint)
	}
	if addr != "" {
		return clean.Text(addr), func() southSource { return s.e.openSB(zone, addr, w.limit) }
	}
	if m := s.set.members[zone]; s.e.cfg.ExecZones && m != nil && m.ofNode {
		return "exec:" + clean.Text(zone), func() southSource {
			return remote.DialSouthbound(remote.Config{Name: zone, Limit: w.limit, Slot: s.e.slots.Take, Open: s.e.inZonePod(zone)})
		}
	}
	return "", nil
}

// openSB makes the connection to a Southbound database of an address.
func (e *Engine) openSB(zone, addr string, limit *nbdb.Limiter) southSource {
	if path, ok := dbfile.Path(addr); ok {
		return dbfile.NewSouthbound(dbfile.ZoneConfig{Name: zone, Path: path, Slot: e.slots.Take, Options: dbfile.Options{Archives: e.archives}})
	}
	return nbdb.DialSouthbound(nbdb.Config{Name: zone, Addr: addr, TLS: e.cfg.NBTLS, Limit: limit, Slot: e.slots.Take})
}

// sync follows what is wanted of the zones there are, and lets go of the rest.
func (w *southSet) sync(s *state) {
	looked := s.e.flowLooks.of(func(zone string) bool { return s.zones[zone] != nil })
	now := time.Now()
	var next time.Duration
	for zone := range s.zones {
		endpoint, open := w.place(s, zone)
		if open == nil {
			w.forget(s, zone)
			continue
		}
		wanted := s.e.cfg.Flows != nil && s.e.cfg.Flows(zone)
		if left := flowLinger - now.Sub(looked[zone]); left > 0 && !wanted {
			wanted = true
			if next == 0 || left < next {
				next = left
			}
		}
		st := w.states[zone]
		switch {
		case st == nil || st.Endpoint != endpoint, !wanted && st.Followed:
			w.forget(s, zone)
			st = &revision.Southbound{Zone: zone, Endpoint: endpoint, Conn: model.ConnStarting, ConnAt: s.Now()}
			w.states[zone], w.view = st, nil
			s.Changed()
		}
		if wanted && !st.Followed {
			w.follow(s, zone, open())
		}
	}
	for zone := range w.states {
		if s.zones[zone] == nil {
			w.forget(s, zone)
			delete(w.counts, zone)
		}
	}
	if s.alarms.flows.Stop(); next > 0 {
		s.alarms.flows.Set(next + loop.Slack)
	}
}

// forget lets go of a database.
func (w *southSet) forget(s *state, zone string) {
	if l := w.loops[zone]; l != nil {
		l.stop()
		delete(w.loops, zone)
	}
	if w.states[zone] != nil {
		delete(w.states, zone)
		w.view = nil
		s.Changed()
	}
}

// follow starts reading a database.
func (w *southSet) follow(s *state, zone string, src southSource) {
	l := &southLoop{}
	var ctx context.Context
	ctx, l.stop = context.WithCancel(w.e.loop.Context())
	st := *w.states[zone]
	st.Followed, st.Conn, st.ConnAt = true, model.ConnDialling, w.e.Now()
	w.states[zone], w.loops[zone] = &st, l
	w.view = nil
	s.Changed()
	if !w.e.loop.Go(func() {
		src.Run(ctx, func(u nbdb.SouthboundUpdate) {
			w.e.send(func(s *state) { w.arrived(s, zone, l, u) })
		})
	}) {
		l.stop()
	}
}

// arrived takes in what a connection delivered.
func (w *southSet) arrived(s *state, zone string, l *southLoop, u nbdb.SouthboundUpdate) {
	if w.loops[zone] != l {
		return // nobody wants it any more
	}
	next := *w.states[zone]
	if next.Conn != u.Conn {
		next.Conn, next.ConnAt = u.Conn, s.Now()
	}
	next.Error, next.Attempts = u.Error, u.Attempts
	if u.DB != nil {
		next.DB, next.Server, next.SyncedAt = u.DB, u.Server, u.At
	}
	if u.Conn != model.ConnSynced && u.Conn != model.ConnReadOnly && next.SyncedAt.IsZero() {
		next.Joined = nil
	}
	w.states[zone], w.view = &next, nil
	s.Changed()
}

// joined takes in how flows and rows stand to each other.
func (w *southSet) joined(s *state, of *revision.Southbound, next *revision.Southbound) {
	now := w.states[of.Zone]
	if now == nil || !now.Followed {
		return
	}
	st := *now
	st.Rows, st.Joined, st.Late, st.First = next.Rows, next.Joined, next.Late, next.First
	w.states[of.Zone], w.view = &st, nil
	s.Changed()
}

// all are the states for a revision.
func (w *southSet) all() []*revision.Southbound {
	if w.view == nil && len(w.states) > 0 {
		for _, zone := range slices.Sorted(maps.Keys(w.states)) {
			w.view = append(w.view, w.states[zone])
		}
	}
	return w.view
}

// counted notes the numbers of a zone, and since when something is behind.
func (w *southSet) counted(z *model.ZoneState, now time.Time) {
	if z.DB == nil || z.DB.Global() == nil {
		return
	}
	w.counts[z.Name] = w.counts[z.Name].Next(z.DB.Global(), now)
}

// joinPause is the least time between two comparisons of a zone's flows with its rows.
const joinPause = 100 * time.Millisecond

// runFlowJoins holds the rows of zones against their flows, whenever either changed. It
// takes the rows from revisions, so that the loop waits for nothing of it.
func (e *Engine) runFlowJoins() {
	ticks, stop := e.Subscribe()
	defer stop()
	type pair struct {
		rows  *nb.DB
		flows *sb.DB
	}
	done := map[string]pair{}
	for {
		began := time.Now()
		r := e.Revision()
		for _, st := range r.Southbounds {
			z := r.Zone(st.Zone)
			if st.DB == nil || z == nil || z.DB == nil {
				delete(done, st.Zone)
				continue
			}
			if p := (pair{z.DB, st.DB}); p != done[st.Zone] || st.Joined == nil {
				var next *revision.Southbound
				e.slots.Take(func() { next = st.Join(z.DB, e.Now()) })
				done[st.Zone] = p
				if !e.do(func(s *state) { s.south.joined(s, st, next) }) {
					return
				}
			}
		}
		// Others want the cores, too: it works a sixth of the time at most.
		if !retry.Sleep(e.loop.Context(), max(joinPause, 5*time.Since(began))) {
			return
		}
		select {
		case <-e.loop.Context().Done():
			return
		case <-ticks:
		}
	}
}

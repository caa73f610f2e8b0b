package zones

import (
	"context"
	"maps"
	"slices"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/sources/nbdb"
	"rung/sources/retry"
)

// flowLinger is how long a zone's Southbound database is followed after the last look at its flows: going from
// a rule to a row and back reads nothing again.
const flowLinger = 30 * time.Second

// southSource is a connection to a Southbound database. Run is called once.
type southSource interface {
	Run(ctx context.Context, sink func(nbdb.SouthboundUpdate))
}

// SouthboundConfig lists the Southbound databases, except of zones that are files, and selects the zones whose
// flows to follow.
type SouthboundConfig struct {
	// SB holds the addresses by zone; "" means the only zone.
	SB  map[string]string
	TLS nbdb.TLSFiles
	// Pods, if set, has the databases of zones that belong to Nodes.
	Pods *Pods
	// Flows, if set, reports whether a zone's flows are always wanted.
	Flows    func(zone string) bool
	Slots    retry.Slots
	Archives *nbdb.Archives
}

// Southbounds follows the Southbound databases of the zones whose flows somebody needs. Only the loop may use
// it, except where noted.
type Southbounds struct {
	*Loop
	cfg    SouthboundConfig
	zones  *Set
	looks  *ZoneLooks // at logical flows
	states map[string]*revision.Southbound
	loops  map[string]*southLoop
	limit  *nbdb.Limiter // separate, so that zones do not wait for them
	view   []*revision.Southbound
	counts map[string]revision.ProgressCount
	// ownAddresses holds the Southbound addresses of Rung's own zones, by zone.
	ownAddresses map[string]string
	lingerAlarm  *Alarm // nobody looks at a zone's flows any more
}

// southLoop is a followed database.
type southLoop struct{ stop context.CancelFunc }

// NewSouthbounds returns the databases of the zones; Start follows those that somebody looks at.
func NewSouthbounds(l *Loop, cfg SouthboundConfig, z *Set) *Southbounds {
	w := &Southbounds{Loop: l, cfg: cfg, zones: z, looks: NewLooks(), states: map[string]*revision.Southbound{},
		loops: map[string]*southLoop{}, limit: nbdb.NewLimiter(nbdb.DefaultDials), counts: map[string]revision.ProgressCount{},
		ownAddresses: map[string]string{}}
	w.lingerAlarm = l.NewAlarm(w.FollowWanted)
	return w
}

// Start begins to follow the databases that somebody looks at, and to compare flows with rows.
func (w *Southbounds) Start() {
	w.Go(w.runLooks)
	w.Go(w.runJoins)
}

// SetAddress sets the Southbound address of one of Rung's own zones; addr is empty for a deleted zone.
func (w *Southbounds) SetAddress(zone, addr string) { w.ownAddresses[zone] = addr }

// LookAtFlows records that somebody looks at the logical flows of zones now. Their Southbound databases are
// followed from then on, and for a while after. Like LookAt it does not wait, may be called from any
// goroutine, and for every frame of a page.
func (w *Southbounds) LookAtFlows(zones ...string) { w.looks.NoteLooks(zones) }

// runLooks follows databases that somebody began to look at.
func (w *Southbounds) runLooks() {
	for retry.Await(w.Context(), w.looks.News) {
		w.Do(w.FollowWanted)
	}
}

// findEndpoint returns the address of a zone's Southbound database, and a function that connects to it.
func (w *Southbounds) findEndpoint(zone string) (endpoint string, open func() southSource) {
	addr, ok := w.cfg.SB[zone]
	if !ok && len(w.zones.States()) == 1 {
		addr, ok = w.cfg.SB[""]
	}
	if !ok {
		addr = w.ownAddresses[zone]
	}
	if z := w.zones.States()[zone]; addr == "" && z != nil && IsFile(z.Endpoint) {
		addr = nbdb.SouthboundPath(z.Endpoint)
	}
	if addr != "" {
		return words.CleanText(addr), func() southSource { return w.openSource(zone, addr) }
	}
	if w.cfg.Pods != nil && w.zones.BelongsToNode(zone) {
		return "exec:" + words.CleanText(zone), func() southSource {
			return nbdb.DialRemoteSouthbound(nbdb.RemoteConfig{Name: zone, Limit: w.limit, Slot: w.cfg.Slots.TakeSlot,
				Open: w.cfg.Pods.OpenRunner(zone)})
		}
	}
	return "", nil
}

// openSource returns a connection to a Southbound database.
func (w *Southbounds) openSource(zone, addr string) southSource {
	if path, ok := nbdb.AddressPath(addr); ok {
		return nbdb.NewSouthbound(nbdb.ZoneConfig{Name: zone, Path: path, Slot: w.cfg.Slots.TakeSlot,
			Options: nbdb.Options{Archives: w.cfg.Archives}})
	}
	return nbdb.DialSouthbound(nbdb.Config{Name: zone, Addr: addr, TLS: w.cfg.TLS, Limit: w.limit, Slot: w.cfg.Slots.TakeSlot})
}

// FollowWanted follows the wanted databases of existing zones, and drops the rest.
func (w *Southbounds) FollowWanted() {
	here := w.zones.States()
	looked := w.looks.RetainTimes(func(zone string) bool { return here[zone] != nil })
	now := time.Now()
	var next time.Duration
	for zone := range here {
		endpoint, open := w.findEndpoint(zone)
		if open == nil {
			w.forgetDatabase(zone)
			continue
		}
		wanted := w.cfg.Flows != nil && w.cfg.Flows(zone)
		if left := flowLinger - now.Sub(looked[zone]); left > 0 && !wanted {
			wanted = true
			if next == 0 || left < next {
				next = left
			}
		}
		st := w.states[zone]
		if st == nil || st.Endpoint != endpoint || !wanted && st.Followed {
			w.forgetDatabase(zone)
			st = &revision.Southbound{Zone: zone, Endpoint: endpoint, Conn: model.ConnStarting, ConnAt: w.Now()}
			w.setState(zone, st)
		}
		if wanted && !st.Followed {
			w.followDatabase(zone, open())
		}
	}
	for zone := range w.states {
		if here[zone] == nil {
			w.forgetDatabase(zone)
			delete(w.counts, zone)
		}
	}
	w.lingerAlarm.Stop()
	if next > 0 {
		w.lingerAlarm.Set(next + DueTolerance)
	}
}

// forgetDatabase drops a database.
func (w *Southbounds) forgetDatabase(zone string) {
	if l := w.loops[zone]; l != nil {
		l.stop()
		delete(w.loops, zone)
	}
	if w.states[zone] != nil {
		w.setState(zone, nil)
	}
}

// setState replaces the state of a zone's database; nil removes it.
func (w *Southbounds) setState(zone string, st *revision.Southbound) {
	w.states[zone], w.view = st, nil
	if st == nil {
		delete(w.states, zone)
	}
	w.MarkChanged()
}

// followDatabase starts reading a database.
func (w *Southbounds) followDatabase(zone string, src southSource) {
	l := &southLoop{}
	var ctx context.Context
	ctx, l.stop = context.WithCancel(w.Context())
	st := *w.states[zone]
	st.Followed, st.Conn, st.ConnAt = true, model.ConnDialling, w.Now()
	w.loops[zone] = l
	w.setState(zone, &st)
	if !w.Go(func() {
		src.Run(ctx, func(u nbdb.SouthboundUpdate) {
			w.Send(func() { w.takeUpdate(zone, l, u) })
		})
	}) {
		l.stop()
	}
}

// takeUpdate takes an update of a connection.
func (w *Southbounds) takeUpdate(zone string, l *southLoop, u nbdb.SouthboundUpdate) {
	if w.loops[zone] != l {
		return // no longer wanted
	}
	next := *w.states[zone]
	if next.Conn != u.Conn {
		next.Conn, next.ConnAt = u.Conn, w.Now()
	}
	next.Error, next.Attempts = u.Error, u.Attempts
	if u.DB != nil {
		next.DB, next.Server, next.SyncedAt = u.DB, u.Server, u.At
	}
	if u.Conn != model.ConnSynced && u.Conn != model.ConnReadOnly && next.SyncedAt.IsZero() {
		next.Joined = nil
	}
	w.setState(zone, &next)
}

// takeJoined takes the comparison of flows and rows.
func (w *Southbounds) takeJoined(of *revision.Southbound, next *revision.Southbound) {
	now := w.states[of.Zone]
	if now == nil || !now.Followed {
		return
	}
	st := *now
	st.Rows, st.Joined, st.LateSince, st.EarliestLate = next.Rows, next.Joined, next.LateSince, next.EarliestLate
	w.setState(of.Zone, &st)
}

// States returns the states for a revision.
func (w *Southbounds) States() []*revision.Southbound {
	if w.view == nil && len(w.states) > 0 {
		for _, zone := range slices.Sorted(maps.Keys(w.states)) {
			w.view = append(w.view, w.states[zone])
		}
	}
	return w.view
}

// ZoneCounts returns the progress counters of zones, by name.
func (w *Southbounds) ZoneCounts() map[string]revision.ProgressCount { return maps.Clone(w.counts) }

// CountZone records the counters of a zone, and since when something is behind.
func (w *Southbounds) CountZone(z *model.ZoneState, now time.Time) {
	if z.DB != nil && z.DB.Global() != nil {
		w.counts[z.Name] = w.counts[z.Name].Next(z.DB.Global(), now)
	}
}

// joinPause is the shortest time between two comparisons of a zone's flows with its rows.
const joinPause = 100 * time.Millisecond

// runJoins compares the rows of zones with their flows, whenever either changed. It takes the rows from
// revisions, so that the loop does not wait for it.
func (w *Southbounds) runJoins() {
	ticks, stop := w.Subscribe()
	defer stop()
	type pair struct {
		rows  *nb.DB
		flows *flow.DB
	}
	done := map[string]pair{}
	for {
		began := time.Now()
		r := w.Revision()
		for _, st := range r.Southbounds {
			z := r.Zone(st.Zone)
			if st.DB == nil || z == nil || z.DB == nil {
				delete(done, st.Zone)
				continue
			}
			if p := (pair{z.DB, st.DB}); p != done[st.Zone] || st.Joined == nil {
				release := w.cfg.Slots.TakeSlot()
				next := st.JoinFlows(z.DB, w.Now())
				release()
				done[st.Zone] = p
				if !w.Do(func() { w.takeJoined(st, next) }) {
					return
				}
			}
		}
		// Leave cores for others: it works at most a sixth of the time.
		if !retry.Sleep(w.Context(), max(joinPause, 5*time.Since(began))) || !retry.Await(w.Context(), ticks) {
			return
		}
	}
}

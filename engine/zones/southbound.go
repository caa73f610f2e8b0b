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

// flowLinger is how long a zone's Southbound database is followed after somebody looked
// at its flows last: going from a rule to a row and back reads nothing again.
const flowLinger = 30 * time.Second

// southSource is a connection to a Southbound database. Run is called once.
type southSource interface {
	Run(ctx context.Context, sink func(nbdb.SouthboundUpdate))
}

// Config says where Southbound databases are, besides those of zones that are files,
// and whose flows are wanted.
type SouthboundConfig struct {
	// SB are the addresses, by zone; the one under "" is that of the only zone.
	SB  map[string]string
	TLS nbdb.TLSFiles
	// Pods, where set, are where those of zones are read that go with their Nodes.
	Pods *Pods
	// Flows, where set, says of which zones the flows are wanted all the time.
	Flows    func(zone string) bool
	Slots    retry.Slots
	Archives *nbdb.Archives
}

// Southbounds holds the Southbound databases: it follows those whose flows are wanted. It
// is the loop's alone, but for what says otherwise.
type Southbounds struct {
	*Loop
	cfg    SouthboundConfig
	zones  *Set
	looks  *ZoneLooks // at logical flows
	states map[string]*revision.Southbound
	loops  map[string]*southLoop
	limit  *nbdb.Limiter // their own: zones do not wait for them
	view   []*revision.Southbound
	counts map[string]revision.ProgressCount
	// ownAddresses are the addresses of those of Rung's own zones.
	ownAddresses map[string]string
	nobody       *Alarm // looks at a zone's flows any more
}

// southLoop is a database that is followed.
type southLoop struct{ stop context.CancelFunc }

// New makes those of the zones; Start follows what somebody looks at.
func NewSouthbounds(l *Loop, cfg SouthboundConfig, z *Set) *Southbounds {
	w := &Southbounds{Loop: l, cfg: cfg, zones: z, looks: NewLooks(), states: map[string]*revision.Southbound{},
		loops: map[string]*southLoop{}, limit: nbdb.NewLimiter(nbdb.DefaultDials), counts: map[string]revision.ProgressCount{},
		ownAddresses: map[string]string{}}
	w.nobody = l.NewAlarm(w.FollowWanted)
	return w
}

// Start follows what somebody looks at from now on, and holds flows against rows.
func (w *Southbounds) Start() {
	w.Go(w.runLooks)
	w.Go(w.runJoins)
}

// AddressOf says where the database of one of Rung's own zones is; empty for one that is gone.
func (w *Southbounds) AddressOf(zone, addr string) { w.ownAddresses[zone] = addr }

// LookAtFlows says of which zones somebody looks at the logical flows now. Their
// Southbound databases are followed from then on, and some time longer. Like LookAt it
// does not wait, may be called from any goroutine, and for every frame of a page.
func (w *Southbounds) LookAtFlows(zones ...string) { w.looks.NoteLooks(zones) }

// runLooks follows what somebody began to look at.
func (w *Southbounds) runLooks() {
	for {
		select {
		case <-w.Context().Done():
			return
		case <-w.looks.News:
			w.Do(w.FollowWanted)
		}
	}
}

// endpointOf is where a zone's Southbound database is, and how it is reached.
func (w *Southbounds) endpointOf(zone string) (endpoint string, open func() southSource) {
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

// openSource makes the connection to a Southbound database of an address.
func (w *Southbounds) openSource(zone, addr string) southSource {
	if path, ok := nbdb.AddressPath(addr); ok {
		return nbdb.NewSouthbound(nbdb.ZoneConfig{Name: zone, Path: path, Slot: w.cfg.Slots.TakeSlot,
			Options: nbdb.Options{Archives: w.cfg.Archives}})
	}
	return nbdb.DialSouthbound(nbdb.Config{Name: zone, Addr: addr, TLS: w.cfg.TLS, Limit: w.limit, Slot: w.cfg.Slots.TakeSlot})
}

// FollowWanted follows what is wanted of the zones there are, and lets go of the rest.
func (w *Southbounds) FollowWanted() {
	here := w.zones.States()
	looked := w.looks.TimesOf(func(zone string) bool { return here[zone] != nil })
	now := time.Now()
	var next time.Duration
	for zone := range here {
		endpoint, open := w.endpointOf(zone)
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
		switch {
		case st == nil || st.Endpoint != endpoint, !wanted && st.Followed:
			w.forgetDatabase(zone)
			st = &revision.Southbound{Zone: zone, Endpoint: endpoint, Conn: model.ConnStarting, ConnAt: w.Now()}
			w.states[zone], w.view = st, nil
			w.MarkChanged()
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
	w.nobody.Stop()
	if next > 0 {
		w.nobody.Set(next + Slack)
	}
}

// forgetDatabase lets go of a database.
func (w *Southbounds) forgetDatabase(zone string) {
	if l := w.loops[zone]; l != nil {
		l.stop()
		delete(w.loops, zone)
	}
	if w.states[zone] != nil {
		delete(w.states, zone)
		w.view = nil
		w.MarkChanged()
	}
}

// followDatabase starts reading a database.
func (w *Southbounds) followDatabase(zone string, src southSource) {
	l := &southLoop{}
	var ctx context.Context
	ctx, l.stop = context.WithCancel(w.Context())
	st := *w.states[zone]
	st.Followed, st.Conn, st.ConnAt = true, model.ConnDialling, w.Now()
	w.states[zone], w.loops[zone] = &st, l
	w.view = nil
	w.MarkChanged()
	if !w.Go(func() {
		src.Run(ctx, func(u nbdb.SouthboundUpdate) {
			w.Send(func() { w.takeUpdate(zone, l, u) })
		})
	}) {
		l.stop()
	}
}

// takeUpdate takes in what a connection delivered.
func (w *Southbounds) takeUpdate(zone string, l *southLoop, u nbdb.SouthboundUpdate) {
	if w.loops[zone] != l {
		return // nobody wants it any more
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
	w.states[zone], w.view = &next, nil
	w.MarkChanged()
}

// takeJoined takes in how flows and rows stand to each other.
func (w *Southbounds) takeJoined(of *revision.Southbound, next *revision.Southbound) {
	now := w.states[of.Zone]
	if now == nil || !now.Followed {
		return
	}
	st := *now
	st.Rows, st.Joined, st.LateSince, st.EarliestLate = next.Rows, next.Joined, next.LateSince, next.EarliestLate
	w.states[of.Zone], w.view = &st, nil
	w.MarkChanged()
}

// States are the states for a revision.
func (w *Southbounds) States() []*revision.Southbound {
	if w.view == nil && len(w.states) > 0 {
		for _, zone := range slices.Sorted(maps.Keys(w.states)) {
			w.view = append(w.view, w.states[zone])
		}
	}
	return w.view
}

// ZoneCounts are the numbers of zones, by name.
func (w *Southbounds) ZoneCounts() map[string]revision.ProgressCount { return maps.Clone(w.counts) }

// CountZone notes the numbers of a zone, and since when something is behind.
func (w *Southbounds) CountZone(z *model.ZoneState, now time.Time) {
	if z.DB == nil || z.DB.Global() == nil {
		return
	}
	w.counts[z.Name] = w.counts[z.Name].Next(z.DB.Global(), now)
}

// joinPause is the least time between two comparisons of a zone's flows with its rows.
const joinPause = 100 * time.Millisecond

// runJoins holds the rows of zones against their flows, whenever either changed. It
// takes the rows from revisions, so that the loop waits for nothing of it.
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
		// Others want the cores, too: it works a sixth of the time at most.
		if !retry.Sleep(w.Context(), max(joinPause, 5*time.Since(began))) {
			return
		}
		select {
		case <-w.Context().Done():
			return
		case <-ticks:
		}
	}
}

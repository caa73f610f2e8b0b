package zones

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/words"
	"rung/reconciler"
	"rung/sources/kube"
	"rung/sources/nbdb"
	"rung/sources/retry"
)

// Config configures the zones and how they are read and written.
type Config struct {
	// NB holds the addresses of zones by name; a zone under its own address, or under "", takes its name from
	// NB_Global.
	NB  map[string]string
	TLS nbdb.TLSFiles // for ssl: addresses
	// MakeZone, if set, makes the zone of a Node of the cluster; every existing Node gets one. Each call makes a
	// zone that was never run. A zone with a method Read(context.Context) (*nb.DB, error) is swept by it.
	MakeZone func(node string) (reconciler.Zone, error)
	// Reconcile writes rows, but never rows of files.
	Reconcile bool
	// Own means that all zones are Rung's own: few, without other writers.
	Own bool
	// Follow is the number of zones watched; the others are swept: read now and then. Zones that Rung writes
	// are all watched.
	Follow int
	Sweep  SweepConfig
	// MaxPriority is the lowest enforced precedence; 0 means the usual one.
	MaxPriority int32
	// Agents, if set, is the cluster whose node agents are heard; their zones need not be read.
	Agents   *kube.Cluster
	Slots    retry.Slots
	Share    *nbdb.Sharing
	Archives *nbdb.Archives
}

// SweepConfig configures how unwatched zones are read.
type SweepConfig struct {
	TTL      time.Duration // maximum age of a read
	Parallel int           // reads at once
}

// The defaults of zones.
const (
	DefaultFollow        = 20
	DefaultSweepTTL      = time.Minute
	DefaultSweepParallel = 4
)

// World holds the loop's data other than the zones.
type World struct {
	Cluster *model.Cluster
	Desired *compiler.Desired
	Loaded  bool // every source has loaded once
	AllRead bool // everything that rows are compiled from was read: they may be written
	NoZones bool // the network plugin has no zones
}

// Set holds the zones: followed ones, each with a reconciler, and swept ones. The fields shared with other
// goroutines (differs, keep, looks) have their own locks; only the loop may use the others.
type Set struct {
	*Loop
	cfg      Config
	world    func() World
	owners   *Owners
	reports  *Reports
	dialects *Dialects
	dials    *nbdb.Limiter // for zones given by address

	differs lazyDiffer
	keep    judgementCache
	looks   *ZoneLooks

	states    map[string]*model.ZoneState
	loops     map[string]*zoneLoop
	wasLoaded bool
	// members are the zones that are followed or swept, depending on their rank. The sandbox's are not among
	// them.
	members      map[string]*member
	readsRunning int // reads in progress
	// steps counts the steps of the desired rows, changes says what they changed.
	steps, forgotten uint64
	changes          *model.ChangeSteps
	begunAt          time.Time
	settling         map[string]settlingZone // by zone
	sweepAlarm       *Alarm                  // a swept zone is due
	settleAlarm      *Alarm                  // a difference stops settling
	agents           *agentReports           // nil if reports of node agents are not read
}

// zoneLoop is a running reconciler.
type zoneLoop struct {
	*reconciler.Reconciler
	zone   reconciler.Zone
	stop   context.CancelFunc
	done   chan struct{}
	writes bool
	// dialectKnown means that the settings of the zone's first rows are known. allowed means that the zone may
	// be judged, and written if Rung writes it.
	dialectKnown, allowed bool

	// steps counts the calls of SetDesired; changed and lastStep hold the last steps that changed a policy, or
	// anything.
	steps, lastStep uint64
	firstStep       uint64 // the Set's number of the first step
	changed         map[model.PolicyKey]uint64
}

// New returns an empty set. The loop calls world.
func New(l *Loop, cfg Config, world func() World, owners *Owners, reports *Reports, d *Dialects) *Set {
	z := &Set{Loop: l, cfg: cfg, world: world, owners: owners, reports: reports, dialects: d, dials: nbdb.NewLimiter(nbdb.DefaultDials),
		looks: NewLooks(), states: map[string]*model.ZoneState{}, loops: map[string]*zoneLoop{}, members: map[string]*member{},
		settling: map[string]settlingZone{}, begunAt: time.Now()}
	z.differs.desired = world().Desired
	if cfg.Agents != nil {
		z.agents = newAgentReports(z)
	}
	z.sweepAlarm = l.NewAlarm(z.rankMembers)
	z.settleAlarm = l.NewAlarm(func() {
		z.awaitSettled()
		z.Notify()
	})
	return z
}

// Start adds the configured zones, and follows the Nodes. Objects sent to the loop later find those zones: no
// revision is without them.
func (z *Set) Start() {
	z.Go(z.runLooks)
	if z.agents != nil {
		z.Go(z.agents.followReports)
	}
	if len(z.cfg.NB) > 0 {
		z.Send(z.takeEndpoints)
	}
	if z.cfg.MakeZone != nil {
		z.Go(z.runNodeZones)
	}
}

// ApplyStep hands a step of the desired rows on to every zone. anew means that no object changed, so
// differences are not new. Like all methods below it is for the loop.
func (z *Set) ApplyStep(delta *compiler.Delta, anew bool) {
	w, was := z.world(), z.wasLoaded && !anew
	z.noteStep(w.Desired, delta, w.Loaded && !was)
	z.wasLoaded = w.Loaded
	for _, l := range z.loops {
		l.takeStep(w.Desired, delta, w.Loaded && z.mayJudge(l, &w))
	}
	z.agents.noteUnits(delta, w.Loaded && !was)
	switch {
	case len(z.members) == 0:
	case w.Loaded && !was:
		z.rankMembers()
	default:
		z.scheduleReads()
	}
}

// mayJudge reports whether a zone's rows may be judged, and written if Rung writes them. A zone that Rung
// writes must wait until everything that rows are compiled from was read, and until its dialect is known
// unless it is Rung's own.
func (z *Set) mayJudge(l *zoneLoop, w *World) bool {
	l.allowed = !l.writes || w.AllRead && (z.cfg.Own || l.dialectKnown && !z.dialects.IsWaiting())
	return l.allowed
}

// AllowWriting judges and writes the zones whose dialect became known.
func (z *Set) AllowWriting() {
	w := z.world()
	for _, l := range z.loops {
		if w.Loaded && !l.allowed && z.mayJudge(l, &w) {
			l.takeStep(w.Desired, &compiler.Delta{}, true)
		}
	}
}

// IsLoaded reports whether the last step had all objects.
func (z *Set) IsLoaded() bool { return z.wasLoaded }

// StepCount counts the steps of the desired rows.
func (z *Set) StepCount() uint64 { return z.steps }

// States returns all zones by name, as judged last.
func (z *Set) States() map[string]*model.ZoneState { return z.states }

// JudgedStates returns all zones, sorted, as judged by the newest objects.
func (z *Set) JudgedStates() []*model.ZoneState {
	out := make([]*model.ZoneState, 0, len(z.states))
	for _, name := range slices.Sorted(maps.Keys(z.states)) {
		out = append(out, z.judgedState(z.states[name]))
	}
	z.awaitSettled()
	return out
}

// HasZone reports whether a zone of that name exists, read or not.
func (z *Set) HasZone(name string) bool { return z.states[name] != nil || z.members[name] != nil }

// BelongsToNode reports whether a zone exists as long as its Node.
func (z *Set) BelongsToNode(name string) bool {
	return z.members[name] != nil && z.members[name].belongsToNode
}

// EndZone stops the reconciler of a zone started by AddZone; the channel is closed once its last messages were
// sent.
func (z *Set) EndZone(name string) (done <-chan struct{}) {
	l := z.loops[name]
	if l == nil {
		return nil
	}
	delete(z.loops, name)
	l.stop()
	return l.done
}

// RemoveZone removes an ended zone, and its controller's reports.
func (z *Set) RemoveZone(name string) {
	delete(z.states, name)
	z.reports.ForgetZone(name)
}

// OpenZone returns the zone of that name: the followed zone, or a new zone that never ran. Any goroutine
// except the loop may call it.
func (z *Set) OpenZone(name string) (zone reconciler.Zone, followed bool, err error) {
	open := func() (reconciler.Zone, error) { return nil, errors.New("no such zone") }
	if !z.Do(func() {
		if l := z.loops[name]; l != nil {
			zone = l.zone
		} else if m := z.members[name]; m != nil {
			open = m.open
		}
	}) {
		return nil, false, context.Canceled
	}
	if zone != nil {
		return zone, true, nil
	}
	zone, err = open()
	return zone, false, err
}

// AddZone starts the reconciler of a zone.
func (z *Set) AddZone(zone reconciler.Zone, write bool) {
	mode := words.Choose(write, reconciler.Write, reconciler.Observe)
	name := zone.Name()
	first := z.dialects.firstDialect()
	l := &zoneLoop{zone: zone, writes: write, done: make(chan struct{}), changed: map[model.PolicyKey]uint64{}}
	var ctx context.Context
	ctx, l.stop = context.WithCancel(z.Context())
	rc := reconciler.Config{
		Zone: zone, Mode: mode, Clock: z.Clock,
		OnState: func(st *model.ZoneState) {
			found := first(st)
			z.Send(func() {
				z.takeState(l, st)
				l.dialectKnown = l.dialectKnown || found != nil
				z.dialects.takeDialect(name, found)
				z.AllowWriting()
			})
		},
		OnActivity:  z.RecordActivity,
		MaxPriority: z.cfg.MaxPriority, Slot: z.cfg.Slots.TakeSlot,
	}
	if !z.cfg.Own {
		rc.Members = z.differs.setMembers // the sandbox has few zones, and no differs
	}
	rc.Status, rc.Events = z.reports.ForZone(name), z.reports.ForZone(name)
	var own *OwnedZone
	if write && !z.cfg.Own {
		own = z.owners.OwnZone(name, &rc)
	}
	l.Reconciler = reconciler.NewZone(rc)
	z.loops[name] = l
	l.firstStep = z.steps
	l.takeStep(z.world().Desired, &compiler.Delta{Everything: true}, z.world().Loaded && z.mayJudge(l, new(z.world())))
	z.takeState(l, l.State())
	if !z.Go(func() {
		defer close(l.done)
		var other sync.WaitGroup
		defer other.Wait()
		other.Go(func() { own.Run(ctx, l.Reconciler) })
		l.Run(ctx)
	}) {
		l.stop()
		close(l.done)
	}
}

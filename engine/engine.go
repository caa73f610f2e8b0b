package engine

import (
	"cmp"
	"context"
	"fmt"

	"rung/change"
	"rung/change/gate"
	"rung/change/planrun"
	"rung/change/trial"
	"rung/engine/logs"
	"rung/engine/trace"
	"rung/engine/zones"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/sources/files"
	"rung/sources/kube"
	"rung/sources/nbdb"
	"rung/sources/retry"
)

// Engine runs a cluster. Its methods may be called from any goroutine: its fields never change after New, or
// have their own locks. All other mutable data is in state, which only functions sent to the loop receive.
type Engine struct {
	*zones.PublishedState
	*pastChanges
	*planrun.Plans
	loop  *zones.Loop
	state *loopState // only for the loop
	cfg   Config

	arrivals sourceArrivals
	notices  []string // problems found and mended by the start
	logs     *logs.Store
	gate     *gate.Gate
	reverts  *trial.Trials
	sessions *LogSessions
	zones    *zones.Set
	south    *zones.Southbounds
	pods     *zones.Pods // nil without a cluster
	slots    retry.Slots
	share    *nbdb.Sharing // of all zones
	owners   *zones.Owners
	health   *Health
}

// New starts an engine; it returns at once, with an empty first revision.
// Close ends it.
func New(ctx context.Context, cfg Config) (*Engine, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	l := zones.NewLoop(ctx, cfg.Clock)
	e := &Engine{
		PublishedState: l.PublishedState, loop: l, cfg: cfg,
		arrivals: sourceArrivals{news: make(chan struct{}, 1), waiting: map[model.PolicyKey]change.ObjectChange{}},
		share:    nbdb.NewSharing(),
	}
	if cfg.Screen {
		e.slots = retry.New()
	}
	if cfg.Kube != nil {
		e.pods = &zones.Pods{Cluster: cfg.Kube, Namespaces: cfg.podNamespaces()}
	}
	if e.cfg.ExecZones && e.cfg.MakeZone == nil {
		e.cfg.MakeZone = e.pods.ZoneMaker(e.share, e.slots)
	}
	e.state = newState(e)
	e.logs = logs.New(e.Revision, cfg.Clock, cfg.LogLines)
	e.health = NewHealth(l, cfg.Own, e.logs)
	var err error
	if e.owners, err = zones.NewOwners(l, zones.OwnersConfig{OwnerOptions: cfg.Own, Kube: cfg.Kube, Namespace: cfg.OVNNamespace,
		Reports: e.state.reports, Transaction: e.health.CountTransaction}); err != nil {
		l.Close()
		return nil, err
	}
	e.health.SetOwners(e.owners)
	e.makeZones()
	if err := e.startGate(); err != nil {
		l.Close()
		return nil, fmt.Errorf("prepare the history and audit files in %s: %w", cfg.StateDir, err)
	}
	e.pastChanges = &pastChanges{gate: e.gate, identity: cfg.stateIdentity(), areShared: cfg.Writer != nil || cfg.ReadPast,
		published: l.PublishedState}
	if cfg.KeepCounts && cfg.StateDir != "" {
		if k := openCounts(e); k != nil {
			e.loop.Go(k.keepWriting)
		}
	}
	l.Start(e.state.nextRevision)
	if cfg.Sandbox == nil {
		e.zones.Start()
	}
	for _, src := range cfg.Sources {
		e.loop.Go(func() { e.runSource(src) })
	}
	e.loop.Go(func() { e.logs.Run(l.Context()) })
	if cfg.judgesArrivals() {
		e.loop.Go(func() { e.arrivals.judgeArrivals(l, e.gate, e.health.CountRailMet) })
	}
	e.sessions.Start()
	e.owners.Start()
	if cfg.Kube != nil && !cfg.LogFiles.Only {
		e.loop.Go(e.runPodLogs)
		if cfg.ExecZones {
			e.loop.Go(func() { zones.RunMeters(l.Context(), e.logs, zones.MetersInPodEvery, e.pods.ReadMeters) })
		}
	}
	if len(cfg.LogFiles.Paths) > 0 {
		e.loop.Go(e.runLogFiles)
	}
	e.state.dialects.Start()
	e.south.Start()
	parts := zones.Parts{Loop: l, Zones: e.zones, South: e.south, Pods: e.pods, Logs: e.logs, Slots: e.slots, Share: e.share,
		Cluster: func() *model.Cluster { return e.state.cluster },
		Apply:   func(upsert []model.Object, remove []model.Key) { e.state.applyObjects(upsert, remove) }}
	if cfg.Sandbox != nil {
		cfg.Sandbox.Start(parts)
	}
	if cfg.OVNTrace != nil {
		cfg.OVNTrace.Start(parts)
	}
	return e, nil
}

// makeZones creates the zones, the dialects of their rows and the Southbound databases.
func (e *Engine) makeZones() {
	cfg, s, archives := &e.cfg, e.state, nbdb.NewArchives()
	// Rows of other programs are read on clusters, and from databases given by address.
	reads := cfg.Sandbox == nil && (cfg.Kube != nil || len(cfg.NB) > 0 || cfg.MakeZone != nil)
	d := zones.DialectConfig{Flags: &cfg.Flags, Reads: reads, Kube: cfg.Kube, Namespaces: cfg.podNamespaces(),
		Zones: len(cfg.NB) > 0 || cfg.MakeZone != nil, Writes: cfg.Reconcile, Slots: e.slots}
	s.dialects = zones.NewDialects(e.loop, d, s, zones.World{Cluster: s.cluster, Desired: s.desired})
	z := zones.Config{NB: cfg.NB, TLS: cfg.NBTLS, MakeZone: cfg.MakeZone, Reconcile: cfg.Reconcile, Own: cfg.Sandbox != nil,
		Follow: cfg.FollowZones, Sweep: cfg.Sweep, MaxPriority: cfg.MaxPriority, Slots: e.slots, Share: e.share, Archives: archives}
	if cfg.AgentZones {
		z.Agents = cfg.Kube
	}
	e.zones = zones.New(e.loop, z, s.World, e.owners, s.reports, s.dialects)
	s.dialects.SetZones(e.zones)
	b := zones.SouthboundConfig{SB: cfg.SB, TLS: cfg.NBTLS, Flows: cfg.Flows, Slots: e.slots, Archives: archives}
	if cfg.ExecZones {
		b.Pods = e.pods
	}
	e.south = zones.NewSouthbounds(e.loop, b, e.zones)
	s.zones, s.south = e.zones, e.south
}

// Close ends every goroutine, connection and child process of the engine and waits for them.
func (e *Engine) Close() {
	e.revertAtClose()
	e.loop.Close()
}

// runInLoop runs f in the loop and waits for it and the revision it makes. It returns false if the engine
// ended first.
func (e *Engine) runInLoop(f func(*loopState)) bool { return e.loop.Do(func() { f(e.state) }) }

// changeState runs f like runInLoop, and causes a next revision.
func (e *Engine) changeState(f func(*loopState)) bool {
	return e.runInLoop(func(s *loopState) {
		f(s)
		s.MarkChanged()
	})
}

// sendToLoop runs f in the loop without waiting for it.
func (e *Engine) sendToLoop(f func(*loopState)) bool { return e.loop.Send(func() { f(e.state) }) }

func (e *Engine) runSource(src kube.Source) {
	files.RunUntil(e.loop.Context(), func() {
		src.Run(e.loop.Context(), func(u kube.SourceUpdate) {
			e.sendToLoop(func(s *loopState) { s.takeUpdate(src.Name(), u) })
		})
	})
}

// whyReadOnly returns why changes cannot be switched on.
func (e *Engine) whyReadOnly() string { return cmp.Or(e.cfg.WhyReadOnly, "started with --readonly") }

// SetWrites switches changes on or off for the rest of the session. It fails if the engine was started
// read-only. The caller has already asked for confirmation.
func (e *Engine) SetWrites(on bool) error {
	if on && e.cfg.ReadOnly {
		return fmt.Errorf("changes stay off: %s: %w", e.whyReadOnly(), model.ErrRejected)
	}
	if !e.changeState(func(s *loopState) { s.writes = on }) {
		return fmt.Errorf("switch changes: the engine has ended: %w", context.Canceled)
	}
	note := "changes switched off"
	if on {
		note = "changes switched on"
	}
	e.gate.AuditNote("console", "writes", note)
	return nil
}

// Logs returns the store of ACL log lines.
func (e *Engine) Logs() *logs.Store { return e.logs }

// Zones returns the zones.
func (e *Engine) Zones() *zones.Set { return e.zones }

// Sessions returns the logging sessions.
func (e *Engine) Sessions() *LogSessions { return e.sessions }

// Health returns the engine's metrics and health checks, served over HTTP.
func (e *Engine) Health() *Health { return e.health }

// Owners returns the ownership of the zones that other programs may write too.
func (e *Engine) Owners() *zones.Owners { return e.owners }

// LookAt names the zones somebody looks at now: see zones.Set.
func (e *Engine) LookAt(zones ...string) { e.zones.LookAt(zones...) }

// LookAtFlows names the zones whose logical flows somebody looks at now: see zones.Southbounds.
func (e *Engine) LookAtFlows(zones ...string) { e.south.LookAtFlows(zones...) }

// Probe sends a connection's packets through the sandbox: see zones.Sandbox.
func (e *Engine) Probe(ctx context.Context, c verdict.Connection, at func(trace.ProbePhase)) (*trace.Result, error) {
	if err := trace.CheckPossible(e.Revision().Mode); err != nil {
		return nil, err
	}
	return e.cfg.Sandbox.Probe(ctx, c, at)
}

// OVNTrace asks ovn-trace about a connection: see zones.OVNTrace.
func (e *Engine) OVNTrace(ctx context.Context, c verdict.Connection, told func(doing string)) (*revision.OVNTrace, error) {
	if e.cfg.OVNTrace == nil {
		return nil, zones.ErrNoOVNTrace
	}
	return e.cfg.OVNTrace.Ask(ctx, c, told)
}

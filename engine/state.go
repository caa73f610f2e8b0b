package engine

import (
	"slices"

	"rung/compiler"
	"rung/engine/zones"
	"rung/model"
	"rung/revision"
	"rung/sources/kube"
	"rung/system"
)

// loopState is the data of the loop. Only functions of the loop read or write it.
type loopState struct {
	*zones.Loop
	engine     *Engine
	cluster    *model.Cluster
	compiler   *compiler.Compiler
	desired    *compiler.Desired
	number     uint64
	writes     bool
	loaded     map[string]bool
	wasAllRead bool
	sources    map[string]model.SourceState
	broken     map[string][]model.Broken
	// delivered holds the objects of each source; overlay holds policy changes unknown to all sources. A nil
	// policy was deleted.
	delivered   map[string]map[model.Key]model.Object
	overlay     map[model.Key]*model.Policy
	zones       *zones.Set
	dialects    *zones.Dialects
	south       *zones.Southbounds
	reports     *zones.Reports
	undo, redo  string
	plan        *revision.PlanState
	unconfirmed *revision.UnconfirmedChange
	// access holds the server's answers about permissions, profile the CRDs newer than OVN-Kubernetes
	// supports.
	access    revision.Access
	profile   []model.Broken
	pastState *revision.PastState // nil if nothing is remembered
}

func newState(e *Engine) *loopState {
	c := compiler.New(e.cfg.CompilerOptions())
	empty, _ := (*model.Cluster)(nil).Upsert(nil, nil)
	d, _ := c.Apply(empty, nil)
	s := &loopState{Loop: e.loop, engine: e, cluster: empty, compiler: c, desired: d, writes: !e.cfg.ReadOnly && e.cfg.Writes,
		loaded: map[string]bool{}, sources: map[string]model.SourceState{}, broken: map[string][]model.Broken{},
		delivered: map[string]map[model.Key]model.Object{}, overlay: map[model.Key]*model.Policy{}}
	for _, src := range e.cfg.Sources {
		s.sources[src.Name()] = model.SourceState{Name: src.Name(), Conn: model.ConnStarting, At: e.Now()}
	}
	s.reports = zones.NewReports(e.loop, func(k model.PolicyKey) *model.Policy { return s.cluster.Policy(k) })
	return s
}

// World returns the objects and desired rows, for the zones.
func (s *loopState) World() zones.World {
	is, _ := s.dialects.System()
	return zones.World{Cluster: s.cluster, Desired: s.desired, Loaded: s.allLoaded(), AllRead: s.allRead(),
		NoZones: !is.HasFeature(system.Rows)}
}

// Recompile compiles with other options and hands the differences on to the zones.
func (s *loopState) Recompile(o compiler.Options, anew bool) (changed bool) {
	desired, delta := s.compiler.Reconfigure(o)
	if delta.IsEmpty() {
		return false
	}
	s.desired = desired
	s.zones.ApplyStep(delta, anew)
	return true
}

func (s *loopState) allLoaded() bool {
	return !slices.ContainsFunc(s.engine.cfg.Sources, func(src kube.Source) bool { return !s.loaded[src.Name()] })
}

// allRead reports whether everything that rows are compiled from was read once. Before that no row is written:
// objects not readable, or not read yet, would look deleted. A resource that the server does not have holds
// nothing.
func (s *loopState) allRead() bool {
	if s.wasAllRead || !s.allLoaded() {
		return s.wasAllRead
	}
	for _, src := range s.sources {
		for _, r := range src.Resources {
			if r.Rows && r.Conn != model.ConnSynced && r.Conn != model.ConnAbsent {
				return false
			}
		}
	}
	s.wasAllRead = true
	return true
}

// nextRevision makes the next revision.
func (s *loopState) nextRevision(before *revision.Revision) *revision.Revision {
	s.south.FollowWanted() // zones may have come or gone
	s.number++
	f := revision.Facts{
		Number: s.number, At: s.Now(), Mode: s.modeFacts(), Cluster: s.cluster, Desired: s.desired, Flags: s.engine.cfg.Flags,
		Past:    s.pastState,
		Reports: s.reports.Conditions(), Notes: s.reports.Events(), Undo: s.undo, Redo: s.redo, Plan: s.plan, Unconfirmed: s.unconfirmed,
		EndedLogs: s.engine.sessions.EndedSessions(), Access: s.access, Loaded: s.allLoaded(),
	}
	f.System, f.SystemWhy = s.dialects.System()
	for _, src := range s.engine.cfg.Sources {
		f.Sources = append(f.Sources, s.sources[src.Name()])
		f.Broken = append(f.Broken, s.broken[src.Name()]...)
	}
	f.Sources = append(f.Sources, s.Problems()...)
	f.Broken = append(f.Broken, s.profile...)
	f.Southbounds = s.south.States()
	if box := s.engine.cfg.Sandbox; box != nil {
		f.Down = box.DaemonsDown()
	}
	if t := s.engine.cfg.OVNTrace; t != nil {
		f.OVNTraces = t.Disagreements(s.cluster)
	}
	why := (&revision.Revision{Facts: f}).WhyIncomparable()
	for _, z := range s.zones.JudgedStates() {
		s.south.CountZone(z, f.At)
		f.Zones = append(f.Zones, zones.MarkUnread(s.dialects.MarkIncomparable(z), why))
	}
	f.Counts, f.Sweep = s.south.ZoneCounts(), s.zones.SweepCounts()
	f.Dialects, f.Unsettled = s.dialects.View(), s.dialects.IsWaiting()
	return revision.New(f, before)
}

func (s *loopState) modeFacts() revision.Mode {
	m := s.engine.cfg.Mode
	m.Writes = s.writes
	if box := s.engine.cfg.Sandbox; box != nil {
		box.FillMode(&m)
	}
	if s.engine.cfg.ReadOnly {
		m.WhyNot = s.engine.whyReadOnly()
	}
	// WhyNot explains what cannot be switched on; it stays empty if changes are only off.
	return m
}

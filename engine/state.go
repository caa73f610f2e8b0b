package engine

import (
	"maps"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/revision"
	"rung/revision/settings"
)

// state is what the loop owns. Nobody else reads or writes it.
type state struct {
	e        *Engine
	cluster  *model.Cluster
	compiler *compiler.Compiler
	desired  *compiler.Desired
	number   uint64
	writes   bool
	loaded   map[string]bool
	wasWhole bool
	sources  map[string]model.SourceState
	broken   map[string][]model.Broken
	// of is what each source delivered; overlay are changes of policies that no
	// source knows of, nil for one that was deleted.
	of      map[string]map[model.Key]model.Object
	overlay map[model.Key]*model.Policy
	zones   map[string]*model.ZoneState
	set     *zoneSet
	south   *southSet
	ovn     string // version of the OVN that the sandbox runs on, empty without one
	noOVN   string // why there is none, where one was looked for
	// problems are parts of the engine that could not be started.
	problems []model.SourceState
	// conditions and events are what Rung's own reconcilers report.
	conditions      map[model.PolicyKey]map[string]model.Condition
	conditionsNew   bool
	shownConditions map[model.PolicyKey][]model.Condition
	events          []*model.Event
	undo, redo      string
	plan            *revision.PlanState
	unconfirmed     *revision.Unconfirmed
	endedLogs       []model.EndedLogSession // newest first
	// access and profile are what a cluster's server says of permissions, and of
	// CRDs that are newer than OVN-Kubernetes.
	access  revision.Access
	profile []model.Broken
	// dialects are what others' zones run with; nil where there are none.
	dialects *dialects

	// ovnTraces are the connections about which ovn-trace and the rows disagree.
	ovnTraces []revision.OVNDisagreement

	past     *revision.Past // nil: nothing is remembered
	alarms   alarms
	settling map[string]settling // by zone

	// system is whose precedence holds, with the reason.
	system    model.PolicySystem
	systemWhy string

	dirty bool
	after []func() // once the next revision is out
}

func newState(e *Engine) *state {
	c := compiler.New(e.cfg.CompilerOptions())
	empty, _ := (*model.Cluster)(nil).Upsert(nil, nil)
	d, _ := c.Apply(empty, nil)
	s := &state{e: e, cluster: empty, compiler: c, desired: d, writes: !e.cfg.ReadOnly && e.cfg.Writes,
		loaded: map[string]bool{}, sources: map[string]model.SourceState{}, broken: map[string][]model.Broken{},
		of: map[string]map[model.Key]model.Object{}, overlay: map[model.Key]*model.Policy{},
		zones:      map[string]*model.ZoneState{},
		conditions: map[model.PolicyKey]map[string]model.Condition{}, settling: map[string]settling{}}
	for _, src := range e.cfg.Sources {
		s.sources[src.Name()] = model.SourceState{Name: src.Name(), Conn: model.ConnStarting, At: e.now()}
	}
	s.dialects = newDialects(&e.cfg, d)
	s.system, s.systemWhy = settings.SystemOf(e.cfg.System, empty, "")
	s.set, s.south = newZoneSet(e), newSouthSet(e)
	e.differs.desired = d
	s.dirty = true
	return s
}

func (s *state) allLoaded() bool {
	for _, src := range s.e.cfg.Sources {
		if !s.loaded[src.Name()] {
			return false
		}
	}
	return true
}

// whole says whether everything that rows are compiled from was read once. Until
// then no row is written: what may not be read, or could not yet, would be taken
// for deleted. A resource that the server does not have holds nothing.
func (s *state) whole() bool {
	if s.wasWhole || !s.allLoaded() {
		return s.wasWhole
	}
	for _, src := range s.sources {
		for _, r := range src.Resources {
			if r.Rows && r.Conn != model.ConnSynced && r.Conn != model.ConnAbsent {
				return false
			}
		}
	}
	s.wasWhole = true
	return true
}

// publish makes the next revision when something changed.
func (s *state) publish() {
	if s.dirty {
		s.south.sync(s) // zones may have come or gone
		s.number++
		s.dropDisagreements()
		f := revision.Facts{
			Number: s.number, At: s.e.now(), Mode: s.mode(), Cluster: s.cluster, Desired: s.desired, Flags: s.e.cfg.Flags,
			Past:    s.past,
			Reports: s.conditionsView(), Notes: s.events, Undo: s.undo, Redo: s.redo, Plan: s.plan, Unconfirmed: s.unconfirmed, EndedLogs: s.endedLogs, Access: s.access, Loaded: s.allLoaded(),
			OVNTraces: s.ovnTraces, System: s.system, SystemWhy: s.systemWhy,
		}
		for _, src := range s.e.cfg.Sources {
			f.Sources = append(f.Sources, s.sources[src.Name()])
			f.Broken = append(f.Broken, s.broken[src.Name()]...)
		}
		f.Sources = append(f.Sources, s.problems...)
		f.Broken = append(f.Broken, s.profile...)
		f.Southbounds, f.Down = s.south.all(), s.e.daemons.all()
		for _, z := range s.zones {
			s.south.counted(z, f.At)
			f.Zones = append(f.Zones, s.compared(s.set.asJudged(s, z)))
		}
		f.Counts = maps.Clone(s.south.counts)
		f.Sweep, f.Dialects, f.Unsettled = s.set.sweepState(), s.dialects.viewOf(s), s.dialects.waiting(&s.e.cfg)
		slices.SortFunc(f.Zones, func(a, b *model.ZoneState) int { return strings.Compare(a.Name, b.Name) })
		s.e.rev.Store(revision.New(f, s.e.rev.Load()))
		s.dirty = false
		s.awaitSettled()
		s.e.notify()
	}
	for _, f := range s.after {
		f()
	}
	s.after = s.after[:0]
}

// conditionsView copies the conditions where they changed since the last
// revision; a revision is immutable.
func (s *state) conditionsView() map[model.PolicyKey][]model.Condition {
	if s.shownConditions == nil || s.conditionsNew {
		v := make(map[model.PolicyKey][]model.Condition, len(s.conditions))
		for k, byType := range s.conditions {
			for _, c := range byType {
				v[k] = append(v[k], c)
			}
			slices.SortFunc(v[k], func(a, b model.Condition) int { return strings.Compare(a.Type, b.Type) })
		}
		s.shownConditions, s.conditionsNew = v, false
	}
	return s.shownConditions
}

func (s *state) mode() revision.Mode {
	m := s.e.cfg.Mode
	m.Writes = s.writes
	if sb := s.e.cfg.Sandbox; sb != nil && (s.ovn != "" || sb.ownOVN()) {
		m.OVN, m.Simulated, m.Packets = s.ovn, false, s.ovn != "" && sb.Traffic > 0
	}
	if s.e.cfg.ReadOnly {
		m.WhyNot = startedReadOnly
	}
	// WhyNot is for what cannot be switched on: what is merely off has none.
	return m
}

// loop runs what is sent to it and publishes a revision when the inbox is
// empty, or after a burst.
func (e *Engine) loop(s *state) {
	defer close(e.done)
	defer s.alarms.stop()
	for {
		select {
		case <-e.ctx.Done():
			return
		case f := <-e.inbox:
			f(s)
		case <-s.alarms.dialect.rings():
			s.decideDialect()
		case <-s.alarms.sweep.rings():
			s.set.rank(s)
		case <-s.alarms.flows.rings():
			s.south.sync(s)
		case <-s.alarms.settle.rings():
			s.awaitSettled()
			e.notify()
		}
		for range cap(e.inbox) {
			select {
			case f := <-e.inbox:
				f(s)
				continue
			default:
			}
			break
		}
		s.publish()
	}
}

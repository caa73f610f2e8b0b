package engine

import (
	"maps"
	"slices"
	"strings"

	"rung/compiler"
	"rung/engine/loop"
	"rung/engine/ownership"
	"rung/model"
	"rung/revision"
	"rung/revision/settings"
)

// state is what the loop owns. Nobody else reads or writes it.
type state struct {
	*loop.Loop
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
	of          map[string]map[model.Key]model.Object
	overlay     map[model.Key]*model.Policy
	zones       map[string]*model.ZoneState
	set         *zoneSet
	south       *southSet
	ovn         string // version of the OVN that the sandbox runs on, empty without one
	noOVN       string // why there is none, where one was looked for
	reports     *ownership.Reports
	undo, redo  string
	plan        *revision.PlanState
	unconfirmed *revision.Unconfirmed
	endedLogs   []model.EndedLogSession // newest first
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
}

func newState(e *Engine) *state {
	c := compiler.New(e.cfg.CompilerOptions())
	empty, _ := (*model.Cluster)(nil).Upsert(nil, nil)
	d, _ := c.Apply(empty, nil)
	s := &state{Loop: e.loop, e: e, cluster: empty, compiler: c, desired: d, writes: !e.cfg.ReadOnly && e.cfg.Writes,
		loaded: map[string]bool{}, sources: map[string]model.SourceState{}, broken: map[string][]model.Broken{},
		of: map[string]map[model.Key]model.Object{}, overlay: map[model.Key]*model.Policy{},
		zones:    map[string]*model.ZoneState{},
		settling: map[string]settling{}}
	for _, src := range e.cfg.Sources {
		s.sources[src.Name()] = model.SourceState{Name: src.Name(), Conn: model.ConnStarting, At: e.Now()}
	}
	s.dialects = newDialects(&e.cfg, d)
	s.system, s.systemWhy = settings.SystemOf(e.cfg.System, empty, "")
	s.set, s.south = newZoneSet(e), newSouthSet(e)
	e.differs.desired = d
	s.reports = ownership.NewReports(e.loop, func(k model.PolicyKey) *model.Policy { return s.cluster.Policy(k) })
	s.alarms = alarms{dialect: s.Alarm(s.decideDialect), sweep: s.Alarm(func() { s.set.rank(s) }),
		flows: s.Alarm(func() { s.south.sync(s) }), settle: s.Alarm(func() {
			s.awaitSettled()
			s.Notify()
		})}
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

// revision makes the next revision.
func (s *state) revision(before *revision.Revision) *revision.Revision {
	s.south.sync(s) // zones may have come or gone
	s.number++
	s.dropDisagreements()
	f := revision.Facts{
		Number: s.number, At: s.Now(), Mode: s.mode(), Cluster: s.cluster, Desired: s.desired, Flags: s.e.cfg.Flags,
		Past:    s.past,
		Reports: s.reports.Conditions(), Notes: s.reports.Events(), Undo: s.undo, Redo: s.redo, Plan: s.plan, Unconfirmed: s.unconfirmed, EndedLogs: s.endedLogs, Access: s.access, Loaded: s.allLoaded(),
		OVNTraces: s.ovnTraces, System: s.system, SystemWhy: s.systemWhy,
	}
	for _, src := range s.e.cfg.Sources {
		f.Sources = append(f.Sources, s.sources[src.Name()])
		f.Broken = append(f.Broken, s.broken[src.Name()]...)
	}
	f.Sources = append(f.Sources, s.Problems()...)
	f.Broken = append(f.Broken, s.profile...)
	f.Southbounds, f.Down = s.south.all(), s.e.daemons.all()
	for _, z := range s.zones {
		s.south.counted(z, f.At)
		f.Zones = append(f.Zones, s.compared(s.set.asJudged(s, z)))
	}
	f.Counts = maps.Clone(s.south.counts)
	f.Sweep, f.Dialects, f.Unsettled = s.set.sweepState(), s.dialects.viewOf(s), s.dialects.waiting(&s.e.cfg)
	slices.SortFunc(f.Zones, func(a, b *model.ZoneState) int { return strings.Compare(a.Name, b.Name) })
	s.awaitSettled()
	return revision.New(f, before)
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
	v4, v6 := s.desired.Families()
	switch {
	case v4 && v6:
		m.Families = "dual"
	case v6:
		m.Families = "ipv6"
	default:
		m.Families = "ipv4"
	}
	return m
}

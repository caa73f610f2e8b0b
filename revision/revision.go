package revision

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/network"
	"rung/model/ovn/nb"
	"rung/model/selectors"
	"rung/system"
)

// Mode describes the kind of run and what it may change.
type Mode struct {
	Name    string        // "demo", "files", "cluster"
	Title   string        // "demo", the path, the context
	Server  string        // address of the API server, on a cluster
	User    string        // the user there, if the kubeconfig names one
	Login   string        // the login program in the kubeconfig
	Kubectl model.Kubectl // for the same cluster and user; zero off a cluster
	Sandbox bool          // the zones are Rung's own
	// Writes means that policies may be changed now. WhyNot says why they never can be, empty if they can.
	Writes bool
	WhyNot string
	// WriteBack means that changes are written to the files too.
	WriteBack bool
	// Reconciles means that Rung's reconciler writes the rows; else it only observes.
	Reconciles bool
	// Simulated means that the logged connections are made up. Packets means that Rung injects packets, and
	// OVN decides. OVN is the version that the sandbox's zones run on, or empty without OVN.
	Simulated, Packets bool
	OVN                string
	NoOVNReported      bool // the activity says why no OVN was found
}

// IsPersistent reports whether changes outlive the process.
func (m Mode) IsPersistent() bool { return m.WriteBack || m.Name == ClusterMode }

// ChangedName returns what changes are made to: "cluster", "files" or "sandbox".
func (m Mode) ChangedName() string {
	if !m.IsPersistent() {
		return "sandbox"
	}
	return m.Name
}

// TrafficTexts returns a text about the logged connections and a shorter one; both are empty if Rung makes
// none.
func (m Mode) TrafficTexts() (text, short string) {
	short = "real OVN " + majorMinor(m.OVN)
	switch {
	case m.Packets:
		return short + ", packets injected by Rung", short
	case m.OVN != "":
		return short, short
	case m.Simulated:
		return simulated, "simulated"
	}
	return "", ""
}

const simulated = "simulated traffic"

// majorMinor returns a version without its third number.
func majorMinor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

// ClusterMode is the Mode.Name of a run on a cluster.
const ClusterMode = "cluster"

// LogsMode is the Mode.Name of a run on log files alone, without pods and policies.
const LogsMode = "logs"

// Facts are the contents of a revision. They must not change after New.
type Facts struct {
	Number  uint64
	At      time.Time
	Mode    Mode
	Cluster *model.Cluster
	Broken  []model.Broken
	Zones   []*model.ZoneState // by name
	Sources []model.SourceState
	// Southbounds are the known Southbound databases, by zone. Counts say since when flows or nodes of a zone
	// are behind. Down are the processes of a zone that do not run or answer, in order of failure.
	Southbounds []*Southbound
	Counts      map[string]ProgressCount
	Down        map[string][]model.Fault
	// Undo names the change that undo would revert, Redo the change that redo would repeat; empty if there is
	// none.
	Undo, Redo string
	// Plan is the plan that is running, stopped or just ended, here or in another Rung on the same state
	// folder; nil if none.
	Plan *PlanState
	// Unconfirmed is the last change on trial, waiting or ended; nil if none.
	Unconfirmed *UnconfirmedChange
	// EndedLogs are the logging sessions that ended, newest first.
	EndedLogs []model.EndedLogSession
	// Access holds the API server's answers to what the user may do.
	Access Access
	// Loaded means that every source has delivered once.
	Loaded bool
	// Sweep counts the unwatched zones read so far.
	Sweep SweepState
	// Unsettled means that zones may soon be judged by other settings of OVN-Kubernetes: its configuration was
	// not read yet, or just changed.
	Unsettled bool
	// Flags are the OVN-Kubernetes settings given by flag. Dialects are the settings found in the cluster, nil
	// if Rung does not look for them.
	Flags    Flags
	Dialects *DialectView
	// System is the system whose precedence applies, SystemWhy the evidence for it.
	System    *system.System
	SystemWhy string
	// Desired are the compiled rows of the cluster.
	Desired *compiler.Desired
	// Past holds earlier states of pods and policies, nil if empty.
	Past *PastState
	// Reports and Notes are the conditions and events of Rung's own reconcilers.
	Reports map[model.PolicyKey][]model.Condition
	Notes   []*model.Event
	// OVNTraces are the connections for which ovn-trace and the rows disagree.
	OVNTraces []OVNDisagreement
}

// Revision is one immutable state of everything. Costly parts are computed on demand.
type Revision struct {
	Facts
	// Network is the network of a view made by OnNetwork; nil for the whole cluster. whole is the revision from
	// which the view was made.
	Network *network.Network
	whole   *Revision

	// shared is computed once for all revisions with the same objects and desired rows.
	shared *derivedValues
	// carried passes caches from revision to revision; nil in a revision of WithPolicies.
	carried *valuesByType
	// omissions caches Omissions, which every page asks for; nil in a revision of WithPolicies.
	omissions *Once[[]model.Omission]
	// changed is set in a revision of WithPolicies.
	changed *policyChange
}

// New returns a revision of facts. It takes over values of before, the previous revision, that still hold;
// before is nil for the first. If Desired is nil, New compiles it with the Flags.
func New(f Facts, before *Revision) *Revision {
	f.Flags.MaxPriority = cmp.Or(f.Flags.MaxPriority, model.MaxPriority)
	f.Cluster = cmp.Or(f.Cluster, &model.Cluster{})
	if f.System == nil {
		f.System, f.SystemWhy = system.ChooseSystem(f.Flags.System, f.Cluster, "")
	}
	if f.Desired == nil {
		o := f.Flags.CompilerOptions()
		o.NoRows = !f.System.HasFeature(system.Rows)
		f.Desired = compiler.Compile(f.Cluster, o)
	}
	r := &Revision{Facts: f, omissions: &Once[[]model.Omission]{}}
	if before == nil {
		r.shared, r.carried = &derivedValues{}, &valuesByType{}
		return r
	}
	r.shared, r.carried = before.shared, before.carried
	// Desired also depends on the options, so it may differ for the same objects.
	if before.Cluster != f.Cluster || before.Desired != f.Desired || !slices.Equal(before.Broken, f.Broken) ||
		before.Flags.MaxPriority != f.Flags.MaxPriority || before.Flags.LegacyIsolation != f.Flags.LegacyIsolation ||
		before.System != f.System {
		r.shared = &derivedValues{}
	}
	return r
}

// RevisionBasis is the input of a revision's ladder, findings and rows. It is comparable: equal bases give
// equal results.
type RevisionBasis struct {
	cluster *model.Cluster
	desired *compiler.Desired
	max     int32
}

// Basis returns what the revision was compiled from.
func (r *Revision) Basis() RevisionBasis {
	return RevisionBasis{r.Cluster, r.Desired, r.Flags.MaxPriority}
}

// SweepState counts the unwatched zones read so far.
type SweepState struct {
	Total  int       // swept zones
	Read   int       // zones read at least once
	Failed int       // zones whose last read failed
	Oldest time.Time // the oldest last read; zero until all zones are read
	Round  int       // completed rounds, not counting failed zones
	// Reported counts the zones of which node agents report, the oldest sign of life at OldestReport; they are not swept.
	Reported     int
	OldestReport time.Time
}

// Conditions returns the conditions that controllers reported about a policy, by type. A condition of Rung's
// own reconcilers replaces the object's of the same type. They are reports, not proof.
func (r *Revision) Conditions(k model.PolicyKey) []model.Condition {
	own := r.Reports[k]
	p := r.Cluster.Policy(k)
	if p == nil {
		return slices.Clone(own)
	}
	out := model.Filter(p.Conditions, func(c model.Condition) bool {
		return !slices.ContainsFunc(own, func(o model.Condition) bool { return o.Type == c.Type })
	})
	out = append(out, own...)
	slices.SortStableFunc(out, func(a, b model.Condition) int { return strings.Compare(a.Type, b.Type) })
	return out
}

// Events returns the events about an object, oldest first.
func (r *Revision) Events(k model.Key) []*model.Event {
	about := func(ev *model.Event) bool { return ev.About == k }
	out := slices.Concat(model.FilterSeq(r.Cluster.Events(), about), model.Filter(r.Notes, about))
	slices.SortStableFunc(out, func(a, b *model.Event) int { return a.Last.Compare(b.Last) })
	return out
}

// Zone returns the state of a zone, nil if unknown.
func (r *Revision) Zone(name string) *model.ZoneState {
	if i := slices.IndexFunc(r.Zones, func(z *model.ZoneState) bool { return z.Name == name }); i >= 0 {
		return r.Zones[i]
	}
	return nil
}

// FirstZone returns the zone to show by default: the first by name whose rows are current, else the first that
// was read, else the first; empty without zones.
func FirstZone(r *Revision) string {
	first := ""
	for _, z := range r.Zones {
		if z.DB != nil && z.IsCurrent() {
			return z.Name
		}
		if first == "" && z.DB != nil {
			first = z.Name
		}
	}
	if first == "" && len(r.Zones) > 0 {
		return r.Zones[0].Name
	}
	return first
}

// Rows returns the desired rows of a policy in a zone, "" for all zones together. After the zone was read, it
// leaves out subject pods without a logical switch port there. Listing large address sets takes milliseconds:
// use ACLs, DesiredSet and DesiredGroup for parts.
func (r *Revision) Rows(k model.PolicyKey, zone string) *model.PolicyRows {
	return r.DesiredFor(k).RowsOfUnit(k, zone, r.livePorts(zone))
}

// livePorts returns the database in which subject pods must have a port; nil for all zones together or an
// unread zone.
func (r *Revision) livePorts(zone string) *nb.DB {
	if z := r.Zone(zone); zone != "" && z != nil {
		return z.DB
	}
	return nil
}

// Units returns the keys of all compiled units: policies, and kinds of rows that have no object.
func (r *Revision) Units() []model.Key {
	return model.MapSeq(r.AllCompiled(), func(c *compiler.CompiledUnit) model.Key { return c.Key })
}

// IsCompiled reports whether the desired rows of a policy or unit are known, or why it has none.
func (r *Revision) IsCompiled(k model.PolicyKey) bool { return r.DesiredFor(k).Policy(k) != nil }

// WhyNoRows returns why a policy has no desired rows, nil if it has some or is unknown.
func (r *Revision) WhyNoRows(k model.PolicyKey) *model.NoRows {
	if c := r.DesiredFor(k).Policy(k); c != nil {
		return c.WhyNoRows
	}
	return nil
}

// Subjects returns the pods a policy applies to, or would apply to if it had rows, by namespace and name.
// Callers must not change the slice.
func (r *Revision) Subjects(k model.PolicyKey) []*model.Pod {
	if p := r.Cluster.Policy(k); r.BySelectors(p) {
		return slices.Collect(r.PodIndex().Pods(AppliedPods(r, p)))
	}
	d := r.DesiredFor(k)
	return r.withFuturePods(d.SubjectPods(d.Policy(k)), futureSubjects(r, k))
}

// PeerPods returns the pods of one peer of a rule; nil for nodes and networks.
func (r *Revision) PeerPods(k model.PolicyKey, dir model.Direction, rule, peer int) []*model.Pod {
	if p := r.Cluster.Policy(k); r.BySelectors(p) {
		if ru := p.Rule(dir, rule); ru != nil && peer < len(ru.Peers) {
			return slices.Collect(r.PodIndex().Pods(peerSet(r, p, &ru.Peers[peer])))
		}
		return nil
	}
	d := r.DesiredFor(k)
	var more selectors.PodSet
	if all := futurePods(r); all != nil {
		p := r.Cluster.Policy(k)
		if ru := p.Rule(dir, rule); ru != nil && peer < len(ru.Peers) {
			more = r.PodIndex().PeerSet(&ru.Peers[peer]).And(all)
		}
	}
	return r.withFuturePods(d.PeerPods(d.Policy(k), dir, rule, peer), more)
}

// ACLCount returns the number of ACLs that a policy compiles to over all zones.
func ACLCount(r *Revision, k model.PolicyKey) int {
	d, c := r.findUnit(k)
	if c == nil {
		return 0
	}
	return d.ACLCount(c)
}

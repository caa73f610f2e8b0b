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

// Mode says which of the ways to run this is and what may be changed.
type Mode struct {
	Name    string        // "demo", "files", "cluster"
	Title   string        // "demo", the path, the context
	Server  string        // address of the API server, on a cluster
	User    string        // who one is there, as far as the kubeconfig tells
	Login   string        // the program that logs in there, as the kubeconfig has it
	Kubectl model.Kubectl // asks the same cluster as the same user; nothing given off a cluster
	Sandbox bool          // the zones are Rung's own
	// Writes says policies may be changed now; WhyNot why that can never be
	// allowed, empty when it can.
	Writes bool
	WhyNot string
	// WriteBack says the files are changed too.
	WriteBack bool
	// Reconciles says Rung's reconciler writes the rows; else it observes.
	Reconciles bool
	// Simulated says the connections in the log are made up. Packets says that they are
	// packets that Rung puts in, and OVN decides about: OVN is the version of the one that
	// the sandbox's zones run on, empty without one.
	Simulated, Packets bool
	OVN                string
	ToldNoOVN          bool // the activity says why none was found
}

// IsPersistent says whether changes outlive the process.
func (m Mode) IsPersistent() bool { return m.WriteBack || m.Name == ClusterMode }

// ChangedName names what changes are made to: "cluster", "files" or "sandbox".
func (m Mode) ChangedName() string {
	if !m.IsPersistent() {
		return "sandbox"
	}
	return m.Name
}

// TrafficTexts says what the connections in the log are, in a few words and in fewer; empty
// where Rung makes none.
func (m Mode) TrafficTexts() (text, short string) {
	short = "real OVN " + majorMinor(m.OVN)
	switch {
	case m.Packets:
		return short + ", packets put in by Rung", short
	case m.OVN != "":
		return short, short
	case m.Simulated:
		return simulated, simulated
	}
	return "", ""
}

const simulated = "simulated traffic"

// majorMinor is a version without its third number.
func majorMinor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

// ClusterMode is the Mode.Name of a run on a cluster.
const ClusterMode = "cluster"

// LogsMode is the Mode.Name of a run on log files alone: nothing is known of pods and
// policies.
const LogsMode = "logs"

// Facts are the parts a revision is made of. Whoever makes one does not change them
// afterwards.
type Facts struct {
	Number  uint64
	At      time.Time
	Mode    Mode
	Cluster *model.Cluster
	Broken  []model.Broken
	Zones   []*model.ZoneState // by name
	Sources []model.SourceState
	// Southbounds are the Southbound databases that Rung knows of, by zone. Counts say
	// since when something below the rows of a zone is behind, Down the processes that do not
	// run there, or do not answer, in the order it came.
	Southbounds []*Southbound
	Counts      map[string]ProgressCount
	Down        map[string][]Daemon
	// Undo describes what undo would take back, Redo what redo would make again;
	// empty when there is nothing.
	Undo, Redo string
	// Plan is the plan that is under way, stopped half way or has just ended, here or in
	// another Rung on the same state folder; nil without.
	Plan *PlanState
	// Unconfirmed is a change that waits to be confirmed, or the last one that did; nil
	// without.
	Unconfirmed *UnconfirmedChange
	// EndedLogs are the logging sessions that ended, newest first.
	EndedLogs []model.EndedLogSession
	// Access holds the API server's answers to what the user may do.
	Access Access
	// Loaded says every source has delivered once.
	Loaded bool
	// Sweep is how far the reading of zones is that are not watched.
	Sweep SweepState
	// Unsettled says that zones may soon be judged by other settings of
	// OVN-Kubernetes: its configuration was not read yet, or they just changed.
	Unsettled bool
	// Flags say what the cluster's OVN-Kubernetes runs with, as far as it was given
	// by flag; Dialects what was found out, nil where nobody looks.
	Flags    Flags
	Dialects *DialectView
	// System is the system whose precedence holds, SystemWhy the evidence for it.
	System    *system.System
	SystemWhy string
	// Desired are the compiled rows of the cluster.
	Desired *compiler.Desired
	// Past is the memory of earlier states of pods and policies, nil when empty.
	Past *PastState
	// Reports and Notes are the conditions and events of Rung's own reconcilers.
	Reports map[model.PolicyKey][]model.Condition
	Notes   []*model.Event
	// OVNTraces are the connections about which ovn-trace and the rows disagree.
	OVNTraces []OVNDisagreement
}

// Revision is one immutable state of everything. Its expensive parts are made
// when first asked for.
type Revision struct {
	Facts
	// Network is the network that this revision is the view of, nil for the cluster as a whole;
	// whole is the revision it is a part of then.
	Network *network.Network
	whole   *Revision

	// shared is worked out once for all revisions of the same objects and desired rows.
	shared *derivedValues
	// carried keeps what questions worked out from revision to revision; nil in one of WithPolicies.
	carried *valuesByType
	// omissions keeps what Omissions says, which every page asks for; nil in a revision of WithPolicies.
	omissions *Once[[]model.Omission]
	// changed is set in a revision of WithPolicies.
	changed *policyChange
}

// New makes a revision of facts. Values that before, the revision before it, worked out
// and that still hold are taken over; before is nil for the first. Facts without
// Desired are compiled here, as their Flags say.
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
	// The desired rows may be others for the same objects: they hang on the options, too.
	if before.Cluster != f.Cluster || before.Desired != f.Desired || !slices.Equal(before.Broken, f.Broken) ||
		before.Flags.MaxPriority != f.Flags.MaxPriority || before.Flags.LegacyIsolation != f.Flags.LegacyIsolation ||
		before.System != f.System {
		r.shared = &derivedValues{}
	}
	return r
}

// RevisionBasis is the input that the ladder, findings and rows of a revision follow from:
// revisions with the same basis have the same ones. Bases can be compared.
type RevisionBasis struct {
	cluster *model.Cluster
	desired *compiler.Desired
	max     int32
}

// Basis returns what the revision was compiled from.
func (r *Revision) Basis() RevisionBasis {
	return RevisionBasis{r.Cluster, r.Desired, r.Flags.MaxPriority}
}

// SweepState is how far the reading of zones is that are not watched.
type SweepState struct {
	Total  int       // zones that are swept
	Read   int       // of them, read at least once
	Failed int       // of them, that could not be read the last time
	Oldest time.Time // the oldest read of them; zero while one was never read
	Round  int       // how often all but the failed were read
}

// Conditions returns the conditions that controllers reported about a policy, by type.
// A condition of Rung's own reconcilers replaces the object's of the same type. They are
// reports, never proof.
func (r *Revision) Conditions(k model.PolicyKey) []model.Condition {
	own := r.Reports[k]
	p := r.Cluster.Policy(k)
	if p == nil {
		return slices.Clone(own)
	}
	var out []model.Condition
	for _, c := range p.Conditions {
		if !slices.ContainsFunc(own, func(o model.Condition) bool { return o.Type == c.Type }) {
			out = append(out, c)
		}
	}
	out = append(out, own...)
	slices.SortStableFunc(out, func(a, b model.Condition) int { return strings.Compare(a.Type, b.Type) })
	return out
}

// Events are the events about an object, oldest first.
func (r *Revision) Events(k model.Key) []*model.Event {
	var out []*model.Event
	for ev := range r.Cluster.Events() {
		if ev.About == k {
			out = append(out, ev)
		}
	}
	for _, ev := range r.Notes {
		if ev.About == k {
			out = append(out, ev)
		}
	}
	slices.SortStableFunc(out, func(a, b *model.Event) int { return a.Last.Compare(b.Last) })
	return out
}

// Zone returns the state of one zone or nil.
func (r *Revision) Zone(name string) *model.ZoneState {
	if i := slices.IndexFunc(r.Zones, func(z *model.ZoneState) bool { return z.Name == name }); i >= 0 {
		return r.Zones[i]
	}
	return nil
}

// FirstZone is the zone to begin with where nobody chose one: the first by name
// whose rows are current, else the first that was read, else the first; empty
// without zones.
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

// Rows are the desired rows of a policy in a zone, "" for all zones together.
// Subject pods without a logical switch port in the zone are left out once the
// zone was read. Listing the members of large address sets costs milliseconds:
// ACLs, DesiredSet and DesiredGroup give the parts.
func (r *Revision) Rows(k model.PolicyKey, zone string) *model.PolicyRows {
	return r.DesiredOf(k).RowsOfUnit(k, zone, r.livePorts(zone))
}

// livePorts returns the database whose ports subject pods must have, nil for all zones
// together and for a zone that was not read.
func (r *Revision) livePorts(zone string) *nb.DB {
	if z := r.Zone(zone); zone != "" && z != nil {
		return z.DB
	}
	return nil
}

// Units are the keys of everything that is compiled: policies, and the kinds of
// rows that are no objects.
func (r *Revision) Units() []model.Key {
	var out []model.Key
	for c := range r.AllCompiled() {
		out = append(out, c.Key)
	}
	return out
}

// IsCompiled says whether Rung knows the desired rows of a policy or unit, or why
// it has none.
func (r *Revision) IsCompiled(k model.PolicyKey) bool { return r.DesiredOf(k).Policy(k) != nil }

// WhyNoRows is why a policy has no desired rows, nil when it has some or is unknown.
func (r *Revision) WhyNoRows(k model.PolicyKey) *model.NoRows {
	if c := r.DesiredOf(k).Policy(k); c != nil {
		return c.WhyNoRows
	}
	return nil
}

// Subjects are the pods a policy applies to, by namespace and name; of a policy
// that has no rows those it would apply to. The slice must not be changed.
func (r *Revision) Subjects(k model.PolicyKey) []*model.Pod {
	if p := r.Cluster.Policy(k); r.BySelectors(p) {
		return slices.Collect(r.PodIndex().Pods(AppliedPods(r, p)))
	}
	d := r.DesiredOf(k)
	return r.withToBe(d.SubjectPods(d.Policy(k)), toBeSubjects(r, k))
}

// PeerPods are the pods behind one peer of a rule; nil for nodes and networks.
func (r *Revision) PeerPods(k model.PolicyKey, dir model.Direction, rule, peer int) []*model.Pod {
	if p := r.Cluster.Policy(k); r.BySelectors(p) {
		if ru := p.Rule(dir, rule); ru != nil && peer < len(ru.Peers) {
			return slices.Collect(r.PodIndex().Pods(peerSet(r, p, &ru.Peers[peer])))
		}
		return nil
	}
	d := r.DesiredOf(k)
	var more selectors.PodSet
	if all := toBeSet(r); all != nil {
		p := r.Cluster.Policy(k)
		if ru := p.Rule(dir, rule); ru != nil && peer < len(ru.Peers) {
			more = r.PodIndex().PeerSet(&ru.Peers[peer]).And(all)
		}
	}
	return r.withToBe(d.PeerPods(d.Policy(k), dir, rule, peer), more)
}

// ACLCount is how many ACLs the policy compiles to over all zones together.
func ACLCount(r *Revision, k model.PolicyKey) int {
	d, c := r.unitOf(k)
	if c == nil {
		return 0
	}
	return d.ACLCount(c)
}

package model

import (
	"time"

	"rung/model/ovn/nb"
)

// PolicyRows are the desired rows of one policy in one zone (or in all of them
// together), or the reason why it has none.
type PolicyRows struct {
	Policy PolicyKey
	// None is set when OVN-Kubernetes would not program the policy as it is:
	// rows it had before stay and still decide (ovn-kubernetes.md#no-rows).
	None        *NoRows
	PortGroup   *nb.PortGroup
	ACLs        []*nb.ACL        // ingress before egress, by index, then id
	AddressSets []*nb.AddressSet // addresses sorted
}

// NoRows is why a policy has no desired rows.
type NoRows struct {
	Code    string // "priority", "logging-annotation", "cidr", "selector", "host-cidrs", "profile", NoController
	Message string // the text OVN-Kubernetes reports, or its meaning
}

// ConnState is the state of the connection to a source or zone.
type ConnState string

// The connection states.
const (
	ConnStarting ConnState = "starting"
	ConnDialling ConnState = "dialling"
	ConnSynced   ConnState = "synced"
	ConnLost     ConnState = "lost"
	ConnDenied   ConnState = "no permission"
	ConnReadOnly ConnState = "file"       // a dump: read once
	ConnAbsent   ConnState = "not served" // a resource the API server does not know
	// ConnSwept is a zone that is read now and then and not watched: rows are as
	// of SyncedAt, and only what was found out about them is kept.
	ConnSwept ConnState = "read"
)

// PolicyState is a policy in a zone judged by rows alone (architecture.md#words).
type PolicyState string

// The states, in the order of how much an admin should worry; IsWorseThan compares
// by it.
const (
	StateFrozen        PolicyState = "frozen"
	StateBehind        PolicyState = "behind"
	StateNotEnforced   PolicyState = "not enforced"
	StateUnknown       PolicyState = "unknown"
	StateStale         PolicyState = "stale"
	StateNotComparable PolicyState = "not comparable"
	StateSettling      PolicyState = "settling"
	StateInSync        PolicyState = "in sync"
)

var stateOrder = map[PolicyState]int{StateFrozen: 0, StateBehind: 1, StateNotEnforced: 2,
	StateUnknown: 3, StateStale: 4, StateNotComparable: 5, StateSettling: 6, StateInSync: 7}

// IsWorseThan says whether s deserves attention before o.
func (s PolicyState) IsWorseThan(o PolicyState) bool { return stateOrder[s] < stateOrder[o] }

// DiffKind says how a live row differs from the desired one.
type DiffKind string

// The kinds of difference.
const (
	DiffMissing   DiffKind = "missing"   // desired, not live
	DiffExtra     DiffKind = "extra"     // live under an id of the policy, not desired
	DiffDifferent DiffKind = "different" // live with other contents
)

// RowDiff is one difference between desired and live rows.
type RowDiff struct {
	Kind   DiffKind    `json:"kind"`
	Table  string      `json:"table"`
	ID     string      `json:"id"`             // k8s.ovn.org/id
	UUID   string      `json:"uuid,omitempty"` // of the live row, empty when missing
	Fields []FieldDiff `json:"fields"`
	// Waiting says the difference is not one a writer can mend now: a subject
	// pod whose logical switch port does not exist yet.
	Waiting string `json:"waiting,omitempty"`
	// Note says what else is to be known of the row: that it is the policy's by
	// owner and name alone.
	Note string `json:"note,omitempty"`
}

// FieldDiff is one column that differs. For set columns Missing and Extra list
// the members (sorted) and Desired and Live say how many there are.
type FieldDiff struct {
	Column  string   `json:"column"`
	Desired string   `json:"desired"`
	Live    string   `json:"live"`
	Missing []string `json:"missing,omitempty"`
	Extra   []string `json:"extra,omitempty"`
}

// PolicyInZone is the join of desired and live rows of one policy in one zone.
type PolicyInZone struct {
	Policy PolicyKey
	// InSync says nothing differs. DiffSince is when the oldest standing
	// difference appeared, Touched the newest related change or read.
	InSync             bool
	DiffSince, Touched time.Time
	Missing            int
	Extra              int
	Different          int
	Waiting            int
	// Blocked counts those that Rung cannot mend: missing rows whose row to hang on
	// is not there, and extra ones that a row of others holds.
	Blocked  int
	Diffs    []RowDiff // all of them, by table and id
	None     *NoRows   // no desired rows
	LiveACLs int
	// LivePriority is the ANP priority (0..99) the live ACLs carry, -1 without
	// live rows or when it cannot be told.
	LivePriority int32
	// Error is the last failure of writing this policy, with when and tries.
	Error   string
	ErrorAt time.Time
	Tries   int
	// NotComparable says the rows are in a form Rung does not compile, or made by
	// other settings; Why says in which, where it is known.
	NotComparable bool
	Why           string
	// Rows digests the live rows where the desired ones do not say what they
	// should be: not comparable, without desired rows, with members others keep.
	Rows *UnitDigest
}

// SettleTime is how long a difference may stand before it counts as behind.
const SettleTime = 5 * time.Second

// StateAt judges the policy at a time, by the rows of its zone alone.
//
// While the zone is not current nothing can be said about its rows as they are
// now, not even that old ones still decide: the policy is stale then, or unknown
// where the rows were never read or may not be. A zone that is swept is judged as
// of its read; what changed since is stale. A difference counts as settling
// for SettleTime after the newest related change or read; one that stands
// because a write fails does not begin anew with every pod that comes. The rows of
// a stored database never change, so a difference there is behind at once.
func (p *PolicyInZone) StateAt(z *ZoneState, now time.Time) PolicyState {
	return p.StateSettlingAfter(z, now, SettleTime)
}

// StateSettlingAfter is StateAt where differences count as settling for another time.
func (p *PolicyInZone) StateSettlingAfter(z *ZoneState, now time.Time, settle time.Duration) PolicyState {
	if z != nil && z.Conn == ConnSwept {
		now = z.SyncedAt
	}
	switch {
	case z == nil || z.SyncedAt.IsZero() || z.Conn == ConnDenied:
		return StateUnknown
	case !z.IsCurrent() && z.Conn != ConnSwept:
		return StateStale
	case p == nil:
		return StateUnknown
	case z.IsOutdated(p.Policy):
		return StateStale
	case p.NotComparable:
		return StateNotComparable
	case p.None != nil && p.LiveACLs > 0:
		return StateFrozen
	case p.None != nil:
		return StateNotEnforced
	case p.InSync:
		return StateInSync
	case p.Error != "" && !p.DiffSince.IsZero() && now.Sub(p.DiffSince) >= settle:
		return StateBehind
	case !z.IsStored() && now.Sub(p.Touched) < settle:
		return StateSettling
	}
	return StateBehind
}

// NextBehind is the first moment after now at which a difference that is settling
// will count as behind, or one that cannot be written for standing, by the time
// alone; zero when there is none.
func (z *ZoneState) NextBehind(now time.Time) (next time.Time) {
	return z.NextBehindAfter(now, SettleTime)
}

// NextBehindAfter is NextBehind where differences settle for another time.
func (z *ZoneState) NextBehindAfter(now time.Time, settle time.Duration) (next time.Time) {
	if !z.IsCurrent() || z.IsStored() {
		return time.Time{}
	}
	consider := func(since time.Time) {
		if at := since.Add(settle); at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	for _, p := range z.Policies {
		if p.InSync || p.None != nil || p.NotComparable {
			continue
		}
		consider(p.Touched)
		if p.Error != "" || p.Blocked > 0 {
			consider(p.DiffSince)
		}
	}
	return next
}

// ZoneState is everything known about one zone at one moment; immutable.
type ZoneState struct {
	Name     string
	Endpoint string // printable address
	Server   string // "ovsdb-server 3.1.0", "builtin", StoredServer
	Conn     ConnState
	ConnAt   time.Time // when Conn was entered
	SyncedAt time.Time // newest moment the rows were known current; zero: never
	Error    string    // last error, clean
	// Partial says why the database was read in part only; empty when it was read whole.
	Partial  string
	Attempts int    // connection attempts since the last success
	Writes   bool   // Rung's reconciler writes here
	DB       *nb.DB // nil: never read, or swept
	Rows     int    // of a swept zone: how many rows were read
	Policies map[PolicyKey]*PolicyInZone
	// Steps counts the steps of desired rows that Policies takes into account;
	// Judging says that there are newer ones, whose policies show as settling.
	Steps   uint64
	Judging bool
	// Changed says of a swept zone what changed after which step.
	Changed *ChangeSteps
	// Pending counts policies waiting to be written; Paused says why writing
	// is not going on.
	Pending int
	Paused  string
	// Starting reports whether Paused is only a step of every start, which ends by itself.
	Starting bool
	// SettlesAt is when the next difference that is settling will count as behind, as
	// NextBehind says it at the time of this state; zero when none is settling.
	SettlesAt time.Time
	// Disowned are rows that were Rung's to write and are nobody's any more.
	Disowned []DisownedRow
	// Note is to be seen although it keeps nothing from being written: that a check
	// was overridden, who leads.
	Note string
	// Writer and Epoch are the rung reconcile that NB_Global names, empty and 0 for none.
	Writer string
	Epoch  int64
	// Where others may write as well: whether this process holds the zone, whether
	// another took it over, and the newest change of a row of Rung's owner types by
	// another writer.
	RowsHeld  bool
	TakenOff  bool
	Foreign   string
	ForeignAt time.Time
}

// DisownedRow is a row whose owner ids somebody took away. Nobody writes or removes
// it, and it may still decide.
type DisownedRow struct {
	Table, UUID string
	Was         PolicyKey
	ID          string // the k8s.ovn.org/id it had
}

// StoredServer is the Server of a zone whose rows come from a database file.
const StoredServer = "file"

// IsStored reports whether the rows come from a database file: nothing writes them any more.
func (z *ZoneState) IsStored() bool { return z.Conn == ConnReadOnly || z.Server == StoredServer }

// IsCurrent says whether the rows are those that are there now: the zone is being
// watched, or it is a file, which does not change.
func (z *ZoneState) IsCurrent() bool { return z.Conn == ConnSynced || z.Conn == ConnReadOnly }

// IsOutdated says whether the desired rows of a unit changed after the zone, which
// is swept, was read.
func (z *ZoneState) IsOutdated(k PolicyKey) bool {
	return z.Conn == ConnSwept && z.Changed.LastStep(z.Name, k).Step > z.Steps
}

// RowCount is how many rows the zone had when they were read last.
func (z *ZoneState) RowCount() int {
	if z.DB != nil {
		return z.DB.Len()
	}
	return z.Rows
}

// PolicyJoin returns the join for one policy or nil. A policy that came after a
// swept zone was read is there, without rows.
func (z *ZoneState) PolicyJoin(k PolicyKey) *PolicyInZone {
	if z == nil {
		return nil
	}
	p := z.Policies[k]
	if p == nil && z.IsOutdated(k) {
		p = &PolicyInZone{Policy: k, LivePriority: -1}
	}
	return p
}

// SourceState is the health of a source of objects.
type SourceState struct {
	Name   string // "files", "demo", a context
	Detail string
	Conn   ConnState
	At     time.Time // when the state was entered
	ReadAt time.Time // newest successful read
	Error  string
	// HasNoObjects reports whether this is a part of Rung that failed, and no source of objects.
	HasNoObjects bool
	// Read of Total bytes were read, while files are read for the first time; Total is 0
	// at any other time.
	Read, Total int64
	// Resources are the parts of an API server, in a fixed order; nil elsewhere.
	Resources []SourceResource
	// Files are the files that were read, by path; nil elsewhere.
	Files []SourceFile
}

// SourceFile is a file as it was read.
type SourceFile struct {
	Path string
	Size int64
	Sum  [32]byte // SHA-256 of its bytes; zero for one that could not be read, or is part of Rung
}

// SourceResource is the health of one resource of an API server.
type SourceResource struct {
	Name     string // "pods", "adminnetworkpolicies.policy.networking.k8s.io"
	Kind     Kind   // of its objects
	Conn     ConnState
	At       time.Time // when Conn was entered
	Error    string    // one line with the remedy, clean; empty while Conn is synced
	Attempts int       // failed ones since the last success
	Count    int       // objects
	WasRead  bool      // all objects were read at least once
	// Optional says that the source counts as synced without it; Rows that rows are
	// compiled from it, so that none may be written before it was read.
	Optional, Rows bool
}

// Activity is one thing that was done to a database, the cluster or the files.
type Activity struct {
	Seq     uint64
	At      time.Time
	Took    time.Duration
	Zone    string // empty for a change that was not to a zone
	Policy  PolicyKey
	Summary string // "12 ACLs updated"
	Ops     int
	// Commands are the equivalent kubectl or ovn-nbctl command lines,
	// shell-quoted.
	Commands []string
	Error    string
	By       string // "reconciler", "user"
	Rail     string // code of the guard rail that a change met which a source brought
}

// ZoneUpdate is the news that a zone's connection sends to its watcher. DB is always
// the whole snapshot after the update; Changes are the changes from the previous
// snapshot to it, nil after a (re)read of everything (Resync true).
type ZoneUpdate struct {
	Conn     ConnState
	At       time.Time
	Server   string
	Attempts int    // connection attempts since the last success
	Error    string // clean, why Conn is not synced
	Partial  string // clean, with a DB: why it is only a part of the rows
	DB       *nb.DB // nil: unchanged (never read if none came before)
	Changes  []nb.RowChange
	Resync   bool
}

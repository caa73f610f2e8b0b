package model

import (
	"time"

	"rung/model/ovn/nb"
)

// PolicyRows are the desired rows of one policy in one zone, or in all of them together, or the reason for
// having none.
type PolicyRows struct {
	Policy PolicyKey
	// None is set if OVN-Kubernetes would not program the policy: earlier rows stay and still decide
	// (ovn-kubernetes.md#no-rows).
	None        *NoRows
	PortGroup   *nb.PortGroup
	ACLs        []*nb.ACL        // ingress before egress, by index, then id
	AddressSets []*nb.AddressSet // addresses sorted
}

// NoRows is why a policy has no desired rows.
type NoRows struct {
	// Code is "priority", "logging-annotation", "cidr", "selector", "host-cidrs", "profile" or NoController.
	Code    string `json:"code"`
	Message string `json:"message,omitempty"` // the text OVN-Kubernetes reports, or its meaning
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
	// ConnSwept is a zone that is read now and then, not watched: rows are as of SyncedAt, and only the
	// findings about them are kept.
	ConnSwept ConnState = "read"
)

// PolicyState is the state of a policy in a zone, judged by rows alone (architecture.md#words).
type PolicyState string

// The states, the most worrying first; IsWorseThan compares them.
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

// IsWorseThan reports whether s deserves attention before o.
func (s PolicyState) IsWorseThan(o PolicyState) bool { return stateOrder[s] < stateOrder[o] }

// DiffKind is how a live row differs from the desired one.
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
	UUID   string      `json:"uuid,omitempty"` // of the live row, empty if missing
	Fields []FieldDiff `json:"fields"`
	// Waiting is why no writer can fix the difference now, or empty: a pod without its port yet.
	Waiting string `json:"waiting,omitempty"`
	// Note adds that the row belongs to the policy by owner and name alone.
	Note string `json:"note,omitempty"`
}

// FieldDiff is one column that differs. For set columns Missing and Extra list the members (sorted), and
// Desired and Live are the numbers of members.
type FieldDiff struct {
	Column  string   `json:"column"`
	Desired string   `json:"desired"`
	Live    string   `json:"live"`
	Missing []string `json:"missing,omitempty"`
	Extra   []string `json:"extra,omitempty"`
}

// PolicyInZone joins desired and live rows of one policy in one zone.
type PolicyInZone struct {
	Policy PolicyKey
	// InSync reports that nothing differs. DiffSince is when the oldest present difference appeared, Touched
	// the newest related change or read.
	InSync             bool
	DiffSince, Touched time.Time
	Missing            int
	Extra              int
	Different          int
	Waiting            int
	// Blocked counts differences that Rung cannot fix: missing rows whose holder does not exist, and extra
	// rows that a row of others holds.
	Blocked  int
	Diffs    []RowDiff // all, by table and id
	None     *NoRows   // no desired rows
	LiveACLs int
	// LivePriority is the ANP priority (0..99) of the live ACLs, or -1 without live rows or if unknown.
	LivePriority int32
	// Error is the last failure to write this policy, with time and tries.
	Error   string
	ErrorAt time.Time
	Tries   int
	// NotComparable reports rows in a form that Rung does not compile, or made by other settings; Why names it.
	NotComparable bool
	Why           string
	// Rows digests the live rows if the desired ones do not determine them: not comparable, without desired
	// rows, or with members of others.
	Rows *UnitDigest
}

// SettleTime is how long a difference may last before it counts as behind.
const SettleTime = 5 * time.Second

// StateAt judges the policy at a time, by the rows of its zone alone.
//
// If the zone is not current, the state of its rows is not known, not even whether old ones still decide: the
// policy is stale, or unknown if the rows were never read or may not be. A swept zone has the state at its
// read; later changes are stale. A difference is settling for SettleTime after the newest related change or
// read. A difference that lasts because a write fails does not begin anew with every new pod. The rows of a
// stored database never change, so a difference there is behind at once.
func (p *PolicyInZone) StateAt(z *ZoneState, now time.Time) PolicyState {
	return p.StateSettlingAfter(z, now, SettleTime)
}

// StateSettlingAfter returns StateAt with another settling time.
func (p *PolicyInZone) StateSettlingAfter(z *ZoneState, now time.Time, settle time.Duration) PolicyState {
	if z != nil && z.Conn == ConnSwept && z.Agent == "" {
		now = z.SyncedAt // an agent would have told of a later change
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

// NextBehind returns the first moment after now at which time alone turns a settling difference, or a failed
// write, into behind; zero if there is none.
func (z *ZoneState) NextBehind(now time.Time) (next time.Time) {
	return z.NextBehindAfter(now, SettleTime)
}

// NextBehindAfter returns NextBehind with another settling time.
func (z *ZoneState) NextBehindAfter(now time.Time, settle time.Duration) (next time.Time) {
	if !z.IsCurrent() && z.Agent == "" || z.IsStored() {
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
	SyncedAt time.Time // newest moment the rows were known to be current; zero: never
	Error    string    // last error, clean
	// Partial is why the database was read only in part, or empty.
	Partial  string
	Attempts int    // connection attempts since the last success
	Writes   bool   // Rung's reconciler writes here
	DB       *nb.DB // nil: never read, or swept
	Rows     int    // of a swept zone: the number of rows read
	Policies map[PolicyKey]*PolicyInZone
	// Steps counts the steps of desired rows included in Policies. Judging: newer steps show as settling.
	Steps   uint64
	Judging bool
	// Changed has the changes of a swept zone by step.
	Changed *ChangeSteps
	// Agent is the node agent whose report this is, which judged the rows and kept them; empty if Rung read them.
	// Newer are the units that changed since the agent judged them.
	Agent string
	Newer map[PolicyKey]bool
	// Pending counts policies waiting to be written; Paused is why writing is paused.
	Pending int
	Paused  string
	// Starting reports whether Paused is only a step of every start, which ends by itself.
	Starting bool
	// SettlesAt is NextBehind at the time of this state, or zero.
	SettlesAt time.Time
	// Disowned are rows that Rung wrote and that have lost their owner.
	Disowned []DisownedRow
	// Note is a notice that does not stop writing: an overridden check, or the leader.
	Note string
	// Writer and Epoch are the rung reconcile in NB_Global, or empty and 0 for none.
	Writer string
	Epoch  int64
	// For zones with several possible writers: whether this process holds the zone, whether another took it
	// over, and the newest change by another writer to a row of Rung's owner types.
	RowsHeld  bool
	TakenOff  bool
	Foreign   string
	ForeignAt time.Time
}

// DisownedRow is a row whose owner ids were removed. Nothing writes or removes it, and it may still decide.
type DisownedRow struct {
	Table, UUID string
	Was         PolicyKey
	ID          string // its former k8s.ovn.org/id
}

// StoredServer is the Server of a zone whose rows come from a database file.
const StoredServer = "file"

// IsStored reports whether the rows come from a database file, which nothing writes any more.
func (z *ZoneState) IsStored() bool { return z.Conn == ConnReadOnly || z.Server == StoredServer }

// IsCurrent reports whether the rows are up to date: the zone is watched, or is a file, which does not change.
func (z *ZoneState) IsCurrent() bool { return z.Conn == ConnSynced || z.Conn == ConnReadOnly }

// IsOutdated reports whether the desired rows of a unit changed after a swept zone was read.
func (z *ZoneState) IsOutdated(k PolicyKey) bool {
	if z.Agent != "" {
		return z.Newer[k]
	}
	return z.Conn == ConnSwept && z.Changed.LastStep(z.Name, k).Step > z.Steps
}

// RowCount returns the number of rows at the last read.
func (z *ZoneState) RowCount() int {
	if z.DB != nil {
		return z.DB.Len()
	}
	return z.Rows
}

// PolicyJoin returns the join for one policy or nil. For a policy newer than a swept zone's read it has no rows.
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
	Name   string    `json:"name"` // "files", "demo", a context
	Detail string    `json:"detail,omitempty"`
	Conn   ConnState `json:"state"`
	At     time.Time `json:"-"` // when the state was entered
	ReadAt time.Time `json:"-"` // newest successful read
	Error  string    `json:"error,omitempty"`
	// HasNoObjects marks a failed part of Rung, not a source of objects.
	HasNoObjects bool `json:"-"`
	// Read of Total bytes were read during the first read of files; otherwise Total is 0.
	Read  int64 `json:"-"`
	Total int64 `json:"-"`
	// Resources are the parts of an API server, in a fixed order; nil elsewhere.
	Resources []SourceResource `json:"-"`
	// Files are the files that were read, by path; nil elsewhere.
	Files []SourceFile `json:"-"`
}

// SourceFile is a file as read.
type SourceFile struct {
	Path string
	Size int64
	Sum  [32]byte // SHA-256 of its bytes; zero for an unreadable file or a part of Rung
}

// SourceResource is the health of one resource of an API server.
type SourceResource struct {
	Name     string    `json:"name"`           // "pods", "adminnetworkpolicies.policy.networking.k8s.io"
	Kind     Kind      `json:"kind,omitempty"` // of its objects
	Conn     ConnState `json:"state"`
	At       Stamp     `json:"since"`                     // when Conn was entered
	Count    int       `json:"objects"`                   // those last read, even if it cannot be read now
	Attempts int       `json:"failed_attempts,omitempty"` // since the last success
	Optional bool      `json:"optional,omitempty"`        // the source counts as synced without it
	Error    string    `json:"error,omitempty"`           // one line with the remedy, clean; empty while synced
	WasRead  bool      `json:"-"`                         // all objects were read at least once
	// Rows marks a resource from which rows are compiled: none may be written before it is read.
	Rows bool `json:"-"`
}

// Activity is one action on a database, the cluster or the files.
type Activity struct {
	Seq     uint64
	At      time.Time
	Took    time.Duration
	Zone    string // empty for a change outside zones
	Policy  PolicyKey
	Summary string // "12 ACLs updated"
	Ops     int
	// Commands are the equivalent kubectl or ovn-nbctl command lines, shell-quoted.
	Commands []string
	Error    string
	By       string // "reconciler", "user"
	Rail     string // code of the guard rail that applies to a change from a source
}

// ZoneUpdate is an update from a zone's connection to its watcher. DB is always the whole snapshot after the
// update. Changes lead to it from the previous snapshot, nil after a (re)read of everything (Resync true).
type ZoneUpdate struct {
	Conn     ConnState
	At       time.Time
	Server   string
	Attempts int    // connection attempts since the last success
	Error    string // why Conn is not synced, clean
	Partial  string // why DB has only a part of the rows, clean
	DB       *nb.DB // nil: unchanged (never read if none came before)
	Changes  []nb.RowChange
	Resync   bool
}

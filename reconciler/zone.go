package reconciler

import (
	"cmp"
	"context"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/retry"
)

// Zone is one Northbound database, as the reconciler needs it. sources/nbdb implements it; tests use small
// fakes.
type Zone interface {
	// Name returns the zone's name, which is the node's.
	Name() string
	// Endpoint returns the printable address.
	Endpoint() string
	// Run keeps the connection up until ctx ends, and retries forever. It passes every update to sink, one at
	// a time and in order. A lost connection is an update; later a Resync follows.
	Run(ctx context.Context, sink func(model.ZoneUpdate))
	// Transact runs all operations in one transaction or none of them. An error that wraps model.ErrRejected
	// means that the server rejected them. After any other error the outcome is unknown and a resync follows.
	Transact(ctx context.Context, ops []nb.Op) ([]nb.OpResult, error)
}

// Pipeline is a Zone that accepts a transaction while another is under way.
type Pipeline interface {
	// Send is Transact in two steps. It returns once the operations are sent, or have failed; wait returns
	// Transact's result. Nobody else sends meanwhile; transactions run in the order of the calls. After an
	// unknown outcome, all later outcomes are unknown too.
	Send(ctx context.Context, ops []nb.Op) (wait func() ([]nb.OpResult, error))
}

// Resyncer is a Zone that can read everything again on request. An update with Resync set follows.
type Resyncer interface{ Resync() }

// Status receives conditions. SetCondition must not block; it is called only for conditions that the policy
// lacks.
type Status interface {
	SetCondition(policy model.PolicyKey, c model.Condition)
}

// Events receives events about policies, with the zone as Reporter. Event must not block.
type Events interface {
	Event(e model.Event)
}

// Mode tells whether rows are written.
type Mode int

// The modes.
const (
	Observe Mode = iota // differences are reported, nothing is written
	Write               // differences are repaired
)

// Config configures the Reconciler of one zone.
type Config struct {
	Zone Zone
	Mode Mode // the initial mode
	// OnState receives every published state, OnActivity every write. Both are called from the reconciler's
	// goroutine and must not block. Either may be nil.
	OnState    func(*model.ZoneState)
	OnActivity func(model.Activity)
	// Status and Events receive reports. Either may be nil: nothing is reported there then.
	Status Status
	Events Events
	// Fence protects a zone that others may write too; nil if Rung owns it.
	Fence *ZoneFence
	// LeftAloneKinds are kinds whose rows are neither written nor reported.
	LeftAloneKinds map[model.Kind]bool
	// OnTransaction, if not nil, receives every finished transaction. It is called as OnActivity is.
	OnTransaction func(Transaction)
	// Members, if not nil, lists a desired set, so that zones compared at the same time share the lists. Its
	// results must not be changed.
	Members func(*compiler.Desired, *compiler.SetSpec) []string
	// MaxPriority is the compiler's highest supported priority number (model.MaxPriority when 0).
	MaxPriority int32
	// Clock returns the time for reports; nil is the system's. Waits use the process's own timers.
	Clock func() time.Time

	// Publish is the shortest time between two states (50 ms when 0). The last
	// state is always published.
	Publish time.Duration
	// Gather is the shortest time between transactions while changes keep coming (50 ms when 0); changes in
	// between go into one transaction. If transactions take long it grows up to five times, to leave the
	// database three quarters of the time for others. After a pause the first goes at once.
	Gather time.Duration
	// Confirm is how long to wait for written rows before checking again (500 ms when 0).
	Confirm time.Duration
	// AnswerTimeout is the time after which a transaction's outcome counts as unknown (30 s when 0).
	AnswerTimeout time.Duration
	// BackoffMin and BackoffMax limit the wait after a policy's failed write (50 ms and 30 s when 0).
	BackoffMin, BackoffMax time.Duration
	// CompareAgain is how often a unit that differs but cannot be written is compared again (1 min when 0).
	CompareAgain time.Duration
	// MaxBatch limits the operations and set members of a transaction with several policies (50,000 when 0).
	// The limit keeps each transaction short and gets the first one out soon.
	MaxBatch int
	// Slot waits until the process has a core to spare for the reconciler; nil never waits. Code in a slot
	// waits for no other slot.
	Slot func() (release func())
}

// Transaction holds the result of one transaction, ResultOK or another Result constant, and its duration.
type Transaction struct {
	Result string
	Took   time.Duration
}

// The results of a transaction.
const (
	ResultOK      = "ok"
	ResultRefused = "refused" // by the server, wholly or in part
	ResultUnknown = "unknown" // it may have been committed
	ResultFenced  = "fenced"  // another writer holds the zone
)

func (c *Config) setDefaults() {
	c.Publish = cmp.Or(c.Publish, 50*time.Millisecond)
	c.Gather = cmp.Or(c.Gather, 50*time.Millisecond)
	c.Confirm = cmp.Or(c.Confirm, 500*time.Millisecond)
	c.AnswerTimeout = cmp.Or(c.AnswerTimeout, 30*time.Second)
	c.CompareAgain = cmp.Or(c.CompareAgain, time.Minute)
	c.BackoffMin = cmp.Or(c.BackoffMin, 50*time.Millisecond)
	c.BackoffMax = cmp.Or(c.BackoffMax, 30*time.Second)
	c.MaxBatch = cmp.Or(c.MaxBatch, 50_000)
	c.MaxPriority = cmp.Or(c.MaxPriority, model.MaxPriority)
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Slot == nil {
		c.Slot = retry.Slots(nil).TakeSlot
	}
	if c.OnState == nil {
		c.OnState = func(*model.ZoneState) {}
	}
	if c.Fence != nil && c.Fence.Quiet <= 0 {
		f := *c.Fence
		f.Quiet = defaultQuiet
		c.Fence = &f
	}
	if c.OnTransaction == nil {
		c.OnTransaction = func(Transaction) {}
	}
	if c.OnActivity == nil {
		c.OnActivity = func(model.Activity) {}
	}
}

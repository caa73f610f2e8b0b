package reconciler

import (
	"context"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/retry"
)

// Zone is one Northbound database as the reconciler needs it. sources/nbdb
// satisfies it; tests use small fakes of their own.
type Zone interface {
	// Name is the zone's name: the node's.
	Name() string
	// Endpoint is the printable address.
	Endpoint() string
	// Run keeps the connection up until ctx ends, without end in its back-off,
	// and hands every update to sink, one at a time and in order. A lost
	// connection is an update, then a Resync follows.
	Run(ctx context.Context, sink func(model.ZoneUpdate))
	// Transact runs all operations in one transaction or none of them. An error
	// means the outcome is unknown (the connection will resync); a server's
	// refusal is an error that wraps model.ErrRefused.
	Transact(ctx context.Context, ops []nb.Op) ([]nb.OpResult, error)
}

// Pipeline is a Zone that takes a transaction while another is under way.
type Pipeline interface {
	// Send is Transact in two steps: it returns when the operations are on their way, or
	// will not be, and wait returns what Transact does. Nobody else sends meanwhile;
	// transactions are done in the order of the calls. An unknown outcome of one ends
	// those behind it likewise.
	Send(ctx context.Context, ops []nb.Op) (wait func() ([]nb.OpResult, error))
}

// Resyncer is a Zone that can be told to read everything again; an update with
// Resync set follows.
type Resyncer interface{ Resync() }

// Status takes the conditions the reconciler reports. SetCondition must not
// block; it is called only when the condition is not what the policy has.
type Status interface {
	SetCondition(policy model.PolicyKey, c model.Condition)
}

// Events takes the events the reconciler reports about policies; Reporter is
// the zone. Event must not block.
type Events interface {
	Event(e model.Event)
}

// Mode says whether rows are written.
type Mode int

// The modes.
const (
	Observe Mode = iota // differences are reported, nothing is written
	Write               // differences are mended
)

// Config is the configuration of a Reconciler of one zone.
type Config struct {
	Zone Zone
	Mode Mode // to begin with
	// OnState gets every published state; OnActivity everything that was done.
	// Both are called from the reconciler's goroutine, one at a time, and must
	// not block. Either may be nil.
	OnState    func(*model.ZoneState)
	OnActivity func(model.Activity)
	// Status and Events may be nil: nothing is reported then.
	Status Status
	Events Events
	// Fence is for a zone that others may write as well; nil for Rung's own.
	Fence *ZoneFence
	// LeftAloneKinds are the kinds whose rows are neither written nor reported.
	LeftAloneKinds map[model.Kind]bool
	// OnTransaction, which may be nil, gets every transaction that ended. It is
	// called as OnActivity is.
	OnTransaction func(Transaction)
	// Members, which may be nil, lists a set of the desired rows where somebody has
	// it listed already: zones that are compared at once share the lists. Nobody
	// changes what it returns.
	Members func(*compiler.Desired, *compiler.SetSpec) []string
	// MaxPriority is the lowest supported precedence, as the compiler was told
	// (model.MaxPriority when 0).
	MaxPriority int32
	// Clock tells the time of what is reported; nil is the system's. Waiting is done on
	// the process's own timers.
	Clock func() time.Time

	// Publish is the shortest time between two states (50 ms when 0). The last
	// state is always published.
	Publish time.Duration
	// Gather is the shortest time between two transactions while changes keep
	// coming (50 ms when 0): what comes meanwhile goes together. Where a
	// transaction takes long it is up to five times as much, so that the database
	// has three quarters of the time for others. The first after a pause goes at
	// once.
	Gather time.Duration
	// Confirm is how long the reconciler waits to see what it wrote before it
	// looks again (500 ms when 0).
	Confirm time.Duration
	// AnswerTimeout is how long a transaction may take before its outcome counts as
	// unknown (30 s when 0).
	AnswerTimeout time.Duration
	// BackoffMin and BackoffMax bound the wait of a policy whose write failed
	// (50 ms and 30 s when 0).
	BackoffMin, BackoffMax time.Duration
	// CompareAgain is how often a unit is compared anew whose rows stay different for a
	// reason (1 min when 0).
	CompareAgain time.Duration
	// MaxBatch is how many operations and set members go into one transaction
	// at most, a single policy excepted (50,000 when 0): few enough that the first
	// one is soon with the server, and that it takes a moment for each.
	MaxBatch int
	// Slot waits until the process has a core to spare for the reconciler's computing;
	// nil never waits. Nothing in a slot waits for another slot.
	Slot func() (release func())
}

// Transaction is the outcome of one transaction: ResultOK or one of the other results,
// and how long it took.
type Transaction struct {
	Result string
	Took   time.Duration
}

// Results of a transaction.
const (
	ResultOK      = "ok"
	ResultRefused = "refused" // by the server, or in part
	ResultUnknown = "unknown" // it may have happened
	ResultFenced  = "fenced"  // another writer holds the zone
)

func (c *Config) setDefaults() {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&c.Publish, 50*time.Millisecond)
	def(&c.Gather, 50*time.Millisecond)
	def(&c.Confirm, 500*time.Millisecond)
	def(&c.AnswerTimeout, 30*time.Second)
	def(&c.CompareAgain, time.Minute)
	def(&c.BackoffMin, 50*time.Millisecond)
	def(&c.BackoffMax, 30*time.Second)
	if c.MaxBatch <= 0 {
		c.MaxBatch = 50_000
	}
	if c.MaxPriority <= 0 {
		c.MaxPriority = model.MaxPriority
	}
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

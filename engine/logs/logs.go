package logs

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
	"rung/sources/retry"
)

// DefaultLines is the number of log lines kept.
const DefaultLines = 20000

// logQueue bounds the lines waiting for attribution. A line beyond that is dropped and counted: the log may
// lose lines, the rest may not wait.
const logQueue = 4096

// Store keeps the newest ACL log lines, each with its rule and pods at the time it arrived. It is safe for
// concurrent use.
type Store struct {
	rev   func() *revision.Revision
	now   func() time.Time
	queue chan arrival
	// queued approximates the bytes of file lines in the queue.
	queued atomic.Int64
	book   *AddressBook
	names  *attributor

	received, dropped, unparsed, unattributed atomic.Uint64

	firstAsked chan struct{} // closed when somebody looks
	askOnce    sync.Once
	linesLost  atomic.Pointer[func(zone, acl string) (uint64, bool)]
	sources    lineSources
	merge      *merger

	subs revision.Subscribers

	entryWindow
	hits    *Counter
	meters  aclMeters
	logged  logTimes
	begunAt time.Time
	summed  *HitSummary // last summary returned
}

// arrival is a waiting line, gap or end of all lines.
type arrival struct {
	line logline.Line
	late bool
	gap  *logline.LogGap
	// stored lines are in a file, which can wait; nothing comes after end.
	stored, end bool
}

// Stats counts lines.
type Stats struct {
	Received uint64 // lines that came, including dropped ones
	Dropped  uint64 // lines that came faster than they were processed
	Unparsed uint64 // unreadable acl_log lines
	// Unattributed lines were stored without a rule.
	Unattributed uint64
	PerRule      map[logline.RuleRef]RuleStat
	// Forgotten counts the former holders of addresses no longer remembered: lines of their time say so.
	Forgotten uint64
}

// New returns a store of at most limit lines, fewer if they exceed maxLineBytes bytes; 0 means DefaultLines. When
// a line arrives, rev returns the newest revision and now the time.
func New(rev func() *revision.Revision, now func() time.Time, limit int) *Store {
	if limit <= 0 {
		limit = DefaultLines
	}
	l := &Store{rev: rev, now: now, queue: make(chan arrival, logQueue), firstAsked: make(chan struct{}),
		book: NewAddressBook(HoldersKept), entryWindow: entryWindow{limit: limit}, hits: NewHits(now()),
		names:  &attributor{rows: map[rowsKey]*judgedRows{}, names: map[string]*decodedName{}, facts: map[logline.RuleRef]*ruleFacts{}},
		meters: aclMeters{byACL: map[meterKey]*meteredLines{}}, logged: logTimes{}, begunAt: now()}
	l.sources.allRead, l.sources.read = make(chan struct{}), make(chan struct{}, 1)
	l.merge = newMerger(l.storeInOrder)
	return l
}

// Run processes lines until ctx ends.
func (l *Store) Run(ctx context.Context) {
	var beside sync.WaitGroup
	defer beside.Wait()
	beside.Go(func() { l.merge.runMerge(ctx) })
	beside.Go(func() {
		for retry.Sleep(ctx, missingRowsEvery) {
			l.FindMeteredRows()
		}
	})
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-l.queue:
			l.takeArrival(a)
			if a.stored {
				l.queued.Add(-lineSize(a.line.Raw))
			}
		}
	}
}

// Offer hands a line over without waiting and reports whether there was room.
func (l *Store) Offer(line logline.Line) bool {
	l.received.Add(1)
	select {
	case l.queue <- arrival{line: line}:
		return true
	default:
		l.dropped.Add(1)
		return false
	}
}

// CountLost counts lines lost before the store: dropped by a slow reader, or unparsable as acl_log lines.
func (l *Store) CountLost(dropped, unparsed uint64) {
	l.received.Add(dropped)
	l.dropped.Add(dropped)
	l.unparsed.Add(unparsed)
}

// Observe follows the cluster, so that addresses in lines find their pods, including recently deleted ones. It
// needs every change, in order.
func (l *Store) Observe(changes []model.Change) {
	now := l.now()
	l.book.Observe(changes, now)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.logged.observe(changes, now)
}

// storeInOrder hands over an ordered line and waits for room: a file is in no hurry.
func (l *Store) storeInOrder(ctx context.Context, a arrival) {
	if a.stored && !l.waitForSpace(ctx) {
		return
	}
	if a.gap == nil && !a.end {
		l.received.Add(1)
	}
	if a.stored {
		l.queued.Add(lineSize(a.line.Raw))
	}
	select {
	case l.queue <- a:
	case <-ctx.Done():
	}
}

// Subscribe returns a channel that ticks after new entries; many entries may share a tick. The function ends
// the subscription.
func (l *Store) Subscribe() (<-chan struct{}, func()) { return l.subs.Subscribe() }

// takeArrival attributes a line and stores it.
func (l *Store) takeArrival(a arrival) {
	defer l.subs.Notify()
	now := l.now()
	if a.end {
		l.sources.endOnce.Do(func() { close(l.sources.allRead) })
		return
	}
	if a.gap != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.storeEntry(&Entry{At: now, Line: a.line, Gap: a.gap})
		return
	}
	e := &Entry{At: now, Line: a.line, Late: a.late}
	rev, f, acl := l.explainLine(e)
	if !e.Attributed {
		l.unattributed.Add(1)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.storeEntry(e)
	l.countLine(e, now)
	if f != nil && e.Line.Named == nil { // named lines have no meters
		if m := l.meters.ensureLines(meterKey{e.Line.Zone, e.Rule, acl}, now); m != nil {
			m.name = e.Line.Name
			m.setMeter(rev, e.Line.Zone)
			m.countLine(e.Line.At, now)
		}
	}
}

// explainLine fills in both ends of a line and the rule that decided. acl is which of the rule's ACLs logged
// it; f holds the facts about the rule, nil if not found.
func (l *Store) explainLine(e *Entry) (rev *revision.Revision, f *ruleFacts, acl string) {
	now := l.now()
	e.Action = cmp.Or(verdictWords[e.Line.Verdict], e.Line.Verdict)
	at := words.Choose(e.Line.At.IsZero(), now, e.Line.At)
	rev = l.rev()
	e.Src, e.Dst = l.book.EndAt(e.Line.Src, at), l.book.EndAt(e.Line.Dst, at)
	if rev.Cluster.IsEmpty() { // without a cluster nobody knows who is outside
		for _, d := range []*End{&e.Src, &e.Dst} {
			if d.IsOutside() {
				d.Note = ""
			}
		}
	}
	f, acl = l.names.attribute(rev, e, now)
	return rev, f, acl
}

// Stats returns the counts so far.
func (l *Store) Stats() Stats {
	now := l.now()
	l.mu.RLock()
	defer l.mu.RUnlock()
	return Stats{Received: l.received.Load(), Dropped: l.dropped.Load(), Unparsed: l.unparsed.Load(),
		Unattributed: l.unattributed.Load(), PerRule: l.statsPerRule(now), Forgotten: l.book.Stats().Forgotten}
}

var verdictWords = map[string]string{"allow": "allowed", "drop": "dropped", "reject": "rejected", "pass": "passed",
	"redirect": "redirected"}

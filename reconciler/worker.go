package reconciler

import (
	"context"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// freshRead is how long a resync may take before it is requested again.
const freshRead = 10 * time.Second

// worker is the loop of one zone. Only the loop's goroutine uses it.
type worker struct {
	*Reconciler
	mode   Mode
	loaded bool
	zone   model.ZoneState // Policies is the published map, never changed

	writeQueue

	flights flights
	stops   uint64 // the mailbox's count when last emptied

	// reads counts resyncs. While whyUnsure is set, nothing is written until the next resync, which is
	// requested again at unsureUntil.
	reads       int
	whyUnsure   string
	unsureUntil time.Time
	resyncAsked bool
	// rereadWanted requests a resync once nothing is under way. A resync drops the connection, so the outcome
	// of a running transaction would stay unknown.
	rereadWanted bool
	// unknownOutcomes are transactions of unknown outcome; their changes may still arrive.
	unknownOutcomes []unknownTransaction
	// unknowns counts transactions in a row with an unknown outcome; notBefore delays the next one.
	unknowns  int
	notBefore time.Time

	// blockedUnits counts units that are not written for a reason of their own. They are compared again at
	// againAt.
	blockedUnits int
	againAt      time.Time

	reports *reporter
	fence   fenceState

	unpublished map[model.PolicyKey]struct{} // to publish
	stateNews   bool
	newsAt      time.Time // time of the first unpublished news; zero if none
	publishAt   time.Time // earliest next state
}

// writeQueue holds the policies to write, and the written ones not yet seen live.
type writeQueue struct {
	tracker *Tracker
	// readyPolicies are to be checked for writing; oneByOne are to be written alone.
	readyPolicies, oneByOne map[model.PolicyKey]struct{}
	waitingCount            int // of readyPolicies: how many wait for others or to go alone, and wake no loop
	// unconfirmed are policies being written (nil) or written and not yet seen live.
	unconfirmed map[model.PolicyKey]*writtenHold
	// unseenCount counts consecutive writes of a policy that its live rows did not show.
	unseenCount map[model.PolicyKey]int
	failures    map[model.PolicyKey]*writeFailure
}

// writeFailure is the last failed write of a policy.
type writeFailure struct {
	text     string
	failedAt time.Time
	tries    int
	retryAt  time.Time              // zero while it is retried
	unit     *compiler.CompiledUnit // the failed version; another is tried at once
}

// writtenHold holds a written policy back until its rows are seen.
type writtenHold struct {
	ops     []nb.Op
	results []nb.OpResult
	until   time.Time
}

func (w *worker) runLoop(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	w.stateNews = true
	news := func() {}
	mail := func() {
		select {
		case <-w.box.signal:
			w.takeMail(w.box.takeMail())
		default:
		}
	}
	for {
		release := w.cfg.Slot()
		if ctx.Err() == nil { // waiting for the slot may have taken long
			news()
			mail() // whether this process may write is read last, right before writing
			w.checkOverdue()
			w.writeReady(ctx)
			w.publishState(false)
		}
		release()
		timer.Reset(w.nextWake())
		select {
		case <-ctx.Done():
			w.publishState(true)
			return
		case <-w.box.signal:
			news = func() { w.takeMail(w.box.takeMail()) }
		case o := <-w.flights.results:
			news = func() {
				mail() // rows before outcomes: a write is then confirmed at once
				w.finishTransaction(o)
			}
		case <-timer.C:
			news = func() {}
		}
	}
}

// nextWake returns how long the loop may sleep.
func (w *worker) nextWake() time.Duration {
	const long = time.Hour
	now, wake := time.Now(), long
	at := func(t time.Time) { wake = min(wake, max(t.Sub(now), 0)) }
	if w.stateNews || len(w.unpublished) > 0 {
		at(w.publishTime())
	}
	if w.whyUnsure != "" {
		at(w.unsureUntil)
	}
	if !w.fence.foreignAt.IsZero() {
		wake = min(wake, max(w.fence.Quiet-w.now().Sub(w.fence.foreignAt), time.Millisecond))
	}
	if w.mayClaim() {
		at(w.notBefore)
	}
	// The next transaction may have become due since writeReady ran.
	if w.mode == Write && w.maySend() && len(w.readyPolicies) > w.waitingCount && w.whyPaused() == "" {
		at(w.notBefore)
	}
	if w.blockedUnits > 0 {
		at(w.againAt)
	}
	for _, h := range w.unconfirmed {
		if h != nil && w.whyUnsure == "" {
			at(h.until)
		}
	}
	for _, f := range w.failures {
		if !f.retryAt.IsZero() {
			at(f.retryAt)
		}
	}
	return wake
}

// takeMail processes the news from others.
func (w *worker) takeMail(m mailItems) {
	switched := false
	w.stops = m.stops
	if m.mode != nil && *m.mode != w.mode {
		w.mode, switched = *m.mode, true
	}
	switched = switched || m.stopped
	if m.loaded && !w.loaded {
		w.loaded, switched = true, true
	}
	if m.desired != nil {
		w.tracker.ApplyDesired(m.desired, m.delta, w.now())
		w.zone.Steps += m.steps
	}
	if m.live != nil {
		w.takeLive(*m.live)
	}
	if m.guard != nil && *m.guard != w.fence.guard {
		w.fence.guard, w.stateNews = *m.guard, true
	}
	w.tracker.Observing = w.mode == Observe
	if switched {
		w.stateNews = true
		if w.mode == Observe || m.stopped {
			w.fence.epoch, w.fence.epochLost = 0, false
			clear(w.reports.lastSent) // a new writer reports its own conditions, which the policies then carry
			clear(w.readyPolicies)
			clear(w.oneByOne)
			for k := range w.failures {
				w.forgetFailures(k)
			}
		}
		w.tracker.MarkAll()
	}
	w.takeDirty()
}

func (w *worker) takeLive(u model.ZoneUpdate) {
	w.stateNews = true
	if u.Conn != model.ConnReadOnly || u.At.IsZero() {
		u.At = w.now() // one clock for all reports; a file's rows have the time of its last transaction
	}
	z := &w.zone
	if u.Conn != z.Conn {
		z.Conn, z.ConnAt = u.Conn, u.At
	}
	z.Attempts, z.Error = u.Attempts, u.Error
	if u.Server != "" {
		z.Server = u.Server
	}
	if u.DB != nil {
		if w.fence.ZoneFence != nil && !u.Resync {
			w.watchOthers(u.Changes, u.DB)
		}
		z.DB = u.DB
		if u.Resync {
			z.Partial = u.Partial
		}
		w.tracker.ApplyLive(u)
		if w.fence.ZoneFence != nil {
			w.judgeFirstRead(u.DB)
			w.checkFence()
		}
	}
	if z.DB != nil && (u.Conn == model.ConnSynced || (u.Conn == model.ConnReadOnly && u.DB != nil)) {
		z.SyncedAt = u.At
	}
	if u.Resync && u.DB != nil {
		w.reads++
		w.whyUnsure = ""
		w.releaseWritten()
	}
	w.releaseSeen()
}

// takeDirty queues the policies the tracker has touched.
func (w *worker) takeDirty() {
	w.tracker.TakeDirty(func(k model.PolicyKey) {
		w.unpublished[k] = struct{}{}
		w.enqueue(k)
	})
}

// enqueue marks a policy to be checked, unless it is being written or backs off: both lead to a check later.
func (w *worker) enqueue(k model.PolicyKey) {
	if w.mode != Write || w.isLeftAlone(k) {
		return
	}
	if _, busy := w.unconfirmed[k]; busy {
		return
	}
	if f, c := w.failures[k], w.tracker.CompiledUnit(k); f != nil {
		// Conditions change the object too: only the spec counts.
		if f.unit == c || f.unit != nil && c != nil && k.Kind.IsAdmin() && isSameSpec(f.unit.Policy, c.Policy) {
			return
		}
	}
	w.readyPolicies[k] = struct{}{}
}

// whyPaused returns why a zone in Write mode is not written, "" if it may be.
func (w *worker) whyPaused() string {
	if why := w.whyBlocked(); why != "" || w.mode != Write {
		return why
	}
	return w.fence.whyNotYet()
}

// isStarting reports whether writing is paused only by the steps of every start: reading the
// objects, the settings and the database, and taking the zone over.
func (w *worker) isStarting() bool {
	f := &w.fence
	switch {
	case w.mode != Write || !f.foreignAt.IsZero() || f.epochLost:
		return false
	case !w.loaded || w.zone.DB == nil:
		return true
	case w.zone.Conn != model.ConnSynced || w.whyUnsure != "":
		return false
	case f.ZoneFence == nil:
		return false
	case f.guard.WhyHeld != "":
		return f.guard.Starting
	}
	return f.epoch == 0 && f.failure == ""
}

// whyBlocked returns what whyPaused does, but ignores a takeover of the zone that is not done yet.
func (w *worker) whyBlocked() string {
	switch {
	case w.mode != Write:
		return ""
	case !w.fence.foreignAt.IsZero():
		return w.fence.whyFenced(w.zone.DB)
	case !w.loaded:
		return "waiting until all objects and settings are read"
	case w.zone.DB == nil:
		return "waiting for the first read of the database"
	case w.zone.Conn == model.ConnReadOnly:
		return "the rows were read from a file"
	case w.zone.Conn != model.ConnSynced:
		return "no connection: " + string(w.zone.Conn)
	case w.whyUnsure != "":
		return w.whyUnsure
	}
	return w.fence.whyFenced(w.zone.DB)
}

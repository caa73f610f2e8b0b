package reconciler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// maxFlights limits the transactions under way in a Pipeline: the server executes one, and the next is waiting
// there.
const maxFlights = 2

// flight is one transaction.
type flight struct {
	parts    []policyShare
	ops      []nb.Op
	began    time.Time
	reads    int
	stops    uint64 // worker.stops at the start
	takesAll bool   // takes all ready policies
	isFull   bool   // not all ready policies fitted, and no part exceeds the limit
	claim    int64  // the epoch to claim; 0 for a write of rows

	before       *flight       // the transaction under way at its start
	sent         chan struct{} // closed when the next may be sent
	outcomeTaken chan struct{} // closed when the worker has the outcome
	ended        time.Time     // when the answer came or the wait ended; set before outcomeTaken is closed
	outcomeLost  bool          // the outcome is unknown
}

// errNotSent is the outcome of a transaction stopped before it was sent: the database did not change.
var errNotSent = errors.New("stopped before it was sent")

// policyShare holds one policy's share of a transaction.
type policyShare struct {
	key            model.PolicyKey
	unit           *compiler.CompiledUnit
	firstOp, endOp int // its operations: from firstOp up to endOp, exclusive
}

// flightOutcome is the result of a flight. waited is the time the server spent on the transaction before it;
// took excludes it.
type flightOutcome struct {
	flight       *flight
	results      []nb.OpResult
	err          error
	waited, took time.Duration
}

// result returns the Result of a Transaction; empty if nothing was sent.
func (o *flightOutcome) result() string {
	switch {
	case errors.Is(o.err, errNotSent):
		return ""
	case errors.Is(o.err, model.ErrWait):
		return ResultFenced
	case errors.Is(o.err, model.ErrRejected), o.err == nil && slices.ContainsFunc(o.results,
		func(r nb.OpResult) bool { return r.Error != "" }):
		return ResultRefused
	case o.err == nil:
		return ResultOK
	}
	return ResultUnknown
}

// flights holds the transactions under way, in sending order.
type flights struct {
	underWay []*flight
	results  chan flightOutcome
	sending  sync.WaitGroup
}

func (fs *flights) newest() *flight {
	if len(fs.underWay) == 0 {
		return nil
	}
	return fs.underWay[len(fs.underWay)-1]
}

// maySend reports whether a transaction may be sent. A second may follow only if the first was full: the
// server then works while the first is read back. After an unknown outcome transactions go one at a time.
func (w *worker) maySend() bool {
	last := w.flights.newest()
	if last == nil {
		return true
	}
	_, can := w.cfg.Zone.(Pipeline)
	return can && len(w.flights.underWay) < maxFlights && last.isFull && w.unknowns == 0
}

// startTransaction sends a transaction in the background.
func (w *worker) startTransaction(ctx context.Context, f *flight) {
	f.began, f.before, f.stops = w.now(), w.flights.newest(), w.stops
	f.sent, f.outcomeTaken = make(chan struct{}), make(chan struct{})
	w.flights.underWay = append(w.flights.underWay, f)
	first, patience := f.before, w.cfg.AnswerTimeout // read now, since the worker clears f.before
	if first != nil {
		patience += w.cfg.AnswerTimeout // time for the transaction before it
	}
	w.flights.sending.Go(func() {
		began := time.Now()
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if first != nil {
			<-first.sent
		}
		res, err := w.runTransaction(ctx, f)
		if err == nil && len(res) < len(f.ops) {
			err = fmt.Errorf("%d answers to %d operations", len(res), len(f.ops))
		}
		o := flightOutcome{flight: f, results: res, err: err}
		f.ended = time.Now()
		if first != nil {
			<-first.outcomeTaken // outcomes are delivered in order
			o.waited = max(first.ended.Sub(began), 0)
		}
		o.took = max(f.ended.Sub(began)-o.waited, 0)
		w.flights.results <- o
		close(f.outcomeTaken)
	})
}

// runTransaction sends a transaction and waits for its answer. It sends nothing if writing was stopped while
// the transaction waited for the one before.
func (w *worker) runTransaction(ctx context.Context, f *flight) ([]nb.OpResult, error) {
	if ctx.Err() != nil || w.box.countStops() != f.stops {
		close(f.sent)
		return nil, errNotSent
	}
	z, ok := w.cfg.Zone.(Pipeline)
	if !ok {
		defer close(f.sent)
		return w.cfg.Zone.Transact(ctx, f.ops)
	}
	wait := z.Send(ctx, f.ops)
	close(f.sent)
	return wait()
}

// followsUnknown reports whether the transaction was sent behind one with an unknown outcome.
func (f *flight) followsUnknown() bool { return f.before != nil && f.before.outcomeLost }

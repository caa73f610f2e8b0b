package reconciler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// maxFlights is how many transactions are under way at a time where the zone takes
// them: one that the server works on, and one that it finds when it is through.
const maxFlights = 2

// flight is one transaction.
type flight struct {
	parts    []policyShare
	ops      []nb.Op
	began    time.Time
	reads    int
	stops    uint64 // worker.stops when it was started
	takesAll bool   // nothing that was ready had to stay behind
	isFull   bool   // not all of that fitted in, and none of it is larger than it may be
	claim    int64  // the epoch it claims; 0 for rows

	before      *flight       // the one that was under way when it was started
	sent        chan struct{} // closed when the next one may be sent
	outcomeTold chan struct{} // closed when the worker is told what became of it
	ended       time.Time     // when the answer came, or was given up; set before outcomeTold is closed
	outcomeLost bool          // nobody knows what became of it
}

// errNotSent is the outcome of a transaction that was stopped before it was sent: the
// database has nothing of it.
var errNotSent = errors.New("stopped before it was sent")

// policyShare is the share of one policy in a transaction.
type policyShare struct {
	key            model.PolicyKey
	unit           *compiler.CompiledUnit
	firstOp, endOp int // its operations
}

// flightOutcome is the result of a flight. The server turns to a transaction when it is
// through with the one before it: waited is how long that took; took does not include
// it.
type flightOutcome struct {
	flight       *flight
	results      []nb.OpResult
	err          error
	waited, took time.Duration
}

// flights are the transactions under way, in the order in which they were sent.
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

// hasRoom says whether a transaction may be sent. Behind one that is under way another
// goes only where there is more than fits into one: the server has work then while
// what the first did is read back. After an unknown outcome they go one at a time.
func (w *worker) hasRoom() bool {
	last := w.flights.newest()
	if last == nil {
		return true
	}
	_, can := w.cfg.Zone.(Pipeline)
	return can && len(w.flights.underWay) < maxFlights && last.isFull && w.unknowns == 0
}

// startTransaction sends a transaction off.
func (w *worker) startTransaction(ctx context.Context, f *flight) {
	f.began, f.before, f.stops = w.now(), w.flights.newest(), w.stops
	f.sent, f.outcomeTold = make(chan struct{}), make(chan struct{})
	w.flights.underWay = append(w.flights.underWay, f)
	first, patience := f.before, w.cfg.AnswerTimeout // the worker forgets it in time
	if first != nil {
		patience += w.cfg.AnswerTimeout // the server does that one before
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
			<-first.outcomeTold // outcomes come in order, too
			o.waited = max(first.ended.Sub(began), 0)
		}
		o.took = max(f.ended.Sub(began)-o.waited, 0)
		w.flights.results <- o
		close(f.outcomeTold)
	})
}

// runTransaction sends a transaction and waits for its answer. One that had to wait for
// the one before it is not sent any more when writing was stopped meanwhile.
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

// isBehindLost says whether the transaction before it, which it was sent behind, ended
// unknown.
func (f *flight) isBehindLost() bool { return f.before != nil && f.before.outcomeLost }

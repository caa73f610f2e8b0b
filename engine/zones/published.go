package zones

import (
	"context"
	"slices"
	"sync"
	"time"

	"rung/model"
	"rung/revision"
)

// Clock returns the time; tests bring their own.
type Clock func() time.Time

// PublishedState holds the state that any goroutine may read: the newest revision, the time, and the activity.
// Subscribe ticks after every new revision, after every entry of the activity, and when time alone changes a
// state of the newest revision: settling becomes behind. Several events may share a tick.
type PublishedState struct {
	revision.Latest
	Clock Clock
	ctx   context.Context // of the loop

	mu       sync.Mutex
	seq      uint64
	activity []model.Activity // newest last
}

// Now returns the engine's time.
func (p *PublishedState) Now() time.Time { return p.Clock() }

// WaitFor blocks until the condition holds for a revision, or ctx ends. It checks the condition with every
// tick of Subscribe, and at the given times, for conditions that depend on time.
func (p *PublishedState) WaitFor(ctx context.Context, holds func(*revision.Revision) bool, times ...time.Time) error {
	ticks, stop := p.Subscribe()
	defer stop()
	due, isSet := stoppedTimer(), false
	defer due.Stop()
	times = slices.SortedFunc(slices.Values(times), time.Time.Compare)
	for {
		if holds(p.Revision()) {
			return nil
		}
		if !isSet && len(times) > 0 {
			due.Reset(time.Until(times[0]) + DueTolerance)
			times, isSet = times[1:], true
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.ctx.Done():
			return context.Canceled
		case <-ticks:
		case <-due.C:
			isSet = false
		}
	}
}

// activityKept bounds the activity; older entries are in the audit file.
const activityKept = 2000

// recordActivity adds an entry to the activity.
func (p *PublishedState) recordActivity(a model.Activity) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seq++
	a.Seq = p.seq
	if len(p.activity) >= 2*activityKept {
		p.activity = append(p.activity[:0:0], p.activity[len(p.activity)-activityKept:]...)
	}
	p.activity = append(p.activity, a)
}

// Activity returns the entries after that number, oldest first.
func (p *PublishedState) Activity(after uint64) []model.Activity {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := len(p.activity)
	for i > 0 && p.activity[i-1].Seq > after && len(p.activity)-i < activityKept {
		i--
	}
	return append([]model.Activity(nil), p.activity[i:]...)
}

package zones

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"rung/model"
	"rung/revision"
)

// Loop runs functions sent to it in one goroutine, and publishes revisions. A function that runs there must
// not wait for the loop, nor send to it.
type Loop struct {
	*PublishedState
	ctx    context.Context
	cancel context.CancelFunc
	inbox  chan func()
	done   chan struct{}
	// make builds the next revision from what the engine's parts say.
	make func(before *revision.Revision) *revision.Revision

	runMu sync.Mutex // orders Go and Close
	ended bool
	wg    sync.WaitGroup

	// Only for the loop.
	hasChanged    bool
	afterRevision []func() // run once the next revision is published
	alarms        []*Alarm
	problems      []model.SourceState
}

// NewLoop returns a loop that ends with ctx at the latest.
func NewLoop(ctx context.Context, now Clock) *Loop {
	ctx, cancel := context.WithCancel(ctx)
	return &Loop{PublishedState: &PublishedState{ctx: ctx, Clock: now}, ctx: ctx, cancel: cancel, inbox: make(chan func(), 256),
		done: make(chan struct{})}
}

// Start publishes the first revision and starts the loop.
func (l *Loop) Start(make func(before *revision.Revision) *revision.Revision) {
	l.make, l.hasChanged = make, true
	l.publishRevision()
	l.Go(l.runLoop)
}

// Context ends with the loop.
func (l *Loop) Context() context.Context { return l.ctx }

// Go starts a goroutine that Close waits for. After Close it starts none and returns false.
func (l *Loop) Go(f func()) bool {
	l.runMu.Lock()
	defer l.runMu.Unlock()
	if l.ended {
		return false
	}
	l.wg.Go(f)
	return true
}

// Close ends the loop and every goroutine, and waits for them.
func (l *Loop) Close() {
	l.cancel()
	l.runMu.Lock()
	l.ended = true
	l.runMu.Unlock()
	l.wg.Wait()
}

// Send runs f in the loop without waiting for it. It returns false if the loop has ended.
func (l *Loop) Send(f func()) bool {
	select {
	case l.inbox <- f:
		return true
	case <-l.ctx.Done():
		return false
	}
}

// Do runs f in the loop and waits for it and the revision it makes. It returns false if the loop ended first.
func (l *Loop) Do(f func()) bool {
	ran := make(chan struct{})
	if !l.Send(func() {
		f()
		l.AfterRevision(func() { close(ran) })
	}) {
		return false
	}
	select {
	case <-ran:
		return true
	case <-l.done:
		return false
	}
}

// RecordActivity adds an entry to the activity, from any goroutine. A zero At becomes now.
func (l *Loop) RecordActivity(a model.Activity) {
	if a.At.IsZero() {
		a.At = l.Clock()
	}
	l.recordActivity(a)
	l.Notify()
}

var errEnded = errors.New("the engine has ended")

// WaitAnswer returns an error unless the loop answers before ctx ends.
func (l *Loop) WaitAnswer(ctx context.Context) error {
	ran := make(chan struct{})
	select {
	case l.inbox <- func() { close(ran) }:
	case <-l.done:
		return errEnded
	case <-ctx.Done():
		return fmt.Errorf("the engine's loop accepts nothing: %w", ctx.Err())
	}
	select {
	case <-ran:
		return nil
	case <-l.done:
		return errEnded
	case <-ctx.Done():
		return fmt.Errorf("the engine's loop does not answer: %w", ctx.Err())
	}
}

// MarkChanged causes a next revision. Like all methods below, only functions of the loop may call it.
func (l *Loop) MarkChanged() { l.hasChanged = true }

// AfterRevision runs f once the next revision is published.
func (l *Loop) AfterRevision(f func()) { l.afterRevision = append(l.afterRevision, f) }

// ReportProblem lists a problem of a part of the engine among the sources, where the screen shows it.
func (l *Loop) ReportProblem(name, text string) {
	l.problems = append(slices.Clone(l.problems), model.SourceState{Name: name, Conn: model.ConnLost, At: l.Clock(), Error: text,
		HasNoObjects: true})
	l.MarkChanged()
}

// ClearProblem removes the problems of that name.
func (l *Loop) ClearProblem(name string) {
	l.problems = slices.DeleteFunc(slices.Clone(l.problems), func(p model.SourceState) bool { return p.Name == name })
	l.MarkChanged()
}

// Problems returns the current problems, for a revision.
func (l *Loop) Problems() []model.SourceState { return l.problems }

// runLoop runs the functions sent and the alarms due. It publishes when the inbox is empty, or after a burst.
func (l *Loop) runLoop() {
	defer close(l.done)
	due := stoppedTimer()
	defer due.Stop()
	for {
		due.Stop()
		if at := l.nextAlarm(); !at.IsZero() {
			due.Reset(time.Until(at))
		}
		select {
		case <-l.ctx.Done():
			return
		case f := <-l.inbox:
			f()
		case <-due.C:
		}
		l.ringAlarms(time.Now())
		for range cap(l.inbox) {
			select {
			case f := <-l.inbox:
				f()
				continue
			default:
			}
			break
		}
		l.publishRevision()
	}
}

// publishRevision publishes the next revision if something changed.
func (l *Loop) publishRevision() {
	if l.hasChanged {
		l.Publish(l.make(l.Revision()))
		l.hasChanged = false
		l.Notify()
	}
	for _, f := range l.afterRevision {
		f()
	}
	l.afterRevision = l.afterRevision[:0]
}

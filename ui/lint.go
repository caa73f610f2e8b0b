package ui

import (
	"context"
	"time"

	"rung/revision"
	"rung/revision/finding"
	"rung/revision/liverows"
)

// lintTime is the least time between two workings-out of the findings. While
// pods come and go without end there is a new revision with every frame; its
// findings cost more than all the rest of it, and hardly ever differ. Until they
// are worked out the screen has those of a moment ago, and the header says so.
const lintTime = 500 * time.Millisecond

// lintShare bounds the time spent on them, one part in so many, as long as they
// do not get older than lintMost for it.
const (
	lintShare = 40
	lintMost  = 5 * time.Second
)

// linter paces the findings. It belongs to the goroutine that waits for revisions.
type linter struct {
	next  time.Time          // of the next working-out, at the earliest
	owed  bool               // the screen has older ones
	shown *revision.Revision // what was handed out last
	job   *asking            // under way, nil for none
	asked time.Time          // when the last one was done, or the first begun
}

// asking is every connection of a revision being asked, for its findings.
type asking struct {
	basis  revision.Basis
	cancel context.CancelFunc
	done   chan struct{}
}

// due ticks when findings that are owed are to be worked out.
func (l *linter) due() *time.Timer {
	if !l.owed {
		return time.NewTimer(time.Hour)
	}
	return time.NewTimer(time.Until(l.next))
}

// done ticks when every connection was asked; nil where none is being asked.
func (l *linter) done() <-chan struct{} {
	if l.job == nil {
		return nil
	}
	return l.job.done
}

// end waits for what is under way.
func (l *linter) end() {
	if l.job != nil {
		l.job.cancel()
		<-l.job.done
		l.job = nil
	}
}

// ask has every connection of a revision asked beside what else is done. What is under way
// for another revision is given up, unless the last findings are so old by now that they
// would never be new.
func (l *linter) ask(ctx context.Context, rev *revision.Revision) {
	if finding.FindSome(rev) {
		return
	}
	if l.job != nil {
		if l.job.basis == rev.Basis() || time.Since(l.asked) > lintMost {
			return
		}
		l.end()
	}
	if l.asked.IsZero() {
		l.asked = time.Now()
	}
	ctx, cancel := context.WithCancel(ctx)
	job := &asking{basis: rev.Basis(), cancel: cancel, done: make(chan struct{})}
	l.job = job
	go func() {
		defer close(job.done)
		defer cancel()
		_, _ = finding.AllFindings(rev, ctx) // which ends with its context
	}()
}

// prepare is the newest revision with its expensive parts made, findings when
// their time has come.
func (l *linter) prepare(ctx context.Context, c Console) *revision.Revision {
	if l.job != nil {
		select {
		case <-l.job.done:
			l.job, l.asked = nil, time.Now()
		default:
		}
	}
	rev := c.Revision()
	rev.Ladder()
	rev.Omissions()
	if l.shown == nil {
		finding.FindSome(rev) // the first are waited for
	}
	current := finding.HasFindings(rev)
	if _, rows := liverows.KnownLadderRows(rev); !rows {
		current = false
	}
	if !liverows.Explain(rev, c.Now(), false) {
		current = false
	}
	// One that is under way tells when it is done.
	l.owed = !current && time.Now().Before(l.next)
	if !current && !l.owed {
		began := time.Now()
		l.ask(ctx, rev)
		liverows.FindLadderRows(rev)
		liverows.Explain(rev, c.Now(), true)
		l.next = began.Add(max(lintTime, min(lintMost, lintShare*time.Since(began))))
	}
	if rev == l.shown {
		// Nothing of it changed but the findings, what live rows there are and why
		// some differ: pages look again when they are handed another revision.
		again := *rev
		return &again
	}
	l.shown = rev
	return rev
}

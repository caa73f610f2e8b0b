package ui

import (
	"context"
	"time"

	"rung/revision"
)

// Pace is the least time between two workings-out of the findings. While
// pods come and go without end there is a new revision with every frame; its
// findings cost more than all the rest of it, and hardly ever differ. Until they
// are worked out the screen has those of a moment ago, and the header says so.
const Pace = 500 * time.Millisecond

// lintShare bounds the time spent on them, one part in so many, as long as they
// do not get older than lintMost for it.
const (
	lintShare = 40
	lintMost  = 5 * time.Second
)

// FindingsPacer paces the findings. It belongs to the goroutine that waits for revisions.
type FindingsPacer struct {
	next      time.Time          // of the next working-out, at the earliest
	owed      bool               // the screen has older ones
	lastShown *revision.Revision // what was handed out last
	job       *askedRevision     // under way, nil for none
	lastAsked time.Time          // when the last one was done, or the first begun
	// Report takes internal errors.
	Report Report
}

// Report takes an internal error, with the work it ended; nil lets the panic through. It is called
// by the goroutine that panicked, before its stack unwinds, and may be called by several.
type Report func(doing string, what any)

// guard does one part of the work. An internal error ends only that part.
func (r Report) guard(doing string, do func()) {
	if r != nil {
		defer func() {
			if what := recover(); what != nil {
				r(doing, what)
			}
		}()
	}
	do()
}

// askedRevision is every connection of a revision being asked, for its findings.
type askedRevision struct {
	basis  revision.RevisionBasis
	cancel context.CancelFunc
	done   chan struct{}
}

// revisionSource is the engine as far as revisions are made ready for the screen.
type revisionSource interface {
	Revision() *revision.Revision
	Now() time.Time
}

// PreparedRevision returns the newest revision with all its expensive parts made. Parts that end with
// an internal error are missing.
func PreparedRevision(c revisionSource, report Report) *revision.Revision {
	rev := c.Revision()
	report.prepareObjects(rev)
	report.findSome(rev)
	report.guard("reading the rows of the ladder", func() { revision.FindLadderRows(rev) })
	report.guard("explaining rows that differ", func() { revision.ExplainBehind(rev, c.Now(), true) })
	return rev
}

// prepareObjects makes what follows from the objects alone.
func (r Report) prepareObjects(rev *revision.Revision) {
	r.guard("ordering policies", func() { rev.Ladder() })
	r.guard("listing what is left out", func() { rev.Omissions() })
}

// findSome reports whether all findings are worked out.
func (r Report) findSome(rev *revision.Revision) (all bool) {
	r.guard("working out findings", func() { all = revision.FindSome(rev) })
	return all
}

// WaitForRevision waits for a tick, for owed findings whose time has come, or for connections that
// were asked, and returns the newest revision then; nil once ctx has ended.
func (l *FindingsPacer) WaitForRevision(ctx context.Context, ticks <-chan struct{}, c revisionSource) *revision.Revision {
	wake := time.Hour
	if l.owed {
		wake = time.Until(l.next)
	}
	due := time.NewTimer(wake)
	defer due.Stop()
	var asked <-chan struct{}
	if l.job != nil {
		asked = l.job.done
	}
	select {
	case <-ctx.Done():
		l.endWork()
		return nil
	case <-ticks:
	case <-due.C:
	case <-asked:
	}
	return l.prepareNewest(ctx, c)
}

// endWork waits for what is under way.
func (l *FindingsPacer) endWork() {
	if l.job != nil {
		l.job.cancel()
		<-l.job.done
		l.job = nil
	}
}

// askConnections has every connection of a revision asked in the background. Work under way
// for another revision is given up, unless the last findings are so old by now that they
// would never be new.
func (l *FindingsPacer) askConnections(ctx context.Context, rev *revision.Revision) {
	if l.Report.findSome(rev) {
		return
	}
	if l.job != nil {
		if l.job.basis == rev.Basis() || time.Since(l.lastAsked) > lintMost {
			return
		}
		l.endWork()
	}
	if l.lastAsked.IsZero() {
		l.lastAsked = time.Now()
	}
	ctx, cancel := context.WithCancel(ctx)
	job := &askedRevision{basis: rev.Basis(), cancel: cancel, done: make(chan struct{})}
	l.job = job
	go func() {
		defer close(job.done)
		defer cancel()
		l.Report.guard("working out findings", func() { _, _ = revision.AllFindings(rev, ctx) }) // which ends with its context
	}()
}

// prepareNewest is the newest revision with its expensive parts made, findings when
// their time has come.
func (l *FindingsPacer) prepareNewest(ctx context.Context, c revisionSource) *revision.Revision {
	if l.job != nil {
		select {
		case <-l.job.done:
			l.job, l.lastAsked = nil, time.Now()
		default:
		}
	}
	rev := c.Revision()
	l.Report.prepareObjects(rev)
	if l.lastShown == nil {
		l.Report.findSome(rev) // the first are waited for
	}
	current := revision.HasFindings(rev)
	l.Report.guard("reading the rows of the ladder", func() {
		if _, rows := revision.KnownLadderRows(rev); !rows {
			current = false
		}
	})
	l.Report.guard("explaining rows that differ", func() {
		if !revision.ExplainBehind(rev, c.Now(), false) {
			current = false
		}
	})
	// One that is under way tells when it is done.
	l.owed = !current && time.Now().Before(l.next)
	if !current && !l.owed {
		began := time.Now()
		l.askConnections(ctx, rev)
		l.Report.guard("reading the rows of the ladder", func() { revision.FindLadderRows(rev) })
		l.Report.guard("explaining rows that differ", func() { revision.ExplainBehind(rev, c.Now(), true) })
		l.next = began.Add(max(Pace, min(lintMost, lintShare*time.Since(began))))
	}
	if rev == l.lastShown {
		// Nothing of it changed but the findings, what live rows there are and why
		// some differ: pages look again when they are handed another revision.
		again := *rev
		return &again
	}
	l.lastShown = rev
	return rev
}

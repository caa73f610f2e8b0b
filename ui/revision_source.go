package ui

import (
	"context"
	"time"

	"rung/revision"
)

// Pace is the least time between two computations of the findings. While pods come and go, every frame has a
// new revision; its findings cost more than all the rest, and hardly ever differ. Meanwhile the screen shows
// earlier findings, and the header marks them.
const Pace = 500 * time.Millisecond

// lintShare bounds the share of time spent on findings to 1/lintShare, while they are not older than lintMost.
const (
	lintShare = 40
	lintMost  = 5 * time.Second
)

// FindingsPacer paces the findings. It belongs to the goroutine that waits for revisions.
type FindingsPacer struct {
	next      time.Time          // earliest time of the next computation
	outdated  bool               // the screen shows older findings
	lastShown *revision.Revision // last revision returned
	job       *askedRevision     // running job, nil if none
	lastAsked time.Time          // end of the last job, or begin of the first
	// Report takes internal errors.
	Report Report
}

// Report receives an internal error and the work it ended; nil lets the panic through. The panicking goroutine
// calls it before its stack unwinds; calls may be concurrent.
type Report func(doing string, what any)

// guard runs one part of the work. An internal error ends only that part.
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

// askedRevision is a running check of all connections of a revision, for its findings.
type askedRevision struct {
	basis  revision.RevisionBasis
	cancel context.CancelFunc
	done   chan struct{}
}

// revisionSource is the part of the engine needed to prepare revisions.
type revisionSource interface {
	Revision() *revision.Revision
	Now() time.Time
}

// PreparedRevision returns the newest revision with all expensive parts computed. Parts that end with an
// internal error are missing.
func PreparedRevision(c revisionSource, report Report) *revision.Revision {
	rev := c.Revision()
	report.prepareObjects(rev)
	report.findSome(rev)
	report.guard("reading the rows of the ladder", func() { revision.FindLadderRows(rev) })
	report.guard("explaining rows that differ", func() { revision.ExplainBehind(rev, c.Now(), true) })
	return rev
}

// prepareObjects computes the parts that depend on objects alone.
func (r Report) prepareObjects(rev *revision.Revision) {
	r.guard("ordering policies", func() { rev.Ladder() })
	r.guard("listing what is left out", func() { rev.Omissions() })
}

// findSome reports whether all findings are computed.
func (r Report) findSome(rev *revision.Revision) (all bool) {
	r.guard("working out findings", func() { all = revision.FindSome(rev) })
	return all
}

// WaitForRevision waits for a tick, for due findings, or for the end of a job, and returns the newest
// revision; nil once ctx has ended.
func (l *FindingsPacer) WaitForRevision(ctx context.Context, ticks <-chan struct{}, c revisionSource) *revision.Revision {
	wake := time.Hour
	if l.outdated {
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

// endWork cancels the running job and waits for it.
func (l *FindingsPacer) endWork() {
	if l.job != nil {
		l.job.cancel()
		<-l.job.done
		l.job = nil
	}
}

// askConnections checks all connections of a revision in the background. It cancels the job of another
// revision, unless the last findings are so old that repeated cancelling would starve them.
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
		l.Report.guard("working out findings", func() { _, _ = revision.AllFindings(rev, ctx) }) // it fails only if its context ends
	}()
}

// prepareNewest returns the newest revision with its expensive parts computed, findings only when due.
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
		l.Report.findSome(rev) // the first revision waits for findings
	}
	current := revision.HasFindings(rev)
	l.Report.guard("reading the rows of the ladder", func() {
		_, rows := revision.KnownLadderRows(rev)
		current = current && rows
	})
	l.Report.guard("explaining rows that differ", func() { current = revision.ExplainBehind(rev, c.Now(), false) && current })
	// A running job signals its end.
	l.outdated = !current && time.Now().Before(l.next)
	if !current && !l.outdated {
		began := time.Now()
		l.askConnections(ctx, rev)
		l.Report.guard("reading the rows of the ladder", func() { revision.FindLadderRows(rev) })
		l.Report.guard("explaining rows that differ", func() { revision.ExplainBehind(rev, c.Now(), true) })
		l.next = began.Add(max(Pace, min(lintMost, lintShare*time.Since(began))))
	}
	if rev == l.lastShown {
		// Only the findings, the known live rows or the reasons of differences changed. Pages look again when
		// they get another revision pointer.
		again := *rev
		return &again
	}
	l.lastShown = rev
	return rev
}

package prepare

import (
	"context"
	"time"

	"rung/revision"
	"rung/revision/finding"
	"rung/revision/liverows"
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

// PreparedRevision returns the newest revision with all its expensive parts made.
func PreparedRevision(c revisionSource) *revision.Revision {
	rev := c.Revision()
	rev.Ladder()
	rev.Omissions()
	finding.FindSome(rev)
	liverows.FindLadderRows(rev)
	liverows.ExplainBehind(rev, c.Now(), true)
	return rev
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
	if finding.FindSome(rev) {
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
		_, _ = finding.AllFindings(rev, ctx) // which ends with its context
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
	rev.Ladder()
	rev.Omissions()
	if l.lastShown == nil {
		finding.FindSome(rev) // the first are waited for
	}
	current := finding.HasFindings(rev)
	if _, rows := liverows.KnownLadderRows(rev); !rows {
		current = false
	}
	if !liverows.ExplainBehind(rev, c.Now(), false) {
		current = false
	}
	// One that is under way tells when it is done.
	l.owed = !current && time.Now().Before(l.next)
	if !current && !l.owed {
		began := time.Now()
		l.askConnections(ctx, rev)
		liverows.FindLadderRows(rev)
		liverows.ExplainBehind(rev, c.Now(), true)
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

package ui

import (
	"time"

	"rung/engine/revision"
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
}

// due ticks when findings that are owed are to be worked out.
func (l *linter) due() *time.Timer {
	if !l.owed {
		return time.NewTimer(time.Hour)
	}
	return time.NewTimer(time.Until(l.next))
}

// prepare is the newest revision with its expensive parts made, findings when
// their time has come.
func (l *linter) prepare(c Console) *revision.Revision {
	rev := c.Revision()
	rev.Ladder()
	_, current := rev.KnownFindings()
	if _, rows := rev.KnownLadderRows(); !rows {
		current = false
	}
	if !rev.Explain(c.Now(), false) {
		current = false
	}
	l.owed = !current && time.Now().Before(l.next)
	if !current && !l.owed {
		began := time.Now()
		rev.Findings()
		rev.LadderRows()
		rev.Explain(c.Now(), true)
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

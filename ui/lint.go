package ui

import (
	"time"

	"rung/engine"
)

// lintTime is the least time between two workings-out of the findings. While
// pods come and go without end there is a new revision with every frame; its
// findings cost more than all the rest of it, and hardly ever differ. Until they
// are worked out the screen has those of a moment ago, and the header says so.
const lintTime = 500 * time.Millisecond

// linter paces the findings. It belongs to whoever waits for revisions.
type linter struct {
	at    time.Time        // of the last working-out
	owed  bool             // the screen has older ones
	shown *engine.Revision // what was handed out last
}

// due ticks when findings that are owed are to be worked out.
func (l *linter) due() *time.Timer {
	if !l.owed {
		return time.NewTimer(time.Hour)
	}
	return time.NewTimer(time.Until(l.at.Add(lintTime)))
}

// prepare is the newest revision with its expensive parts made, findings when
// their time has come.
func (l *linter) prepare(c Console) *engine.Revision {
	rev := c.Revision()
	rev.Ladder()
	_, current := rev.KnownFindings()
	l.owed = !current && time.Since(l.at) < lintTime
	if !current && !l.owed {
		rev.Findings()
		l.at = time.Now()
	}
	if rev == l.shown {
		// Nothing of it changed but the findings: pages look again when they
		// are handed another revision.
		again := *rev
		return &again
	}
	l.shown = rev
	return rev
}

package engine

import "time"

// WithClock makes the store tell the time by c, for ages and rates; it is called
// before the first line.
func (l *Logs) WithClock(c func() time.Time) *Logs {
	l.now = c
	return l
}

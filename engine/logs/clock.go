package logs

import (
	"time"
)

// WithClock makes the store tell the time by c, for ages and rates; it is called
// before the first line.
func (l *Store) WithClock(c func() time.Time) *Store {
	l.now = c
	return l
}

package engine

// WithClock makes the store tell the time by c, for ages and rates; it is called
// before the first line.
func (l *Logs) WithClock(c Clock) *Logs {
	l.now = c
	return l
}

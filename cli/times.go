package cli

import "time"

// logTimes formats the times of log lines in UTC: the time of day, and after the first line of another day
// also the date.
type logTimes struct {
	today string
	dated bool
}

func dayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// timeText formats a time. After the first line of another day it adds the date, so that the order of lines is
// clear.
func (t *logTimes) timeText(at time.Time) string {
	t.dated = t.dated || dayOf(at) != t.today
	if t.dated {
		return at.UTC().Format("2006-01-02 15:04:05.000")
	}
	return at.UTC().Format("15:04:05.000")
}

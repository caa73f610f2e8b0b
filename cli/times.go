package cli

import (
	"time"

	"rung/engine/logs"
)

// logTimes writes the times of log lines, in UTC: the time of day, and from the first line
// of another day than today on the date, too. Stored lines of several days all have it.
type logTimes struct {
	today string
	dated bool
}

func dayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// setDaySpan looks at the days of the log files.
func (t *logTimes) setDaySpan(p logs.Position, ok bool) {
	if ok && !p.From.IsZero() {
		t.dated = t.dated || dayOf(p.From) != t.today || dayOf(p.To) != t.today
	}
}

// timeText is a time, dated from the first other day on: of two lines one must tell which
// came first.
func (t *logTimes) timeText(at time.Time) string {
	t.dated = t.dated || dayOf(at) != t.today
	if t.dated {
		return at.UTC().Format("2006-01-02 15:04:05.000")
	}
	return at.UTC().Format("15:04:05.000")
}

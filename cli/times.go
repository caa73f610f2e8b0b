package cli

import "time"

// logTimes writes the times of log lines, in UTC: the time of day, and from the first line
// of another day than today on the date, too.
type logTimes struct {
	today string
	dated bool
}

func dayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// timeText is a time, dated from the first other day on: of two lines one must tell which
// came first.
func (t *logTimes) timeText(at time.Time) string {
	t.dated = t.dated || dayOf(at) != t.today
	if t.dated {
		return at.UTC().Format("2006-01-02 15:04:05.000")
	}
	return at.UTC().Format("15:04:05.000")
}

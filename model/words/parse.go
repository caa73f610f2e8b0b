package words

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// ErrMoment lists the accepted forms.
var ErrMoment = errors.New("want a time such as 5m (ago), 14:05 or 2026-01-31T14:05:00Z")

// ParseMoment reads a time relative to now: how long ago (5m, 1d, 1d12h), a time of day (14:05, 14:05:07), a
// date (2026-01-31), or both (2026-01-31 14:05, 2026-01-31T14:05:00Z). -10m and +1h are relative to at. A time
// of day is on at's day, or the day before if it would be in the future. A time without a zone is in now's
// zone. The error is ErrMoment.
func ParseMoment(text string, now, at time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if back, ok := parseDuration(text); ok {
		return now.Add(-back), nil
	}
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		step, ok := parseDuration(text[1:])
		switch {
		case !ok:
			return time.Time{}, ErrMoment
		case text[0] == '-':
			step = -step
		}
		return at.Add(step), nil
	}
	for _, form := range []string{"15:04:05", "15:04"} {
		if t, err := time.Parse(form, text); err == nil {
			year, month, day := at.In(now.Location()).Date()
			t = time.Date(year, month, day, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), now.Location())
			if t.After(now) {
				t = time.Date(year, month, day-1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), now.Location())
			}
			return t, nil
		}
	}
	text = strings.Replace(text, " ", "T", 1)
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(form, text, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, ErrMoment
}

// parseDuration reads a duration without a sign, in Go's form with days in front.
func parseDuration(text string) (d time.Duration, ok bool) {
	if text == "" || text[0] == '-' || text[0] == '+' {
		return 0, false
	}
	if days, rest, found := strings.Cut(text, "d"); found {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return 0, false
		}
		d, text = time.Duration(n)*24*time.Hour, rest
		if rest == "" {
			return d, true
		}
	}
	rest, err := time.ParseDuration(text)
	return d + rest, err == nil && rest >= 0
}

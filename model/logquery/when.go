package logquery

import (
	"strconv"
	"strings"
	"time"
)

const wantTime = "want 5m, 14:05 or 2026-01-31T14:05:00Z"

func readSince(v string, now time.Time) (test, string) {
	at, why := moment(v, now)
	if why != "" {
		return nil, why
	}
	return func(l *Line) bool { return !l.At.Before(at) }, ""
}

func readUntil(v string, now time.Time) (test, string) {
	at, why := moment(v, now)
	if why != "" {
		return nil, why
	}
	return func(l *Line) bool { return !l.At.After(at) }, ""
}

// moment reads a time: back from now, of day (the last such time before now), or with its
// date.
func moment(v string, now time.Time) (time.Time, string) {
	back := v
	if days, rest, ok := strings.Cut(v, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			now = now.Add(-time.Duration(n) * 24 * time.Hour)
			if rest == "" {
				return now, ""
			}
			back = rest
		}
	}
	if d, err := time.ParseDuration(back); err == nil {
		if d < 0 {
			return time.Time{}, wantTime
		}
		return now.Add(-d), ""
	}
	for _, form := range []string{"15:04:05", "15:04"} {
		t, err := time.Parse(form, v)
		if err != nil {
			continue
		}
		at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), now.Location())
		if at.After(now) {
			at = time.Date(now.Year(), now.Month(), now.Day()-1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), now.Location())
		}
		return at, ""
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(form, v, now.Location()); err == nil {
			return t, ""
		}
	}
	return time.Time{}, wantTime
}

package acllog

import (
	"strings"
	"time"
)

// parseTime reads a time as logs have it, RFC 3339 with or without fractions. The form
// that ovn-controller writes is read without time's layouts, which take longer than
// the rest of the line.
func parseTime(s string) (time.Time, error) {
	if t, ok := zulu(s); ok {
		return t, nil
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	return t.UTC(), err
}

// zulu reads 2006-01-02T15:04:05Z and the same with a fraction of the second.
func zulu(s string) (t time.Time, ok bool) {
	const whole = len("2006-01-02T15:04:05")
	if len(s) <= whole || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[len(s)-1] != 'Z' {
		return t, false
	}
	frac := s[whole : len(s)-1]
	if frac != "" && frac[0] != '.' {
		return t, false
	}
	return stamp(s[:10], s[11:whole], strings.TrimPrefix(frac, "."), frac != "")
}

// stamp reads a date and a time of day in UTC, with whatever between their numbers.
func stamp(date, clock, frac string, hasFrac bool) (t time.Time, ok bool) {
	if clock[2] != ':' || clock[5] != ':' || hasFrac && (frac == "" || len(frac) > 9) {
		return t, false
	}
	good := true
	num := func(s string) (n int) {
		for i := range len(s) {
			if s[i] < '0' || s[i] > '9' {
				good = false
			}
			n = n*10 + int(s[i]-'0')
		}
		return n
	}
	year, month, day := num(date[:4]), num(date[5:7]), num(date[8:10])
	hour, minute, second := num(clock[:2]), num(clock[3:5]), num(clock[6:8])
	nano := num(frac)
	for range 9 - len(frac) {
		nano *= 10
	}
	if !good || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59 {
		return t, false
	}
	t = time.Date(year, time.Month(month), day, hour, minute, second, nano, time.UTC)
	return t, day <= 28 || t.Day() == day // there is no 30 February
}

// yearless reads the time of BSD's syslog, "Jan _2 15:04:05": it has neither year nor
// zone. It is taken for UTC, and for the last such time before now: a log is not from
// the future, but for clocks that differ.
func yearless(s string, now time.Time) (t time.Time, ok bool) {
	t, err := time.Parse("Jan _2 15:04:05", s)
	if err != nil {
		return t, false
	}
	now = now.UTC()
	for year := now.Year() + 1; year > now.Year()-9; year-- { // 29 February is not in every year
		at := time.Date(year, t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
		if at.Day() == t.Day() && !at.After(now.Add(24*time.Hour)) {
			return at, true
		}
	}
	return t, false
}

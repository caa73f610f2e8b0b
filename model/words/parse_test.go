package words

import (
	"errors"
	"testing"
	"time"
)

// Every form is read, from now and from another time.
func TestParse(t *testing.T) {
	zone := time.FixedZone("", 3600)
	now := time.Date(2026, 11, 5, 14, 30, 0, 0, zone)
	line := time.Date(2026, 11, 3, 23, 10, 0, 0, time.UTC) // already the 4th in zone
	day := func(d, h, m, s int) time.Time { return time.Date(2026, 11, d, h, m, s, 0, zone) }
	for _, c := range []struct {
		text     string
		now, far time.Time // what is read at now, and at line
	}{
		{"5m", now.Add(-5 * time.Minute), now.Add(-5 * time.Minute)},
		{"90s", now.Add(-90 * time.Second), now.Add(-90 * time.Second)},
		{"1d", now.Add(-24 * time.Hour), now.Add(-24 * time.Hour)},
		{"2d12h", now.Add(-60 * time.Hour), now.Add(-60 * time.Hour)},
		{"0s", now, now},
		{"-10m", now.Add(-10 * time.Minute), line.Add(-10 * time.Minute)},
		{"-1d", now.Add(-24 * time.Hour), line.Add(-24 * time.Hour)},
		{"+1h30m", now.Add(90 * time.Minute), line.Add(90 * time.Minute)},
		{"14:05", day(5, 14, 5, 0), day(4, 14, 5, 0)},
		{" 14:05:07 ", day(5, 14, 5, 7), day(4, 14, 5, 7)},
		{"15:00", day(4, 15, 0, 0), day(4, 15, 0, 0)},
		{"2026-11-02", day(2, 0, 0, 0), day(2, 0, 0, 0)},
		{"2026-11-02 13:00", day(2, 13, 0, 0), day(2, 13, 0, 0)},
		{"2026-11-02 13:00:09", day(2, 13, 0, 9), day(2, 13, 0, 9)},
		{"2026-11-02T13:00", day(2, 13, 0, 0), day(2, 13, 0, 0)},
		{"2026-11-02T13:00:09", day(2, 13, 0, 9), day(2, 13, 0, 9)},
		{"2026-11-02T13:00:09Z", day(2, 14, 0, 9), day(2, 14, 0, 9)},
		{"2026-11-02 13:00:09.5+01:00", day(2, 13, 0, 9).Add(time.Second / 2), day(2, 13, 0, 9).Add(time.Second / 2)},
	} {
		for _, from := range []struct{ at, want time.Time }{{now, c.now}, {line, c.far}} {
			if got, err := ParseMoment(c.text, now, from.at); err != nil || !got.Equal(from.want) {
				t.Errorf("%q from %v: %v, %v, want %v", c.text, from.at, got, err, from.want)
			}
		}
	}
	for _, text := range []string{"", "noon", "yesterday", "-", "+x", "--5m", "5", "d", "-5", "xd", "25:00", "2026-13-01", "12d-5m"} {
		if got, err := ParseMoment(text, now, now); !errors.Is(err, ErrMoment) {
			t.Errorf("%q is taken for %v, %v", text, got, err)
		}
	}
}

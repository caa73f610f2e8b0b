package cli

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Times have their date where a log is not all of today.
func TestLogTimes(t *testing.T) {
	at := func(text string) time.Time {
		x, err := time.Parse("2006-01-02 15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, c := range []struct {
		what  string
		lines []string
		want  []string
	}{
		{"today", []string{"2026-11-23 09:00", "2026-11-23 10:00"}, []string{"09:00:00.000", "10:00:00.000"}},
		{"over midnight", []string{"2026-11-23 23:59", "2026-11-24 00:01", "2026-11-23 23:58"},
			[]string{"23:59:00.000", "2026-11-24 00:01:00.000", "2026-11-23 23:58:00.000"}},
		{"another day", []string{"2026-11-03 10:00"}, []string{"2026-11-03 10:00:00.000"}},
	} {
		times := logTimes{today: utcDate(at("2026-11-23 12:00"))}
		var got []string
		for _, l := range c.lines {
			got = append(got, times.timeText(at(l)))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, d)
		}
	}
}

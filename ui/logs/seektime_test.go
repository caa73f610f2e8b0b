package logs

import (
	"testing"
	"time"

	"rung/engine/logs"
)

func TestParseTime(t *testing.T) {
	loc := time.FixedZone("", 3600)
	at := time.Date(2026, 11, 3, 14, 5, 0, 0, loc)
	pos := logs.Position{From: at.Add(-time.Hour), To: at.Add(time.Hour)}
	for text, want := range map[string]time.Time{
		"start": pos.From, "end": logs.TheEnd, "-10m": at.Add(-10 * time.Minute), "+1h30m": at.Add(90 * time.Minute),
		"15:04": time.Date(2026, 11, 3, 15, 4, 0, 0, loc), " 15:04:05 ": time.Date(2026, 11, 3, 15, 4, 5, 0, loc),
		"2026-11-02": time.Date(2026, 11, 2, 0, 0, 0, 0, loc), "2026-11-02 13:00": time.Date(2026, 11, 2, 13, 0, 0, 0, loc),
		"2026-11-03T10:00:00.5Z": time.Date(2026, 11, 3, 10, 0, 0, 5e8, time.UTC),
	} {
		if got, wrong := parseTime(text, at, pos, loc); wrong != "" || !got.Equal(want) {
			t.Errorf("%q: %v %s, want %v", text, got, wrong, want)
		}
	}
	for _, text := range []string{"", "noon", "-", "+x", "25:00", "2026-13-01"} {
		if _, wrong := parseTime(text, at, pos, loc); wrong == "" {
			t.Errorf("%q is taken", text)
		}
	}
}

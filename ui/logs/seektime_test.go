package logs

import (
	"testing"
	"time"

	"rung/engine/logs"
)

// The page takes what every place takes, from the line under the cursor, and the ends of the files.
func TestTimeToGoTo(t *testing.T) {
	loc := time.FixedZone("", 3600)
	at := time.Date(2026, 11, 3, 14, 5, 0, 0, loc)
	now := at.Add(24 * time.Hour)
	pos := logs.Position{From: at.Add(-time.Hour), To: at.Add(time.Hour)}
	for text, want := range map[string]time.Time{
		"start": pos.From, " end ": logs.TheEnd, "-10m": at.Add(-10 * time.Minute), "5m": now.Add(-5 * time.Minute),
		"15:04": time.Date(2026, 11, 3, 15, 4, 0, 0, loc),
	} {
		if got, wrong := timeToGoTo(text, at, pos, now); wrong != "" || !got.Equal(want) {
			t.Errorf("%q: %v %s, want %v", text, got, wrong, want)
		}
	}
	for _, text := range []string{"", "noon"} {
		if _, wrong := timeToGoTo(text, at, pos, now); wrong == "" {
			t.Errorf("%q is taken", text)
		}
	}
}

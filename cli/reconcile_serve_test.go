package cli

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"rung/engine"
	"rung/model"
)

// Each zone is looked at as soon as a second has passed since the last look, whatever
// the others wait for, and not at all without news.
func TestLooksAtEachZoneInItsTime(t *testing.T) {
	start := time.Now()
	said := eventLogger{unwritten: map[string]unwrittenReport{"a": {at: start.Add(-900 * time.Millisecond)},
		"b": {at: start.Add(-100 * time.Millisecond)}}}
	zones := []*model.ZoneState{{Name: "a"}, {Name: "b"}}
	for i, c := range []struct {
		at     time.Duration
		news   bool
		looked string
		again  time.Duration
	}{
		{0, true, "", 100 * time.Millisecond},
		{100 * time.Millisecond, false, "a", 800 * time.Millisecond},
		{900 * time.Millisecond, false, "b", 0},
		{950 * time.Millisecond, false, "", 0},
		{1000 * time.Millisecond, true, "", 100 * time.Millisecond},
		{2000 * time.Millisecond, false, "ab", 0},
		{4000 * time.Millisecond, true, "ab", 0},
	} {
		looked := ""
		again := said.logUnwritten(zones, c.news, start.Add(c.at), func(z *model.ZoneState) []engine.UnwrittenPart {
			looked += z.Name
			return nil
		})
		if looked != c.looked || again != c.again {
			t.Errorf("%d: looked at %q, again after %v, want %q and %v", i, looked, again, c.looked, c.again)
		}
	}
}

// What is not written is a warning once, for as long as it lasts, and a line when
// it is over.
func TestTellsWhatIsNotWritten(t *testing.T) {
	var text bytes.Buffer
	plain := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	said := eventLogger{log: slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{ReplaceAttr: plain}))}
	left := []engine.UnwrittenPart{{Policy: model.PolicyKey{Kind: model.KindANP, Name: "one"}, Why: engine.WhyBlocked,
		Text: "extra ACL x: still referenced by a row outside the policy"}}
	was := said.logLeftOut("n1", nil, left)
	was = said.logLeftOut("n1", was, left)
	said.logLeftOut("n1", was, nil)
	want := `level=WARN msg="not written" zone=n1 policy=AdminNetworkPolicy/one reason=blocked why="extra ACL x: still referenced by a row outside the policy"
level=INFO msg="written again" zone=n1 count=1 still=0
`
	if text.String() != want {
		t.Errorf("%s\nwant\n%s", text.String(), want)
	}
	text.Reset()
	left = nil
	for i := range 3 * unwrittenLines {
		left = append(left, engine.UnwrittenPart{Policy: model.PolicyKey{Kind: model.KindANP, Name: fmt.Sprint(i)},
			Why: engine.WhyNoRows})
	}
	said.logLeftOut("n1", nil, left)
	if got := text.String(); strings.Count(got, "\n") != unwrittenLines+1 || !strings.Contains(got, "more=40") {
		t.Errorf("%s", got)
	}
}

// A pause that is a step of every start is no warning; one that needs a look is.
func TestPausesOfAStartAreNoWarnings(t *testing.T) {
	for _, c := range []struct {
		zone model.ZoneState
		want slog.Level
	}{
		{model.ZoneState{Paused: "waiting for the first read of the database", Starting: true}, slog.LevelInfo},
		{model.ZoneState{Paused: "taking over the zone", Starting: true, Error: "connection refused"}, slog.LevelWarn},
		{model.ZoneState{Paused: "3 rows of policies, but NB_Global names no writer"}, slog.LevelWarn},
		{model.ZoneState{}, slog.LevelInfo},
	} {
		if got := zoneLevel(&c.zone); got != c.want {
			t.Errorf("%+v: %v, want %v", c.zone, got, c.want)
		}
	}
}

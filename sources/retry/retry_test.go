package retry

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestBackoffDoublesUpToTheLongest(t *testing.T) {
	const first, most = 100 * time.Millisecond, time.Second
	for range 100 { // there is chance in it
		b := Backoff(first, most)
		for i, want := range []time.Duration{100, 200, 400, 800, 1000, 1000, 1000} {
			want *= time.Millisecond
			for _, got := range []time.Duration{b.Step(), WaitAfter(i+1, first, most)} {
				if got < want/2 || got > want {
					t.Fatalf("wait %d is %v: want %v to %v", i, got, want/2, want)
				}
			}
		}
	}
}

func TestBackoffNeverPassesTheLongest(t *testing.T) {
	for range 100 {
		if d := WaitAfter(1, time.Hour, time.Second); d < time.Second/2 || d > time.Second {
			t.Fatalf("first wait longer than the longest: %v", d)
		}
		if d := WaitAfter(1<<40, time.Nanosecond, 30*time.Second); d < 15*time.Second || d > 30*time.Second {
			t.Fatalf("after very many failures: %v", d)
		}
	}
	if d := WaitAfter(0, time.Second, time.Minute); d != 0 {
		t.Fatalf("without a failure: %v", d)
	}
}

// What failed together does not come back together.
func TestBackoffSpreads(t *testing.T) {
	waits := map[time.Duration]bool{}
	for range 50 {
		waits[WaitAfter(3, time.Second, time.Minute)] = true
	}
	if len(waits) < 25 {
		t.Fatalf("50 waits take only %d values", len(waits))
	}
}

func TestSleepEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if !Sleep(t.Context(), time.Minute) || time.Since(began) != time.Minute {
			t.Errorf("slept %v", time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if Sleep(ctx, time.Minute) || time.Since(began) != 61*time.Second {
			t.Errorf("an ended context: slept until %v", time.Since(began))
		}
	})
}

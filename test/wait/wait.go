package wait

import (
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Patience is for what must come to hold sooner or later: more than the busiest
// machine needs, since a test that passes spends none of it. How fast something is
// asks a TestTiming….
const Patience = 3 * time.Minute

// pause is between two looks.
const pause = 10 * time.Millisecond

// Within polls until holds does and returns how long that took; the test fails
// when it takes longer than d.
func Within(t testing.TB, d time.Duration, what string, holds func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	if !Poll(d, holds) {
		t.Fatalf("not within %v: %s", d, what)
	}
	return time.Since(began)
}

// Poll says whether something comes to hold within d. It looks at least once.
func Poll(d time.Duration, holds func() bool) bool {
	for end := time.Now().Add(d); !holds(); time.Sleep(pause) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// Socket waits until a server answers at a Unix socket, whose file is there before.
func Socket(t testing.TB, path string) {
	t.Helper()
	Within(t, Patience, "a server at "+path, func() bool {
		c, err := net.Dial("unix", path)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

// NoLeaks fails the test if goroutines are left over that do not end: of one whose file is being closed
// the kernel decides when it does.
func NoLeaks(t testing.TB, known ...goleak.Option) {
	t.Helper()
	var err error
	if !Poll(Patience, func() bool { err = goleak.Find(known...); return err == nil }) {
		t.Error(err)
	}
}

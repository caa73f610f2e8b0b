package term

import (
	"regexp"
	"testing"
	"time"
)

// Driver is a Terminal in a test: what fails ends the test and shows the
// screen. The Terminal itself is there for tests about failure.
type Driver struct {
	*Terminal
	tb testing.TB
}

// Start runs a program in a pseudo-terminal until the test ends. Call it from
// the test's own goroutine.
func Start(tb testing.TB, o Options) *Driver {
	tb.Helper()
	t, err := Open(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := t.Close(); err != nil {
			tb.Errorf("closing the terminal: %v", err)
		}
	})
	return &Driver{Terminal: t, tb: tb}
}

// check ends the test on an error.
func (d *Driver) check(err error) {
	d.tb.Helper()
	if err != nil {
		d.tb.Fatal(err)
	}
}

// Press presses keys; see Terminal.Press.
func (d *Driver) Press(keys ...string) *Driver {
	d.tb.Helper()
	d.check(d.Terminal.Press(keys...))
	return d
}

// Type types text.
func (d *Driver) Type(text string) *Driver {
	d.tb.Helper()
	d.check(d.Terminal.Type(text))
	return d
}

// Paste pastes text.
func (d *Driver) Paste(text string) *Driver {
	d.tb.Helper()
	d.check(d.Terminal.Paste(text))
	return d
}

// Click clicks at a cell.
func (d *Driver) Click(button, x, y int) *Driver {
	d.tb.Helper()
	d.check(d.Terminal.Click(button, x, y))
	return d
}

// Resize resizes the window; late is the end of a frame for the old size.
func (d *Driver) Resize(width, height int, late ...string) *Driver {
	d.tb.Helper()
	d.check(d.Terminal.Resize(width, height, late...))
	return d
}

// WaitFor waits, up to DefaultTimeout, until the screen shows every one of the
// texts in one frame, and returns how long after the start that was.
func (d *Driver) WaitFor(texts ...string) time.Duration {
	d.tb.Helper()
	at, err := d.Terminal.WaitUntil("shows "+quoted(texts), func(f *Frame) bool {
		for _, text := range texts {
			if !contains(text)(f) {
				return false
			}
		}
		return true
	}, 0)
	d.check(err)
	return at
}

// WaitUntil waits until a complete frame fits; what completes "the screen never".
func (d *Driver) WaitUntil(what string, fits func(*Frame) bool) time.Duration {
	d.tb.Helper()
	at, err := d.Terminal.WaitUntil(what, fits, 0)
	d.check(err)
	return at
}

// WaitMatch waits until the screen's text matches the expression.
func (d *Driver) WaitMatch(expr string) time.Duration {
	d.tb.Helper()
	re, err := regexp.Compile(expr)
	d.check(err)
	at, err := d.Terminal.WaitMatch(re, 0)
	d.check(err)
	return at
}

// WaitGone waits until the screen does not show text.
func (d *Driver) WaitGone(text string) time.Duration {
	d.tb.Helper()
	at, err := d.Terminal.WaitGone(text, 0)
	d.check(err)
	return at
}

// WaitSeen waits for a watched text and returns when it was first seen.
func (d *Driver) WaitSeen(text string) time.Duration {
	d.tb.Helper()
	at, err := d.Terminal.WaitSeen(text, 0)
	d.check(err)
	return at
}

// WaitStill waits until nothing was written for the given time.
func (d *Driver) WaitStill(quiet time.Duration) *Driver {
	d.tb.Helper()
	d.check(d.Terminal.WaitStill(quiet, 0))
	return d
}

// Latency measures one key press.
func (d *Driver) Latency(key string) time.Duration {
	d.tb.Helper()
	took, err := d.Terminal.Latency(key, 0)
	d.check(err)
	return took
}

// WaitExit waits for the program to end with the given code.
func (d *Driver) WaitExit(want int) {
	d.tb.Helper()
	code, err := d.Terminal.Wait(0)
	d.check(err)
	if code != want {
		d.tb.Fatalf("%s ended with code %d, not %d\n%s", d.name, code, want, d.Frame().Boxed())
	}
}

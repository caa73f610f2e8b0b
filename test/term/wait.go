package term

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// DefaultTimeout stands for a timeout of 0. It is generous: it is only spent
// when something is wrong, and a test machine may be busy.
const DefaultTimeout = time.Minute

// ErrTimeout is in every error of a condition that did not come true in time.
var ErrTimeout = errors.New("timed out")

// ErrEnded is in every error of a condition that cannot come true any more
// because the program has ended.
var ErrEnded = errors.New("program ended")

func orDefault(d time.Duration) time.Duration {
	if d == 0 {
		return DefaultTimeout
	}
	return d
}

func contains(text string) func(*Frame) bool {
	return func(f *Frame) bool { return strings.Contains(f.Text(), text) }
}

// WaitFor waits until the screen shows text and returns how long after the
// start of the program that frame was complete.
func (t *Terminal) WaitFor(text string, timeout time.Duration) (time.Duration, error) {
	return t.WaitUntil(fmt.Sprintf("shows %q", text), contains(text), timeout)
}

// WaitMatch waits until the screen's text matches the expression.
func (t *Terminal) WaitMatch(re *regexp.Regexp, timeout time.Duration) (time.Duration, error) {
	return t.WaitUntil(fmt.Sprintf("matches %s", re), func(f *Frame) bool { return re.MatchString(f.Text()) }, timeout)
}

// WaitGone waits until the screen does not show text.
func (t *Terminal) WaitGone(text string, timeout time.Duration) (time.Duration, error) {
	return t.WaitUntil(fmt.Sprintf("no longer shows %q", text), func(f *Frame) bool { return !contains(text)(f) }, timeout)
}

// WaitUntil waits until a complete frame fits. what names the condition for the
// error: "the screen never …".
func (t *Terminal) WaitUntil(what string, fits func(*Frame) bool, timeout time.Duration) (time.Duration, error) {
	return t.await(t.scr.wait(fits), what, timeout)
}

// await waits for a registered condition.
func (t *Terminal) await(w *waiter, what string, timeout time.Duration) (time.Duration, error) {
	defer t.scr.forget(w)
	timer := time.NewTimer(orDefault(timeout))
	defer timer.Stop()
	select {
	case <-w.done:
		return t.since(w.at), nil
	case <-t.drained: // nothing more can appear
		select {
		case <-t.exited:
		case <-timer.C:
		}
	case <-timer.C:
	}
	select { // it may have come true with the last bytes
	case <-w.done:
		return t.since(w.at), nil
	default:
		return 0, t.complain("never "+what, orDefault(timeout))
	}
}

// since is the time from the start of the program to at. A screen that nothing
// was drawn on yet is as old as the program.
func (t *Terminal) since(at time.Time) time.Duration {
	return max(0, at.Sub(t.started))
}

// Seen says how long after the start a text of Options.Watch was first on the
// screen, and whether it was.
func (t *Terminal) Seen(text string) (time.Duration, bool) {
	w, ok := t.watches[text]
	if !ok {
		return 0, false
	}
	select {
	case <-w.done:
		return t.since(w.at), true
	default:
		return 0, false
	}
}

// WaitSeen waits for a text of Options.Watch and says how long after the start it
// was first on the screen, however late the question comes.
func (t *Terminal) WaitSeen(text string, timeout time.Duration) (time.Duration, error) {
	w, ok := t.watches[text]
	if !ok {
		return 0, fmt.Errorf("%q is not among the watched texts", text)
	}
	return t.await(w, fmt.Sprintf("showed %q", text), timeout)
}

// WaitStill waits until the program has written nothing for the given time.
func (t *Terminal) WaitStill(quiet, timeout time.Duration) error {
	deadline := time.Now().Add(orDefault(timeout))
	for {
		last := t.scr.wroteAt()
		if last.IsZero() {
			last = t.started
		}
		left := time.Until(last.Add(quiet))
		if left <= 0 {
			return t.scr.failed()
		}
		if time.Now().Add(left).After(deadline) {
			return t.complain("was never still for "+quiet.String(), orDefault(timeout))
		}
		time.Sleep(left)
	}
}

// Latency presses one key and returns the time from its byte written to the
// first complete frame that looks different, as it was read from the terminal.
// On a screen that changes by itself, give LatencyUntil a condition.
func (t *Terminal) Latency(key string, timeout time.Duration) (time.Duration, error) {
	for {
		before := t.Frame()
		took, err := t.LatencyUntil(key, "changed after "+key, func(f *Frame) bool { return !f.Same(before) }, timeout)
		if !errors.Is(err, errBefore) { // else something was drawn in this very moment
			return took, err
		}
	}
}

// errBefore is in the error of a condition that held before the key was pressed.
var errBefore = errors.New("already before the key")

// LatencyUntil is Latency to the first frame that fits. The condition must not
// hold yet.
func (t *Terminal) LatencyUntil(key, what string, fits func(*Frame) bool, timeout time.Duration) (time.Duration, error) {
	w := t.scr.wait(fits)
	select {
	case <-w.done:
		return 0, fmt.Errorf("measuring %s: the screen %s %w", key, what, errBefore)
	default:
	}
	pressed, err := t.press(key)
	if err != nil {
		t.scr.forget(w)
		return 0, err
	}
	if _, err := t.await(w, what, timeout); err != nil {
		return 0, err
	}
	return max(0, w.at.Sub(pressed)), nil
}

// complain makes the error of a condition that did not come true: what, how the
// program is, and the screen.
func (t *Terminal) complain(what string, timeout time.Duration) error {
	cause, state := ErrTimeout, "still running"
	select {
	case <-t.exited:
		cause, state = ErrEnded, fmt.Sprintf("ended with code %d", t.code)
	default:
	}
	if err := t.scr.failed(); err != nil {
		cause = err
	}
	return fmt.Errorf("%s %s within %s (%w; %s after %s)\n%s",
		t.name, what, timeout, cause, state, time.Since(t.started).Round(time.Millisecond), t.Frame().Boxed())
}

// Boxed returns the screen's text in a frame, with row numbers and size: for
// messages to people.
func (f *Frame) Boxed() string {
	last := f.Height - 1
	for last > 0 && f.Line(last) == "" {
		last--
	}
	var b strings.Builder
	fmt.Fprintf(&b, "── screen %d×%d, cursor %d,%d ──\n", f.Width, f.Height, f.CursorX, f.CursorY)
	for y := range last + 1 {
		fmt.Fprintf(&b, "%3d│%s\n", y, f.Line(y))
	}
	if last < f.Height-1 {
		fmt.Fprintf(&b, "   │(%d empty rows)\n", f.Height-1-last)
	}
	return b.String()
}

// quoted lists texts for a message.
func quoted(texts []string) string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = fmt.Sprintf("%q", text)
	}
	return strings.Join(out, " and ")
}

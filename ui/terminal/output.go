package terminal

import (
	"bytes"
	"context"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/ansi"
)

const (
	// unread is how long a write may take once the console has to end.
	unread = 700 * time.Millisecond
	// unreadLeave is the longest time for leaving a terminal that nobody reads.
	unreadLeave = 200 * time.Millisecond
	// piece bounds one write: a started write cannot be cancelled.
	piece = 1 << 10
)

// Output is the terminal's output. If nobody reads the terminal (a stopped multiplexer, a hanging connection),
// writes eventually block for ever; the console must still be able to end.
type Output struct {
	*os.File
	ctx      context.Context
	isUnread atomic.Bool // nobody reads; output is dropped
	last     <-chan writeResult
}

type writeResult struct {
	n   int
	err error
}

// NewOutput makes an Output of w, nil meaning the process's own output, that stops waiting after the end of
// ctx. It returns nil if w is not a file.
func NewOutput(ctx context.Context, w io.Writer) *Output {
	f, ok := w.(*os.File)
	if w == nil {
		f, ok = os.Stdout, true
	}
	if !ok {
		return nil
	}
	return &Output{File: f, ctx: ctx}
}

// Write writes to the file.
func (o *Output) Write(b []byte) (int, error) {
	if o.isUnread.Load() {
		return len(b), nil
	}
	done := o.beginWrite(b)
	select {
	case w := <-done:
		return w.n, w.err
	case <-o.ctx.Done():
	}
	if w, ok := waitForWrite(done, unread); ok {
		return w.n, w.err
	}
	o.last = done
	o.isUnread.Store(true)
	return len(b), nil
}

// WriteString writes to the file; the file's own would not stop waiting.
func (o *Output) WriteString(s string) (int, error) { return o.Write([]byte(s)) }

// beginWrite writes in the background, until done or nobody reads.
func (o *Output) beginWrite(b []byte) <-chan writeResult {
	b = bytes.Clone(b) // the caller reuses it
	done := make(chan writeResult, 1)
	go func() {
		var w writeResult
		for w.n < len(b) && w.err == nil && !o.isUnread.Load() {
			var n int
			n, w.err = o.File.Write(b[w.n:min(len(b), w.n+piece)])
			w.n += n
		}
		done <- w
	}()
	return done
}

// waitForWrite waits for the end of a write.
func waitForWrite(done <-chan writeResult, d time.Duration) (writeResult, bool) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case w := <-done:
		return w, true
	case <-t.C:
		return writeResult{}, false
	}
}

// Leave restores a terminal that nobody read, as far as possible, after the program. It discards unread
// output, so that the sequences that end the screen get through.
func (o *Output) Leave() {
	if !o.isUnread.Load() {
		return
	}
	discardOutput(o.File)
	if _, ended := waitForWrite(o.last, unreadLeave); ended {
		o.isUnread.Store(false)
		waitForWrite(o.beginWrite([]byte(cut+leave)), unreadLeave)
	}
}

// cut ends a partly written sequence, and undoes modes of Bubble Tea that leave does not.
const cut = "\x1b\\" + ansi.ResetModeSynchronizedOutput + ansi.ResetModeUnicodeCore +
	ansi.ResetModeFocusEvent + ansi.ResetModifyOtherKeys + "\x1b[<1u" // Kitty's keyboard mode

// leave undoes what a killed program may have set on the terminal.
const leave = ansi.ResetModeAltScreenSaveCursor + ansi.ResetModeBracketedPaste + ansi.ResetModeMouseNormal +
	ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr + ansi.SetModeTextCursorEnable +
	ansi.ResetStyle

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
	// unread is how long a write may take once the console is to end.
	unread = 700 * time.Millisecond
	// unreadLeave is how long leaving such a terminal may take.
	unreadLeave = 200 * time.Millisecond
	// piece is how much is written at once: what was begun cannot be taken back.
	piece = 1 << 10
)

// Output is the terminal's output. A terminal that nobody reads (a stopped multiplexer, a
// connection that hangs) takes no more after some time, and a write to it returns never;
// the console must end all the same when it is told to.
type Output struct {
	*os.File
	ctx      context.Context
	isUnread atomic.Bool // nobody reads; what is written is dropped
	last     <-chan writeResult
}

type writeResult struct {
	n   int
	err error
}

// NewOutput makes a Output of w, nil for the process's own output, that does not wait any
// more after the end of ctx; of what is no file it makes nil.
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

// beginWrite writes in the background, until all is written or nobody reads.
func (o *Output) beginWrite(b []byte) <-chan writeResult {
	b = bytes.Clone(b) // whose it is uses it again
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

// Leave leaves the terminal of a program that has ended as well as it can be: where
// nobody read it, what still waits to be read gives way to what ends the screen.
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

// cut ends a sequence that was written in part, and undoes what Bubble Tea may have set
// beyond what leave does.
const cut = "\x1b\\" + ansi.ResetModeSynchronizedOutput + ansi.ResetModeUnicodeCore +
	ansi.ResetModeFocusEvent + ansi.ResetModifyOtherKeys + "\x1b[<1u" // Kitty's keys

// leave undoes what a program that was killed may have set on the terminal.
const leave = ansi.ResetModeAltScreenSaveCursor + ansi.ResetModeBracketedPaste + ansi.ResetModeMouseNormal +
	ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr + ansi.SetModeTextCursorEnable +
	ansi.ResetStyle

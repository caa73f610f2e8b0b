package command

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/term"
)

// outlet is standard output or standard error. If its reader is gone (rung logs --follow | head) the command
// ends normally, so that its sandbox is removed.
type outlet struct {
	w      io.Writer
	end    context.CancelCauseFunc
	closed *atomic.Bool // shared by all outlets
}

// NewOutlet returns an outlet to w. If the reader is gone, it calls end and sets closed.
func NewOutlet(w io.Writer, end context.CancelCauseFunc, closed *atomic.Bool) io.Writer {
	return &outlet{w, end, closed}
}

func (o *outlet) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil && BrokenPipe(err) {
		o.hangUp()
	}
	return n, err
}

func (o *outlet) hangUp() {
	o.closed.Store(true)
	o.end(ErrPipe)
}

// lookEvery is how often a long-running command checks whether its output is still read.
const lookEvery = 250 * time.Millisecond

// WhileRead ends a long-running command as soon as nobody reads its output, even if there is nothing to print.
// stop ends the check.
func WhileRead(out io.Writer) (stop func()) {
	o, ok := out.(*outlet)
	if !ok {
		return func() {}
	}
	f, ok := o.w.(*os.File)
	if !ok {
		return func() {}
	}
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if hungUp(f) {
					o.hangUp()
					return
				}
			}
		}
	}()
	return func() { close(done); <-gone }
}

// IsTerminal reports whether a stream of the command is a terminal.
func IsTerminal(stream any) bool {
	if o, ok := stream.(*outlet); ok {
		stream = o.w
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// TerminalWidth returns the width of the terminal that out writes to, in cells; 0 if it is none.
func TerminalWidth(out io.Writer) int {
	if o, ok := out.(*outlet); ok {
		if f, ok := o.w.(interface{ Fd() uintptr }); ok {
			if w, _, err := term.GetSize(f.Fd()); err == nil {
				return w
			}
		}
	}
	return 0
}

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"sync/atomic"
	"syscall"
	"time"
)

// endedBy is the cause of a context ended by a signal.
type endedBy struct{ sig os.Signal }

func (e endedBy) Error() string { return "ended by a signal: " + e.sig.String() }

// Signal returns the signal, for callers that pass it on.
func (e endedBy) Signal() os.Signal { return e.sig }

// ErrPipe is the cause of a context that ended because nobody reads the output any more.
var ErrPipe = errors.New("nobody reads the output any longer")

// sameSignals is how long further signals are ignored after the first, since ending a session often sends
// several. Later ones end the process at once.
const sameSignals = 2 * time.Second

// EditorHasTerminal is set while an editor started by Rung has the terminal: interrupts and quits typed there
// are for the editor.
var EditorHasTerminal atomic.Bool

// OnQuit receives the goroutines' stacks at SIGQUIT; nil prints them.
var OnQuit atomic.Pointer[func(goroutines []byte)]

// UntilSignal returns a context that ends at an interrupt, SIGTERM or SIGQUIT, or when the terminal is gone,
// unless that is switched off (nohup). end ends it for another cause. SIGPIPE does not end it, but a write
// that fails does. stop releases the signals.
func UntilSignal(errw io.Writer) (ctx context.Context, end context.CancelCauseFunc, stop func()) {
	ctx, end = context.WithCancelCause(context.Background())
	// Room for several signals at once, so that an ignored one does not displace the next.
	got, pipes := make(chan os.Signal, 8), make(chan os.Signal, 1)
	ends := append([]os.Signal{os.Interrupt, syscall.SIGTERM}, moreEnds...)
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	signal.Notify(got, ends...)
	for _, s := range pipeSignals {
		signal.Notify(pipes, s) // without arguments it would mean all signals
	}
	over := make(chan struct{})
	go func() {
		for {
			select {
			case <-over:
				return
			case s := <-got:
				if EditorHasTerminal.Load() && (s == os.Interrupt || isQuit(s)) {
					continue
				}
				if isQuit(s) {
					dumpGoroutines(errw)
				}
				end(endedBy{s})
			case <-ctx.Done():
				same := time.NewTimer(sameSignals)
				defer same.Stop()
				select {
				case <-over:
				case <-same.C:
					signal.Stop(got)
				}
				return
			}
		}
	}()
	return ctx, end, func() {
		close(over)
		signal.Stop(got)
		signal.Stop(pipes)
		end(nil)
	}
}

// dumpGoroutines passes on the stacks of all goroutines, or prints them like any Go program at SIGQUIT.
func dumpGoroutines(errw io.Writer) {
	var b bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&b, 2) // memory write: no error
	if keep := OnQuit.Load(); keep != nil {
		(*keep)(b.Bytes())
		return
	}
	fmt.Fprintf(errw, "SIGQUIT: quit\n\n%s\n", b.Bytes())
}

// AwaitResult runs f, which cannot be cancelled (reading the kubeconfig, say), and returns when f does or ctx
// ends. In the latter case f is left running.
func AwaitResult[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	got := make(chan result, 1)
	go func() {
		v, err := f()
		got <- result{v, err}
	}()
	select {
	case r := <-got:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// Pause waits for d, or until ctx ends.
func Pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

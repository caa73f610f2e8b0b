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

// endedBy is the cause of a context that a signal ended.
type endedBy struct{ sig os.Signal }

func (e endedBy) Error() string { return "ended by a signal: " + e.sig.String() }

// Signal is the signal, for those who hand it on.
func (e endedBy) Signal() os.Signal { return e.sig }

// ErrPipe is the cause of a context that ended because nobody reads what is
// printed any more.
var ErrPipe = errors.New("nobody reads the output any longer")

// sameSignals is how long after the first signal another one changes nothing:
// who ends a session often sends several. Later ones end the process at once.
const sameSignals = 2 * time.Second

// EditorHasTerminal is set while an editor that Rung started has the terminal: what the
// user types there to interrupt or quit is for the editor.
var EditorHasTerminal atomic.Bool

// OnQuit takes what all goroutines were doing at SIGQUIT; nil prints it.
var OnQuit atomic.Pointer[func(goroutines []byte)]

// UntilSignal is a context that ends when Rung is told to: by an interrupt, by
// SIGTERM, SIGQUIT, or because the terminal is gone, unless that was switched off
// (nohup). end ends it for another cause. SIGPIPE ends nothing by itself: a write
// that fails does. stop gives the signals back.
func UntilSignal(errw io.Writer) (ctx context.Context, end context.CancelCauseFunc, stop func()) {
	ctx, end = context.WithCancelCause(context.Background())
	// Signals that come together all find room: an ignored one must not take the place of the next.
	got, pipes := make(chan os.Signal, 8), make(chan os.Signal, 1)
	ends := append([]os.Signal{os.Interrupt, syscall.SIGTERM}, moreEnds...)
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	signal.Notify(got, ends...)
	for _, s := range pipeSignals {
		signal.Notify(pipes, s) // none would mean all
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

// dumpGoroutines keeps what every goroutine is doing, as a Go program without a screen
// prints it at SIGQUIT.
func dumpGoroutines(errw io.Writer) {
	var b bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&b, 2) // into memory
	if keep := OnQuit.Load(); keep != nil {
		(*keep)(b.Bytes())
		return
	}
	fmt.Fprintf(errw, "SIGQUIT: quit\n\n%s\n", b.Bytes())
}

// AwaitResult runs what cannot be ended, such as reading the kubeconfig, and returns
// when it does or when ctx ends. It is left behind then.
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

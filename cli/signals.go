package cli

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// interruptIsKey says that an interrupt is not for Rung: in the console ctrl+c is
// a key like any other, and only an editor that has the terminal leads to the
// signal, which all processes in front of the terminal get.
var interruptIsKey atomic.Bool

// untilSignal is a context that ends when Rung is told to: by an interrupt, by
// SIGTERM, or because the terminal is gone, unless that was switched off (nohup).
// The second signal ends the process at once.
func untilSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan os.Signal, 1)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	signal.Notify(got, ends...)
	go func() {
		defer signal.Stop(got)
		for {
			select {
			case <-ctx.Done():
				return
			case s := <-got:
				if s == os.Interrupt && interruptIsKey.Load() {
					continue
				}
				cancel()
				return
			}
		}
	}()
	return ctx, cancel
}

package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"k8s.io/klog/v2"

	"rung/engine/statedir"
	"rung/model/words"
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
		o.closeOutlet()
	}
	return n, err
}

func (o *outlet) closeOutlet() {
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
				if isReaderGone(f) {
					o.closeOutlet()
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
	width, _, _ := terminalSize(out)
	return width
}

// terminalSize returns the width and height of a terminal in cells; ok is false if out is none.
func terminalSize(out io.Writer) (width, height int, ok bool) {
	if o, is := out.(*outlet); is {
		if f, is := o.w.(interface{ Fd() uintptr }); is {
			width, height, err := term.GetSize(f.Fd())
			return width, height, err == nil
		}
	}
	return 0, 0, false
}

// gcPercent is how much the heap of a long-running process may grow before it is collected, in percent of its
// live bytes. Go's default of 100 needs nearly half as much memory again and saves half of the collections,
// which no key press notices.
const gcPercent = 40

// NoSamples turns off sampling for heap profiles. Call it if no profile is requested.
var NoSamples = sync.OnceFunc(func() { runtime.MemProfileRate = 0 })

// startPercent is gcPercent until the first collection, at a heap of 32 MB (Go's smallest heap of 4 MB times
// startPercent / 100). Collecting the few megabytes of a start a dozen times would take a third of the time to
// the first frame.
const startPercent = 800

// SaveMemory makes the collector run more often, for the console and `rung reconcile`, which run for days.
// GOGC takes precedence; GOMEMLIMIT still applies.
func SaveMemory() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(startPercent)
	// The first collection finds this object unreachable.
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, gcPercent)
}

// ownLogSize is the size of Rung's own log above which the next start renames it to rung.log.old.
const ownLogSize = 5 << 20

// OpenOwnLog sends everything that libraries log (log, slog, klog) to a file, since a line on stderr would
// garble the screen. That includes the output of exec plugins, which get the os.Stderr current when the
// kubeconfig is opened, so call it before.
func OpenOwnLog(dir string) (io.Closer, error) {
	f, err := statedir.OpenLog(dir, "rung.log", ownLogSize)
	if err != nil {
		return nil, err
	}
	handler := slog.NewTextHandler(f, &slog.HandlerOptions{ReplaceAttr: WithoutLogins})
	slog.SetDefault(slog.New(handler)) // also redirects the standard logger
	log.SetFlags(0)
	klog.SetSlogLogger(slog.New(handler))
	own := &ownLog{File: f, stderr: os.Stderr}
	os.Stderr = f
	return own, nil
}

// WithoutLogins removes user and password from URLs in a log record.
func WithoutLogins(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case string:
		return slog.String(a.Key, words.WithoutLogins(v))
	case error:
		return slog.String(a.Key, words.WithoutLogins(v.Error()))
	}
	return a
}

type ownLog struct {
	*os.File
	stderr *os.File // stderr of the process
}

// Close restores stderr.
func (o *ownLog) Close() error {
	os.Stderr = o.stderr
	return o.File.Close()
}

// QuietLibraries silences the logs of libraries for the whole process: stderr has one line for every error of
// a command and nothing else.
func QuietLibraries() {
	handler := slog.DiscardHandler
	slog.SetDefault(slog.New(handler))
	log.SetOutput(io.Discard)
	klog.SetSlogLogger(slog.New(handler))
}

// NoPager is the flag value for no pager.
const NoPager = "never"

// defaultPager shows colours, leaves the text on the screen, and exits if the text fits.
const defaultPager = "less -FRX"

// PagerNamed returns the command line of the pager, or "": the flag's value, else RUNG_PAGER. A flag without a
// value also takes PAGER, or less.
func PagerNamed(flag string, getenv func(string) string) string {
	pager := cmp.Or(flag, getenv("RUNG_PAGER"))
	if pager == AskedPager {
		pager = cmp.Or(getenv("RUNG_PAGER"), getenv("PAGER"), defaultPager)
	}
	if pager == NoPager {
		return ""
	}
	return pager
}

// AskedPager is the value of a flag given without one.
const AskedPager = "auto"

// FitsScreen reports whether a text fits on the terminal, with a line for the prompt.
func FitsScreen(text string, out io.Writer) bool {
	width, height, ok := terminalSize(out)
	return !ok || countLines(text, width) < height
}

// ShowPaged shows a text in a pager, which reads keys from the terminal, and waits until it ends. It stops the
// pager if ended closes. An error means that the text was not shown.
func ShowPaged(pager, text string, out, errw io.Writer, ended <-chan struct{}) error {
	args := strings.Fields(pager)
	if len(args) == 0 {
		return errors.New("no pager")
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), unwrapOutlet(out), unwrapOutlet(errw)
	if err := cmd.Start(); err != nil {
		return err
	}
	result := make(chan error, 1)
	go func() { result <- cmd.Wait() }()
	var err error
	select {
	case err = <-result:
	case <-ended:
		if cmd.Process.Signal(syscall.SIGTERM) != nil {
			_ = cmd.Process.Kill()
		}
		<-result
		return nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%s: %s", args[0], exit.ProcessState)
	}
	return err
}

// countLines counts the lines of a text on a terminal of a width, where longer lines wrap.
func countLines(text string, width int) (n int) {
	for line := range strings.Lines(text) {
		n += max(1, (ansi.StringWidth(line)+width-1)/max(width, 1))
	}
	return n
}

// unwrapOutlet returns the file behind an outlet, to pass to a child process.
func unwrapOutlet(w io.Writer) io.Writer {
	if o, ok := w.(*outlet); ok {
		return o.w
	}
	return w
}

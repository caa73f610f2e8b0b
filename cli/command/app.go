package command

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"rung/change"
	"rung/engine"
	"rung/sources/files"
)

// App holds the streams, flags and state that the subcommands share.
type App struct {
	In io.Reader
	// Out and Err escape invisible characters; Raw is the process's own output, for codes that clear a screen.
	Out, Err, Raw io.Writer

	Flags   globalFlags
	Version string // of Rung
	Call    string // how to call Rung in texts: "kubectl rung" as kubectl's plugin
	CanAsk  bool   // In is a terminal, so questions can be asked
	// Input given to NewApp, to read single keys from.
	Keyboard io.Reader
	Needs    fileNeed // of the command
	Anyhow   bool     // the command answers even if inputs cannot be read
	// Template given by -o, else nil.
	template *Form
	look     atomic.Pointer[look] // look of Out; the configuration is read concurrently
	ended    <-chan struct{}      // closed when the command has to end
	// Complaints printed already.
	Said map[string]bool
	// Set while a command line is completed: nothing is printed or changed.
	completes bool
}

// NewApp returns the app of a process that reads in and writes to out and errw, until ctx ends.
func NewApp(ctx context.Context, in io.Reader, out, errw io.Writer) *App {
	a := &App{In: files.PatientReader(ctx, in), Call: "rung", Raw: out, Said: map[string]bool{}, CanAsk: IsTerminal(in), Keyboard: in,
		ended: ctx.Done()}
	a.Out, a.Err = cleanWriter{out, a}, cleanWriter{errw, nil}
	return a
}

// ForContext returns the app for another context of the kubeconfig. It keeps the flags, but not the permission
// to change things.
func ForContext(a *App, name string) *App {
	next := &App{In: a.In, Call: a.Call, Out: a.Out, Err: a.Err, Raw: a.Raw, Flags: a.Flags, CanAsk: a.CanAsk, Keyboard: a.Keyboard,
		Needs:    a.Needs,
		template: a.template, ended: a.ended, Said: a.Said, completes: a.completes}
	next.Flags.Kube.Overrides.CurrentContext, next.Flags.Kube.Write = name, false
	return next
}

// ForInput returns an app that reads only what arg names: manifests in any form that -f takes, or
// context:NAME. It changes nothing.
func ForInput(a *App, arg string) (*App, error) {
	in, err := engine.ParseInput(arg)
	if err != nil {
		return nil, err
	}
	context := a.Flags.Kube.Overrides.CurrentContext
	if in.Kind == engine.ContextInput {
		context = in.Name
	}
	next := ForContext(a, context)
	next.Flags.Files, next.Flags.NB, next.Flags.SB, next.Flags.databases, next.Flags.WriteBack, next.Flags.ReadOnly = nil, nil, nil, nil,
		false, true
	if in.Kind != engine.ContextInput {
		next.Flags.Files, next.Flags.Kube.ClusterOptions.Overrides, next.Flags.Kube.Kubeconfig = []string{arg}, next.Flags.Kube.unset, ""
	}
	return next, nil
}

// Exit codes.
const (
	ExitOK     = 0
	ExitNo     = 1 // the answer is no: drift found, lint errors, a change rejected
	ExitFailed = 2 // could not run, or not fully judged
	// ExitPipe is the code that a shell shows for a program ended by SIGPIPE because its output was closed, as
	// in rung ladder | head -1.
	ExitPipe = 141
)

var (
	// ErrNo ends a command with exit 1; its answer was printed.
	ErrNo = errors.New("the answer is no")
	// ErrSaid ends a command with exit 2 after its message was printed.
	ErrSaid = errors.New("nothing to show")
	// ErrUnjudged ends a command with exit 2 after its answer was printed with the omissions.
	ErrUnjudged = errors.New("not fully judged")
	// ErrRefused ends a command with exit 1; the error that wraps it goes to stderr.
	ErrRefused = errors.New("nothing was changed")
	// ErrBehind does the same: the policies are changed, but the rows of some zone are not.
	ErrBehind = errors.New("see rung drift")
	// ErrPutBack does the same: a change on trial was, or will be, reverted.
	ErrPutBack = errors.New("reverted")
)

// ExitCode returns the exit code for a command's error, which may be nil; said reports whether everything
// about it was printed.
func ExitCode(err error) (code int, said bool) {
	switch {
	case err == nil:
		return ExitOK, true
	case errors.Is(err, ErrNo):
		return ExitNo, true
	case errors.Is(err, ErrSaid), errors.Is(err, ErrUnjudged):
		return ExitFailed, true
	case errors.Is(err, ErrRefused), errors.Is(err, ErrBehind), errors.Is(err, ErrPutBack), errors.Is(err, change.ErrBlocked),
		errors.Is(err, change.ErrStale), errors.Is(err, change.ErrNotRecorded):
		return ExitNo, false
	}
	return ExitFailed, false
}

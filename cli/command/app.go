package command

import (
	"context"
	"errors"
	"io"
	"rung/change"

	"rung/engine"
	"rung/sources/files"
	"sync/atomic"
)

// App holds the streams, flags and state that the subcommands share.
type App struct {
	In io.Reader
	// Out and Err escape invisible characters; Raw is the process's own output, for the
	// codes that clear a screen.
	Out, Err, Raw io.Writer

	Flags   globalFlags
	Version string // of Rung
	Call    string // how people call Rung: "kubectl rung" where it is kubectl's plugin
	CanAsk  bool   // In is a terminal: somebody can be asked
	// Keyboard is the input that NewApp was given, to read single keys from.
	Keyboard io.Reader
	Needs    fileNeed // of the command
	Anyhow   bool     // the command answers whatever could not be read
	// template is the form of -o where that is a template, else nil.
	template *Form
	look     atomic.Pointer[look] // of what goes to Out; the configuration is read beside
	ended    <-chan struct{}      // when the command is told to end
	// Said are the complaints that were printed already.
	Said map[string]bool
	// completes says that a command line is completed: nothing is said then, or done.
	completes bool
}

// NewApp is the app of a process that reads in and writes to out and errw, until ctx ends.
func NewApp(ctx context.Context, in io.Reader, out, errw io.Writer) *App {
	a := &App{In: files.PatientReader(ctx, in), Call: "rung", Raw: out, Said: map[string]bool{}, CanAsk: IsTerminal(in), Keyboard: in,
		ended: ctx.Done()}
	a.Out, a.Err = cleanWriter{out, a}, cleanWriter{errw, nil}
	return a
}

// ForContext returns the app for another context of the kubeconfig, with the flags of this one but the permission
// to change things.
func ForContext(a *App, name string) *App {
	next := &App{In: a.In, Call: a.Call, Out: a.Out, Err: a.Err, Raw: a.Raw, Flags: a.Flags, CanAsk: a.CanAsk, Keyboard: a.Keyboard,
		Needs:    a.Needs,
		template: a.template, ended: a.ended, Said: a.Said, completes: a.completes}
	next.Flags.Kube.Overrides.CurrentContext, next.Flags.Kube.Write = name, false
	return next
}

// ForInput returns the app that reads what an argument names, and nothing else: manifests of any
// kind that -f takes, or context:NAME. It changes nothing.
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
	ExitNo     = 1 // the answer is no: drift found, lint errors, a change refused
	ExitFailed = 2 // could not run, or not wholly judged
	// ExitPipe is the exit code that a shell shows for a program ended by SIGPIPE, because
	// nobody reads its output any more, as in rung ladder | head -1.
	ExitPipe = 141
)

var (
	// ErrNo ends a command with exit 1; its answer was printed.
	ErrNo = errors.New("the answer is no")
	// ErrSaid ends a command with exit 2: what was to be said was printed.
	ErrSaid = errors.New("nothing to show")
	// ErrUnjudged ends a command with exit 2: its answer was printed, with what it does not
	// take into account beside it.
	ErrUnjudged = errors.New("not wholly judged")
	// ErrRefused ends a command with exit 1 and goes to stderr with what is
	// wrapped around it.
	ErrRefused = errors.New("nothing was changed")
	// ErrBehind likewise: the policies are changed and some zone's rows are not.
	ErrBehind = errors.New("see rung drift")
	// ErrPutBack likewise: a change on trial does not stand, or not for long.
	ErrPutBack = errors.New("reverted")
)

// ExitCode is the exit code of a command that ended with an error, or without; said says
// that everything about it was printed.
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

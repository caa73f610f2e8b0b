package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"

	"rung/change"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/sources/files"
	"rung/system"
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
	Keyboard        io.Reader
	Needs           fileNeed // of the command
	ToleratesUnread bool     // the command answers even if inputs cannot be read
	// Template given by -o, else nil.
	template *Form
	look     atomic.Pointer[look] // look of Out; the configuration is read concurrently
	ended    <-chan struct{}      // closed when the command has to end
	// Complaints printed already.
	Printed map[string]bool
	// Set while a command line is completed: nothing is printed or changed.
	completes bool
}

// NewApp returns the app of a process that reads in and writes to out and errw, until ctx ends.
func NewApp(ctx context.Context, in io.Reader, out, errw io.Writer) *App {
	a := &App{In: files.PatientReader(ctx, in), Call: "rung", Raw: out, Printed: map[string]bool{}, CanAsk: IsTerminal(in), Keyboard: in,
		ended: ctx.Done()}
	a.Out, a.Err = cleanWriter{out, a}, cleanWriter{errw, nil}
	return a
}

// ForContext returns the app for another context of the kubeconfig. It keeps the flags, but not the permission
// to change things.
func ForContext(a *App, name string) *App {
	next := &App{In: a.In, Call: a.Call, Out: a.Out, Err: a.Err, Raw: a.Raw, Flags: a.Flags, CanAsk: a.CanAsk, Keyboard: a.Keyboard,
		Needs:    a.Needs,
		template: a.template, ended: a.ended, Printed: a.Printed, completes: a.completes}
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
	// ErrPrinted ends a command with exit 2 after its message was printed.
	ErrPrinted = errors.New("nothing to show")
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
	case errors.Is(err, ErrPrinted), errors.Is(err, ErrUnjudged):
		return ExitFailed, true
	case errors.Is(err, ErrRefused), errors.Is(err, ErrBehind), errors.Is(err, ErrPutBack), errors.Is(err, change.ErrBlocked),
		errors.Is(err, change.ErrStale), errors.Is(err, change.ErrNotRecorded):
		return ExitNo, false
	}
	return ExitFailed, false
}

// fileNeed lists the contents of -f without which a command makes no sense. A change needs nothing: it may
// create the first policy, or restore the last one.
type fileNeed int

const (
	NeedNothing fileNeed = iota
	NeedObjects
	needPolicies
)

var commandNeeds = map[string]fileNeed{
	"ladder": needPolicies, "lint": needPolicies, "compile": needPolicies,
	"policy": NeedObjects, "get": NeedObjects, "pod": NeedObjects, "namespace": NeedObjects,
	"drift": NeedObjects, "rows": NeedObjects, "zones": NeedObjects,
	"probe": NeedObjects, "verify": NeedObjects, "matrix": NeedObjects, "connections": NeedObjects, "convert": NeedObjects,
	"activity": NeedObjects, "report": NeedObjects, "can": NeedObjects, "logs": NeedObjects, "plan": NeedObjects,
}

// emptyError says that the files of -f hold nothing to show.
type emptyError struct{ what string }

func (e *emptyError) Error() string { return e.what }

// EmptyFolders returns an error if the folders of -f hold no manifests. It reads none.
func (a *App) EmptyFolders() error {
	if a.Needs == NeedNothing || len(a.Flags.Files) == 0 || len(a.Flags.NB) > 0 || !engine.HasNoManifests(a.Flags.Files) {
		return nil
	}
	return &emptyError{fmt.Sprintf("no manifests in %s: want files that end in .yaml, .yml or .json, also with .gz; "+
		"check -f, or try: rung demo", a.filesNamed())}
}

// WhyNotEnough returns an error if the files hold too little for the command. If something could not be read,
// or databases are given, there is something to show.
func (a *App) WhyNotEnough(r *revision.Revision) error {
	if r.Mode.Name != revision.FilesMode || a.Needs == NeedNothing || !r.Mode.Sandbox && len(r.Zones) > 0 ||
		slices.ContainsFunc(r.Broken, func(b model.Broken) bool { return b.Severity == model.SeverityError }) {
		return nil
	}
	var there []string
	for _, k := range []model.Kind{model.KindNamespace, model.KindPod, model.KindNode} {
		if n := r.Cluster.Count(k); n > 0 {
			there = append(there, words.Count(n, strings.ToLower(string(k))))
		}
	}
	// Networks, and objects that policies refer to such as tiers, are checked even without policies.
	has := func(k model.Kind) bool { return r.Cluster.Count(k) > 0 }
	policies := system.OtherSystemsFound(r.Cluster) != "" ||
		slices.ContainsFunc([]model.Kind{model.KindUDN, model.KindCUDN, model.KindNAD, model.KindCNC}, has) ||
		slices.ContainsFunc(r.Broken, func(b model.Broken) bool { // a Template with policies
			return b.Key.Kind == "Template" && b.Severity == model.SeverityWarning
		})
	for range r.Cluster.EveryPolicy() {
		policies = true
		break
	}
	switch {
	case policies || a.Needs < needPolicies && len(there) > 0:
		return nil
	case len(there) > 0:
		return &emptyError{fmt.Sprintf("no policies in %s, only %s; check -f", a.filesNamed(), strings.Join(there, ", "))}
	case len(a.Flags.Files) == 1 && a.Flags.Files[0] == "-":
		return &emptyError{"nothing on standard input: no policies and no pods, namespaces or nodes"}
	}
	return &emptyError{fmt.Sprintf("nothing in %s: no policies and no pods, namespaces or nodes; check -f", a.filesNamed())}
}

func (a *App) filesNamed() string {
	names := model.MapList(a.Flags.Files, func(name string) string {
		if name == "-" {
			return "standard input"
		}
		return words.CleanText(name)
	})
	return words.ListSome(names, 3)
}

// ReadGiven reads any kind of file named on the command line, or standard input for "-", up to limit bytes and
// until ctx ends. The error does not name the file.
func (a *App) ReadGiven(ctx context.Context, path string, limit int64) ([]byte, error) {
	in := a.In
	if path != "-" {
		f, err := files.Open(ctx, path)
		if err != nil {
			return nil, withoutFileName(err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("more than %d MiB", limit>>20)
	}
	if err != nil {
		return nil, withoutFileName(err)
	}
	return text, nil
}

func withoutFileName(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

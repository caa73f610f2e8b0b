package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"rung/change"
	"rung/engine"
	"rung/engine/logs/entries"
	"rung/model/clean"
	"rung/sources/reading"
)

// Exit codes.
const (
	exitOK = 0
	exitNo = 1 // the answer is no: drift found, lint errors, a change refused
	exit2  = 2 // could not run, or not wholly judged
	// exitPipe is what a shell shows of a program that SIGPIPE ended: nobody reads
	// the output any more, as in rung ladder | head -1.
	exitPipe = 141
)

var (
	// errNo ends a command with exit 1; its answer was printed.
	errNo = errors.New("the answer is no")
	// errRefused ends a command with exit 1 and goes to stderr with what is
	// wrapped around it.
	errRefused = errors.New("nothing was changed")
	// errBehind likewise: the policies are changed and some zone's rows are not.
	errBehind = errors.New("see rung drift")
	// errPutBack likewise: a change on trial does not stand, or not for long.
	errPutBack = errors.New("not confirmed")
)

// app is what the subcommands share.
type app struct {
	in io.Reader
	// out and err take only what can be seen; raw is the process's own output, for
	// what a screen is cleared with.
	out, err, raw io.Writer

	flags  flags
	screen Screen
	asks   bool // in is a terminal: somebody can be asked
	// keyboard is in as it was handed in, to read single keys from.
	keyboard io.Reader
	needs    need // of the command
	// said are the complaints that were printed already.
	said map[string]bool
	// completes says that a command line is completed: nothing is said then, or done.
	completes bool
	// takeLog takes the log lines that would be printed; nil prints them.
	takeLog func(*entries.Entry)
}

// Main runs the command line and returns the exit code. screen shows the
// console; nil is a build without one.
func Main(args []string, in io.Reader, out, errw io.Writer, screen Screen) int {
	if len(args) > 0 && args[0] == engine.LoginPlugin {
		// A child with the plugin's environment, which must not change what Rung does.
		return engine.RunLoginPlugin(args[1:], os.Stdin, out, errw)
	}
	ctx, end, stop := untilSignal(errw)
	defer stop()
	quietLibraries()
	muteCompletion(args, errw)
	var closed atomic.Bool
	code := run(ctx, args, in, &outlet{out, end, &closed}, &outlet{errw, end, &closed}, screen)
	if closed.Load() {
		return exitPipe
	}
	return code
}

// run is Main until ctx ends.
func run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer, screen Screen) int {
	a := &app{in: reading.Reader(ctx, in), out: cleanWriter{out}, err: cleanWriter{errw}, raw: out, screen: screen,
		said: map[string]bool{}, asks: isTerminal(in), keyboard: in}
	root := a.root()
	args = joinSwitches(args)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	code := exit2
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errNo):
		return exitNo
	case errors.Is(err, errSaid), errors.Is(err, errUnjudged):
		return exit2
	case errors.Is(err, errRefused), errors.Is(err, errBehind), errors.Is(err, errPutBack), errors.Is(err, change.ErrBlocked),
		errors.Is(err, change.ErrStale),
		errors.Is(err, change.ErrNotRecorded):
		code = exitNo
	case errors.Is(context.Cause(ctx), errPipe) && (brokenPipe(err) || errors.Is(err, context.Canceled)):
		return exitPipe
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	default:
		err = strayValue(cmd, args, err)
	}
	var cases caseErrors
	if !errors.As(err, &cases) {
		fmt.Fprintln(errw, "rung: "+oneLine(err.Error()))
		return code
	}
	for line := range strings.SplitSeq(cases.Error(), "\n") {
		fmt.Fprintln(errw, "rung: "+oneLine(line))
	}
	return code
}

// oneLine folds a message onto one line and makes it safe to print.
func oneLine(s string) string {
	return clean.Text(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; "))
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "rung",
		Short: "Operations console for AdminNetworkPolicy on OVN-Kubernetes",
		Long: `Rung shows, in order of precedence, every policy that decides about a connection,
the rows it has in each zone's OVN Northbound database, and the consequences of a
change before it is made.

Without -f it works on the cluster of your kubeconfig, read-only until --write. With
-f it works on manifests and runs the zones itself, in a sandbox.

Exit codes: 0 asked, wholly judged, and the answer is yes; 1 the answer is no (drift,
lint errors, a change refused); 2 could not run, was interrupted, or not wholly judged
(--allow-unjudged takes that for 0); 141 the output was not read to its end.`,
		Example: `  rung demo                                   # a built-in cluster, in the console
  rung --context staging                      # a cluster, in the console
  rung ladder -f policies/                    # files, as a table
  kubectl get ns,po,no,anp,banp,netpol -A -o yaml | rung lint -f -
  rung move cluster-control 36 -f policies/ --dry-run`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		Args:              takes(0),
		PersistentPreRunE: a.checkOutput,
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.console(cmd.Context(), false) },
	}
	root.SetFlagErrorFunc(badFlag)
	root.SuggestionsMinimumDistance = 2
	a.flags.register(root)
	root.AddCommand(
		a.demoCmd(), a.ladderCmd(), a.policyCmd(), a.podCmd(), a.traceCmd(), a.matrixCmd(), a.verifyCmd(), a.probeCmd(), a.compileCmd(), a.rowsCmd(), a.driftCmd(),
		a.previewCmd(), a.newCmd(), a.applyCmd(), a.deleteCmd(), a.moveCmd(), a.undoCmd(), a.redoCmd(), a.confirmCmd(), a.planCmd(), a.lintCmd(), a.logLevelCmd(), a.logsCmd(),
		a.zonesCmd(), a.activityCmd(), a.reconcileCmd(), a.explainCmd(), a.convertCmd(), a.versionCmd(),
	)
	root.AddCommand(a.optionsCmd(), a.secondCmd())
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	a.groupCommands(root)
	a.completeFlags(root)
	return root
}

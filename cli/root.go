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

	"rung/engine"
)

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
	code := run(ctx, args, in, newOutlet(out, end, &closed), newOutlet(errw, end, &closed), screen)
	if closed.Load() {
		return exitPipe
	}
	return code
}

// run is Main until ctx ends.
func run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer, screen Screen) int {
	root := newApp(ctx, in, out, errw).root(screen)
	args = joinSwitches(args)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	code, said := exitCode(err)
	switch {
	case said:
		return code
	case code == exitNo:
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

func (a *app) root(screen Screen) *cobra.Command {
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
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.console(cmd.Context(), screen, false) },
	}
	root.SetFlagErrorFunc(badFlag)
	root.SuggestionsMinimumDistance = 2
	a.flags.register(root)
	root.AddCommand(
		a.demoCmd(screen), a.ladderCmd(), a.policyCmd(), a.podCmd(), a.traceCmd(), a.matrixCmd(), a.verifyCmd(), a.probeCmd(), a.compileCmd(), a.rowsCmd(), a.driftCmd(),
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

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

	"rung/cli/command"
	"rung/engine"
	"rung/model/words"
)

// Main runs the command line and returns the exit code. screen shows the console; nil in a build without one.
func Main(args []string, in io.Reader, out, errw io.Writer, screen ShowScreen) int {
	if len(args) > 0 && args[0] == engine.LoginPlugin {
		// A child process with the plugin's environment, which must not affect Rung itself.
		return engine.RunLoginPlugin(args[1:], os.Stdin, out, errw)
	}
	ctx, end, stop := command.UntilSignal(errw)
	defer stop()
	command.QuietLibraries()
	command.MuteCompletion(args, errw)
	var closed atomic.Bool
	code := runUntil(ctx, args, in, command.NewOutlet(out, end, &closed), command.NewOutlet(errw, end, &closed), screen)
	if closed.Load() {
		return command.ExitPipe
	}
	return code
}

// runUntil is Main with a context.
func runUntil(ctx context.Context, args []string, in io.Reader, out, errw io.Writer, screen ShowScreen) int {
	a := command.NewApp(ctx, in, out, errw)
	root := rootCommand(a, screen)
	plugin := startedAsPlugin(os.Args[0])
	if plugin {
		asPlugin(a, root)
	}
	args = command.JoinSwitches(args)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	code, said := command.ExitCode(err)
	switch {
	case said:
		return code
	case code == command.ExitNo:
	case errors.Is(context.Cause(ctx), command.ErrPipe) && (command.BrokenPipe(err) || errors.Is(err, context.Canceled)):
		return command.ExitPipe
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	default:
		err = strayValue(cmd, args, err)
	}
	lines := []string{err.Error()}
	if cases := (CaseErrors)(nil); errors.As(err, &cases) {
		lines = strings.Split(cases.Error(), "\n")
	}
	for _, line := range lines {
		if plugin {
			line = renameForPlugin(line)
		}
		fmt.Fprintln(errw, "rung: "+words.CleanLine(line))
	}
	return code
}

// Commands returns Rung's commands with their texts and flags, for programs that write its manual. Do not run
// them.
func Commands() *cobra.Command {
	return rootCommand(&command.App{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Said: map[string]bool{}}, nil)
}

func rootCommand(a *command.App, screen ShowScreen) *cobra.Command {
	root := &cobra.Command{
		Use:   "rung",
		Short: "Operations console for AdminNetworkPolicy on OVN-Kubernetes",
		Long: `Rung shows every policy that decides about a connection in order of precedence, its
rows in each zone's OVN Northbound database, and the consequences of a change before
it is made.

Without -f it works on the cluster of your kubeconfig, read-only until --write. With
-f it works on manifests and runs the zones itself, in a sandbox.

Exit codes: 0 fully judged, and the answer is yes; 1 the answer is no (drift, lint
errors, a change refused); 2 could not run, was interrupted, or not fully judged
(--allow-unjudged accepts the latter); 141 the output was not read to its end.`,
		Example: `  rung demo                                   # a built-in cluster, in the console
  rung --context staging                      # a cluster, in the console
  rung ladder -f examples/                    # files, as a table (these are the demo's)
  rung move cluster-control 36 -f examples/ --dry-run

  # A dump with all that Rung reads:
  KINDS=namespaces,pods,nodes,services,endpointslices.discovery.k8s.io
  KINDS=$KINDS,networkpolicies.networking.k8s.io,egressfirewalls.k8s.ovn.org
  KINDS=$KINDS,adminnetworkpolicies.policy.networking.k8s.io
  KINDS=$KINDS,baselineadminnetworkpolicies.policy.networking.k8s.io
  kubectl get $KINDS -A -o yaml | rung lint -f -`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		Args:              command.TakesArgs(0),
		Annotations:       command.WithoutAnswer(),
		PersistentPreRunE: a.CheckOutput,
	}
	asked := root.Flags().Bool("version", false, "print the version, as rung version does")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *asked {
			return a.PrintAnswer(versionAnswer())
		}
		return OpenConsole(cmd.Context(), a, screen, false)
	}
	root.SetFlagErrorFunc(command.BadFlag)
	root.SuggestionsMinimumDistance = 2
	a.Flags.Register(root)
	a.Version = builtVersion()
	root.AddCommand(
		DemoCommand(a, screen), LadderCommand(a), PolicyCommand(a), PodCommand(a), TraceCommand(a), MatrixCommand(a), DiffCommand(a),
		ConnectionsCommand(a), VerifyCommand(a), ReportCommand(a), ProbeCommand(a), CompileCommand(a), RowsCommand(a), DriftCommand(a),
		PreviewCommand(a), NewCommand(a), ApplyCommand(a), DeleteCommand(a), MoveCommand(a), UndoCommand(a), RedoCommand(a), ConfirmCommand(a),
		PlanCommand(a), LintCommand(a), LogLevelCommand(a), LogsCommand(a),
		ZonesCommand(a), CanCommand(a), ActivityCommand(a), ReconcileCommand(a), ExplainCommand(a), ConvertCommand(a), versionCmd(a),
	)
	root.AddCommand(optionsCmd(a), SecondReaderCommand(a))
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	groupCommands(a, root)
	completeFlags(a, root)
	return root
}

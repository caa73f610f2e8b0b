package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
		err = addValueHint(cmd, args, err)
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
	return rootCommand(&command.App{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Printed: map[string]bool{}}, nil)
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
(--allow-unjudged makes this 0); 141 the output was not read to its end.`,
		Example: `  rung demo                                   # a built-in cluster, in the console
  rung --context staging                      # a cluster, in the console
  rung ladder -f examples/                    # files, as a table (these are the demo's)
  rung move blue-asks-green 42 -f examples/ --dry-run

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
		DemoCommand(a, screen), LadderCommand(a), PolicyCommand(a), GetCommand(a), PodCommand(a), NamespaceCommand(a),
		TraceCommand(a), MatrixCommand(a), DiffCommand(a),
		ConnectionsCommand(a), VerifyCommand(a), ReportCommand(a), ProbeCommand(a), CompileCommand(a), RowsCommand(a), DriftCommand(a),
		PreviewCommand(a), NewCommand(a), ApplyCommand(a), DeleteCommand(a), MoveCommand(a), UndoCommand(a), RedoCommand(a), ConfirmCommand(a),
		PlanCommand(a), LintCommand(a), LogLevelCommand(a), LogsCommand(a),
		ZonesCommand(a), CanCommand(a), ActivityCommand(a), ReconcileCommand(a), ObserveCommand(a),
		ExplainCommand(a), ConvertCommand(a), versionCmd(a),
	)
	root.AddCommand(optionsCmd(a), SecondReaderCommand(a))
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	groupCommands(a, root)
	completeFlags(a, root)
	return root
}

// pluginFile is the file name of kubectl's plugin; pluginName is how users call it.
const pluginFile, pluginName = "kubectl-rung", "kubectl rung"

// startedAsPlugin reports whether a program has the name of kubectl's plugin.
func startedAsPlugin(program string) bool {
	return strings.TrimSuffix(filepath.Base(program), ".exe") == pluginFile
}

// calledRung matches "rung" where a text calls it: before a command, a flag, a placeholder, or the end of a
// line. "Rung" is a name, and a file may be called rung.
var calledRung = regexp.MustCompile(`(?m)(^|[\s"(|;])rung( +[a-z-]|\s*#| +[A-Z\[]{2}|"|$)`)

// renameForPlugin makes a text call Rung as kubectl's plugin.
func renameForPlugin(text string) string {
	return calledRung.ReplaceAllString(text, "${1}"+pluginName+"${2}")
}

// asPlugin makes every text of a command line call Rung as kubectl's plugin. Only this function knows of the
// plugin; commands say "rung".
func asPlugin(a *command.App, root *cobra.Command) {
	a.Call = pluginName
	root.Use = pluginFile
	if root.Annotations == nil {
		root.Annotations = map[string]string{}
	}
	root.Annotations[cobra.CommandDisplayNameAnnotation] = pluginName
	say := func(f *pflag.Flag) { f.Usage = renameForPlugin(f.Usage) }
	for _, cmd := range append(root.Commands(), root) {
		cmd.Long, cmd.Example, cmd.Short = renameForPlugin(cmd.Long), renameForPlugin(cmd.Example), renameForPlugin(cmd.Short)
		if cmd.Name() == "completion" {
			cmd.Long = pluginCompletion
		}
		cmd.LocalFlags().VisitAll(say)
	}
}

// pluginCompletion is the help of completion for kubectl's plugin.
const pluginCompletion = `Print the script with which a shell completes commands, flags, files for -f, and the
names of policies, pods, namespaces and zones.

A shell that completes kubectl (kubectl completion --help) also completes "kubectl rung"
once a program kubectl_complete-rung is on PATH. Packages bring it along; else:

  kubectl rung completion kubectl > ~/.local/bin/kubectl_complete-rung
  chmod +x ~/.local/bin/kubectl_complete-rung

The scripts of bash, zsh, fish and powershell complete the command kubectl-rung.`

// addValueHint adds a hint to an error of the command line if an argument was meant as the value of the flag
// before it: a flag that can stand alone takes no word after it.
func addValueHint(cmd *cobra.Command, line []string, err error) error {
	given := cmd.Flags().Args()
	for i, flag := range line {
		if flag == "--" || i+1 == len(line) {
			break
		}
		name, long := strings.CutPrefix(flag, "--")
		f, word := cmd.Flags().Lookup(name), line[i+1]
		at := slices.Index(given, word)
		if !long || f == nil || f.NoOptDefVal == "" || at < 0 {
			continue
		}
		value, isValue := switchWords[word]
		others := slices.Delete(slices.Clone(given), at, at+1)
		// The first word must be a command; otherwise it is one too many, whatever follows.
		extra := cmd.ValidateArgs(given) != nil && (cmd.ValidateArgs(others) == nil || !cmd.HasParent() && at == 0)
		switch {
		case !isValue && !extra:
		case f.Value.Type() != "bool":
			if bad := f.Value.Set(word); bad != nil { // else it was taken as the value
				return fmt.Errorf("%w; %s %s: %w", err, flag, word, bad)
			}
		case isValue:
			return fmt.Errorf("%w; to set the flag write %s=%s", err, flag, value)
		case takesWithout(cmd, f, given):
		case cmd.HasParent() || len(cmd.SuggestionsFor(word)) == 0:
			return fmt.Errorf("%w; to set %s write %s=false", err, flag, flag)
		}
	}
	return err
}

// takesWithout reports whether a command takes its arguments if a switch is off. The switch then rejects them,
// and the error says so.
func takesWithout(cmd *cobra.Command, f *pflag.Flag, args []string) bool {
	was := f.Value.String()
	if f.Value.Set("false") != nil {
		return false
	}
	ok := cmd.ValidateArgs(args) == nil
	return f.Value.Set(was) == nil && ok
}

// switchWords maps words meant as the value of a switch to true and false. 0 and 1 are left out: they are numbers of
// changes and priorities.
var switchWords = map[string]string{"true": "true", "on": "true", "yes": "true", "false": "false", "off": "false", "no": "false"}

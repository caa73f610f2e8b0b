package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/ovn/flow"
	"rung/revision"
)

func ExplainCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "explain FILE",
		Short: "Name the policies and rules that an ovn-trace hit",
		Long: `Read the output of ovn-trace or ovnkube-trace, from a file or standard input (-). Name
the policy, direction and rule of each ACL that the packet hit, and the decision of each
stage. Rows come from --nb; missing ones are compiled from the policies of -f or of the
cluster.

ovn-trace's detailed form (its default) names every ACL; other forms name only ACLs that
log. ovnkube-trace prints its traces with -loglevel 2. Unknown lines are counted and
shown.`,
		Example: `  ovn-trace --ct new ovn-worker 'inport == "red_canary-0" && …' | rung explain - -f examples/
  ovnkube-trace -loglevel 2 … 2>&1 | rung explain - --context staging
  rung explain trace.txt --nb ovn-worker=unix:/run/nb.sock -o json`,
		Args:              command.TakesArgs(0, "FILE"),
		ValidArgsFunction: command.FileCompleter(),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := readTrace(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			report := flow.Parse(string(text))
			if len(report.Traces)+len(report.Results)+len(report.Problems) == 0 {
				return fmt.Errorf("no ovn-trace in %s: %s", traceSourceName(args[0]), whyNoTrace(report))
			}
			a.Flags.RowsOnly = true
			return a.AnswerQuery(cmd.Context(), false, command.Query{Zones: a.Flags.HasDatabases(cmd.Context()),
				Answer: func(_ context.Context, _ *engine.Engine, r *revision.Revision) (*command.Answer, error) {
					out := explanationOf(r, report)
					return &command.Answer{Value: out, Text: func(wide bool) string { return out.explainText(wide) },
						NotConsidered: unexplainedOmissions(r),
						Err:           errors.Join(command.UnreadZone(r.Zones), out.whyUndecided())}, nil
				}})
		},
	}
}

// unexplainedOmissions returns the omissions that can keep a rule from being named: objects rejected or not
// read, and the lack of both policies and zones.
func unexplainedOmissions(r *revision.Revision) []model.Omission {
	for range r.Cluster.AllPolicies() {
		return revision.OmissionsOfObjects(r)
	}
	if len(r.Zones) > 0 {
		return revision.OmissionsOfObjects(r)
	}
	return append(revision.OmissionsOfObjects(r), model.Omission{Code: model.OmittedAll,
		Why: "nothing names the ACLs: no policies and no zone were read"})
}

// readTrace reads the text to explain.
func readTrace(ctx context.Context, a *command.App, path string) ([]byte, error) {
	if path == "-" && slices.Contains(a.Flags.Files, "-") {
		return nil, errors.New("-f - and explain - cannot both read standard input; put one of them in a file")
	}
	text, err := a.ReadGiven(ctx, path, flow.MaxInput)
	if err != nil {
		return nil, fmt.Errorf("read the trace from %s: %w", traceSourceName(path), err)
	}
	return text, nil
}

func traceSourceName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// whyNoTrace says what the text holds instead of a trace.
func whyNoTrace(r *flow.Report) string {
	switch {
	case r.Lines == 0:
		return "it is empty"
	case len(r.Odd) > 0:
		return fmt.Sprintf("line %d is %q", r.Odd[0].Number, r.Odd[0].Text)
	}
	return "only lines of other programs; ovnkube-trace prints its traces with -loglevel 2"
}

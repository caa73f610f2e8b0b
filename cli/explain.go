package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/model"
	"rung/model/ovn/ovntrace"
	"rung/revision"
	"rung/revision/omitted"
)

func (a *app) explainCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "explain FILE",
		Short: "Say which policies and rules an ovn-trace met",
		Long: `Read what ovn-trace or ovnkube-trace printed, from a file or from standard input (-),
and say which policy, direction and rule is behind each ACL that the packet met, and
what was decided in each stage. Rows come from --nb, and what they do not tell from what
the policies of -f or of the cluster compile to.

ovn-trace's detailed form (its default) names every ACL; of the other forms only ACLs
that log can be told. ovnkube-trace prints its traces with -loglevel 2. Lines that are
not understood are counted and shown.`,
		Example: `  ovn-trace --ct new ovn-worker 'inport == "red_canary-0" && …' | rung explain - -f policies/
  ovnkube-trace -loglevel 2 … 2>&1 | rung explain - --context staging
  rung explain trace.txt --nb ovn-worker=unix:/run/nb.sock -o json`,
		Args:              takes(0, "FILE"),
		ValidArgsFunction: files(),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.readTrace(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			report := ovntrace.Parse(string(text))
			if len(report.Traces)+len(report.Results)+len(report.Problems) == 0 {
				return fmt.Errorf("no ovn-trace in %s: %s", traceNamed(args[0]), noTrace(report))
			}
			a.flags.rowsOnly = true
			return a.show(cmd.Context(), false, query{zones: len(a.flags.nb) > 0,
				answer: func(_ context.Context, _ *engine.Engine, r *revision.Revision) (*answer, error) {
					out := explained(r, report)
					return &answer{value: out, text: func(wide bool) string { return out.text(wide) }, notConsidered: unexplained(r),
						err: errors.Join(unread(r.Zones), out.undecided())}, nil
				}})
		},
	}
}

// unexplained are what keeps a rule from being named: what was refused or not read, and that
// there is nothing to name one by.
func unexplained(r *revision.Revision) []model.Omission {
	for range r.Cluster.AllPolicies() {
		return omitted.Objects(r)
	}
	if len(r.Zones) > 0 {
		return omitted.Objects(r)
	}
	return append(omitted.Objects(r), model.Omission{Code: model.OmittedAll, Why: "nothing says what is behind the ACLs: there are no policies, and no zone is read"})
}

// readTrace reads the text that is to be explained.
func (a *app) readTrace(ctx context.Context, path string) ([]byte, error) {
	if path == "-" && slices.Contains(a.flags.files, "-") {
		return nil, errors.New("-f - and explain - cannot both read standard input; put one of them in a file")
	}
	text, err := a.readGiven(ctx, path, ovntrace.MaxInput)
	if err != nil {
		return nil, fmt.Errorf("read the trace from %s: %w", traceNamed(path), err)
	}
	return text, nil
}

func traceNamed(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// noTrace says what was there instead.
func noTrace(r *ovntrace.Report) string {
	switch {
	case r.Lines == 0:
		return "it is empty"
	case len(r.Odd) > 0:
		return fmt.Sprintf("line %d is %q", r.Odd[0].Number, r.Odd[0].Text)
	}
	return "only lines of other programs; ovnkube-trace prints its traces with -loglevel 2"
}

package show

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/cli/process"
	"rung/engine"
	"rung/model"
	"rung/pages/ladder"
	"rung/revision"
	"rung/revision/omitted"
	"rung/system"
)

func LadderCommand(a *command.App) *cobra.Command {
	var stage *model.Stage
	cmd := a.QueryCommand(&cobra.Command{
		Use:   "ladder",
		Short: "Show every policy in order of precedence, with gaps and conflicts",
		Long: `Show every policy in order of precedence: tier 1 by priority, where the lower number
comes first; tier 2 by kind and namespace, with OVN's priorities, where the higher
number comes first. --stage shows one stage of the pipeline alone, in its true order.

Where Antrea's precedence holds (--system), its tiers stand in order, with the
NetworkPolicies before the baseline; -o antctl prints the columns of antctl get
networkpolicy --sort-by=effectivePriority.

With --nb it also shows how many zones are in sync with each policy, and the rows no
policy stands for: those of tier 0, and those Rung does not compile.`,
		Example: `  rung ladder -f examples/
  rung ladder -f examples/ --stage to-lport -o wide
  rung ladder --context staging -o json
  rung ladder -f examples/ --system antrea -o antctl`,
		Args: command.TakesArgs(0),
	}, func([]string, bool) command.Query {
		return command.Query{Zones: len(a.Flags.NB) > 0, Answer: func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			if !r.System.HasFeature(system.Stages) && *stage != "" {
				return nil, fmt.Errorf("--stage is of OVN's pipeline, and %s precedence holds here; leave it out", r.System.TitlePossessive)
			}
			if of := system.SystemOfForm(a.Flags.Output); of != nil && of != r.System {
				return nil, fmt.Errorf("-o %s is the order of %s policies, and %s precedence holds here (%s); see --system", of.Form.Name, of.TitlePossessive, r.System.TitlePossessive, r.SystemWhy)
			}
			return ladderAnswer(a, r, *stage, e.Now()), nil
		}}
	})
	cmd.Annotations = command.FormAnnotations(system.FormNames()...)
	stage = addStageFlag(cmd, "only one `STAGE` of the pipeline")
	return cmd
}

// ladderAnswer is the ladder of a revision, of one stage where one is given.
func ladderAnswer(a *command.App, r *revision.Revision, stage model.Stage, now time.Time) *command.Answer {
	ans := &command.Answer{NotConsidered: omitted.OmissionsOfObjects(r)}
	ans.Text = func(wide bool) string {
		opt := ladder.LadderOptions{Stage: stage, Now: now}
		lines := slices.DeleteFunc(ladder.LadderLines(r, opt), func(l *ladder.Line) bool { return !l.IsPrinted() })
		text := command.TableText(ladder.LadderTable(r, opt), lines, wide, process.TerminalWidth(a.Raw))
		if r.System.Bands != nil {
			return fmt.Sprintf("system: %s (%s)\n%s", r.System.Name, r.SystemWhy, text)
		}
		return text
	}
	switch {
	case r.System.Bands != nil:
		ans.Value, ans.Records = ladder.BandFactsOf(r), func() string { return placesText(r) }
	case len(r.Zones) == 0:
		ans.Value = ladder.FactsOf(r.Ladder().OfStage(stage))
	default:
		ans.Value = ladder.LiveFactsOf(r, stage, now)
		ans.NotConsidered = append(ans.NotConsidered, omitted.OmissionsOfZones(r)...)
	}
	return ans
}

// placesText is the order of the policies in the system's own form.
func placesText(r *revision.Revision) string {
	t := &command.TextTable{Head: r.System.Form.Head}
	for _, p := range r.PolicyOrder() {
		t.AddRow(r.System.Form.Row(&p)...)
	}
	return t.String()
}

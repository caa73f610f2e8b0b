package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/pages/ladder"
	"rung/revision"
	"rung/system"
)

func LadderCommand(a *command.App) *cobra.Command {
	var stage *model.Stage
	var only Selection
	var cmd *cobra.Command
	cmd = command.NetworkCommand(a, &cobra.Command{
		Use:   "ladder",
		Short: "Show every policy in order of precedence, with gaps and conflicts",
		Long: `Show every policy in order of precedence: tier 1 by priority, lower numbers first;
tier 2 by kind and namespace, with OVN's priorities, higher numbers first. --stage
shows one stage of the pipeline alone, in its true order.

With Antrea's precedence (--system) its tiers are listed in order, NetworkPolicies
before the baseline; -o antctl prints the columns of antctl get networkpolicy
--sort-by=effectivePriority.

With --nb, or databases in a folder of -f, it also shows how many zones are in sync
with each policy, and rows without a policy: rows of tier 0, and rows Rung does not
compile.`,
		Example: `  rung ladder -f examples/
  rung ladder -f examples/ --stage to-lport -o wide
  rung ladder -f examples/ -n red
  rung ladder --context staging -o json
  rung ladder -f examples/ --system antrea -o antctl`,
		Args: command.TakesArgs(0),
	}, func([]string, bool) command.Query {
		return command.Query{Zones: a.Flags.HasDatabases(cmd.Context()), Answer: func(_ context.Context, e *engine.Engine,
			r *revision.Revision) (*command.Answer, error) {
			if !r.System.HasFeature(system.Stages) && *stage != "" {
				return nil, fmt.Errorf("--stage is for OVN's pipeline; leave it out with %s precedence", r.System.TitlePossessive)
			}
			if of := system.SystemOfForm(a.Flags.Output); of != nil && of != r.System {
				return nil, fmt.Errorf("-o %s is the order of %s policies, and %s precedence holds here (%s); see --system", of.Form.Name,
					of.TitlePossessive, r.System.TitlePossessive, r.SystemWhy)
			}
			if err := only.Check(r); err != nil {
				return nil, err
			}
			return ladderAnswer(a, r, *stage, &only, e.Now()), nil
		}}
	})
	cmd.Annotations = command.FormAnnotations(append(system.FormNames(), command.NameForm)...)
	stage = addStageFlag(cmd, "only one `STAGE` of the pipeline")
	only.AddTo(a, cmd, Policies)
	return cmd
}

// ladderAnswer returns the selected part of a revision's ladder, limited to a stage unless empty. Gaps are
// between all policies, and shown only with all of them.
func ladderAnswer(a *command.App, r *revision.Revision, stage model.Stage, only *Selection, now time.Time) *command.Answer {
	keep := func(k model.Key) bool { return only.KeepsKey(r, k) }
	ans := &command.Answer{NotConsidered: revision.OmissionsOfObjects(r)}
	ans.Text = func(wide bool) string {
		opt := ladder.LadderOptions{Stage: stage, Now: now}
		lines := slices.DeleteFunc(ladder.LadderLines(r, opt), func(l *ladder.Line) bool {
			return !l.IsPrinted() || !only.IsAll() && !l.IsKept(keep)
		})
		text := command.TableText(ladder.LadderTable(r, opt), lines, wide, command.TerminalWidth(a.Raw))
		if r.System.Bands != nil {
			return fmt.Sprintf("system: %s (%s)\n%s", r.System.Name, r.SystemWhy, text)
		}
		return text
	}
	all := r.Ladder().OfStage(stage)
	l := all
	if !only.IsAll() {
		l = all.OfKeys(keep)
	}
	policies, others := all.PolicyCount(), all.UnitCount()-l.UnitCount()
	var placed []ladder.PlacedPolicy
	switch {
	case r.System.Bands != nil:
		facts := ladder.NewBandFacts(r, keep)
		ans.Value, placed, ans.Records = facts, facts.PlacedPolicies(), func() string { return placesText(r, keep) }
		policies, others = len(r.PolicyOrder()), 0
	case len(r.Zones) == 0:
		facts := ladder.NewFacts(l)
		ans.Value, placed = facts, facts.PlacedPolicies()
	default:
		facts := ladder.NewLiveFacts(r, l, now)
		if !only.IsAll() {
			others += len(facts.Rows)
			facts.Rows = facts.Rows[:0]
		}
		ans.Value, placed = facts, facts.PlacedPolicies()
		ans.NotConsidered = append(ans.NotConsidered, revision.OmissionsOfZones(r)...)
	}
	ans.Objects = placed
	ans.Names = func() []string { return command.PolicyNames(model.MapList(placed, ladder.PlacedPolicy.Key)) }
	text := ""
	if others > 0 {
		text = words.Count(others, "group") + " of rows without a policy"
	}
	ans.LeftOut = only.LeftOutText(len(placed), policies, "policy", text)
	return ans
}

// placesText lists the kept policies in order, in the system's own form.
func placesText(r *revision.Revision, keep func(model.Key) bool) string {
	t := &command.TextTable{Head: r.System.Form.Head}
	for _, p := range r.PolicyOrder() {
		if keep(p.Policy.Key) {
			t.AddRow(r.System.Form.Row(&p)...)
		}
	}
	return t.String()
}

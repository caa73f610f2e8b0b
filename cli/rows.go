package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/pages/page"
	"rung/pages/rows"
	"rung/revision"
)

func RowsCommand(a *command.App) *cobra.Command {
	var zone string
	var stage *model.Stage
	var withFlows, second *bool
	var only Selection
	cmd := a.QueryCommand(&cobra.Command{
		Use:   "rows [POLICY]",
		Short: "Show each zone's live ACLs in order of precedence",
		Long: `Show the live ACLs of each zone's Northbound database, of every owner, in the order
in which they decide: stage, tier, priority. The signs in column NOTE are explained
below the table. With -f alone the zones are a sandbox, written just before.

--flows shows below each ACL the logical flows that northd made of it, from the zone's
Southbound database: given by --sb, in a cluster's ovnkube-node pod, or in a sandbox on
real OVN. Missing, outdated and surplus flows are listed with the likely cause.

` + secondHelp,
		Example: `  rung rows --context staging --zone ovn-worker --stage to-lport
  rung rows cluster-control -f examples/ -o nbctl
  rung rows -n red -f examples/
  rung rows --nb unix:ovnnb_db.sock --sb unix:ovnsb_db.sock --flows`,
		Args:              command.TakesArgs(1, "[POLICY]"),
		ValidArgsFunction: a.CompleteFirst(command.PolicyChoices),
		Annotations:       command.FormAnnotations(command.NbctlForm, command.MarkdownForm, command.CSVForm),
	}, func(args []string, _ bool) command.Query {
		a.Flags.RowsOnly = true
		q := command.Query{Zones: true}
		if *withFlows {
			requestFlows(a, zone)
			q.First = func(ctx context.Context, e *engine.Engine) { waitForFlows(ctx, a, e) }
		}
		q.Answer = withSecondReader(a, *second, zone, func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			keep, err := rowFilter(r, args, &only)
			if err != nil {
				return nil, err
			}
			a.SayNoRows(r)
			zones, err := command.ZonesNamed(r, zone)
			if err != nil {
				return nil, err
			}
			lines, all := liveRows(zones, keep, *stage)
			now := e.Now()
			if *withFlows {
				for _, l := range lines {
					l.ReadFlows(r, now)
				}
			}
			facts := page.MapList(lines, (*rows.Line).ACLFacts)
			ans := command.TableAnswer(a, facts, rows.ACLs, lines)
			ans.Records = func() string { return recordsText(page.MapList(facts, func(x *rows.ACL) rows.Record { return x.Row })) }
			ans.Err, ans.NotConsidered = command.UnreadZone(zones), revision.OmissionsOfRows(r, zones)
			if len(args) == 0 {
				ans.LeftOut = only.LeftOutText(len(lines), all, "row")
			}
			list, markdown := ans.Text, ans.Markdown
			ans.Text = func(wide bool) string { return list(wide) + rows.NoteLegend(lines) }
			ans.Markdown = func() string { return markdown() + mdBelow(rows.NoteLegend(lines)) }
			if !*withFlows {
				return ans, nil
			}
			ans.CSV, ans.Markdown = nil, nil // they only hold rows
			ans.Text = func(wide bool) string {
				return flowsUnderRows(list(wide), lines) + rows.NoteLegend(lines) + surplusText(r, zones, now)
			}
			if ans.Err == nil {
				ans.Err = whyNoFlows(r, zones, now)
			}
			return ans, nil
		})
		return q
	})
	cmd.Flags().StringVar(&zone, "zone", "", "only this `ZONE`")
	stage = addStageFlag(cmd, "only this `STAGE`")
	withFlows = cmd.Flags().Bool("flows", false, "also the logical flows of each ACL")
	second = addSecondReaderFlag(cmd)
	only.AddTo(a, cmd, Policies)
	return cmd
}

// rowFilter returns a function that reports whether rows of an owner are requested, by name or selection.
func rowFilter(r *revision.Revision, args []string, only *Selection) (func(model.Key) bool, error) {
	if len(args) == 0 {
		return only.UnitFilter(r), only.Check(r)
	}
	keys, err := only.UnitsNamed(r, args)
	return func(k model.Key) bool { return slices.Contains(keys, k) }, err
}

// liveRows returns the ACLs of the zones that keep selects, in a stage or in all; all counts the ACLs of every
// owner.
func liveRows(zones []*model.ZoneState, keep func(model.Key) bool, stage model.Stage) (out []*rows.Line, all int) {
	for _, z := range zones {
		if z.DB == nil {
			continue
		}
		var pipeline rows.Pipeline
		pipeline.ReadACLs(z.DB)
		for _, l := range pipeline.ACLs(z.Name, nil, nil, stage) {
			if rows.ACLs.Head(l) {
				continue
			}
			all++
			if l.IsKept(keep) {
				out = append(out, l)
			}
		}
	}
	return out, all
}

// recordsText prints rows as "ovn-nbctl list" does, separated by an empty line.
func recordsText(all []rows.Record) string {
	return strings.Join(page.MapList(all, rows.Record.String), "\n")
}

// addStageFlag adds --stage, which limits an answer to one stage of the pipeline; empty means all. what
// contains the word STAGE in backquotes.
func addStageFlag(cmd *cobra.Command, what string) *model.Stage {
	var names []string
	for _, s := range model.PipelineStages() {
		names = append(names, string(s))
	}
	stage := new(model.Stage)
	cmd.Flags().Func("stage", what+": "+strings.Join(names, ", "), func(text string) error {
		if !slices.Contains(names, text) {
			return fmt.Errorf("want %s", strings.Join(names, ", "))
		}
		*stage = model.Stage(text)
		return nil
	})
	command.CompleteFlag(cmd, "stage", command.FixedWords(names...))
	return stage
}

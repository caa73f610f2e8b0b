package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rung/change/history"
	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/ladder"
	"rung/pages/activity"
	"rung/revision"
)

func ActivityCommand(a *command.App) *cobra.Command {
	var watch *bool
	cmd := &cobra.Command{
		Use:   "activity",
		Short: "Show every change, who made it and from where, and the rows written for it",
		Long: `Show the changes made, failed and refused: when, by whom, from where (console,
command, plan, session, reverted), the objects and the outcome. Below each change
are the rows that Rung's reconciler wrote to the zones for it. Changes of other
processes are shown on a cluster, and with --write-back.
-o wide, json and yaml add the equivalent kubectl and ovn-nbctl commands. With
--watch every entry is printed as it arrives, as one line of JSON with -o json.`,
		Example: `  rung activity -f examples/
  rung activity -f examples/ --watch -o json`,
		Annotations: command.FormAnnotations(command.MarkdownForm, command.CSVForm),
		Args:        command.TakesArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			done := command.ZonesSettled()
			return a.WithEngine(ctx, true, func(r *revision.Revision) bool { return done(r) && hasReported(r) },
				func(e *engine.Engine, r *revision.Revision) error {
					if *watch {
						return watchActivity(ctx, a, e)
					}
					if err := e.ReadChanges(); err != nil {
						return err
					}
					all := activity.ListEntries(e.Changes(), e.Activity(0), e.Now())
					ans := command.TableAnswer(a, all, activity.Table, all)
					ans.NotConsidered = revision.OmissionsOfRows(r, r.Zones)
					if a.Flags.Output == "wide" {
						ans.Text = func(bool) string {
							return strings.Join(model.MapList(all, func(o *activity.Entry) string { return activityLine(o, true) }), "")
						}
					}
					return a.ConcludeAnswer(ans)
				})
		},
	}
	watch = command.WatchFlag(cmd)
	return cmd
}

// hasReported reports whether the reconciler has reported on every policy in every zone, since the rows of a
// write may show before its answer, which makes the entry. Only AdminNetworkPolicies and the baseline get
// reports.
func hasReported(r *revision.Revision) bool {
	for _, k := range ladder.PolicyOrder(r.Cluster) {
		for _, z := range r.Zones {
			is := func(c model.Condition) bool { return c.Type == revision.ReadyPrefix+z.Name }
			if z.Writes && (k.Kind == model.KindANP || k.Kind == model.KindBANP) && !slices.ContainsFunc(r.Conditions(k), is) {
				return false
			}
		}
	}
	return true
}

// watchActivity prints entries as they arrive.
func watchActivity(ctx context.Context, a *command.App, e *engine.Engine) error {
	defer command.WhileRead(a.Raw)()
	ticks, stop := e.Subscribe()
	defer stop()
	printed := map[string]bool{}
	for {
		_ = e.ReadChanges() // retried after a second
		for _, o := range activity.ListEntries(e.Changes(), e.Activity(0), e.Now()) {
			id := activity.Table.ID(o)
			if printed[id] || o.Result == history.Unknown { // still being made
				continue
			}
			printed[id] = true
			if err := a.PrintItem(o, func(wide bool) string { return activityLine(o, wide) }); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks:
		}
	}
}

// activityLine returns an entry as printed by --watch; wide adds its commands.
func activityLine(o *activity.Entry, wide bool) string {
	lines := []string{strings.Join(command.ExactCells(activity.Table.Columns, o), "  ")}
	if wide {
		lines = append(lines, o.Commands...)
	}
	return strings.Join(lines, "\n    ") + "\n"
}

package cli

import (
	"context"
	"time"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/pages/cluster"
	"rung/pages/page"
	"rung/revision"
)

// reportTime limits the wait for the reports of Rung's own reconcilers.
const reportTime = 2 * time.Second

// conditionsQuery returns the query of rung zones --conditions: a line for each policy (wide: for each policy
// and zone), then the messages of failing zones.
func conditionsQuery(a *command.App) command.Query {
	return command.Query{Zones: true,
		First: func(ctx context.Context, e *engine.Engine) {
			ctx, cancel := context.WithTimeout(ctx, reportTime)
			defer cancel()
			_ = e.WaitFor(ctx, hasReported) // after the timeout there is no report
		},
		Answer: func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			all := cluster.AllReports(r, e.Now())
			var zones []*cluster.ZoneReport
			failures := ""
			for _, p := range all {
				zones = append(zones, p.Reports...)
				for _, f := range p.Failures {
					failures += p.Label + ": " + f.String() + "\n"
				}
			}
			ans := command.TableAnswer(a, all, cluster.Policies, all)
			list, wide := ans.Text, command.TableAnswer(a, all, cluster.Zones, zones).Text
			ans.Text = func(all bool) string {
				if all {
					return wide(true)
				}
				return list(false) + failures
			}
			ans.Names = func() []string {
				return command.PolicyNames(page.MapList(all, func(p *cluster.PolicyReports) model.PolicyKey { return p.Key }))
			}
			ans.NotConsidered = revision.OmissionsOfRows(r, r.Zones)
			return ans, nil
		}}
}

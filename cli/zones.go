package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/pages/cluster"
	"rung/pages/page"
	"rung/revision"
)

// zoneOut is a zone in the JSON of `rung zones`; Southbound is nil if unknown.
type zoneOut struct {
	*cluster.ZoneFacts
	Southbound *southboundOut `json:"southbound,omitempty"`
}

func ZonesCommand(a *command.App) *cobra.Command {
	var table, conditions, check bool
	var flows, second *bool
	var only Selection
	cmd := a.QueryCommand(&cobra.Command{
		Use:   "zones",
		Short: "Show each zone: database, state, policies in sync",
		Long: `Show each zone with its database and the number of policies in sync. OTHER ROWS belong
to no single policy, such as the default deny of a namespace. --dialect shows the
settings of OVN-Kubernetes in each zone, with their sources. -l and --field-selector
select zones by their nodes.

ROWS/FLOWS/NODES are NB_Global's nb_cfg, sb_cfg and hv_cfg: of the rows written, the
flows made, the nodes done. --flows also compares the logical flows with the rows.

--conditions shows what the zones' controllers reported about AdminNetworkPolicies and
the baseline, worst first: no proof. -o wide, json and yaml add the state of the rows.

--check compares the zones with each other: address sets must be equal, port groups must
add up to the subject, and ACLs must be equal. Exit 1 if something is wrong and not just
settling. ` + secondHelp,
		Example: `  rung zones --context staging
  rung zones --context staging -l topology.kubernetes.io/zone=a
  rung zones --context staging --check
  rung zones --nb unix:/var/run/ovn/ovnnb_db.sock`,
		Annotations: command.FormAnnotations(command.NameForm, command.MarkdownForm, command.CSVForm),
		Args:        command.TakesArgs(0),
	}, func([]string, bool) command.Query {
		switch {
		case conditions:
			return conditionsQuery(a)
		case check:
			return command.Query{Zones: true, Answer: withSecondReader(a, *second, "", checkAnswer(a))}
		}
		a.Flags.RowsOnly = true
		q := command.Query{Zones: true}
		if *flows {
			requestFlows(a, "")
			q.First = func(ctx context.Context, e *engine.Engine) { waitForFlows(ctx, a, e) }
		}
		q.Answer = func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			a.SayNoRows(r)
			now := e.Now()
			asked := slices.DeleteFunc(slices.Clone(r.Zones), func(z *model.ZoneState) bool {
				return !only.IsAll() && !only.KeepsKey(r, model.Key{Kind: model.KindNode, Name: z.Name})
			})
			all := page.MapList(asked, func(z *model.ZoneState) *cluster.ZoneFacts { return cluster.AllFactsOfZone(r, z, now) })
			out := page.MapList(all, func(z *cluster.ZoneFacts) zoneOut { return zoneOut{z, describeSouthbound(r, z.Of, now)} })
			listing := *cluster.Table
			listing.Empty = r.EmptyText(listing.Empty, model.KindNode)
			ans := command.TableAnswer(a, out, &listing, all)
			ans.NotConsidered = revision.OmissionsOfRows(r, asked)
			if *flows && !slices.ContainsFunc(out, func(z zoneOut) bool { return z.Southbound != nil && z.Southbound.Flows != nil }) {
				ans.NotConsidered = append(ans.NotConsidered, model.Omission{Code: model.OmittedPart,
					Why: "--flows: no Southbound database of these zones was read"})
			}
			ans.LeftOut = only.LeftOutText(len(asked), len(r.Zones), "zone")
			ans.Names = func() []string {
				return page.MapList(asked, func(z *model.ZoneState) string { return command.ZonePrefix + z.Name })
			}
			list, markdown := ans.Text, ans.Markdown
			ans.Markdown = func() string { return markdown() + mdBelow(zonesBelow(out)) }
			if table {
				ans.CSV, ans.Markdown = nil, nil // they only hold zones
			}
			ans.Text = func(wide bool) string {
				switch text := list(wide) + zonesBelow(out); {
				case table:
					return settingsText(r, all)
				case wide:
					return text + "\n" + settingsText(r, all)
				default:
					return text
				}
			}
			return ans, nil
		}
		return q
	})
	flows = cmd.Flags().Bool("flows", false, "also read the Southbound databases, and compare flows with the rows")
	cmd.Flags().BoolVar(&conditions, "conditions", false, "what each zone's controller reported about each policy")
	cmd.Flags().BoolVar(&check, "check", false, "compare the zones with each other; exit 1 on findings")
	cmd.Flags().BoolVar(&table, "dialect", false, "the settings OVN-Kubernetes runs with in each zone")
	second = addSecondReaderFlag(cmd)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *second && !check {
			return errors.New("--second-reader goes with --check")
		}
		return nil
	}
	only.AddSelectors(a, cmd, Nodes)
	for _, name := range []string{"conditions", "check"} { // about policies, and about several zones
		cmd.MarkFlagsMutuallyExclusive(name, "selector")
		cmd.MarkFlagsMutuallyExclusive(name, "field-selector")
	}
	cmd.MarkFlagsMutuallyExclusive("conditions", "check", "dialect")
	cmd.MarkFlagsMutuallyExclusive("flows", "conditions")
	cmd.MarkFlagsMutuallyExclusive("flows", "check")
	return cmd
}

func mdBelow(lines string) string {
	if lines == "" {
		return ""
	}
	return "\n" + command.MarkdownLines(lines) + "\n"
}

func checkAnswer(a *command.App) command.Answerer {
	return func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
		now := e.Now()
		found := revision.ZoneFindings(r, now)
		ans := findingsAnswer(a, found, model.SeverityError, model.SeverityWarning)
		ans.NotConsidered = revision.OmissionsOfRows(r, r.Zones)
		if _, err := command.ZonesNamed(r, ""); err != nil {
			return nil, err
		}
		setNothingFoundText(ans, len(found))
		ans.Err = command.UnreadZone(r.Zones)
		if ans.Err != nil && len(found) == 0 {
			return nil, ans.Err
		}
		if len(found) > 0 {
			ans.Until = now.Add(time.Second) // they contain durations
		}
		return ans, nil
	}
}

// settingsText lists the settings of OVN-Kubernetes, and the form of its rows.
func settingsText(r *revision.Revision, all []*cluster.ZoneFacts) string {
	if r.Dialects == nil {
		return "sandbox zones: settings come from Rung's own flags (rung options)\n"
	}
	t := &command.TextTable{Head: []string{"ZONE", "SETTING", "VALUE", "SOURCE", "EVIDENCE"}}
	for _, z := range all {
		for _, s := range z.Dialect.Settings {
			t.AddRow(z.Name, s.Name, s.Value, s.Source, s.Evidence)
		}
		for _, g := range z.Dialect.Rows {
			t.AddRow(z.Name, "rows of "+g.Type, string(g.Generation), revision.FromRows, z.Dialect.EvidenceText(&g))
		}
	}
	return t.String()
}

// zonesBelow lists the state of flows that were read, and the problems of zones.
func zonesBelow(all []zoneOut) string {
	var b strings.Builder
	for _, z := range all {
		if s := z.Southbound; s != nil && s.Flows != nil {
			b.WriteString(z.Name + ": " + s.Flows.Summary + "\n")
		}
		for _, text := range z.ProblemTexts() {
			b.WriteString(z.Name + ": " + text + "\n")
		}
	}
	return b.String()
}

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

package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/words"
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
			a.PrintNoRows(r)
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
			facts := model.MapList(lines, (*rows.Line).ACLFacts)
			ans := command.TableAnswer(a, facts, rows.ACLs, lines)
			ans.Records = func() string {
				return recordsText(model.MapList(facts, func(x *rows.ACL) rows.Record { return x.Row }))
			}
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
	return strings.Join(model.MapList(all, rows.Record.String), "\n")
}

// addStageFlag adds --stage, which limits an answer to one stage of the pipeline; empty means all. what
// contains the word STAGE in backquotes.
func addStageFlag(cmd *cobra.Command, what string) *model.Stage {
	names := model.MapList(model.PipelineStages(), func(s model.Stage) string { return string(s) })
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

// requestFlows makes the command read the flows of a zone, or of all zones if zone is empty.
func requestFlows(a *command.App, zone string) {
	a.Flags.Flows = func(name string) bool { return zone == "" || zone == name }
}

// flowTime limits the wait for flows to be made in a sandbox, or to be read.
const flowTime = 20 * time.Second

// waitForFlows waits until flows were read or cannot be, and in a sandbox until every row has its flows.
func waitForFlows(ctx context.Context, a *command.App, e *engine.Engine) {
	ctx, cancel := context.WithTimeout(ctx, flowTime)
	defer cancel()
	_ = e.WaitFor(ctx, func(r *revision.Revision) bool { // after the timeout, report the present state
		for _, s := range r.Southbounds {
			z := r.Zone(s.Zone)
			if z == nil || !a.Flags.Flows(s.Zone) {
				continue
			}
			t := revision.TallyFlows(r, z, e.Now())
			late := t.Surplus+t.ACLs[flow.StateMissing]+t.ACLs[flow.StateOld] > 0
			switch {
			case !t.Known && (r.Mode.Sandbox || s.Error == "") && z.DB != nil, r.Mode.Sandbox && late:
				return false
			}
		}
		return true
	})
}

// whyNoFlows returns an error if the flows of no zone could be read.
func whyNoFlows(r *revision.Revision, zones []*model.ZoneState, now time.Time) error {
	for _, z := range zones {
		if r.Southbound(z.Name) != nil {
			continue
		}
		for _, s := range r.Southbounds {
			if r.Zone(s.Zone) != nil {
				return nil
			}
		}
		if r.Mode.Sandbox {
			return fmt.Errorf("--flows: the sandbox runs without OVN, so rows have no flows; give --sandbox-ovn PATH")
		}
		return fmt.Errorf("--flows: no Southbound database of zone %s is known; give --sb %s=ADDR", z.Name, z.Name)
	}
	for _, z := range zones {
		if t := revision.TallyFlows(r, z, now); !t.Known && t.Text != "" {
			return fmt.Errorf("--flows: zone %s: %s", z.Name, t.Text)
		}
	}
	return nil
}

// flowsUnderRows inserts the flows of each row below its line of a table.
func flowsUnderRows(table string, lines []*rows.Line) string {
	head, rest, _ := strings.Cut(table, "\n")
	var b strings.Builder
	b.WriteString(head + "\n")
	for _, l := range lines {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		b.WriteString(line + "\n")
		f := l.Flows
		if f == nil {
			continue
		}
		text := strings.TrimSpace(f.Text + " " + f.Offset)
		if f.State != flow.StateMade {
			text = string(f.State) + ": " + text
		}
		b.WriteString("    " + text + "\n")
		for j := range f.Flows {
			b.WriteString("    " + f.Flows[j].String() + "\n")
		}
	}
	return b.String() + rest
}

// surplusText lists the flows of deleted ACLs, by zone.
func surplusText(r *revision.Revision, zones []*model.ZoneState, now time.Time) string {
	var b strings.Builder
	for _, z := range zones {
		flows, why := revision.SurplusFlows(r, z, now)
		if len(flows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s: %s left over. %s\n", z.Name, words.Count(len(flows), "flow"), why)
		for _, x := range flows {
			b.WriteString("    " + rows.NewFlowFacts(x).String() + "\n")
		}
	}
	return b.String()
}

type southboundOut struct {
	Endpoint string `json:"endpoint"`
	State    string `json:"state"`
	Since    string `json:"since,omitempty"`
	SyncedAt string `json:"synced_at,omitempty"`
	Server   string `json:"server,omitempty"`
	Error    string `json:"error,omitempty"`
	Attempts int    `json:"attempts,omitempty"`
	// Set once flows were read and compared with the rows.
	Flows *flowTallyOut `json:"flows,omitempty"`
}

type flowTallyOut struct {
	revision.FlowTally
	Surplus []rows.FlowFacts `json:"left_over"`
}

// describeSouthbound describes the Southbound database of a zone, nil if unknown.
func describeSouthbound(r *revision.Revision, z *model.ZoneState, now time.Time) *southboundOut {
	s := r.Southbound(z.Name)
	if s == nil {
		return nil
	}
	t := revision.TallyFlows(r, z, now)
	out := &southboundOut{Endpoint: s.Endpoint, State: t.State, SyncedAt: page.StampText(s.SyncedAt), Server: s.Server, Error: s.Error,
		Attempts: s.Attempts}
	if s.Followed {
		out.Since = page.StampText(s.ConnAt)
	}
	if t.Known {
		surplus, _ := revision.SurplusFlows(r, z, now)
		out.Flows = &flowTallyOut{t, model.MapList(surplus, rows.NewFlowFacts)}
	}
	return out
}

package show

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/revision/flows"
	"rung/revision/liverows"
	"rung/revision/omitted"
	"slices"
)

func Rows(a *command.App) *cobra.Command {
	var zone string
	var stage *model.Stage
	var withFlows, second *bool
	cmd := a.QueryCommand(&cobra.Command{
		Use:   "rows [POLICY]",
		Short: "Show each zone's live ACLs in the order in which they decide",
		Long: `Show the live ACLs of each zone's Northbound database, of every owner, in the order
in which they decide: stage, tier, priority. The signs in column NOTE are explained
below the table. With -f alone the zones are a sandbox, written just before.

--flows shows below each ACL the logical flows that northd made of it, from the zone's
Southbound database: that of --sb, on a cluster the one in the ovnkube-node pod, in a
sandbox that of real OVN. What is missing, of an older row or left over is said with the
likely cause.

` + secondHelp,
		Example: `  rung rows --context staging --zone ovn-worker --stage to-lport
  rung rows cluster-control -f policies/ -o nbctl
  rung rows --nb unix:ovnnb_db.sock --sb unix:ovnsb_db.sock --flows`,
		Args:              command.TakesArgs(1, "[POLICY]"),
		ValidArgsFunction: a.CompleteFirst(command.PolicyChoices),
		Annotations:       command.Forms(command.NbctlForm),
	}, func(args []string, _ bool) command.Query {
		a.Flags.RowsOnly = true
		q := command.Query{Zones: true}
		if *withFlows {
			wantFlows(a, zone)
			q.First = func(ctx context.Context, e *engine.Engine) { untilFlows(ctx, a, e) }
		}
		q.Answer = readTwice(a, *second, zone, func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			only := map[model.PolicyKey]bool{}
			if len(args) > 0 {
				keys, err := command.UnitsNamed(r, args)
				if err != nil {
					return nil, err
				}
				for _, k := range keys {
					only[k] = true
				}
			}
			a.SayNoRows(r)
			zones, err := command.ZonesNamed(r, zone)
			if err != nil {
				return nil, err
			}
			out := liveRows(zones, only, *stage)
			ans := &command.Answer{Value: out, Text: func(wide bool) string { return liveRowsText(out, wide) },
				Records: func() string { return liveRecords(out) }, Err: command.UnreadZone(zones),
				NotConsidered: omitted.Rows(r, zones)}
			if !*withFlows {
				return ans, nil
			}
			now := e.Now()
			for i := range out {
				out[i].Flows = describeFlows(r, out[i].acl, flows.OfACL(r, r.Zone(out[i].Zone), out[i].acl, now))
			}
			ans.Text = func(wide bool) string { return underRows(liveRowsText(out, wide), out) + surplusText(r, zones, now) }
			if ans.Err == nil {
				ans.Err = noFlows(r, zones, now)
			}
			return ans, nil
		})
		return q
	})
	cmd.Flags().StringVar(&zone, "zone", "", "only this zone")
	stage = stageFlag(cmd, "only this `stage`")
	withFlows = flowsFlag(cmd, "also the logical flows of each ACL")
	second = secondFlag(cmd)
	return cmd
}

type liveRow struct {
	Zone  string `json:"zone"`
	Stage string `json:"stage"`
	Owner string `json:"owner"`
	// What the owner's ids say, in parts; see nb.Owner.
	OwnerForm       string `json:"owner_form"`
	OwnerController string `json:"owner_controller,omitempty"`
	OwnerType       string `json:"owner_type,omitempty"`
	OwnerNamespace  string `json:"owner_namespace,omitempty"`
	OwnerName       string `json:"owner_name,omitempty"`
	OwnerDirection  string `json:"owner_direction,omitempty"`
	OwnerIndex      *int   `json:"owner_index,omitempty"`
	OwnerDetail     string `json:"owner_detail,omitempty"`
	// On are the port groups and switches that hold the row.
	On []string `json:"on"`
	// Tie is set where other rows share stage, tier and priority.
	Tie string `json:"tie,omitempty"`
	// AfterEgressAllow: decides even after an ANP egress Allow.
	AfterEgressAllow bool   `json:"after_egress_allow,omitempty"`
	MatchError       string `json:"match_error,omitempty"`
	Row              rowOut `json:"acl"`
	// Flows are there with --flows.
	Flows *flowsOut `json:"flows,omitempty"`
	acl   *nb.ACL
	tie   liverows.Tie
}

// isOf says whether a row is of one of the policies or units, also one in an
// older form.
func isOf(o nb.Owner, only map[model.PolicyKey]bool) bool {
	unit, _ := liverows.UnitOf(o)
	policy, _ := liverows.PolicyOf(o)
	return only[unit] || only[policy]
}

// liveRows are the ACLs of the zones; only, where not empty, keeps those of some
// policies and units, stage those of one stage.
func liveRows(zones []*model.ZoneState, only map[model.PolicyKey]bool, stage model.Stage) []liveRow {
	out := []liveRow{}
	for _, z := range zones {
		if z.DB == nil {
			continue
		}
		holders := liverows.HoldersOf(z.DB, nil)
		for _, x := range liverows.Pipeline(z.DB) {
			o := x.Owner
			if len(only) > 0 && !isOf(o, only) || stage != "" && x.Stage() != string(stage) {
				continue
			}
			row := liveRow{Zone: z.Name, Stage: x.Stage(), Owner: o.Label(), OwnerForm: o.Form.String(),
				OwnerController: o.Controller, OwnerType: o.Type, OwnerNamespace: o.Namespace, OwnerName: o.Name,
				OwnerDirection: o.Direction, OwnerDetail: o.Detail,
				On: holders.Names(x.ACL), Tie: x.Tie.String(), AfterEgressAllow: x.AfterAllow,
				MatchError: liverows.MatchProblem(x.Match), Row: describeRow(x.ACL), acl: x.ACL, tie: x.Tie}
			if o.Index >= 0 {
				row.OwnerIndex = &o.Index
			}
			out = append(out, row)
		}
	}
	return out
}

// The signs of column NOTE.
var rowNotes = []struct {
	sign, means string
	of          func(*liveRow) bool
}{
	{"†", liverows.AfterAllow + ": to-lport comes after the egress stages",
		func(x *liveRow) bool { return x.AfterEgressAllow }},
	{"=", "other rows at this priority decide the same", func(x *liveRow) bool { return x.tie == liverows.TieSame }},
	{"▲", "other rows at this priority decide differently: which one wins is undefined",
		func(x *liveRow) bool { return x.tie == liverows.TieUndefined }},
	{"?", "Rung cannot parse this match", func(x *liveRow) bool { return x.MatchError != "" }},
	{"∅", "in no port group and on no switch: it decides nothing", func(x *liveRow) bool { return len(x.On) == 0 }},
}

func liveRecords(rows []liveRow) string {
	out := make([]rowOut, len(rows))
	for i := range rows {
		out[i] = rows[i].Row
	}
	return records(out)
}

func liveRowsText(rows []liveRow, wide bool) string {
	t := &command.TextTable{Head: []string{"ZONE", "STAGE", "TIER", "PRIO", "ACTION", "OWNER", "LOG", "NOTE", "ON", "MATCH"}}
	if wide {
		t.Head = append(t.Head, "UUID")
	}
	used := make([]bool, len(rowNotes))
	for i := range rows {
		x := &rows[i]
		log := "off"
		if x.acl.Log {
			log = cmp.Or(x.acl.Severity, "on")
		}
		note := ""
		for n := range rowNotes {
			if rowNotes[n].of(x) {
				note += rowNotes[n].sign
				used[n] = true
			}
		}
		cells := []string{x.Zone, x.Stage, fmt.Sprint(x.acl.Tier), fmt.Sprint(x.acl.Priority), x.acl.Action, x.Owner, log,
			cmp.Or(note, "–"),
			cmp.Or(strings.Join(x.On, ", "), "–"), x.acl.Match}
		if wide {
			cells = append(cells, x.acl.UUID)
		}
		t.Add(cells...)
	}
	out := t.String()
	for n, u := range used {
		if u {
			out += rowNotes[n].sign + " " + rowNotes[n].means + "\n"
		}
	}
	return out
}

// stageFlag adds --stage, which narrows an answer to one stage of the pipeline; what
// has the word stage in backquotes. The stage is empty for all.
func stageFlag(cmd *cobra.Command, what string) *model.Stage {
	var names []string
	for _, s := range model.Stages() {
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

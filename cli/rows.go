package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/model"
	"rung/model/nb"
)

func (a *app) rowsCmd() *cobra.Command {
	var zone string
	var watch *bool
	cmd := withRecords(&cobra.Command{
		Use:   "rows [POLICY]",
		Short: "The live ACLs of a zone in pipeline order: stage, tier, priority",
		Long: `Rows reads the ACLs of each zone's Northbound database, of every owner, and
prints them in the order in which they decide. With -f alone the zones are a
sandbox that has just been written; --nb reads the ones given.`,
		Args:              takes(1, "[POLICY]"),
		ValidArgsFunction: a.complete(compiledChoices),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.flags.rowsOnly = true
			return a.show(cmd.Context(), *watch, query{zones: true, answer: func(_ *engine.Engine, r *engine.Revision) (*answer, error) {
				only := map[model.PolicyKey]bool{}
				if len(args) > 0 {
					keys, err := policiesNamed(r, args)
					if err != nil {
						return nil, err
					}
					only[keys[0]] = true
				}
				zones, err := zonesNamed(r, zone)
				if err != nil {
					return nil, err
				}
				out := liveRows(zones, only)
				return &answer{value: out, text: func(wide bool) string { return liveRowsText(out, wide) },
					records: func() string { return liveRecords(out) }, err: unread(zones)}, nil
			}})
		},
	})
	cmd.Flags().StringVar(&zone, "zone", "", "only this zone")
	completeFlag(cmd, "zone", a.completeValue(zoneChoices))
	watch = watchFlag(cmd)
	return cmd
}

type liveRow struct {
	Zone  string `json:"zone"`
	Stage string `json:"stage"`
	Owner string `json:"owner"`
	Row   rowOut `json:"acl"`
	acl   *nb.ACL
}

// liveRows are the ACLs of the zones; only, where not empty, keeps those of some
// policies.
func liveRows(zones []*model.ZoneState, only map[model.PolicyKey]bool) []liveRow {
	out := []liveRow{}
	for _, z := range zones {
		if z.DB == nil {
			continue
		}
		for _, x := range engine.PipelineOrder(z.DB) {
			if k, _, _, ok := engine.RuleOf(x.ExternalIDs); len(only) > 0 && (!ok || !only[k]) {
				continue
			}
			out = append(out, liveRow{Zone: z.Name, Stage: x.Stage(), Owner: engine.OwnerName(x.ExternalIDs), Row: aclOut(x), acl: x})
		}
	}
	return out
}

func liveRecords(rows []liveRow) string {
	out := make([]rowOut, len(rows))
	for i := range rows {
		out[i] = rows[i].Row
	}
	return records(out)
}

func liveRowsText(rows []liveRow, wide bool) string {
	t := &tableOut{head: []string{"ZONE", "STAGE", "TIER", "PRIO", "ACTION", "OWNER", "LOG", "MATCH"}}
	if wide {
		t.head = append(t.head, "UUID")
	}
	for _, x := range rows {
		log := "off"
		if x.acl.Log {
			log = cmp.Or(x.acl.Severity, "on")
		}
		cells := []string{x.Zone, x.Stage, fmt.Sprint(x.acl.Tier), fmt.Sprint(x.acl.Priority), x.acl.Action, x.Owner, log, x.acl.Match}
		if wide {
			cells = append(cells, x.acl.UUID)
		}
		t.add(cells...)
	}
	return t.String()
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/pages/rows"
	"rung/revision"
)

// compiledOut is the JSON of `rung compile` (command-line.md#output).
type compiledOut struct {
	ACLs        []rows.Record          `json:"acls"`
	AddressSets []rows.Record          `json:"address_sets"`
	PortGroups  []rows.Record          `json:"port_groups"`
	None        []policyWithoutRowsOut `json:"none"`
}

type policyWithoutRowsOut struct {
	Policy string `json:"policy"`
	Reason string `json:"reason"`
}

func CompileCommand(a *command.App) *cobra.Command {
	var zone string
	var others bool
	var only Selection
	cmd := a.QueryCommand(&cobra.Command{
		Use:   "compile [POLICY]",
		Short: "Show the rows OVN-Kubernetes would write",
		Long: `Show the ACLs, address sets and port groups that OVN-Kubernetes would write for all
policies, or for one. With --zone only the pods of that node are local; without it
every pod is. -o nbctl prints records as "ovn-nbctl list" does.`,
		Example: `  rung compile -f examples/
  rung compile cluster-control -f examples/ --zone ovn-worker -o nbctl
  rung compile -n red -f examples/`,
		Args:              command.TakesArgs(1, "[POLICY]"),
		ValidArgsFunction: a.CompleteFirst(command.PolicyChoices),
		Annotations:       command.FormAnnotations(command.NbctlForm),
	}, func(args []string, _ bool) command.Query {
		return command.Query{Answer: func(_ context.Context, _ *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			if zone != "" && r.Cluster.Node(zone) == nil {
				return nil, fmt.Errorf("--zone %s: no such node; nodes: %s", zone, command.NodeNames(r.Cluster))
			}
			if others && (zone == "" || len(args) > 0) {
				return nil, errors.New("--all-owners needs --zone and no POLICY: the rows hold the ports of one node and belong to no policy")
			}
			a.PrintNoRows(r)
			keys, err := only.UnitsNamed(r, args)
			if err != nil {
				return nil, err
			}
			rows := compiledRows(r, zone, keys)
			if others {
				groups, acls := revision.OtherRows(r, zone)
				rows.groups, rows.acls = append(rows.groups, groups...), append(rows.acls, acls...)
				rows.sortByID()
			}
			ans := &command.Answer{Value: rows.jsonOut(), Text: rows.rowsText,
				Records: func() string {
					out := rows.jsonOut()
					return recordsText(slices.Concat(out.ACLs, out.AddressSets, out.PortGroups))
				},
				NotConsidered: append(revision.OmissionsOfObjects(r), revision.AssumedSettings(r)...)}
			if len(args) == 0 {
				all := len(r.Units())
				ans.LeftOut = only.LeftOutText(len(keys), all, "policy or other owner of rows")
			}
			return ans, nil
		}}
	})
	cmd.Flags().StringVar(&zone, "zone", "", "compile for one `ZONE`, by the node's name")
	cmd.Flags().BoolVar(&others, "all-owners", false, "with --zone, also show rows of no policy: port groups of namespaces and of the "+
		"cluster, tier 0")
	only.AddTo(a, cmd, Policies)
	return cmd
}

// rowSet is a set of rows of several policies, sorted by id.
type rowSet struct {
	acls   []*nb.ACL
	sets   []*nb.AddressSet
	groups []*nb.PortGroup
	none   []policyWithoutRowsOut
}

func compiledRows(r *revision.Revision, zone string, keys []model.PolicyKey) *rowSet {
	out := &rowSet{}
	for _, k := range keys {
		rows := r.Rows(k, zone)
		switch {
		case rows == nil:
		case rows.None != nil:
			out.none = append(out.none, policyWithoutRowsOut{Policy: k.String(), Reason: rows.None.Message})
		default:
			out.acls = append(out.acls, rows.ACLs...)
			out.sets = append(out.sets, rows.AddressSets...)
			if rows.PortGroup != nil {
				out.groups = append(out.groups, rows.PortGroup)
			}
		}
	}
	out.sortByID()
	return out
}

func (s *rowSet) sortByID() {
	slices.SortFunc(s.acls, byID)
	slices.SortFunc(s.sets, byID)
	slices.SortFunc(s.groups, byID)
}

func byID[R interface{ ID() string }](x, y R) int { return cmp.Compare(x.ID(), y.ID()) }

func (s *rowSet) jsonOut() compiledOut {
	return compiledOut{ACLs: model.MapList(s.acls, rows.NewRecord), AddressSets: model.MapList(s.sets, rows.NewRecord),
		PortGroups: model.MapList(s.groups, rows.NewRecord), None: append([]policyWithoutRowsOut{}, s.none...)}
}

func (s *rowSet) rowsText(wide bool) string {
	t := &command.TextTable{Head: []string{"ACL", "TIER", "PRIO", "STAGE", "ACTION", "LOG", "MATCH"}}
	for _, x := range s.acls {
		log := "off"
		if x.Log {
			log = x.Severity
		}
		id := command.ShortID(x.ID(), wide)
		if x.ExternalIDs[nb.KeyOwnerType] == nb.OwnerCNP {
			id += " (" + nb.MarkCNP + ")"
		}
		t.AddRow(id, fmt.Sprint(x.Tier), fmt.Sprint(x.Priority), x.Stage(), x.Action, log, x.Match)
	}
	sets := &command.TextTable{Head: []string{"ADDRESS SET", "NAME", "MEMBERS"}}
	for _, x := range s.sets {
		sets.AddRow(command.ShortID(x.ID(), wide), x.Name, command.ListMembers(x.Addresses, wide))
	}
	groups := &command.TextTable{Head: []string{"PORT GROUP", "NAME", "ACLS", "PORTS"}}
	for _, x := range s.groups {
		groups.AddRow(command.ShortID(x.ID(), wide), x.Name, fmt.Sprint(len(x.ACLs)), command.ListMembers(x.Ports, wide))
	}
	out := t.String() + "\n" + sets.String() + "\n" + groups.String()
	for _, n := range s.none {
		out += "\n" + n.Policy + " has no rows: " + n.Reason + "\n"
	}
	return out
}

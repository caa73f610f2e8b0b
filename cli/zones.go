package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/revision/finding"
	"rung/revision/omitted"
	"rung/revision/policies"
)

type zoneOut struct {
	Name     string `json:"name"`
	Endpoint string `json:"endpoint"`
	Server   string `json:"server"`
	State    string `json:"state"`
	SyncedAt string `json:"synced_at,omitempty"`
	Error    string `json:"error,omitempty"`
	Writes   bool   `json:"writes"`
	Rows     int    `json:"rows"`
	// Policies and Units count by state: policies, and rows that are no policy's
	// alone, such as the default deny of a namespace. Differ names those of
	// Units that are not in sync.
	Policies map[string]int `json:"policies"`
	Units    map[string]int `json:"units"`
	Differ   []string       `json:"units_not_in_sync"`
	// Dialect is there for zones of others.
	Dialect *dialectOut `json:"dialect,omitempty"`
	// Progress is there where somebody counts, Southbound where one is known. Daemons are
	// the sandbox's processes below the zone that do not run.
	Progress   *progressOut   `json:"progress,omitempty"`
	Southbound *southboundOut `json:"southbound,omitempty"`
	Daemons    []daemonOut    `json:"daemons_down,omitempty"`
	// Trouble says what is wrong below the rows, a sentence each.
	Trouble []string `json:"ovn_trouble,omitempty"`
}

func (a *app) zonesCmd() *cobra.Command {
	var table, conditions, check bool
	var flows, second *bool
	cmd := a.shows(&cobra.Command{
		Use:   "zones",
		Short: "Show each zone: database, state, policies in sync",
		Long: `Show each zone with its database and how many policies are in sync there. OTHER ROWS
are those of no single policy, such as the default deny of a namespace. --dialect shows
the settings OVN-Kubernetes runs with in each zone, and where each was read.

ROWS/FLOWS/NODES are NB_Global's nb_cfg, sb_cfg and hv_cfg: of the rows written, the
flows made, the nodes done. --flows also compares the logical flows with the rows.

--conditions shows what each zone's controller reported of each AdminNetworkPolicy
and the baseline, worst first. A report is not proof: -o wide, json and yaml show
the state of the rows beside it.

--check compares the zones with each other: address sets must be equal, port groups
add up to the subject, ACLs read the same. Exit 1 when something is wrong that is
not just settling. ` + secondHelp,
		Example: `  rung zones --context staging
  rung zones --context staging --check
  rung zones --nb unix:/var/run/ovn/ovnnb_db.sock`,
		Args: takes(0),
	}, func([]string, bool) query {
		switch {
		case conditions:
			return conditionsQuery()
		case check:
			return query{zones: true, answer: a.checkAnswer, second: again(second, nil)}
		}
		a.flags.rowsOnly = true
		q := query{zones: true}
		if *flows {
			a.wantFlows("")
			q.first = a.untilFlows
		}
		q.answer = func(e *engine.Engine, r *revision.Revision) (*answer, error) {
			a.noRows(r)
			now := e.Now()
			out := each(r.Zones, func(z *model.ZoneState) zoneOut { return describeZone(r, z, now) })
			return &answer{value: out, notConsidered: omitted.Rows(r, r.Zones), text: func(wide bool) string {
				switch {
				case table:
					return dialectText(r, out)
				case wide:
					return zonesText(out) + "\n" + dialectText(r, out)
				}
				return zonesText(out)
			}}, nil
		}
		return q
	})
	flows = flowsFlag(cmd, "also read the Southbound databases, and say how flows stand to the rows")
	cmd.Flags().BoolVar(&conditions, "conditions", false, "what each zone's controller reported of each policy")
	cmd.Flags().BoolVar(&check, "check", false, "compare the zones with each other; exit 1 on findings")
	cmd.Flags().BoolVar(&table, "dialect", false, "the settings OVN-Kubernetes runs with in each zone")
	second = secondFlag(cmd)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *second && !check {
			return errors.New("--second-reader goes with --check")
		}
		return nil
	}
	cmd.MarkFlagsMutuallyExclusive("conditions", "check", "dialect")
	cmd.MarkFlagsMutuallyExclusive("flows", "conditions")
	cmd.MarkFlagsMutuallyExclusive("flows", "check")
	return cmd
}

// checkAnswer compares the zones.
func (a *app) checkAnswer(e *engine.Engine, r *revision.Revision) (*answer, error) {
	now := e.Now()
	found := finding.ZoneFindings(r, now)
	ans := findingsAnswer(a, found, model.SeverityError, model.SeverityWarning)
	ans.notConsidered = omitted.Rows(r, r.Zones)
	ans.nothingFound(len(found))
	if ans.err = unread(r.Zones); ans.err != nil && len(found) == 0 {
		return nil, ans.err
	}
	if len(found) > 0 {
		ans.until = now.Add(time.Second) // they say for how long
	}
	return ans, nil
}

func describeZone(r *revision.Revision, z *model.ZoneState, now time.Time) zoneOut {
	o := zoneOut{Name: z.Name, Endpoint: z.Endpoint, Server: z.Server, State: string(z.Conn), Error: z.Error,
		Writes: z.Writes, Policies: map[string]int{}, Units: map[string]int{}, Differ: []string{}}
	if !z.SyncedAt.IsZero() {
		o.SyncedAt = stamp(z.SyncedAt)
	}
	o.Rows = z.RowCount()
	o.Dialect = describeDialect(r, z.Name)
	o.describeBelow(r, z, now)
	if r.Mode.Name == rowsMode {
		return o // there are no policies to judge
	}
	t := policies.Tally(r, z, now)
	for s, n := range t.States {
		o.Policies[string(s)] = n
	}
	for s, n := range t.Units {
		o.Units[string(s)] = n
	}
	for _, k := range t.Astray {
		o.Differ = append(o.Differ, k.Label())
	}
	return o
}

func zonesText(zones []zoneOut) string {
	t := &tableOut{head: []string{"ZONE", "STATE", "SERVER", "ROWS", "POLICIES", "OTHER ROWS", "ENDPOINT"}}
	counted := slices.ContainsFunc(zones, func(z zoneOut) bool { return z.Progress != nil })
	if counted {
		t.head = slices.Insert(t.head, 4, "ROWS/FLOWS/NODES")
	}
	for _, z := range zones {
		state := z.State
		if z.Error != "" {
			state += ": " + z.Error
		}
		others := countText(z.Units)
		if len(z.Differ) > 0 {
			others += ": " + words.Cut(z.Differ, "; ", differShown)
		}
		cells := []string{z.Name, state, z.Server, fmt.Sprint(z.Rows), countText(z.Policies), others, z.Endpoint}
		if counted {
			numbers := "–"
			if p := z.Progress; p != nil {
				numbers = fmt.Sprintf("%d/%d/%d", p.Written, p.Made, p.Done)
			}
			cells = slices.Insert(cells, 4, numbers)
		}
		t.add(cells...)
	}
	return t.String() + belowText(zones)
}

// differShown is how many units that are not in sync are named for a zone.
const differShown = 3

// countText is "12 in sync, 1 behind".
func countText(states map[string]int) string {
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(states)) {
		parts = append(parts, fmt.Sprintf("%d %s", states[s], s))
	}
	return strings.Join(parts, ", ")
}

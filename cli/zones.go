package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/model"
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
}

func (a *app) zonesCmd() *cobra.Command {
	var watch *bool
	cmd := &cobra.Command{
		Use:   "zones",
		Short: "Each zone: its database, its state, how many policies are in sync there",
		Long: `Zones prints each zone with its database. POLICIES counts AdminNetworkPolicies,
the baseline, NetworkPolicies and EgressFirewalls by how their rows stand there;
OTHER ROWS counts alike what is no policy's alone, such as the default deny of a
namespace or address sets that policies share, and names what is not in sync.`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.flags.rowsOnly = true
			return a.show(cmd.Context(), *watch, query{zones: true, answer: func(e *engine.Engine, r *engine.Revision) (*answer, error) {
				out := []zoneOut{}
				for _, z := range r.Zones {
					out = append(out, describeZone(r, z, e.Now()))
				}
				return &answer{value: out, text: func(bool) string { return zonesText(out) }}, nil
			}})
		},
	}
	watch = watchFlag(cmd)
	return cmd
}

func describeZone(r *engine.Revision, z *model.ZoneState, now time.Time) zoneOut {
	o := zoneOut{Name: z.Name, Endpoint: z.Endpoint, Server: z.Server, State: string(z.Conn), Error: z.Error, Writes: z.Writes, Policies: map[string]int{}, Units: map[string]int{}, Differ: []string{}}
	if !z.SyncedAt.IsZero() {
		o.SyncedAt = stamp(z.SyncedAt)
	}
	if z.DB != nil {
		o.Rows = z.DB.Len()
	}
	if r.Mode.Name == rowsMode {
		return o // there are no policies to judge
	}
	for _, k := range engine.ZonePolicies(r, z) {
		st := z.Policy(k).State(z, now)
		if k.Kind.IsPolicy() {
			o.Policies[string(st)]++
			continue
		}
		o.Units[string(st)]++
		if st != model.StateInSync {
			o.Differ = append(o.Differ, k.Label())
		}
	}
	return o
}

func zonesText(zones []zoneOut) string {
	t := &tableOut{head: []string{"ZONE", "STATE", "SERVER", "ROWS", "POLICIES", "OTHER ROWS", "ENDPOINT"}}
	for _, z := range zones {
		state := z.State
		if z.Error != "" {
			state += ": " + z.Error
		}
		others := countText(z.Units)
		if n := len(z.Differ); n > 0 && n <= differShown {
			others += ": " + strings.Join(z.Differ, "; ")
		} else if n > 0 {
			others += ": " + strings.Join(z.Differ[:differShown], "; ") + fmt.Sprintf(" and %d more", n-differShown)
		}
		t.add(z.Name, state, z.Server, fmt.Sprint(z.Rows), countText(z.Policies), others, z.Endpoint)
	}
	return t.String()
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

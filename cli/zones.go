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
	Name     string         `json:"name"`
	Endpoint string         `json:"endpoint"`
	Server   string         `json:"server"`
	State    string         `json:"state"`
	SyncedAt string         `json:"synced_at,omitempty"`
	Error    string         `json:"error,omitempty"`
	Writes   bool           `json:"writes"`
	Rows     int            `json:"rows"`
	Policies map[string]int `json:"policies"`
}

func (a *app) zonesCmd() *cobra.Command {
	var watch *bool
	cmd := &cobra.Command{
		Use:   "zones",
		Short: "Each zone: its database, its state, how many policies are in sync there",
		Args:  takes(0),
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
	o := zoneOut{Name: z.Name, Endpoint: z.Endpoint, Server: z.Server, State: string(z.Conn), Error: z.Error, Writes: z.Writes, Policies: map[string]int{}}
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
		o.Policies[string(z.Policy(k).State(z, now))]++
	}
	return o
}

func zonesText(zones []zoneOut) string {
	t := &tableOut{head: []string{"ZONE", "STATE", "SERVER", "ROWS", "POLICIES", "ENDPOINT"}}
	for _, z := range zones {
		var states []string
		for _, s := range slices.Sorted(maps.Keys(z.Policies)) {
			states = append(states, fmt.Sprintf("%d %s", z.Policies[s], s))
		}
		state := z.State
		if z.Error != "" {
			state += ": " + z.Error
		}
		t.add(z.Name, state, z.Server, fmt.Sprint(z.Rows), strings.Join(states, ", "), z.Endpoint)
	}
	return t.String()
}

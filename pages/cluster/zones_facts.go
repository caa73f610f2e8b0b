package cluster

import (
	"time"

	"rung/model"
	"rung/revision"
)

// ZoneFacts is the JSON of a zone (command-line.md#output).
type ZoneFacts struct {
	Name     string          `json:"name"`
	Endpoint string          `json:"endpoint"`
	Server   string          `json:"server"`
	State    model.ConnState `json:"state"`
	Agent    string          `json:"agent,omitempty"` // the node agent that judged the rows; empty if Rung read them
	SyncedAt model.Stamp     `json:"synced_at,omitzero"`
	Error    string          `json:"error,omitempty"`
	Writes   bool            `json:"writes"`
	Rows     int             `json:"rows"`
	// Policies and Units count policies and other units (such as the default deny of a namespace) by state.
	// Differ names the Units that are not in sync.
	Policies map[model.PolicyState]int `json:"policies"`
	Units    map[model.PolicyState]int `json:"units"`
	Differ   []string                  `json:"units_not_in_sync"`
	// Dialect is nil for Rung's own zones. Progress is nil if nb_cfg was never raised. Daemons are the
	// sandbox's processes for the zone that do not run.
	Dialect  *revision.Zone `json:"dialect,omitempty"`
	Progress *RowProgress   `json:"progress,omitempty"`
	Daemons  []model.Fault  `json:"daemons_down,omitempty"`
	// Trouble lists the faults below the rows, a sentence each.
	Trouble []string `json:"ovn_trouble,omitempty"`

	ZoneState *model.ZoneState    `json:"-"`
	Tally     *revision.ZoneTally `json:"-"` // nil without policies to judge
	Loss      *LogLoss            `json:"-"` // lost lines of the ACL log; nil if none
	rev       *revision.Revision
	now       time.Time
}

// RowProgress is the progress of a zone's rows.
type RowProgress struct {
	// The numbers of NB_Global: of the rows written, the rows that flows were made from, and the rows on every
	// node.
	Written int64  `json:"rows_written"`
	Made    int64  `json:"flows_made"`
	Done    int64  `json:"nodes_done"`
	Text    string `json:"text"`
	// Northd and Nodes are the times since when each is behind.
	Northd  model.Stamp `json:"northd_behind_since,omitzero"`
	Nodes   model.Stamp `json:"nodes_behind_since,omitzero"`
	Waiting []string    `json:"nodes_behind,omitempty"`
}

// FactsOfZone returns the facts of a zone for the table; tally holds the zone's counts.
func FactsOfZone(r *revision.Revision, z *model.ZoneState, tally *revision.ZoneTally, now time.Time) *ZoneFacts {
	o := &ZoneFacts{Name: z.Name, Endpoint: z.Endpoint, Server: z.Server, State: z.Conn, Agent: z.Agent,
		SyncedAt: model.Stamp{Time: z.SyncedAt},
		Error:    z.Error,
		Writes:   z.Writes, Rows: z.RowCount(), Trouble: revision.BehindTexts(r, z, now), ZoneState: z, rev: r, now: now}
	if r.Mode.Name != revision.RowsMode {
		o.Tally, o.Policies, o.Units = tally, tally.States, tally.Units
	}
	return o
}

// AllFactsOfZone returns FactsOfZone with the facts for JSON and the text below the table.
func AllFactsOfZone(r *revision.Revision, z *model.ZoneState, now time.Time) *ZoneFacts {
	tally := revision.TallyZone(r, z, now)
	o := FactsOfZone(r, z, &tally, now)
	if r.Dialects != nil {
		o.Dialect = new(r.Dialects.ZoneSettings(z.Name))
	}
	if o.Tally == nil {
		o.Policies, o.Units = map[model.PolicyState]int{}, map[model.PolicyState]int{}
	}
	o.Differ = o.differingUnits()
	p := revision.ReadProgress(r, z)
	if p.Known && p.IsTracked() {
		o.Progress = &RowProgress{Written: p.NodeProgress.Written.Cfg, Made: p.NodeProgress.Made.Cfg, Done: p.NodeProgress.Done.Cfg,
			Text: p.Text(now, p.SeenAt), Northd: model.Stamp{Time: p.Northd}, Nodes: model.Stamp{Time: p.Nodes}}
		for _, c := range p.Waiting {
			o.Progress.Waiting = append(o.Progress.Waiting, c.Name)
		}
	}
	o.Daemons = p.Down
	return o
}

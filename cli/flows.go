package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/pages/rows"
	"rung/revision"
)

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
			late := t.Surplus+t.ACLs[revision.FlowsMissing]+t.ACLs[revision.FlowsOld] > 0
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
			return fmt.Errorf("--flows: the sandbox runs without OVN and has no flows; give --sandbox-ovn PATH")
		}
		return fmt.Errorf("--flows: unknown Southbound database of zone %s; give --sb %s=ADDR", z.Name, z.Name)
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
		if f.State != revision.FlowsMade {
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
			b.WriteString("    " + rows.FlowOf(x).String() + "\n")
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
	ACLs    map[revision.FlowState]int `json:"acls"`
	Flows   int                        `json:"flows"`
	Own     int                        `json:"ovns_own"`
	Unknown int                        `json:"unknown_actions,omitempty"`
	Summary string                     `json:"summary"`
	Text    string                     `json:"text,omitempty"`
	Surplus []rows.FlowFacts           `json:"left_over"`
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
		out.Flows = &flowTallyOut{ACLs: t.ACLs, Flows: t.Flows, Own: t.Own, Unknown: t.Odd, Summary: t.Summary, Text: t.Text,
			Surplus: page.MapList(surplus, rows.FlowOf)}
	}
	return out
}

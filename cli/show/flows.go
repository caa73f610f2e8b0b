package show

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/revision/flows"
)

// flowsOut are the logical flows of an ACL.
type flowsOut struct {
	State flows.FlowState `json:"state"`
	// Text says how the flows stand, with the likely cause of what is missing or old.
	Text    string    `json:"text"`
	Missing []string  `json:"missing_on,omitempty"`
	Since   string    `json:"since,omitempty"`
	Flows   []flowOut `json:"flows"`
}

type flowOut struct {
	UUID     string   `json:"uuid"`
	On       []string `json:"on"`
	Pipeline string   `json:"pipeline"`
	Stage    string   `json:"stage"`
	Name     string   `json:"stage_name"`
	Table    int      `json:"table"`
	Priority int      `json:"priority"`
	// Tier is there where the flow looks at it.
	Tier *int `json:"tier,omitempty"`
	// Hint is the number of the bit of reg0 that the flow asks for, 0 for none; Packets
	// says what that means.
	Hint    int       `json:"hint"`
	Packets string    `json:"packets"`
	Match   string    `json:"match"`
	Actions string    `json:"actions"`
	Does    []string  `json:"does"`
	Log     *flow.Log `json:"log,omitempty"`
	// Differs says how the flow is of an older row.
	Differs []string `json:"differs,omitempty"`
	// Shared says with which ACL the flow is shared.
	Shared string `json:"shared,omitempty"`
}

// flowsFlag adds --flows.
func flowsFlag(cmd *cobra.Command, what string) *bool {
	return cmd.Flags().Bool("flows", false, what)
}

// wantFlows has the flows of the zones named read by the command; empty is all of them.
func wantFlows(a *command.App, zone string) {
	a.Flags.Flows = func(name string) bool { return zone == "" || zone == name }
}

// flowTime is how long flows may take to be made in a sandbox, or to be read.
const flowTime = 20 * time.Second

// untilFlows waits until flows were read, or cannot be, and in a sandbox until they were
// made of every row.
func untilFlows(ctx context.Context, a *command.App, e *engine.Engine) {
	ctx, cancel := context.WithTimeout(ctx, flowTime)
	defer cancel()
	_ = e.Wait(ctx, func(r *revision.Revision) bool { // what is not there by then is told as it stands
		for _, s := range r.Southbounds {
			z := r.Zone(s.Zone)
			if z == nil || !a.Flags.Flows(s.Zone) {
				continue
			}
			t := flows.TallyFlows(r, z, e.Now())
			late := t.Surplus+t.ACLs[flows.FlowsMissing]+t.ACLs[flows.FlowsOld] > 0
			switch {
			case !t.Known && (r.Mode.Sandbox || s.Error == "") && z.DB != nil, r.Mode.Sandbox && late:
				return false
			}
		}
		return true
	})
}

// noFlows says that nothing could be read of any of the zones.
func noFlows(r *revision.Revision, zones []*model.ZoneState, now time.Time) error {
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
		return fmt.Errorf("--flows: no Southbound database is known for zone %s; give --sb %s=ADDR", z.Name, z.Name)
	}
	for _, z := range zones {
		if t := flows.TallyFlows(r, z, now); !t.Known && t.Text != "" {
			return fmt.Errorf("--flows: zone %s: %s", z.Name, t.Text)
		}
	}
	return nil
}

func describeFlows(r *revision.Revision, a *nb.ACL, f flows.ACLFlows) *flowsOut {
	return &flowsOut{State: f.State, Text: f.Text, Missing: f.Missing, Since: page.StampText(f.Since), Flows: page.Each(f.Flows, describer(r, a))}
}

// describer is describeFlow for the flows of an ACL, nil where that is gone.
func describer(r *revision.Revision, a *nb.ACL) func(*flow.Flow) flowOut {
	return func(x *flow.Flow) flowOut {
		out := describeFlow(x)
		out.Shared, _ = flows.Shared(r, a, x)
		return out
	}
}

func describeFlow(x *flow.Flow) flowOut {
	out := flowOut{UUID: x.Row.UUID, On: []string{}, Pipeline: x.Row.Pipeline, Stage: string(x.Stage), Name: x.Row.Stage, Table: x.Row.Table,
		Priority: x.Row.Priority, Hint: int(x.Reading.Hint), Packets: x.Packets(), Match: x.Row.Match, Actions: x.Row.Actions,
		Does: append([]string{}, flow.InWords(x.Acts)...), Differs: x.Differs, Log: x.Log}
	for _, d := range x.Datapaths {
		out.On = append(out.On, d.Name)
	}
	if x.Tier != flow.NoTier {
		out.Tier = &x.Tier
	}
	return out
}

// flowLine is a flow in a line for people.
func flowLine(f *flowOut) string {
	tier := ""
	if f.Tier != nil {
		tier = fmt.Sprintf(" tier %d", *f.Tier)
	}
	does := strings.Join(f.Does, "; ")
	if does == "" {
		does = "on to the next stage"
	}
	text := fmt.Sprintf("%s table %d priority %d%s · %s → %s", f.Name, f.Table, f.Priority, tier, f.Packets, does)
	if len(f.Differs) > 0 {
		text += " ≠ " + strings.Join(f.Differs, ", ")
	}
	if f.Shared != "" {
		text += " = " + f.Shared
	}
	return text
}

// underRows puts the flows of each row below its line of a table.
func underRows(table string, rows []liveRow) string {
	head, lines, _ := strings.Cut(table, "\n")
	var b strings.Builder
	b.WriteString(head + "\n")
	for i := range rows {
		var line string
		line, lines, _ = strings.Cut(lines, "\n")
		b.WriteString(line + "\n")
		f := rows[i].Flows
		if f == nil {
			continue
		}
		if f.State != flows.FlowsMade {
			b.WriteString("    " + string(f.State) + ": " + f.Text + "\n")
		}
		for j := range f.Flows {
			b.WriteString("    " + flowLine(&f.Flows[j]) + "\n")
		}
	}
	return b.String() + lines
}

// surplusText lists the flows of ACLs that are gone, by zone.
func surplusText(r *revision.Revision, zones []*model.ZoneState, now time.Time) string {
	var b strings.Builder
	for _, z := range zones {
		flows, why := flows.SurplusFlows(r, z, now)
		if len(flows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s: %s left over. %s\n", z.Name, words.Count(len(flows), "flow"), why)
		for _, x := range flows {
			f := describeFlow(x)
			b.WriteString("    " + flowLine(&f) + "\n")
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
	// Flows are there once they were read and held against the rows.
	Flows *flowTallyOut `json:"flows,omitempty"`
}

type flowTallyOut struct {
	ACLs    map[flows.FlowState]int `json:"acls"`
	Flows   int                     `json:"flows"`
	Own     int                     `json:"ovns_own"`
	Unknown int                     `json:"unknown_actions,omitempty"`
	Summary string                  `json:"summary"`
	Text    string                  `json:"text,omitempty"`
	Surplus []flowOut               `json:"left_over"`
}

// describeSouthbound is the Southbound database of a zone, nil where none is known.
func describeSouthbound(r *revision.Revision, z *model.ZoneState, now time.Time) *southboundOut {
	s := r.Southbound(z.Name)
	if s == nil {
		return nil
	}
	t := flows.TallyFlows(r, z, now)
	out := &southboundOut{Endpoint: s.Endpoint, State: t.State, SyncedAt: page.StampText(s.SyncedAt), Server: s.Server, Error: s.Error, Attempts: s.Attempts}
	if s.Followed {
		out.Since = page.StampText(s.ConnAt)
	}
	if t.Known {
		surplus, _ := flows.SurplusFlows(r, z, now)
		out.Flows = &flowTallyOut{ACLs: t.ACLs, Flows: t.Flows, Own: t.Own, Unknown: t.Odd, Summary: t.Summary, Text: t.Text, Surplus: page.Each(surplus, describeFlow)}
	}
	return out
}

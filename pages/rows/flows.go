package rows

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"rung/model/ovn/flow"
	"rung/model/signs"
	"rung/pages/page"
	"rung/revision"
	"rung/revision/flows"
)

// ACLFlows are the logical flows of an ACL, held against it.
type ACLFlows struct {
	State flows.FlowState `json:"state"`
	// Text says how the flows stand, with the likely cause of what is missing or old.
	Text    string      `json:"text"`
	Missing []string    `json:"missing_on,omitempty"`
	Since   string      `json:"since,omitempty"`
	Flows   []FlowFacts `json:"flows"`
}

// FlowFacts is a logical flow in words.
type FlowFacts struct {
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

// ReadFlows adds the flows of an ACL in a zone to its line.
func (l *Line) ReadFlows(r *revision.Revision, now time.Time) {
	a := l.acl.ACL
	f := flows.FlowsOfACL(r, r.Zone(l.Zone), a, now)
	l.Flows = &ACLFlows{State: f.State, Text: f.Text, Missing: f.Missing, Since: page.StampText(f.Since), Flows: page.MapList(f.Flows, func(x *flow.Flow) FlowFacts {
		out := FlowOf(x)
		out.Shared, _ = flows.SharedFlowText(r, a, x)
		return out
	})}
}

// FlowOf is a flow that no ACL shares.
func FlowOf(x *flow.Flow) FlowFacts {
	out := FlowFacts{UUID: x.Row.UUID, On: []string{}, Pipeline: x.Row.Pipeline, Stage: string(x.Stage), Name: x.Row.Stage, Table: x.Row.Table,
		Priority: x.Row.Priority, Hint: int(x.Reading.Hint), Packets: x.PacketsText(), Match: x.Row.Match, Actions: x.Row.Actions,
		Does: append([]string{}, flow.ActionTexts(x.Acts)...), Differs: x.Differs, Log: x.Log}
	for _, d := range x.Datapaths {
		out.On = append(out.On, d.Name)
	}
	if x.Tier != flow.NoTier {
		out.Tier = &x.Tier
	}
	return out
}

// String is the flow in a line for people.
func (f *FlowFacts) String() string {
	tier := ""
	if f.Tier != nil {
		tier = fmt.Sprintf(" tier %d", *f.Tier)
	}
	text := fmt.Sprintf("%s table %d priority %d%s · %s → %s", f.Name, f.Table, f.Priority, tier, f.Packets, EffectText(f.Does))
	if len(f.Differs) > 0 {
		text += " " + signs.Differs + " " + strings.Join(f.Differs, ", ")
	}
	if f.Shared != "" {
		text += " = " + f.Shared
	}
	return text
}

// EffectText says what a flow does.
func EffectText(does []string) string {
	return cmp.Or(strings.Join(does, "; "), "on to the next stage")
}

package rows

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// ACLFlows are the logical flows of an ACL, compared with it.
type ACLFlows struct {
	revision.ACLFlows
	Flows []FlowFacts `json:"flows"`

	Sign page.Span `json:"-"`
	// Offset says that every flow's priority is the ACL's plus a constant. It is empty if some flows differ.
	Offset string `json:"-"`
}

// FlowFacts describes a logical flow.
type FlowFacts struct {
	UUID     string   `json:"uuid"`
	On       []string `json:"on"`
	Pipeline string   `json:"pipeline"`
	Stage    string   `json:"stage"`
	Name     string   `json:"stage_name"`
	Table    int      `json:"table"`
	Priority int      `json:"priority"`
	// Tier is nil if the flow does not test the tier.
	Tier *int `json:"tier,omitempty"`
	// Hint is the number of the tested bit of reg0, 0 if none is tested; Packets explains it.
	Hint    int       `json:"hint"`
	Packets string    `json:"packets"`
	Match   string    `json:"match"`
	Actions string    `json:"actions"`
	Does    []string  `json:"does"`
	Log     *flow.Log `json:"log,omitempty"`
	// Differs says how the flow differs from the ACL, if it comes from an older row.
	Differs []string `json:"differs,omitempty"`
	// Shared names the other ACLs that share the flow, empty if there are none.
	Shared string `json:"shared,omitempty"`

	Place      string  `json:"-"` // stage, priority and tier
	SharedWith *nb.ACL `json:"-"` // the first other ACL, nil if none
}

// ReadFlows sets Flows to the flows of the line's ACL in its zone.
func (l *Line) ReadFlows(r *revision.Revision, now time.Time) {
	l.Flows = FlowsOfACL(r, r.Zone(l.Zone), l.acl.ACL, now)
}

// FlowsOfACL returns the flows of an ACL in a zone.
func FlowsOfACL(r *revision.Revision, z *model.ZoneState, a *nb.ACL, now time.Time) *ACLFlows {
	out := &ACLFlows{ACLFlows: revision.FlowsOfACL(r, z, a, now), Sign: page.Span{Text: words.Noted, Role: themes.Info}}
	switch {
	case out.State == flow.StateMade:
		out.Sign = page.Span{Text: words.Yes, Role: themes.OK}
	case out.AreLate(now):
		out.Sign = page.Span{Text: words.Differs, Role: themes.Error}
	case out.State == flow.StateMissing || out.State == flow.StateOld:
		out.Sign.Text = words.Working
	}
	out.Flows = model.MapList(out.ACLFlows.Flows, func(x *flow.Flow) FlowFacts {
		of := NewFlowFacts(x)
		of.Shared, of.SharedWith = revision.SharedFlowText(r, a, x)
		return of
	})
	other := func(x FlowFacts) bool { return x.Priority != a.Priority+flow.PriorityOffset }
	if n := len(out.Flows); n > 0 && !slices.ContainsFunc(out.Flows, other) {
		out.Offset = fmt.Sprintf("%s priority is the ACL's + %d.", words.OneOrMany(n, "Its", "Their"), flow.PriorityOffset)
	}
	return out
}

// NewFlowFacts returns the facts of a flow, without other ACLs.
func NewFlowFacts(x *flow.Flow) FlowFacts {
	out := FlowFacts{UUID: x.Row.UUID, On: model.MapList(x.Datapaths, func(d *flow.Datapath) string { return d.Name }),
		Pipeline: x.Row.Pipeline, Stage: string(x.Stage), Name: x.Row.Stage, Table: x.Row.Table,
		Priority: x.Row.Priority, Hint: int(x.Reading.Hint), Packets: x.PacketsText(), Match: x.Row.Match, Actions: x.Row.Actions,
		Does: append([]string{}, flow.ActionTexts(x.Acts)...), Differs: x.Differs, Log: x.Log, Place: x.PlaceText()}
	if x.Tier != flow.NoTier {
		out.Tier = &x.Tier
	}
	return out
}

// String returns the flow in a line for people.
func (f FlowFacts) String() string {
	text := fmt.Sprintf("table %d %s · %s  %s → %s", f.Table, f.Place, f.Packets, f.Name, f.EffectText())
	if len(f.Differs) > 0 {
		text += " " + words.Differs + " " + strings.Join(f.Differs, ", ")
	}
	text += words.Between(" = ", f.Shared, "")
	return text
}

// EffectText says what the flow does.
func (f FlowFacts) EffectText() string {
	return cmp.Or(strings.Join(f.Does, "; "), "on to the next stage")
}

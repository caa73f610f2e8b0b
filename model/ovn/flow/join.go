package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model/ovn/nb"
	"rung/model/words"
)

// Flow is a logical flow with its meaning.
type Flow struct {
	Row *LogicalFlow
	Reading
	Datapaths []*Datapath // datapaths of the flow, by name
	// Differs lists differences from its current ACL: northd made the flow from an older row. Empty if none.
	Differs []string
	// OtherACLHint is the hint of a flow that names another ACL: northd makes one flow for ACLs that differ in nothing
	// a flow has (ovn-kubernetes.md#acls-that-share-flows). Empty for the ACL's own flow.
	OtherACLHint string
	// SharedBy has all ACLs that share the flow, the one of its hint first; nil if not shared. The ACLs have
	// the same slice.
	SharedBy []*nb.ACL
	// Own is the purpose of a flow without an ACL.
	Own string
}

// PlaceText returns where a flow decides: its stage, priority and tier.
func (f *Flow) PlaceText() string {
	s := string(f.Stage)
	if f.Part != PartEval {
		s += " " + string(f.Part)
	}
	s += " · priority " + strconv.Itoa(f.Row.Priority)
	if f.Tier != NoTier {
		s += " · tier " + strconv.Itoa(f.Tier)
	}
	return s
}

// PacketsText describes which of the packets matched by its ACL the flow handles.
func (f *Flow) PacketsText() string { return f.Reading.Hint.String() }

// ACL is an ACL with its flows.
type ACL struct {
	*nb.ACL
	Flows []*Flow // by stage, priority (highest first) and hint
	// Switches are the switches of the zone that the ACL applies to, by name: switches with the ACL, or with a
	// port of its port group. Without any it has no flows, and needs none.
	Switches []string
	// Missing are the Switches that lack a flow of the ACL.
	Missing []string
}

// State is the state of an ACL's flows compared with its row.
type State string

// The states.
const (
	StateMade    State = "made"     // all flows exist, and match the row
	StateMissing State = "missing"  // flows are missing
	StateOld     State = "old"      // the flows are of an older row
	StateNoPort  State = "no ports" // nothing in this zone to apply to
)

// State returns the state of the ACL's flows.
func (a *ACL) State() State {
	switch {
	case slices.ContainsFunc(a.Flows, func(f *Flow) bool { return len(f.Differs) > 0 }):
		return StateOld
	case len(a.Missing) > 0:
		return StateMissing
	case len(a.Switches) == 0:
		return StateNoPort
	}
	return StateMade
}

// JoinedFlows are the ACLs of a zone and the flows of the ACL stages.
type JoinedFlows struct {
	ACLs []*ACL  // in the order of their UUIDs
	Own  []*Flow // flows northd adds, for no ACL
	// Surplus are flows of deleted ACLs, and flows where the row no longer applies.
	Surplus  []*Flow
	Progress NodeProgress
	// UnknownActions counts unknown actions.
	UnknownActions int
}

// ACL returns the ACL with a UUID, or nil.
func (j *JoinedFlows) ACL(uuid string) *ACL {
	i, ok := slices.BinarySearchFunc(j.ACLs, uuid, func(a *ACL, uuid string) int { return cmp.Compare(a.UUID, uuid) })
	if !ok {
		return nil
	}
	return j.ACLs[i]
}

// JoinFlows compares the ACLs of a zone with its logical flows. A flow belongs to an ACL by its hint: eight
// hex digits of a UUID. If several ACLs begin with them, the one with the most similar stage, priority and
// match gets it. ACLs with equal flows share them, under the hint of one ACL.
func JoinFlows(rows *nb.DB, flows *DB) *JoinedFlows {
	out := &JoinedFlows{Progress: ReadProgress(rows, flows)}
	on := switchesByACL(rows)
	byHint := map[string][]*ACL{}
	for a := range rows.ACLs() {
		x := &ACL{ACL: a, Switches: on[a.UUID]}
		out.ACLs = append(out.ACLs, x)
		if len(a.UUID) >= hintLength {
			byHint[a.UUID[:hintLength]] = append(byHint[a.UUID[:hintLength]], x)
		}
	}
	for f := range flows.Flows() {
		x := explainFlow(f, flows)
		if x == nil {
			continue
		}
		out.UnknownActions += x.UnknownActions
		acls := byHint[f.Hint]
		switch {
		case f.Hint == "" || len(acls) == 0 && (x.Part == PartBefore || f.Priority == prioOwn):
			x.Own = x.PurposeText(f.Priority) // such hints are of ports or DHCP options
			out.Own = append(out.Own, x)
		case len(acls) == 0:
			out.Surplus = append(out.Surplus, x)
		default:
			a := slices.MinFunc(acls, func(a, b *ACL) int {
				return cmp.Compare(len(flowDifferences(a.ACL, x)), len(flowDifferences(b.ACL, x)))
			})
			x.Differs = flowDifferences(a.ACL, x)
			a.Flows = append(a.Flows, x)
		}
	}
	for _, a := range out.ACLs {
		a.Missing = missingSwitches(a)
	}
	out.shareFlows()
	for _, a := range out.ACLs {
		slices.SortStableFunc(a.Flows, compareFlows)
	}
	slices.SortStableFunc(out.Own, compareFlows)
	slices.SortStableFunc(out.Surplus, compareFlows)
	return out
}

// hintLength is the number of digits of a UUID in a hint.
const hintLength = 8

func explainFlow(f *LogicalFlow, db *DB) *Flow {
	r, ok := ReadFlow(f.Stage, f.Match, f.Actions)
	if !ok {
		return nil
	}
	x := &Flow{Row: f, Reading: r, Datapaths: db.FlowDatapaths(f)}
	slices.SortFunc(x.Datapaths, func(a, b *Datapath) int { return cmp.Compare(a.Name, b.Name) })
	return x
}

func compareFlows(a, b *Flow) int {
	return cmp.Or(cmp.Compare(a.Stage.Index(), b.Stage.Index()), cmp.Compare(a.Row.Table, b.Row.Table),
		cmp.Compare(b.Row.Priority, a.Row.Priority), cmp.Compare(a.Row.Hint, b.Row.Hint), cmp.Compare(a.Hint, b.Hint),
		cmp.Compare(a.Row.UUID, b.Row.UUID))
}

// missingSwitches returns the switches where an ACL lacks a flow: one for every packet, or one for each of its
// two hints (ovn-kubernetes.md#hints).
func missingSwitches(a *ACL) (out []string) {
	want := []Hint{HintAllowNew, HintAllow}
	if verdictOfAction(a.Action) != ActAllow {
		want = []Hint{HintDrop, HintBlock}
	}
	for _, name := range a.Switches {
		there := map[Hint]bool{}
		for _, f := range a.Flows {
			if f.Part == PartEval && f.Row.Priority != prioRelated &&
				slices.ContainsFunc(f.Datapaths, func(d *Datapath) bool { return d.Name == name }) {
				there[f.Hint] = true
			}
		}
		if !there[0] && !(there[want[0]] && there[want[1]]) {
			out = append(out, name)
		}
	}
	return out
}

// switchesByACL maps ACLs to the names of the switches they apply to.
func switchesByACL(rows *nb.DB) map[string][]string {
	at := map[string]string{} // port → switch
	on := map[string]map[string]bool{}
	add := func(acls []string, name string) {
		for _, uuid := range acls {
			if on[uuid] == nil {
				on[uuid] = map[string]bool{}
			}
			on[uuid][name] = true
		}
	}
	for s := range rows.Switches() {
		add(s.ACLs, s.Name)
		for _, p := range s.Ports {
			at[p] = s.Name
		}
	}
	for g := range rows.PortGroups() {
		seen := map[string]bool{}
		for _, p := range g.Ports {
			if name, ok := at[p]; ok && !seen[name] {
				seen[name] = true
				add(g.ACLs, name)
			}
		}
	}
	out := make(map[string][]string, len(on))
	for uuid, names := range on {
		for name := range names {
			out[uuid] = append(out[uuid], name)
		}
		slices.Sort(out[uuid])
	}
	return out
}

// WhyMissing returns why flows of an ACL are missing or old, as far as the databases show; empty if nothing is
// wrong.
func (j *JoinedFlows) WhyMissing(a *ACL) string {
	switch a.State() {
	case StateNoPort:
		return "no port of its port group is in this zone: no flows needed"
	case StateOld, StateMissing:
		return j.Progress.NorthdText()
	}
	switch {
	case slices.ContainsFunc(a.Flows, (*Flow).isRefusedByName):
		return "ovn-controller cannot read the name in its log action: the ACL has no effect on the nodes"
	case j.Progress.NodesBehind():
		return j.Progress.NodesText()
	}
	return ""
}

// NorthdText describes why flows do not follow rows.
func (p *NodeProgress) NorthdText() string {
	switch {
	case p.NorthdBehind():
		return fmt.Sprintf("northd is behind: rows #%d, flows #%d", p.Written.Cfg, p.Made.Cfg)
	case !p.IsTracked():
		return "northd has not made them: it is behind or stopped (unknown which: nb_cfg was never raised)"
	}
	return "northd has not made them since the last raise of nb_cfg: it is behind or stopped"
}

// SummaryText returns in one line how many ACLs have their flows.
func (j *JoinedFlows) SummaryText() string {
	count := map[State]int{}
	flows := map[*LogicalFlow]bool{} // several ACLs may share one
	for _, a := range j.ACLs {
		count[a.State()]++
		for _, f := range a.Flows {
			flows[f.Row] = true
		}
	}
	parts := []string{fmt.Sprintf("%s of %s", words.Count(len(flows), "flow"), words.Count(count[StateMade], "ACL"))}
	for _, s := range []struct {
		n    int
		text string
	}{
		{count[StateMissing], "without flows"}, {count[StateOld], "with flows of an older row"},
		{count[StateNoPort], "without ports in this zone"},
	} {
		if s.n > 0 {
			parts = append(parts, words.Count(s.n, "ACL")+" "+s.text)
		}
	}
	if n := len(j.Surplus); n > 0 {
		parts = append(parts, words.Count(n, "flow")+" of deleted ACLs")
	}
	return strings.Join(parts, " · ")
}

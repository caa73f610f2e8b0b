package revision

import (
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/model/words"
)

// The states of an ACL's logical flows, in addition to those of package flow.
const (
	FlowsUnavailable flow.State = "not available" // no Southbound database is known
	FlowsUnread      flow.State = "not read"      // not read yet, or unreadable
)

// ACLFlows are the logical flows that northd made from an ACL in a zone.
type ACLFlows struct {
	State flow.State `json:"state"`
	Text  string     `json:"text"` // a sentence about State, with the likely cause of missing or old flows
	// Missing are the switches without flows. Since is when missing or old flows were first seen.
	Missing []string     `json:"missing_on,omitempty"`
	Since   model.Stamp  `json:"since,omitzero"`
	Flows   []*flow.Flow `json:"-"` // by stage, priority and hint
}

// AreLate reports whether flows are missing, or of an older row, for longer than northd needs.
func (f *ACLFlows) AreLate(now time.Time) bool {
	return (f.State == flow.StateMissing || f.State == flow.StateOld) && now.Sub(f.Since.Time) >= flowSettle
}

// FlowsOfACL returns the logical flows of a live ACL in a zone.
func FlowsOfACL(r *Revision, z *model.ZoneState, a *nb.ACL, now time.Time) (f ACLFlows) {
	s := zoneSouthbound(r, z)
	if !s.HasFlows() {
		f.State, f.Text = whyUnread(r, z, s, now)
		return f
	}
	x := s.Joined.ACL(a.UUID)
	if x == nil {
		f.State, f.Text = FlowsUnread, "The row is new; its flows appear in a moment."
		return f
	}
	f.State, f.Flows, f.Missing, f.Since.Time = x.State(), x.Flows, x.Missing, s.LateSince[a.UUID]
	made := words.Count(len(f.Flows), "flow")
	switch f.State {
	case flow.StateMade:
		f.Text = made + " on " + words.ListSome(x.Switches, 3) + "."
		if p := ReadProgress(r, z); p.NodesBehind() && p.isBehindFor(now, p.Nodes) {
			f.Text += " Not everywhere in force: " + p.NodesText() + p.lagText(now, p.Nodes) + "."
		}
	case flow.StateNoPort:
		f.Text = "No flows: " + s.Joined.WhyMissing(x) + "."
	case flow.StateMissing:
		f.Text = "Missing on " + words.ListSome(f.Missing, 3) + sinceText(now, f.Since.Time) + ": " +
			whyFlowsLate(r, z, s, f.Since.Time, now)
	case flow.StateOld:
		f.Text = "Made of an older row" + sinceText(now, f.Since.Time) + ": " + whyFlowsLate(r, z, s, f.Since.Time, now)
	}
	if old := staleFlowsText(r, s, now); old != "" {
		f.Text += " " + old
	}
	return f
}

func zoneSouthbound(r *Revision, z *model.ZoneState) *Southbound {
	if z == nil {
		return nil
	}
	return r.Southbound(z.Name)
}

// whyUnread explains why no flows are known.
func whyUnread(r *Revision, z *model.ZoneState, s *Southbound, now time.Time) (flow.State, string) {
	switch {
	case s == nil:
		if r.Mode.Sandbox {
			return FlowsUnavailable, "The sandbox has flows only on real OVN: --sandbox-ovn."
		}
		return FlowsUnavailable, "No Southbound database is known for this zone: name it with --sb ZONE=ADDR."
	case z.DB == nil:
		return FlowsUnread, "Not compared: the zone's rows were not read."
	case s.Error != "":
		return FlowsUnread, "Southbound database: " + string(s.Conn) + sinceText(now, s.ConnAt) + ": " + s.Error
	case s.DB != nil || s.Followed && s.Conn != model.ConnLost:
		return FlowsUnread, "Reading the Southbound database…"
	}
	return FlowsUnread, "The Southbound database is read on demand."
}

// staleFlowsText tells how old the flows are, empty if they are current.
func staleFlowsText(r *Revision, s *Southbound, now time.Time) string {
	if s.IsCurrent() {
		return ""
	}
	text := "Flows as of " + words.TimeLasted(now.Sub(s.SyncedAt)) + " ago. Southbound database: " + string(s.Conn) + sinceText(now, s.ConnAt)
	if s.Error != "" {
		text += ": " + s.Error
	}
	return text
}

func whyFlowsLate(r *Revision, z *model.ZoneState, s *Southbound, since, now time.Time) string {
	p := ReadProgress(r, z)
	for _, d := range p.Down {
		if strings.Contains(d.Process, "northd") || strings.Contains(d.Process, "sb ") {
			return d.AgedText(now) + "."
		}
	}
	switch {
	case !z.IsCurrent():
		return "the rows are older than the flows."
	case p.NorthdBehind():
		return p.NorthdText() + p.lagText(now, p.Northd) + "."
	case now.Sub(since) < flowSettle:
		return "northd may still be working."
	case !s.IsCurrent():
		return "they may exist by now."
	}
	return p.NorthdText() + "."
}

// FlowTally summarizes the flows of a zone for the zones page, `rung zones` and `rung rows --flows`.
type FlowTally struct {
	Known bool `json:"-"`
	// ACLs counts ACLs by state, Flows the flows made for an ACL, Surplus those of deleted ACLs. Own counts
	// the flows northd adds, UnknownActions the actions that Rung does not know.
	ACLs           map[flow.State]int `json:"acls"`
	Flows          int                `json:"flows"`
	Surplus        int                `json:"-"`
	Own            int                `json:"ovns_own"`
	UnknownActions int                `json:"unknown_actions,omitempty"`
	// Summary counts the ACLs that have flows. Text names faults and their cause, empty if there are none.
	Summary string `json:"summary"`
	Text    string `json:"text,omitempty"`
	// State describes the Southbound database in a few words.
	State string `json:"-"`
	// Since is when missing, old or surplus flows were first seen.
	Since time.Time `json:"-"`
}

// TallyFlows counts the flows of a zone.
func TallyFlows(r *Revision, z *model.ZoneState, now time.Time) (t FlowTally) {
	s := zoneSouthbound(r, z)
	if s == nil {
		return t
	}
	t.State = string(s.Conn)
	if !s.Followed {
		t.State = "on demand"
	}
	if !s.HasFlows() {
		if s.Error != "" {
			_, t.Text = whyUnread(r, z, s, now)
		}
		return t
	}
	t.Known, t.ACLs, t.UnknownActions = true, map[flow.State]int{}, s.Joined.UnknownActions
	t.Summary = s.Joined.SummaryText()
	t.Surplus, t.Own = len(s.Joined.Surplus), len(s.Joined.Own)
	for _, a := range s.Joined.ACLs {
		t.ACLs[a.State()]++
		t.Flows += len(a.Flows)
	}
	var parts []string
	for _, c := range []struct {
		n    int
		text string
	}{{t.ACLs[flow.StateMissing], "without flows"}, {t.ACLs[flow.StateOld], "with flows of an older row"}} {
		if c.n > 0 {
			parts = append(parts, words.Count(c.n, "ACL")+" "+c.text)
		}
	}
	if t.Surplus > 0 {
		parts = append(parts, words.Count(t.Surplus, "flow")+words.OneOrMany(t.Surplus, " of a deleted ACL", " of deleted ACLs"))
	}
	t.Since = s.EarliestLate
	if len(parts) > 0 {
		t.Text = words.List(parts, 3) + sinceText(now, t.Since) + ": " + whyFlowsLate(r, z, s, t.Since, now)
	}
	if old := staleFlowsText(r, s, now); old != "" {
		t.Text = strings.TrimSpace(t.Text + " " + old)
	}
	return t
}

// SurplusFlows returns the flows of a zone whose ACL was deleted, and the likely cause.
func SurplusFlows(r *Revision, z *model.ZoneState, now time.Time) (flows []*flow.Flow, why string) {
	s := zoneSouthbound(r, z)
	if !s.HasFlows() || len(s.Joined.Surplus) == 0 {
		return nil, ""
	}
	first := now
	for _, f := range s.Joined.Surplus {
		if at, ok := s.LateSince[f.Row.UUID]; ok && at.Before(first) {
			first = at
		}
	}
	return s.Joined.Surplus, "Their ACL was deleted" + sinceText(now, first) + ": " + whyFlowsLate(r, z, s, first, now)
}

// BehindTexts returns a sentence for each fault below the rows of a zone, with its age and cause.
func BehindTexts(r *Revision, z *model.ZoneState, now time.Time) (out []string) {
	p := ReadProgress(r, z)
	if text := p.BehindText(now); text != "" {
		out = append(out, text)
	}
	if areFlowsFaulty(zoneSouthbound(r, z), now) {
		out = append(out, TallyFlows(r, z, now).Text)
	}
	return out
}

// IsBelowFaulty reports whether BehindTexts returns any text, cheaply: the header asks in every frame.
func IsBelowFaulty(r *Revision, z *model.ZoneState, now time.Time) bool {
	p := ReadProgress(r, z)
	return p.isLate(now) || areFlowsFaulty(zoneSouthbound(r, z), now)
}

// areFlowsFaulty reports whether flows lag behind rows for longer than northd needs, or cannot be read.
func areFlowsFaulty(s *Southbound, now time.Time) bool {
	switch {
	case s == nil:
		return false
	case !s.HasFlows():
		return s.Error != ""
	case s.EarliestLate.IsZero():
		return !s.IsCurrent()
	}
	return now.Sub(s.EarliestLate) >= flowSettle
}

// sharersNamed limits the names of ACLs that share a flow.
const sharersNamed = 2

// SharedFlowText names the other ACLs that share a flow, and returns the first of them. Text is empty if the
// flow belongs to the ACL alone.
func SharedFlowText(r *Revision, a *nb.ACL, x *flow.Flow) (text string, first *nb.ACL) {
	switch {
	case len(x.SharedBy) > 1:
		names := make([]string, 0, len(x.SharedBy)) // many may share one, so only named ones are looked up
		for _, o := range x.SharedBy {
			switch {
			case o.UUID == a.UUID:
				continue
			case first == nil:
				first = o
			}
			name := ""
			if len(names) < sharersNamed {
				name = ruleNameOfACL(r, o)
			}
			names = append(names, name)
		}
		return "shared with " + words.List(names, sharersNamed), first
	case x.OtherACLHint != "":
		return "northd made it for a deleted ACL (" + x.OtherACLHint + "…) and keeps it for this one", nil
	}
	return "", nil
}

func ruleNameOfACL(r *Revision, a *nb.ACL) string {
	d := verdict.RowDecider(a, nil)
	d.RuleName = ruleName(r, d.Policy, d.Direction, d.Rule)
	return DeciderText(&d)
}

// ruleName returns the name of a policy's rule, empty if it has none or is unknown.
func ruleName(r *Revision, k model.PolicyKey, dir model.Direction, index int) string {
	if p := r.Cluster.Policy(k); p != nil {
		if rule := p.Rule(dir, index); rule != nil {
			return rule.Name
		}
	}
	return ""
}

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

// FlowState is how the logical flows of an ACL stand.
type FlowState string

// The states beside those of package flow.
const (
	FlowsUnavailable FlowState = "not available" // no Southbound database is known
	FlowsUnread      FlowState = "not read"      // not yet, or it cannot be
	FlowsMade                  = FlowState(flow.StateMade)
	FlowsMissing               = FlowState(flow.StateMissing)
	FlowsOld                   = FlowState(flow.StateOld)
	FlowsNoPort                = FlowState(flow.StateNoPort)
)

// ACLFlows are the logical flows that northd made of an ACL in a zone.
type ACLFlows struct {
	State FlowState
	Flows []*flow.Flow // by stage, priority and hint
	// Missing are the switches on which flows are missing, Since is since when that, or
	// an older row behind the flows, was seen.
	Missing []string
	Since   time.Time
	// Text is a sentence on the state: the flows there are, and the likely cause of
	// missing or old ones.
	Text string
}

// AreLate says whether flows are missing, or of an older row, for longer than northd needs.
func (f *ACLFlows) AreLate(now time.Time) bool {
	return (f.State == FlowsMissing || f.State == FlowsOld) && now.Sub(f.Since) >= flowSettle
}

// FlowsOfACL are the logical flows of a live ACL in a zone.
func FlowsOfACL(r *Revision, z *model.ZoneState, a *nb.ACL, now time.Time) (f ACLFlows) {
	s := southboundOf(r, z)
	if !s.HasFlows() {
		f.State, f.Text = whyUnread(r, z, s, now)
		return f
	}
	x := s.Joined.ACL(a.UUID)
	if x == nil {
		f.State, f.Text = FlowsUnread, "The row is new; its flows appear in a moment."
		return f
	}
	f.State, f.Flows, f.Missing, f.Since = FlowState(x.State()), x.Flows, x.Missing, s.LateSince[a.UUID]
	made := words.Count(len(f.Flows), "flow")
	switch f.State {
	case FlowsMade:
		f.Text = made + " on " + words.ListSome(x.Switches, 3) + "."
		if p := ProgressOf(r, z); p.NodesBehind() && p.isBehindFor(now, p.Nodes) {
			f.Text += " Not everywhere in force: " + p.NodesText() + p.forHow(now, p.Nodes) + "."
		}
	case FlowsNoPort:
		f.Text = "No flows: " + s.Joined.WhyMissing(x) + "."
	case FlowsMissing:
		f.Text = "Missing on " + words.ListSome(f.Missing, 3) + sinceText(now, f.Since) + ": " + whyFlowsLate(r, z, s, f.Since, now)
	case FlowsOld:
		f.Text = "Made of an older row" + sinceText(now, f.Since) + ": " + whyFlowsLate(r, z, s, f.Since, now)
	}
	if old := staleFlowsText(r, s, now); old != "" {
		f.Text += " " + old
	}
	return f
}

func southboundOf(r *Revision, z *model.ZoneState) *Southbound {
	if z == nil {
		return nil
	}
	return r.Southbound(z.Name)
}

// whyUnread says why there are no flows.
func whyUnread(r *Revision, z *model.ZoneState, s *Southbound, now time.Time) (FlowState, string) {
	switch {
	case s == nil:
		if r.Mode.Sandbox {
			return FlowsUnavailable, "Flows are there in a sandbox on real OVN: --sandbox-ovn."
		}
		return FlowsUnavailable, "No Southbound database is known for this zone: --sb ZONE=ADDR names it."
	case z.DB == nil:
		return FlowsUnread, "Not compared: the rows of the zone are not read."
	case s.Error != "":
		return FlowsUnread, "Southbound database: " + string(s.Conn) + sinceText(now, s.ConnAt) + ": " + s.Error
	case s.DB != nil || s.Followed && s.Conn != model.ConnLost:
		return FlowsUnread, "Reading the Southbound database…"
	}
	return FlowsUnread, "The Southbound database is read while somebody looks."
}

// staleFlowsText says that flows are of an earlier time, empty where they are current.
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

// whyFlowsLate is the likely cause of flows that are missing, of an older row, or left over.
func whyFlowsLate(r *Revision, z *model.ZoneState, s *Southbound, since, now time.Time) string {
	p := ProgressOf(r, z)
	for _, d := range p.Down {
		if strings.Contains(d.Name, "northd") || strings.Contains(d.Name, "sb ") {
			return d.Text(now) + "."
		}
	}
	switch {
	case !z.IsCurrent():
		return "the rows are of an earlier time than the flows."
	case p.NorthdBehind():
		return p.NorthdText() + p.forHow(now, p.Northd) + "."
	case now.Sub(since) < flowSettle:
		return "northd may still be at it."
	case !s.IsCurrent():
		return "they may have come since."
	}
	return p.NorthdText() + "."
}

// FlowTally is how the flows of a zone stand: the one count of the zones page,
// `rung zones` and `rung rows --flows`.
type FlowTally struct {
	Known bool
	// ACLs by state, and flows that were made for an ACL; Surplus are those of ACLs that
	// are gone, Own those that are OVN's own. Odd counts actions that Rung does not know.
	ACLs                     map[FlowState]int
	Flows, Surplus, Own, Odd int
	// Summary is how many ACLs have their flows; Text says what is not as it should be and
	// why, empty where nothing is.
	Summary, Text string
	// State of the Southbound database in a few words.
	State string
	// Since is since when something is missing, old or left over.
	Since time.Time
}

// TallyFlows counts the flows of a zone.
func TallyFlows(r *Revision, z *model.ZoneState, now time.Time) (t FlowTally) {
	s := southboundOf(r, z)
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
	t.Known, t.ACLs, t.Odd = true, map[FlowState]int{}, s.Joined.Odd
	t.Summary = s.Joined.SummaryText()
	t.Surplus, t.Own = len(s.Joined.Surplus), len(s.Joined.Own)
	for _, a := range s.Joined.ACLs {
		t.ACLs[FlowState(a.State())]++
		t.Flows += len(a.Flows)
	}
	var parts []string
	for _, c := range []struct {
		n    int
		text string
	}{{t.ACLs[FlowsMissing], "without flows"}, {t.ACLs[FlowsOld], "with flows of an older row"}} {
		if c.n > 0 {
			parts = append(parts, words.Count(c.n, "ACL")+" "+c.text)
		}
	}
	if t.Surplus > 0 {
		parts = append(parts, words.Count(t.Surplus, "flow")+words.OneOrMany(t.Surplus, " of an ACL that is gone", " of ACLs that are gone"))
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

// SurplusFlows are the flows of a zone that were made for an ACL that is gone, with the
// likely cause.
func SurplusFlows(r *Revision, z *model.ZoneState, now time.Time) (flows []*flow.Flow, why string) {
	s := southboundOf(r, z)
	if !s.HasFlows() || len(s.Joined.Surplus) == 0 {
		return nil, ""
	}
	first := now
	for _, f := range s.Joined.Surplus {
		if at, ok := s.LateSince[f.Row.UUID]; ok && at.Before(first) {
			first = at
		}
	}
	return s.Joined.Surplus, "The ACL they were made of is gone" + sinceText(now, first) + ": " + whyFlowsLate(r, z, s, first, now)
}

// BehindTexts lists what is behind below the rows of a zone, since when and why, a sentence
// each.
func BehindTexts(r *Revision, z *model.ZoneState, now time.Time) (out []string) {
	p := ProgressOf(r, z)
	if text := p.BehindText(now); text != "" {
		out = append(out, text)
	}
	if areFlowsFaulty(southboundOf(r, z), now) {
		out = append(out, TallyFlows(r, z, now).Text)
	}
	return out
}

// IsBelowFaulty says whether there is anything that BehindTexts tells, and works out no text: the
// header asks with every frame.
func IsBelowFaulty(r *Revision, z *model.ZoneState, now time.Time) bool {
	p := ProgressOf(r, z)
	return p.isLate(now) || areFlowsFaulty(southboundOf(r, z), now)
}

// areFlowsFaulty says whether flows do not follow rows for longer than northd needs, or cannot
// be read.
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

// sharersNamed is how many of the ACLs that share a flow are named.
const sharersNamed = 2

// SharedFlowText says with which other ACLs the flow of one is shared, and which is the first of
// them; empty where it is the ACL's own.
func SharedFlowText(r *Revision, a *nb.ACL, x *flow.Flow) (text string, first *nb.ACL) {
	switch {
	case len(x.SharedBy) > 1:
		names := make([]string, 0, len(x.SharedBy)) // many may share one: those that are named are looked up
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
	case x.Twin != "":
		return "northd made it for an ACL that is gone (" + x.Twin + "…) and keeps it for this one", nil
	}
	return "", nil
}

// ruleNameOfACL is the rule of an ACL, or what stands for one.
func ruleNameOfACL(r *Revision, a *nb.ACL) string {
	d := verdict.RowDecider(a, nil)
	if p := r.Cluster.Policy(d.Policy); p != nil {
		if rule := p.Rule(d.Direction, d.Rule); rule != nil {
			d.RuleName = rule.Name
		}
	}
	return DeciderText(&d)
}

package revision

import (
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/verdict"
)

// OVNTrace holds the answers of ovn-trace and of the rows about a connection.
type OVNTrace struct {
	Connection verdict.Connection
	At         time.Time
	Paths      []OVNPath // one, or one for each endpoint of a Service
}

// OVNPath is the path of a connection between two ends.
type OVNPath struct {
	// Rows is the path by the rows. For a Service it goes directly to the endpoint: ovn-trace is asked about
	// that, past load balancing.
	Rows verdict.Path
	// Zones are the zones asked, in order of the path.
	Zones []OVNZoneTrace
	// Why says why ovn-trace was not asked, empty if it was.
	Why string
}

// OVNZoneTrace is the part of a path in one zone.
type OVNZoneTrace struct {
	Zone    string
	RunAt   string   // "exec:NAMESPACE/POD/CONTAINER", or the sandbox
	Command []string // the command that was run
	Text    string   // its output, cleaned
	Error   string   // why there is no output
	Stages  []OVNStage
	// End is how the packet's path ends, EndsAt where.
	End    flow.Ending
	EndsAt []string
	// Progress is northd's progress after the trace, by the numbers of NB_Global.
	Progress flow.NodeProgress
	// Changed means that the rows' decision changed while ovn-trace ran.
	Changed bool
	// Problems are the complaints in ovn-trace's output.
	Problems []string
}

// OVNStage compares the decisions of OVN and of the rows in one stage.
type OVNStage struct {
	Stage model.Stage
	// Verdict is OVN's, Unknown if the packet did not reach the stage.
	Verdict verdict.Verdict
	// RulesBehind holds the rule of the deciding ACL, empty if no ACL decided. Then OwnEffect is the effect of
	// the deciding flow that northd adds.
	RulesBehind RulesBehindFlow
	ACL         bool // an ACL decided
	OwnEffect   string
	Rows        verdict.StageVerdict
	// Passed are the rules that passed the packet to the next tier, in order.
	Passed []RulesBehindFlow
	Agreement
}

// Agreement compares OVN's answer with the rows'.
type Agreement string

// The values of Agreement.
const (
	Agree       Agreement = "agree"
	Disagree    Agreement = "disagree"
	NotCompared Agreement = "not compared"
)

// Agreement compares OVN with the rows for the whole connection. It is Disagree if any path disagrees.
func (t *OVNTrace) Agreement() Agreement {
	out := NotCompared
	for i := range t.Paths {
		switch t.Paths[i].Agreement() {
		case Disagree:
			return Disagree
		case Agree:
			out = Agree
		}
	}
	return out
}

// Verdict returns OVN's verdict, joined over the endpoints of a Service. Without an answer of OVN it is
// Unknown.
func (t *OVNTrace) Verdict() verdict.Verdict {
	var a verdict.Answer
	for i := range t.Paths {
		if w := &t.Paths[i]; w.Why == "" {
			a.Paths = append(a.Paths, verdict.Path{Verdict: w.Verdict()})
		}
	}
	if len(a.Paths) == 0 {
		return verdict.Unknown
	}
	a.JoinPaths()
	return a.Verdict
}

// Agreement compares one path: it agrees if every stage that both reached agrees, and both reached a verdict.
func (w *OVNPath) Agreement() Agreement {
	if w.Why != "" {
		return NotCompared
	}
	compared := true
	for i := range w.Zones {
		h := &w.Zones[i]
		compared = compared && h.Error == ""
		for j := range h.Stages {
			if h.Stages[j].Agreement == Disagree {
				return Disagree
			}
			compared = compared && h.Stages[j].Agreement == Agree
		}
	}
	if compared {
		return Agree
	}
	return NotCompared
}

// Verdict returns the verdict of OVN's ACLs. Zones has what else happens to the packet.
func (w *OVNPath) Verdict() verdict.Verdict {
	if w.Why != "" {
		return verdict.Unknown
	}
	out := verdict.Allow
	for i := range w.Zones {
		h := &w.Zones[i]
		if h.Error != "" {
			out = verdict.Unknown
		}
		for j := range h.Stages {
			switch h.Stages[j].Verdict {
			case verdict.Deny:
				return verdict.Deny
			case verdict.Unknown:
				out = verdict.Unknown
			}
		}
	}
	return out
}

// ReadOutput parses Text, the output of ovn-trace about a packet, and compares it with the rows' decisions in
// that zone. finder finds the zone's ACLs. It returns OVN's verdict.
func (h *OVNZoneTrace) ReadOutput(a *flow.PacketQuestion, rows []verdict.StageVerdict, finder *RuleFinder) verdict.Verdict {
	report := flow.Parse(h.Text)
	h.Stages, h.Problems = nil, slices.Clone(report.Problems)
	if len(report.Traces) == 0 {
		h.Error = "ovn-trace printed no trace"
		if len(h.Problems) > 0 {
			h.Error = strings.Join(h.Problems, "; ")
		}
		return verdict.Unknown
	}
	t := report.Traces[0]
	h.Problems = append(h.Problems, t.Problems...)
	h.End, h.EndsAt = t.EndOfTrace()
	first := passesOfSwitch(t, a.Datapath)
	lost := isLostOn(t, first)
	out := verdict.Allow
	for i := range rows {
		if rows[i].Zone != h.Zone || rows[i].Reply {
			continue
		}
		s := OVNStage{Stage: rows[i].Stage, Verdict: verdict.Allow, Rows: rows[i]} // a switch may have no ACL for the stage
		if d := decisionIn(t, first, rows[i].Stage); d != nil {
			s.ovnDecided(d, finder)
		} else if lost {
			s.Verdict, out = verdict.Unknown, verdict.Unknown
		}
		s.compareWithRows()
		h.Stages = append(h.Stages, s)
		if s.Verdict == verdict.Deny {
			return verdict.Deny
		}
	}
	return out
}

// passesOfSwitch returns the passes of a packet on its first way over a switch.
func passesOfSwitch(t *flow.Trace, datapath string) (out []*flow.Pass) {
	for _, p := range t.Passes {
		switch {
		case p.Answer:
		case p.Datapath == datapath:
			out = append(out, p)
		case len(out) > 0:
			return out
		}
	}
	return out
}

// isLostOn reports whether the packet ended in one of the passes, but not by an ACL.
func isLostOn(t *flow.Trace, passes []*flow.Pass) bool {
	if len(passes) == 0 {
		return true
	}
	switch end, _ := t.EndOfTrace(); end {
	case flow.EndLost, flow.EndUnknown:
	default:
		return false
	}
	last := t.Passes[len(t.Passes)-1]
	return slices.Contains(passes, last)
}

// decisionIn returns the decision of a stage's ACLs in the passes, nil if none was evaluated.
func decisionIn(t *flow.Trace, passes []*flow.Pass, stage model.Stage) *flow.Decision {
	for _, d := range t.Decisions() {
		if d.Stage == stage && slices.Contains(passes, d.Pass) {
			return d
		}
	}
	return nil
}

func (s *OVNStage) ovnDecided(d *flow.Decision, finder *RuleFinder) {
	s.Verdict, s.OwnEffect = verdict.Allow, d.Own
	if d.Verdict == flow.ActDrop || d.Verdict == flow.ActReject {
		s.Verdict = verdict.Deny
	}
	for i, m := range d.Met {
		switch last := i == len(d.Met)-1; {
		case m.Verdict == flow.Passes:
			s.Passed = append(s.Passed, finder.FindBehind(d, m))
		case last && d.Own == "":
			s.ACL, s.RulesBehind = true, finder.FindBehind(d, m)
		}
	}
}

// compareWithRows compares OVN's decision with the rows'. OVN may choose any of tied rows.
func (s *OVNStage) compareWithRows() {
	switch {
	case s.Verdict == verdict.Unknown || s.Rows.Verdict == verdict.Unknown:
		s.Agreement = NotCompared
	case s.Rows.Verdict == verdict.Undefined:
		s.Agreement = Disagree
		if !s.ACL || slices.ContainsFunc(s.Rows.Candidates, s.isBehindFlow) {
			s.Agreement = Agree
		}
	case s.Verdict != s.Rows.Verdict:
		s.Agreement = Disagree
	case s.ACL != (s.Rows.Decided != nil), s.ACL && !s.isBehindFlow(*s.Rows.Decided):
		s.Agreement = Disagree
	default:
		s.Agreement = Agree
	}
}

// isBehindFlow reports whether the flow comes from a row or another row of its rule. Rows with the same tier,
// priority and action count as equal.
func (s *OVNStage) isBehindFlow(d verdict.Decider) bool {
	return slices.ContainsFunc(s.RulesBehind.Rules, func(b BehindRule) bool {
		r := verdict.RowDecider(b.ACL, nil)
		if r.Policy != (model.Key{}) && r.Rule >= 0 && r.Policy == d.Policy && r.Direction == d.Direction && r.Rule == d.Rule {
			return true
		}
		return r.ACL == d.ACL || r.Tier == d.Tier && r.Priority == d.Priority && r.Action == d.Action
	})
}

package revision

import (
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/flow"

	"rung/model/verdict"
)

// OVNTrace is the answer of ovn-trace about a connection, beside the answer of the
// rows.
type OVNTrace struct {
	Connection verdict.Connection
	At         time.Time
	Ways       []OVNWay // one, or for a Service one for each of its endpoints
}

// OVNWay is the way of a connection between two ends.
type OVNWay struct {
	// Rows is the path that the rows decide. For a Service it is the connection to the
	// endpoint itself: ovn-trace is asked about that, past load balancing.
	Rows verdict.Path
	// Zones are the zones that were asked, in the order of the way.
	Zones []OVNZoneWay
	// Why ovn-trace was not asked, empty where it was.
	Why string
}

// OVNZoneWay is a way through one zone.
type OVNZoneWay struct {
	Zone    string
	RunAt   string   // it was run: "exec:NAMESPACE/POD/CONTAINER", or the sandbox
	Command []string // that was run
	Text    string   // that it printed; clean
	Error   string   // why there is none
	Stages  []OVNStage
	// End is how the packet's way ends, EndsAt where.
	End    flow.Ending
	EndsAt []string
	// Progress is how far northd was when it had run, by the numbers of NB_Global.
	Progress flow.NodeProgress
	// Changed says that what the rows decide changed while ovn-trace ran.
	Changed bool
	// Problems are the complaints that ovn-trace printed.
	Problems []string
}

// OVNStage is the decision of OVN and the decision of the rows in one stage.
type OVNStage struct {
	Stage model.Stage
	// Verdict is OVN's, Unknown where the packet did not come as far.
	Verdict verdict.Verdict
	// RulesBehind is the rule behind the ACL that decided, empty where no ACL did. OwnEffect is then the
	// effect of the flow of OVN's own that decided.
	RulesBehind RulesBehindFlow
	ACL         bool // an ACL decided
	OwnEffect   string
	Rows        verdict.StageVerdict
	// Passed are the rules that passed the packet on to the next tier, in order.
	Passed []RulesBehindFlow
	Agreement
}

// Agreement says whether OVN and the rows say the same.
type Agreement string

// The agreements.
const (
	Agree       Agreement = "agree"
	Disagree    Agreement = "disagree"
	NotCompared Agreement = "not compared"
)

// Agreement of the whole connection: one way that disagrees is enough.
func (t *OVNTrace) Agreement() Agreement {
	out := NotCompared
	for i := range t.Ways {
		switch t.Ways[i].Agreement() {
		case Disagree:
			return Disagree
		case Agree:
			out = Agree
		}
	}
	return out
}

// Verdict returns OVN's verdict, joined over the endpoints of a Service. Unknown if OVN was asked
// about none.
func (t *OVNTrace) Verdict() verdict.Verdict {
	var a verdict.Answer
	for i := range t.Ways {
		if w := &t.Ways[i]; w.Why == "" {
			a.Paths = append(a.Paths, verdict.Path{Verdict: w.Verdict()})
		}
	}
	if len(a.Paths) == 0 {
		return verdict.Unknown
	}
	a.JoinPaths()
	return a.Verdict
}

// Agreement of a way: each stage that both came to says the same, and they came to the
// verdict.
func (w *OVNWay) Agreement() Agreement {
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

// Verdict is OVN's, of the ACLs: what becomes of the packet elsewhere is in the halves.
func (w *OVNWay) Verdict() verdict.Verdict {
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

// ReadOutput reads Text, what ovn-trace printed about a packet, and holds it against what the
// rows decide in the stages of that zone. finder finds the zone's ACLs. It returns OVN's
// verdict.
func (h *OVNZoneWay) ReadOutput(a *flow.PacketQuestion, rows []verdict.StageVerdict, finder *RuleFinder) verdict.Verdict {
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
		s := OVNStage{Stage: rows[i].Stage, Verdict: verdict.Allow, Rows: rows[i]} // a switch may have no ACL for it
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

// passesOfSwitch are the passes of a packet on its first way over a switch.
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

// isLostOn says whether the packet's way ended in one of the passes without an ACL's doing.
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

// decisionIn returns the decision of a stage's ACLs in the passes, nil where none was
// asked.
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

// compareWithRows holds OVN's decision against the rows'. Of rows that are tied OVN may take any.
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

// isBehindFlow says whether a row, or one of its rule, is behind the flow. Which of several rows of
// one tier and priority that do the same was met makes no difference.
func (s *OVNStage) isBehindFlow(d verdict.Decider) bool {
	return slices.ContainsFunc(s.RulesBehind.Rules, func(b BehindRule) bool {
		r := verdict.RowDecider(b.ACL, nil)
		if r.Policy != (model.Key{}) && r.Rule >= 0 && r.Policy == d.Policy && r.Direction == d.Direction && r.Rule == d.Rule {
			return true
		}
		return r.ACL == d.ACL || r.Tier == d.Tier && r.Priority == d.Priority && r.Action == d.Action
	})
}

package revision

import (
	"fmt"
	"strings"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/verdict"
	"rung/model/words"
)

// OVNWords is the text of an OVNTrace, for console and command line.
type OVNWords struct {
	// Headline is the answer: "allow, as the rows say".
	Headline          string
	Agrees, Disagrees bool // with the rows; both false if not compared
	Paths             []OVNPathWords
}

// OVNPathWords is the text of one path. To names its end if a trace has several paths.
type OVNPathWords struct {
	To    string
	Lines []OVNLine
	Notes []string
}

// OVNLine shows one stage: the decisions of OVN and of the rows.
type OVNLine struct {
	Stage, Zone string
	OVN, Rows   string
	Agreement   Agreement
}

// InWords returns the trace as text.
func (t *OVNTrace) InWords() OVNWords {
	out := OVNWords{Headline: t.headline(), Agrees: t.Agreement() == Agree, Disagrees: t.Agreement() == Disagree}
	for i := range t.Paths {
		w := &t.Paths[i]
		x := OVNPathWords{}
		if len(t.Paths) > 1 {
			x.To = w.Rows.To.Endpoint.String()
		}
		if w.Why != "" {
			x.Notes = append(x.Notes, w.Why)
		}
		for j := range w.Zones {
			h := &w.Zones[j]
			for k := range h.Stages {
				s := &h.Stages[k]
				last := j == len(w.Zones)-1 && k == len(h.Stages)-1
				if !last && s.Agreement == Agree && s.Verdict == verdict.Allow && !s.ACL && s.Rows.Decided == nil &&
					len(s.Passed)+len(s.Rows.Passed) == 0 {
					continue // both say that no rule matched
				}
				x.Lines = append(x.Lines, OVNLine{Stage: string(s.Stage), Zone: h.Zone, Agreement: s.Agreement,
					OVN: s.ovnText(), Rows: s.rowsText()})
			}
			x.Notes = append(x.Notes, h.noteTexts()...)
		}
		out.Paths = append(out.Paths, x)
	}
	return out
}

// headline returns OVN's verdict, and whether the rows agree.
func (t *OVNTrace) headline() string {
	v := t.Verdict()
	switch t.Agreement() {
	case Agree:
		return string(v) + ", as the rows say"
	case Disagree:
		return string(v) + ", and the rows disagree"
	}
	for i := range t.Paths {
		if why := t.Paths[i].Why; v == verdict.Unknown && why != "" {
			return "not asked: " + why
		}
	}
	return string(v) + ", not compared with the rows"
}

func (s *OVNStage) ovnText() string {
	by := noRule
	switch {
	case s.Verdict == verdict.Unknown:
		return "unknown: the packet did not get there"
	case s.ACL:
		by = s.RulesBehind.Label()
	case s.Verdict == verdict.Deny && s.OwnEffect != "":
		by = "OVN's own flow: " + s.OwnEffect
	}
	if n := len(s.Passed); n > 0 {
		by += ", after " + words.List(model.MapList(s.Passed, func(p RulesBehindFlow) string { return p.Label() }), n)
	}
	return string(s.Verdict) + " · " + by
}

func (s *OVNStage) rowsText() string {
	return string(s.Rows.Verdict) + " · " + StageText(&s.Rows, func(d *verdict.Decider) string {
		if d == nil {
			return noRule
		}
		return DeciderText(d)
	})
}

const noRule = "no rule matched"

// noteTexts returns the remarks on a zone, apart from its stages: an error or the likely cause of a
// disagreement, a packet lost elsewhere, and the complaints of ovn-trace.
func (h *OVNZoneTrace) noteTexts() (out []string) {
	if h.Error != "" {
		return []string{"zone " + h.Zone + ": " + h.Error}
	}
	if cause := h.DisagreementCause(); cause != "" {
		out = append(out, "zone "+h.Zone+": likely cause: "+cause)
	}
	if at := strings.Join(h.EndsAt, ", "); h.End == flow.EndLost {
		out = append(out, fmt.Sprintf("zone %s: OVN loses the packet in stage %s, not by an ACL", h.Zone, at))
	}
	for _, p := range h.Problems {
		out = append(out, "zone "+h.Zone+": ovn-trace: "+p)
	}
	return out
}

// DisagreementCause returns the likely cause of a disagreement; empty if OVN and the rows agree.
func (h *OVNZoneTrace) DisagreementCause() string {
	disagrees, gone := false, false
	for i := range h.Stages {
		s := &h.Stages[i]
		disagrees = disagrees || s.Agreement == Disagree
		gone = gone || s.Agreement == Disagree && s.ACL && s.RulesBehind.FoundBy != ByRow
	}
	switch {
	case !disagrees:
		return ""
	case h.Changed:
		return "the rows changed while ovn-trace ran; trace again"
	case h.Progress.NorthdBehind():
		return fmt.Sprintf("ovn-northd is behind: rows written #%d, flows made #%d", h.Progress.Written.Cfg, h.Progress.Made.Cfg)
	case gone:
		return "the flow's row no longer exists: the flows are older than the rows"
	}
	return "unknown: check ovn-northd in the zone, then trace again"
}

// Disagreements returns the disagreements of a trace with the rows, one for each zone.
func (t *OVNTrace) Disagreements() (out []OVNDisagreement) {
	for i := range t.Paths {
		for j := range t.Paths[i].Zones {
			h := &t.Paths[i].Zones[j]
			for k := range h.Stages {
				s := &h.Stages[k]
				if s.Agreement != Disagree {
					continue
				}
				d := OVNDisagreement{Connection: t.Connection, Zone: h.Zone, At: t.At,
					Text: fmt.Sprintf("zone %s: ovn-trace of %s disagrees with the rows in %s: OVN %s; rows %s; likely cause: %s",
						h.Zone, t.Connection, s.Stage, s.ovnText(), s.rowsText(), h.DisagreementCause())}
				if r := s.Rows.Decided; r != nil && r.Policy.Kind.IsPolicy() {
					d.Policies = append(d.Policies, r.Policy)
				}
				for _, b := range s.RulesBehind.Rules {
					if b.Policy.Kind.IsPolicy() {
						d.Policies = append(d.Policies, b.Policy)
					}
				}
				out = append(out, d)
				break
			}
		}
	}
	return out
}

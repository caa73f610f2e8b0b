package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
)

// ProbeDisagrees is the code of the finding that packets and rows disagree.
const ProbeDisagrees = "probe-disagrees"

// The remedies of a disagreement.
const (
	remedyFlows = "probe again; if it stays, ovn-northd or ovn-controller is behind, or Rung reads the rows wrongly: report it with this page"
	remedyNoACL = "this is not about policies: OVN found no way to the address; does the pod's address fit its node's subnet, does its " +
		"port exist?"
	remedyLost = "the ACLs allow the first packet but not its reply: see the ACLs the reply met"
)

// findDisagreements finds where packets and rows disagree. The trace already has the disagreements of rows and
// policies.
func (r *Result) findDisagreements() {
	for i := range r.Packets.Paths {
		if len(r.Sent[i]) > 0 {
			r.findPackets(&r.Packets.Paths[i], &r.Rows.Paths[i], r.Sent[i])
		}
	}
}

// findPackets compares the outcome of a path's packets with the rows.
func (r *Result) findPackets(p, rows *verdict.Path, steps []PacketStep) {
	last := &steps[len(steps)-1]
	// Else only the first packet counts (networks.md#replies).
	judgesReplies := slices.ContainsFunc(rows.Stages, func(s verdict.StageVerdict) bool { return s.Reply })
	lost := !last.Delivered && last.Packet != steps[0].Packet && !judgesReplies
	opened := p.Verdict
	if lost {
		opened = verdict.Allow // the first packet went through
	}
	s := stageDecidedBy(p.Stages, model.Deny)
	switch {
	case opened == verdict.Deny && s == nil:
		r.addFinding(nil, fmt.Sprintf("%s: OVN %s the %s, but no ACL did", EndsText(p), Dropped, steps[0].Packet), remedyNoACL)
		return
	case isDefinite(rows.Verdict) && rows.Verdict != opened:
		r.addFinding(s, fmt.Sprintf("%s: OVN %s the %s, the rows %s", EndsText(p), outcomeWords(opened, p), steps[0].Packet, verdictWords(rows)),
			remedyFlows)
		return // differing stages follow from that
	case lost:
		r.addFinding(s, fmt.Sprintf("%s: the %s was %s, but the %s of %s was not", EndsText(p), steps[0].Packet, Delivered, last.Packet,
			last.Zone), remedyLost)
	}
	for i := range p.Stages {
		s, o := &p.Stages[i], &rows.Stages[i]
		if s.Verdict == verdict.NotApplicable || stagesAgree(s, o) {
			continue
		}
		r.addFinding(s, fmt.Sprintf("%s: at %s on %s OVN decided by %s, the rows by %s", EndsText(p), s.Name(), s.Zone, stageDecider(s),
			stageDecider(o)), remedyFlows)
	}
	if s := stageDecidedBy(p.Stages, model.Deny); s != nil && steps[0].Delivered && p.Verdict == verdict.Allow {
		r.addFinding(s, fmt.Sprintf("%s: the %s was %s, although it met %s", EndsText(p), steps[0].Packet, Delivered, stageDecider(s)),
			remedyFlows)
	}
}

// addFinding adds a finding about a stage's decider, or about the path.
func (r *Result) addFinding(s *verdict.StageVerdict, message, remedy string) {
	f := model.Finding{Code: ProbeDisagrees, Severity: model.SeverityError, Rule: -1, Message: message, Remedy: remedy}
	if s != nil {
		f.Zone = s.Zone
		nameRule(&f, s)
	}
	r.Findings = append(r.Findings, f)
}

func isDefinite(v verdict.Verdict) bool { return v == verdict.Allow || v == verdict.Deny }

// stagesAgree reports whether OVN decided a stage by the row that the rows name, or by one of several
// candidates.
func stagesAgree(ovn, rows *verdict.StageVerdict) bool {
	if rows.Verdict == verdict.Unknown {
		return true // the rows say nothing
	}
	if ovn.Decided == nil {
		return rows.Decided == nil
	}
	if slices.ContainsFunc(rows.Candidates, func(d verdict.Decider) bool { return d.ACL == ovn.Decided.ACL }) {
		return true
	}
	// OVN may choose any matching row of a rule, of its selectors, IP blocks and ports.
	d := rows.Decided
	return d != nil && (d.ACL == ovn.Decided.ACL || d.Policy.Kind.IsPolicy() && d.Rule >= 0 && SameRule(d, ovn.Decided))
}

// DecidingStage returns the stage that explains a path's verdict: the first that denies, else the first that
// allows.
func DecidingStage(p *verdict.Path) *verdict.StageVerdict {
	return cmp.Or(stageDecidedBy(p.Stages, model.Deny), stageDecidedBy(p.Stages, model.Allow))
}

func stageDecidedBy(stages []verdict.StageVerdict, by model.Action) *verdict.StageVerdict {
	for i := range stages {
		if d := stages[i].Decided; d != nil && d.Action == by {
			return &stages[i]
		}
	}
	return nil
}

// verdictWords puts the verdict of rows or policies into words: "deny it (ANP quarantine egress 0)".
func verdictWords(p *verdict.Path) string {
	word := map[verdict.Verdict]string{verdict.Allow: "allow it", verdict.Deny: "deny it"}[p.Verdict]
	if s := DecidingStage(p); s != nil && p.Verdict == verdict.Deny {
		word += " (" + stageDecider(s) + ")"
	}
	return word
}

// outcomeWords puts the verdict of OVN on a packet into words.
func outcomeWords(v verdict.Verdict, p *verdict.Path) string {
	if s := stageDecidedBy(p.Stages, model.Deny); v == verdict.Deny && s != nil {
		return Dropped + " (" + stageDecider(s) + ")"
	}
	return VerdictWord(v)
}

// stageDecider names what decided a stage.
func stageDecider(s *verdict.StageVerdict) string {
	if s.Decided == nil {
		return "nothing (default: allow)"
	}
	return RuleName(s.Decided)
}

// ServiceText returns the protocol and port of a path's connection: "tcp 8080".
func (r *Result) ServiceText(path int) string {
	proto := strings.ToLower(string(r.Connection.Protocol))
	if port := r.Packets.Paths[path].To.Port; port != 0 {
		return proto + " " + strconv.Itoa(int(port))
	}
	return proto
}

// EndsText names a path's ends.
func EndsText(p *verdict.Path) string {
	return EndName(p.From.Endpoint) + " → " + EndName(p.To.Endpoint)
}

// Agreement tells in a few words whether the three answers agree.
func (r *Result) Agreement() string {
	switch {
	case r.Changed:
		return "not compared: the rows changed meanwhile"
	case len(r.Findings) > 0:
		return words.Count(len(r.Findings), "disagreement")
	case r.Packets.Verdict == verdict.NotApplicable:
		return "not sent"
	case !isDefinite(r.Rows.Verdict) || !isDefinite(r.Policies.Verdict):
		return "rows " + string(r.Rows.Verdict) + ", policies " + string(r.Policies.Verdict)
	}
	return "rows and policies agree"
}

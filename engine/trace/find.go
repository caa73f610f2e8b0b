package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
)

// Disagrees is the code of a finding that packets and rows disagree.
const Disagrees = "probe-disagrees"

// The remedies of a disagreement.
const (
	remedyFlows = "probe again; if it stays, ovn-northd or ovn-controller is behind, or Rung reads the rows wrongly: report it with this page"
	remedyNoACL = "this is not about policies: OVN found no way to the address; does the pod's address fit its node's subnet, does its " +
		"port exist?"
	remedyLost = "the ACLs that let the first packet through do not let its answer back: see what the answer met"
)

// findDisagreements says where packets and rows disagree. Where rows and policies do, their
// trace says.
func (r *Result) findDisagreements() {
	for i := range r.Packets.Paths {
		if len(r.Sent[i]) > 0 {
			r.findPackets(&r.Packets.Paths[i], &r.Rows.Paths[i], r.Sent[i])
		}
	}
}

// findPackets compares what became of the packets of a path with what the rows say.
func (r *Result) findPackets(p, rows *verdict.Path, steps []PacketStep) {
	last := &steps[len(steps)-1]
	lost := !last.Delivered && last.Packet != steps[0].Packet && !judgesReplies(rows)
	opened := p.Verdict
	if lost {
		opened = verdict.Allow // the first packet went through
	}
	s := stageDecidedBy(p.Stages, model.Deny)
	switch {
	case opened == verdict.Deny && s == nil:
		r.addFinding(nil, fmt.Sprintf("%s: OVN %s the %s, and no ACL did", EndsText(p), Dropped, steps[0].Packet), remedyNoACL)
		return
	case isDefinite(rows.Verdict) && rows.Verdict != opened:
		r.addFinding(s, fmt.Sprintf("%s: OVN %s the %s, the rows %s", EndsText(p), outcomeWords(opened, p), steps[0].Packet, verdictWords(rows)),
			remedyFlows)
		return // that the stages differ follows
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

// judgesReplies reports whether the rows say what becomes of replies (networks.md#replies); else only the first packet counts.
func judgesReplies(rows *verdict.Path) bool {
	return slices.ContainsFunc(rows.Stages, func(s verdict.StageVerdict) bool { return s.Reply })
}

// addFinding adds a finding about what decided a stage, or about the zone.
func (r *Result) addFinding(s *verdict.StageVerdict, message, remedy string) {
	f := model.Finding{Code: Disagrees, Severity: model.SeverityError, Rule: -1, Message: message, Remedy: remedy}
	if s != nil {
		f.Zone = s.Zone
		if d := s.Decided; d != nil && d.Policy.Kind.IsPolicy() {
			f.Policy, f.Direction, f.Rule = d.Policy, d.Direction, d.Rule
		}
	}
	r.Findings = append(r.Findings, f)
}

func isDefinite(v verdict.Verdict) bool { return v == verdict.Allow || v == verdict.Deny }

// stagesAgree says whether OVN decided a stage by what the rows name: where several rows may,
// by one of these.
func stagesAgree(ovn, rows *verdict.StageVerdict) bool {
	if rows.Verdict == verdict.Unknown {
		return true // nothing is said
	}
	if ovn.Decided == nil {
		return rows.Decided == nil
	}
	for i := range rows.Candidates {
		if rows.Candidates[i].ACL == ovn.Decided.ACL {
			return true
		}
	}
	// Of the rows of one rule, of its selectors, IP blocks and ports, OVN may choose any that matches.
	d := rows.Decided
	return d != nil && (d.ACL == ovn.Decided.ACL || d.Policy.Kind.IsPolicy() && d.Rule >= 0 && SameRule(d, ovn.Decided))
}

// DecidingStage is the stage that says why a path has its verdict: the first that denies, else
// the first in which something decided.
func DecidingStage(p *verdict.Path) *verdict.StageVerdict {
	if s := stageDecidedBy(p.Stages, model.Deny); s != nil {
		return s
	}
	return stageDecidedBy(p.Stages, model.Allow)
}

func stageDecidedBy(stages []verdict.StageVerdict, by model.Action) *verdict.StageVerdict {
	for i := range stages {
		if d := stages[i].Decided; d != nil && d.Action == by {
			return &stages[i]
		}
	}
	return nil
}

// verdictWords tells the verdict of rows or policies in words: "deny it (ANP quarantine egress 0)".
func verdictWords(p *verdict.Path) string {
	word := map[verdict.Verdict]string{verdict.Allow: "let it through", verdict.Deny: "deny it"}[p.Verdict]
	if s := DecidingStage(p); s != nil && p.Verdict == verdict.Deny {
		word += " (" + stageDecider(s) + ")"
	}
	return word
}

// outcomeWords tells, in words, the verdict of OVN on a packet.
func outcomeWords(v verdict.Verdict, p *verdict.Path) string {
	if v == verdict.Deny {
		if s := stageDecidedBy(p.Stages, model.Deny); s != nil {
			return Dropped + " (" + stageDecider(s) + ")"
		}
		return Dropped
	}
	return Delivered
}

// stageDecider names what decided a stage.
func stageDecider(s *verdict.StageVerdict) string {
	if s.Decided == nil {
		return "nothing: the default, allow"
	}
	return RuleName(s.Decided)
}

// ServiceText names the protocol and port of a path's connection: "tcp 8080".
func (r *Result) ServiceText(path int) string {
	proto := strings.ToLower(string(r.Connection.Protocol))
	if port := r.Packets.Paths[path].To.Port; port != 0 {
		return proto + " " + strconv.Itoa(int(port))
	}
	return proto
}

// EndsText is a path's ends in words.
func EndsText(p *verdict.Path) string {
	return EndName(p.From.Endpoint) + " → " + EndName(p.To.Endpoint)
}

// Agreement says in a few words whether the three answers agree.
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

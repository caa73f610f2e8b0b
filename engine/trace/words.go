package trace

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
)

// deciderText names the decider and its effect, in one line of a table; nil means the default.
func deciderText(d *verdict.Decider) string {
	if d == nil {
		return "default: nothing matched"
	}
	return revision.DeciderText(d) + isolatedText(d) + ": " + d.ActionWord() + defectText(d)
}

// RuleName names the rule of a decider and its policy, or its row if it has no policy: `ANP quarantine egress
// 0 "deny-all"`.
func RuleName(d *verdict.Decider) string {
	if d.Policy == (model.Key{}) || d.Rule < 0 {
		return deciderLabel(d)
	}
	return deciderLabel(d) + " " + revision.RuleLabel(d.Direction, d.Rule, d.RuleName)
}

// RuleText names the rule tried and its action.
func (l *TriedLine) RuleText() string {
	if l.Kind == Nothing {
		return "no rule matches: allowed"
	}
	out := RuleName(l.Rule)
	if l.Kind != Other && l.Rule.Action != "" {
		out += ": " + l.Rule.ActionWord()
	}
	return out + isolatedText(l.Rule) + defectText(l.Rule)
}

// isolatedText names the policies that isolate the pod; empty if none.
func isolatedText(d *verdict.Decider) string {
	return words.Between(", isolated by ", strings.Join(keyLabels(d.Isolating), ", "), "")
}

// deciderLabel names the policy, the unit or the row.
func deciderLabel(d *verdict.Decider) string {
	return words.Choose(d.Policy == (model.Key{}), "row "+d.ACL, d.Policy.Label())
}

func keyLabels(keys []model.Key) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.Label()
	}
	return out
}

// StageDeciderText names a stage's decider, and the rules that passed before it, or why it is unknown.
func StageDeciderText(s *verdict.StageVerdict) string { return revision.StageText(s, deciderText) }

// defectText names the known defect that makes a rule match; empty if none.
func defectText(d *verdict.Decider) string {
	return words.Between(" (known defect: ", d.Defect, ")")
}

// ruleText names a rule within a sentence: `ANP guard-db ingress 2 "deny-rest"`, or what denies by default.
func ruleText(d *verdict.Decider) string {
	if d.Rule >= 0 {
		return RuleName(d)
	}
	out := deciderLabel(d)
	if len(d.Isolating) > 0 {
		out += " (isolated by " + words.List(keyLabels(d.Isolating), 2) + ")"
	}
	return out
}

// Sentence returns the verdict and its decider in one sentence: `denied by ANP tenant-isolation
// ingress 2 "no-red" at blue/api-0`.
func (t *Trace) Sentence() string {
	if len(t.Families) > 0 {
		var all []string
		for _, f := range t.Families {
			all = append(all, f.inFamily(f.Sentence()))
		}
		return strings.Join(all, "; ")
	}
	if len(t.Paths) == 0 {
		return verdictWithReason(t.Verdict, t.Reason)
	}
	at, same, want := 0, 0, t.Verdict
	if want == verdict.Mixed {
		want = verdict.Deny
	}
	for i := range t.Paths {
		if t.Paths[i].Verdict == want {
			if same == 0 {
				at = i
			}
			same++
		}
	}
	p := &t.Paths[at]
	if len(t.Paths) == 1 {
		return p.Sentence()
	}
	where := fmt.Sprintf(" at %s of %s", words.Thousands(same), words.Count(len(t.Paths), "endpoint"))
	if same == len(t.Paths) {
		where = " at all " + words.Count(same, "endpoint")
		if same == 2 {
			where = " at both endpoints"
		}
		if t.Verdict == verdict.Allow {
			return t.Verdict.DoneText() + where
		}
	}
	out := want.DoneText() + where
	if t.Verdict == verdict.Mixed {
		out = string(verdict.Mixed) + ": " + out + t.otherEndpoints(want)
	}
	return out + ": " + strings.TrimPrefix(p.Sentence(), want.DoneText()+" ")
}

// otherEndpoints counts the endpoints with each of the other verdicts: ", allowed at 1".
func (t *Trace) otherEndpoints(but verdict.Verdict) (out string) {
	for _, v := range []verdict.Verdict{verdict.Allow, verdict.Undefined, verdict.Unknown, verdict.NotApplicable} {
		n := 0
		for i := range t.Paths {
			if t.Paths[i].Verdict == v && v != but {
				n++
			}
		}
		if n > 0 {
			out += ", " + v.DoneText() + " at " + words.Thousands(n)
		}
	}
	return out
}

func verdictWithReason(v verdict.Verdict, why string) string {
	return v.DoneText() + words.Between(": ", why, "")
}

// Sentence returns who decides in the stages that make a path's verdict, and which rules pass only because of
// a known defect.
func (p *Path) Sentence() string {
	var who []placedRule
	var after string
	for i := range p.Stages {
		s := &p.Stages[i]
		if s.Verdict != p.Verdict || p.Verdict == verdict.Unknown || p.Verdict == verdict.NotApplicable {
			continue
		}
		switch after += p.passText(s); {
		case p.Verdict == verdict.Undefined:
			var all []string
			for j := range s.Candidates {
				all = append(all, ruleText(&s.Candidates[j])+" ("+s.Candidates[j].ActionWord()+")"+defectText(&s.Candidates[j]))
			}
			return "undefined: " + strings.Join(all, " or ") + p.placeText(s, s.Decided) + ", equal priority" + p.passText(s)
		case s.Decided == nil:
		case p.Verdict == verdict.Deny && s.Reply:
			return "denied by " + ruleText(s.Decided) + p.placeText(s, s.Decided) + "; " + s.Reason
		case p.Verdict == verdict.Deny:
			how := verdict.Deny.DoneText()
			if s.Decided.Word == "Reject" {
				how = "denied with a reject" // the client is informed
			}
			return how + " by " + ruleText(s.Decided) + p.placeText(s, s.Decided) + defectText(s.Decided) + p.passText(s)
		default:
			who = append(who, placedRule{s.Decided, p.placeText(s, s.Decided)})
		}
	}
	switch {
	case p.Verdict != verdict.Allow:
		return verdictWithReason(p.Verdict, p.Reason)
	case len(who) == 0 && after != "":
		return "allowed by default: no rule decides" + after
	case len(who) == 0:
		return "allowed by default: no rule matches"
	}
	return "allowed by " + ruleTexts(who) + after
}

// placedRule is a deciding rule and its place.
type placedRule struct {
	*verdict.Decider
	place string
}

// ruleTexts names rules within a sentence, each once with all its places.
func ruleTexts(who []placedRule) string {
	var each []placedRule
	for _, d := range who {
		i := slices.IndexFunc(each, func(o placedRule) bool { return SameRule(o.Decider, d.Decider) })
		if i < 0 {
			each = append(each, d)
		} else if o := &each[i]; o.place != d.place {
			o.place += " and" + d.place
		}
	}
	var out []string
	for _, d := range each {
		out = append(out, ruleText(d.Decider)+d.place+defectText(d.Decider))
	}
	return words.List(out, len(out))
}

// passText names the rules that pass the packet on in a stage because of a known defect.
func (p *Path) passText(s *Stage) (out string) {
	for i := range s.Passed {
		if d := &s.Passed[i]; d.Defect != "" {
			out += "; passed on by " + ruleText(d) + p.placeText(s, d) + defectText(d)
		}
	}
	return out
}

// placeText returns at whose end, and in which direction, a rule decides. An ingress rule may decide where the
// packet leaves its sender's node.
func (p *Path) placeText(s *Stage, d *verdict.Decider) string {
	from, to := &p.From, &p.To
	if s.Reply {
		from, to = to, from
	}
	switch {
	case d.Direction == "":
		return ""
	case d.Direction == model.Ingress && s.Zone == from.Zone && s.Zone != to.Zone && s.Zone != "":
		return " on the sender's node " + s.Zone
	case d.Direction == model.Ingress:
		from = to
	}
	place := " at " + EndName(from.Endpoint)
	if d.Rule < 0 {
		place += "'s " + d.Direction.Lower()
	}
	return place
}

// EndName returns an end without its chosen address.
func EndName(e verdict.Endpoint) string {
	if e.Key.Name != "" {
		e.Addr = netip.Addr{}
	}
	return e.String()
}

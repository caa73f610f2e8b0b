package logs

import (
	"strings"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/revision"
)

// byName finds the rule behind a line that names the policy and mostly the rule. It finds an unnamed rule by
// its generated name.
func (a *attributor) byName(rev *revision.Revision, e *Entry, now time.Time) {
	said := e.Line.Named
	ref := logline.RuleRef{Policy: said.Policy, Direction: said.Direction, Rule: -1, Exact: true}
	e.RuleName = said.Rule
	if ref.Policy.Kind == model.KindNP && ref.Policy.Name == "" { // denied, since no NetworkPolicy allows it
		if pod := subjectEnd(e, ref.Direction).Key; ref.Policy.Namespace == "" && pod.Kind == model.KindPod {
			ref.Policy.Namespace = pod.Namespace
		}
		e.Rule, e.Attributed = ref, ref.Policy.Namespace != ""
		return
	}
	e.Rule = ref
	p := rev.Cluster.Policy(ref.Policy)
	e.Attributed = p != nil || ref.Policy.Kind.IsPolicy()
	if p == nil {
		return
	}
	var found []logline.RuleRef
	for i, r := range p.Rules(ref.Direction) {
		if hasLogName(&r, said.Rule) && canLogVerdict(&r, e.Line.Verdict) {
			ref.Rule = i
			found = append(found, ref)
		}
	}
	if len(found) > 1 && p.Tiered == nil {
		found = a.judgeCandidates(rev, e, found, now)
	}
	if len(found) == 1 {
		e.Rule = found[0]
	}
}

// hasLogName reports whether the log could give a rule that name. Unnamed rules get a name made of direction,
// action and a part that Rung cannot work out (antrea.md#rule-names). Lines of old layouts name no rule.
func hasLogName(r *model.Rule, name string) bool {
	if r.Tiered != nil && r.Tiered.Generated && name != r.Name {
		return name == "" || strings.HasPrefix(name, r.Direction.Lower()+"-"+strings.ToLower(r.Tiered.Action)+"-")
	}
	return name == r.Name || name == "" && r.Tiered != nil
}

// canLogVerdict reports whether a line with that verdict can come from a rule. Layer 7 decisions are logged
// as redirected first.
func canLogVerdict(r *model.Rule, verdict string) bool {
	switch {
	case r.Tiered == nil:
		return verdicts[r.Action] == verdict
	case verdict == "redirect":
		return len(r.Tiered.L7) > 0
	case r.Tiered.Action == "Reject":
		return verdict == "reject"
	}
	return verdicts[r.Action] == verdict
}

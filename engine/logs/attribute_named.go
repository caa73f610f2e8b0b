package logs

import (
	"strings"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/revision"
)

// byName finds the rule behind a line that names the policy and mostly the rule: one that has no
// name by the name that was made for it.
func (a *attributor) byName(rev *revision.Revision, e *Entry, now time.Time) {
	said := e.Line.Named
	ref := logline.RuleRef{Policy: said.Policy, Direction: said.Direction, Rule: -1, Exact: true}
	e.RuleName = said.Rule
	if ref.Policy.Kind == model.KindNP && ref.Policy.Name == "" { // dropped, since no NetworkPolicy allows it
		if pod := subjectOf(e, ref.Direction).Key; ref.Policy.Namespace == "" && pod.Kind == model.KindPod {
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
		if hasLogName(&r, said.Rule) && verdictMayBeOf(&r, e.Line.Verdict) {
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

// hasLogName says whether the log would give a rule that name. Names are made for rules that have
// none, of direction, action and a part that Rung cannot work out
// (antrea.md#rule-names); lines of old layouts name none.
func hasLogName(r *model.Rule, name string) bool {
	if r.Tiered != nil && r.Tiered.Generated && name != r.Name {
		return name == "" || strings.HasPrefix(name, r.Direction.Lower()+"-"+strings.ToLower(r.Tiered.Action)+"-")
	}
	return name == r.Name || name == "" && r.Tiered != nil
}

// verdictMayBeOf says whether a line with that verdict can be of a rule: what layer 7 decides is
// logged as redirected first.
func verdictMayBeOf(r *model.Rule, verdict string) bool {
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

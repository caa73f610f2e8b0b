package lint

import (
	"fmt"

	"rung/model"
	"rung/model/lint/codes"
	"rung/model/words"
)

// maxRules is how many rules a direction of an AdminNetworkPolicy or its
// baseline may have: as many as there are OVN priorities between two
// priorities. The API refuses more, the controller does not count
// (ovn-kubernetes.md#priorities, #api-limits).
const maxRules = 100

// beyond reports rules whose OVN priority belongs to another policy.
func (l *linter) beyond(p *model.Policy, d model.Direction) {
	rules := p.Rules(d)
	if len(rules) <= maxRules {
		return
	}
	r := &rules[maxRules]
	severity := model.SeverityWarning
	message := fmt.Sprintf("%d %s rules where the API takes %d: ", len(rules), d.Lower(), maxRules)
	if p.Kind == model.KindBANP {
		message += fmt.Sprintf("from rule %d on they lie below the OVN priorities of the baseline", maxRules)
	} else {
		message += fmt.Sprintf("from rule %d on they have the OVN priorities of the rules of priority %d",
			maxRules, p.Priority+1)
		var met []string
		last := p.Priority + int32((len(rules)-1)/maxRules)
		for _, o := range l.policies {
			// A policy above the range has no rows to meet.
			if o.Kind.Ranked() && o.Tier == p.Tier && o != p && o.Priority > p.Priority && o.Priority <= min(last, l.max) &&
				len(o.Rules(d)) > 0 {
				met = append(met, fmt.Sprintf("%s (priority %d)", o.Label(), o.Priority))
			}
		}
		if len(met) > 0 {
			severity = model.SeverityError
			message += "; where they overlap with those of " + words.Few(met, shown) + ", which one wins is undefined"
		}
	}
	l.aboutRule(p, r, codes.RuleBeyondRange, severity, message,
		"split the policy in two with different priorities, or join rules")
}

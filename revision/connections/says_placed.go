package connections

import (
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/revision/policies"
	"rung/system"
)

// saysWithoutRows is what a rule does, in a sentence, where no rows are compiled.
func saysWithoutRows(r *revision.Revision, p *model.Policy, rule *model.Rule) string {
	pods := policies.CountSubjects(r, p.Key).Pods
	if p.Tiered != nil {
		pods = len(revision.RuleSubjects(r, p, rule))
	}
	switch {
	case p.Tiered != nil && r.System.Order == nil:
		return "Nothing here: it is a policy of " + system.Of(p.Kind).Title + ", and " + r.System.Whose + " precedence holds."
	case p.Refused():
		return "Nothing: " + r.System.Title + " would refuse the policy."
	}
	peers, to := strings.Join(rule.PeerTexts(), " or "), words.Total(pods, "pod")
	text := "What " + to + words.Form(pods, " sends", " send") + " to " + peers
	if rule.Direction == model.Ingress {
		text = "What comes from " + peers + " to " + to
	}
	if ports := rule.PortTexts(); len(ports) > 0 {
		text += " on " + strings.Join(ports, ", ")
	}
	switch rule.ActionText() {
	case "Reject":
		text += " is refused with an answer"
	case string(model.Allow):
		text += " is allowed"
	case string(model.Pass):
		text += " is left to the NetworkPolicies and the baseline"
	default:
		text += " is dropped"
	}
	return text + "."
}

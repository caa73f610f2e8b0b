package connections

import (
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/revision/policies"
)

// saysAntrea is what a rule does, in a sentence, where no rows are compiled.
func saysAntrea(r *revision.Revision, p *model.Policy, rule *model.Rule) string {
	pods := policies.CountSubjects(r, p.Key).Pods
	if p.Antrea != nil {
		pods = len(revision.RuleSubjects(r, p, rule))
	}
	switch {
	case p.Antrea != nil && !r.Antrea():
		return "Nothing here: it is a policy of Antrea, and OVN-Kubernetes' precedence holds."
	case p.Refused():
		return "Nothing: Antrea would refuse the policy."
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

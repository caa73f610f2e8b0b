package antrea

import (
	"cmp"
	"strconv"

	"rung/model"
	"rung/model/ladder"
)

// AntctlHead names the columns of antctl get networkpolicy --sort-by=effectivePriority.
var AntctlHead = []string{"NAME", "APPLIED-TO", "RULES", "SOURCE", "TIER-PRIORITY", "PRIORITY"}

// AntctlRow returns a policy's line for these columns. In antctl, NAME and APPLIED-TO are UIDs of Antrea's own
// objects. Here NAME is the policy's UID, or its name if it comes from a file; APPLIED-TO is the subject as
// text.
func AntctlRow(p *ladder.Place) []string {
	const none = "<NONE>"
	source := map[model.Kind]string{model.KindACNP: "AntreaClusterNetworkPolicy", model.KindANNP: "AntreaNetworkPolicy",
		model.KindNP: "K8sNetworkPolicy"}[p.Policy.Kind]
	tier, priority := strconv.Itoa(int(p.Tier)), strconv.FormatFloat(p.Priority(), 'g', -1, 64)
	switch {
	case p.Policy.Kind == model.KindNP:
		tier, priority = none, none
	case p.Missing:
		tier = none
	}
	return []string{cmp.Or(p.Policy.UID, p.Policy.Name), p.Policy.SubjectText(), strconv.Itoa(len(p.Policy.Ingress) + len(p.Policy.Egress)),
		cmp.Or(source, string(p.Policy.Kind)) + ":" + p.Policy.NamespacedName(), tier, priority}
}

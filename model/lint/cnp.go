package lint

import (
	"encoding/json"
	"fmt"

	"rung/model"
	"rung/model/words"
)

// maxCNPRules is the API's limit of rules in a direction of a ClusterNetworkPolicy.
const maxCNPRules = 25

// checkCNP reports what has no effect in a ClusterNetworkPolicy, and whether it is enforced at all
// (ovn-kubernetes.md#clusternetworkpolicy).
func (l *linter) checkCNP(p *model.Policy, compiled bool) {
	if compiled {
		l.addAbout(p, CNPMight, "OVN-Kubernetes has no controller for ClusterNetworkPolicy: "+
			"Rung compiles its rows as OVN-Kubernetes might (--compile-cnp)")
	} else {
		l.addAbout(p, CNPNotEnforced, "not enforced: OVN-Kubernetes has no controller for ClusterNetworkPolicy")
	}
	for _, d := range model.Directions {
		rules := p.Rules(d)
		if len(rules) > maxCNPRules {
			l.addAboutRule(p, &rules[maxCNPRules], CNPRules, fmt.Sprintf("%s %s rules, but the API accepts at most %d", words.Thousands(len(rules)),
				d.Lower(), maxCNPRules))
		}
		for i := range rules {
			l.checkDomains(p, &rules[i])
		}
		l.checkPruned(p, d)
	}
}

// checkDomains reports domain names in rules with other actions than Accept: the API supports them with Accept
// only.
func (l *linter) checkDomains(p *model.Policy, r *model.Rule) {
	if r.Action == model.Allow {
		return
	}
	for i := range r.Peers {
		if r.Peers[i].Kind == model.PeerDNS {
			l.addAboutRule(p, r, CNPDomains, fmt.Sprintf("%s with domainNames (%s): the API supports them with Accept only, so the effect is "+
				"undefined", r.Action, r.Peers[i].DNSName))
			return
		}
	}
}

// checkPruned reports rules applied with the ports of v1alpha1, which the API server drops silently: they
// match every port. The rules as applied come from kubectl's last-applied annotation.
func (l *linter) checkPruned(p *model.Policy, d model.Direction) {
	type rule struct {
		Ports     []any `json:"ports"`
		Protocols []any `json:"protocols"`
	}
	var applied struct {
		Spec struct {
			Ingress []rule `json:"ingress"`
			Egress  []rule `json:"egress"`
		} `json:"spec"`
	}
	if text := p.LastApplied(); text == "" || json.Unmarshal([]byte(text), &applied) != nil {
		return
	}
	was := applied.Spec.Ingress
	if d == model.Egress {
		was = applied.Spec.Egress
	}
	rules := p.Rules(d)
	for i := range min(len(was), len(rules)) {
		if len(was[i].Ports) > 0 && len(was[i].Protocols) == 0 && len(rules[i].Ports) == 0 {
			l.addAboutRule(p, &rules[i], CNPPruned, "matches every port: it was applied with ports, a field of v1alpha1 that the API server drops")
		}
	}
}

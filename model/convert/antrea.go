package convert

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/antrea"
	"rung/model/ladder"
)

// Limits of lists in the API of AdminNetworkPolicy.
const (
	anpPeers    = 100
	anpPorts    = 100
	anpNetworks = 25
)

// importer converts policies of Antrea to another API.
type importer struct {
	*policyMaker
	c          *model.Cluster
	targetKind model.Kind
	groups     *antrea.GroupResolver
	limits     apiLimits
}

// apiLimits has the maximum length of each list that an API accepts.
type apiLimits struct{ rules, peers, ports, networks int }

// FromAntrea converts a cluster's policies of Antrea, ClusterNetworkPolicies (ACNP) and NetworkPolicies
// (ANNP), to AdminNetworkPolicies and one BaselineAdminNetworkPolicy (to is model.KindANP), or to
// ClusterNetworkPolicies of Kubernetes (model.KindCNP). They get free priorities in Antrea's effective order
// (antrea.md#order), with room between them. They come before the AdminNetworkPolicies, which Antrea asks
// after its own policies. Policies that share a priority in Antrea share one here.
func FromAntrea(c *model.Cluster, to model.Kind) Result {
	f := &importer{policyMaker: newPolicyMaker(), c: c, targetKind: to, groups: antrea.ResolveGroups(c), limits: apiLimits{anpRules, anpPeers,
		anpPorts, anpNetworks}}
	if to == model.KindCNP {
		f.limits = apiLimits{cnpRules, cnpPeers, cnpPorts, cnpNetworks}
	}
	for p := range c.Policies(model.KindANP, model.KindBANP, model.KindCNP) {
		f.taken[p.Key] = true
	}
	var given []*model.Policy
	var ties []policyTie
	for _, at := range antrea.EffectiveOrder(c) {
		if at.Policy.Tiered == nil {
			continue
		}
		given = append(given, at.Policy)
		if why := f.whyIdle(&at); why != "" {
			f.ignorePolicy(at.Policy, "it decides nothing: "+why)
			continue
		}
		if n := len(ties); n == 0 || ties[n-1].tier != at.Tier || ties[n-1].priority != at.Priority() {
			ties = append(ties, policyTie{tier: at.Tier, priority: at.Priority()})
		}
		t := &ties[len(ties)-1]
		required := antrea.RequiredLabels(at.Policy)
		for r := range at.Policy.AllRules() {
			s := f.convertRule(at.Policy, r, required)
			f.splitClauses(s)
			t.rules = append(t.rules, s)
		}
	}
	f.makeAdmin(ties)
	f.makeBaseline(ties)
	f.noteAllRules(ties)
	f.annotateLogging(ties)
	return f.sortedResult(given)
}

// whyIdle returns why a policy decides nothing; empty if it decides.
func (f *importer) whyIdle(at *ladder.Place) string {
	p := at.Policy
	switch {
	case at.Missing:
		return fmt.Sprintf("Tier %s does not exist", p.Tiered.Tier)
	case p.IsRejected():
		by, b := p.WhyRejected("Antrea")
		return by + " it: " + strings.TrimSpace(b.Field+" "+b.Message)
	}
	for _, r := range f.groups.ScopeOfPolicy(p).Reasons {
		if r.Code == antrea.AppliedToNamespaces {
			return r.Message
		}
	}
	return ""
}

// splitClauses splits clauses whose lists are longer than the API accepts. The parts go to separate policies
// of one priority: in successive priorities, rules of tied policies would come between them.
func (f *importer) splitClauses(s *convertedRule) {
	for _, p := range slices.Clone(s.clauses) {
		parts, column := slices.Collect(peerAndPortChunks(p.peers, p.ports, f.limits)), p.column
		for i := range parts {
			part := p
			if i > 0 {
				part = &ruleClause{subject: p.subject, value: p.value, column: fmt.Sprintf("%s\x00part %d", column, i)}
				s.clauses = append(s.clauses, part)
			}
			part.peers, part.ports = clonedPeers(parts[i].peers), slices.Clone(parts[i].ports)
		}
	}
}

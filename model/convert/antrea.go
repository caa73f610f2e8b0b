package convert

import (
	"fmt"
	"slices"

	"rung/model"
	"rung/model/antrea"
	"rung/model/ladder"
)

// Limits of the API of AdminNetworkPolicy, each of a list.
const (
	anpPeers    = 100
	anpPorts    = 100
	anpNetworks = 25
)

// importer says policies of Antrea in another API.
type importer struct {
	*maker
	c      *model.Cluster
	to     model.Kind
	groups *antrea.Resolver
	most   limits
}

// limits are the most of each list that an API takes.
type limits struct{ rules, peers, ports, networks int }

// FromAntrea converts a cluster's policies of Antrea, ClusterNetworkPolicies (ACNP) and
// NetworkPolicies (ANNP), to AdminNetworkPolicies and one BaselineAdminNetworkPolicy (to is
// model.KindANP), or to ClusterNetworkPolicies of Kubernetes (model.KindCNP). They get
// priorities that are free, in Antrea's effective order (antrea.md#order): before the
// AdminNetworkPolicies that Antrea asks after its own policies, with room between them.
// Policies that share a priority in Antrea share one here.
func FromAntrea(c *model.Cluster, to model.Kind) Result {
	f := &importer{maker: newMaker(), c: c, to: to, groups: antrea.Groups(c), most: limits{anpRules, anpPeers, anpPorts, anpNetworks}}
	if to == model.KindCNP {
		f.most = limits{cnpRules, cnpPeers, cnpPorts, cnpNetworks}
	}
	for p := range c.Policies(model.KindANP, model.KindBANP, model.KindCNP) {
		f.taken[p.Key] = true
	}
	var given []*model.Policy
	var ties []tie
	for _, at := range antrea.Order(c) {
		if at.Policy.Tiered == nil {
			continue
		}
		given = append(given, at.Policy)
		if why := f.idle(&at); why != "" {
			f.ignore(at.Policy, "it decides nothing: "+why)
			continue
		}
		if n := len(ties); n == 0 || ties[n-1].tier != at.Tier || ties[n-1].priority != at.Priority() {
			ties = append(ties, tie{tier: at.Tier, priority: at.Priority()})
		}
		t := &ties[len(ties)-1]
		required := sameLabels(at.Policy)
		for r := range at.Policy.AllRules() {
			s := f.say(at.Policy, r, required)
			f.limit(s)
			t.sayings = append(t.sayings, s)
		}
	}
	f.admin(ties)
	f.baseline(ties)
	f.notes(ties)
	f.logging(ties)
	return f.done(given)
}

// idle is why a policy decides nothing, empty where it does.
func (f *importer) idle(at *ladder.Place) string {
	p := at.Policy
	switch {
	case at.Missing:
		return fmt.Sprintf("there is no Tier %s", p.Tiered.Tier)
	case p.Refused():
		return "Antrea refuses it: " + refused(p)
	}
	for _, r := range f.groups.Whole(p).Reasons {
		if r.Code == antrea.AppliedToNamespaces {
			return r.Message
		}
	}
	return ""
}

// limit splits clauses with longer lists than the API takes. The parts stand in policies of
// their own, at one place: where they stood one after the other, the rules of other policies
// with the same priority would come between them.
func (f *importer) limit(s *saying) {
	for _, p := range slices.Clone(s.clauses) {
		parts, column := slices.Collect(chunks(p.peers, p.ports, f.most)), p.column
		for i := range parts {
			part := p
			if i > 0 {
				part = &clause{subject: p.subject, value: p.value, column: fmt.Sprintf("%s\x00part %d", column, i)}
				s.clauses = append(s.clauses, part)
			}
			part.peers, part.ports = clonedPeers(parts[i].peers), slices.Clone(parts[i].ports)
		}
	}
}

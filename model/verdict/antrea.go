package verdict

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/antrea"
	"rung/model/ladder"
)

// ruleRank is the place of a rule in Antrea's order. The lower rank decides first; between equal ones the
// order is undefined (antrea.md#order).
type ruleRank struct {
	tier     int32
	priority float64
	rule     int
}

func (s ruleRank) compare(o ruleRank) int {
	return cmp.Or(cmp.Compare(s.tier, o.tier), cmp.Compare(s.priority, o.priority), cmp.Compare(s.rule, o.rule))
}

// Antrea is Antrea's precedence: tiers, and rules applied at each end.
var Antrea = &Precedence{
	AtEnds: true, ExemptPrefix: "no policy of pods applies: ", NoPod: "no policy applies: neither end is a pod",
	SourceAddrs: func(n *model.Node) []string { return slices.Concat(antreaGateway(n), n.InternalIPs) },
	terms:       antreaTerms,
	ownNode:     func(x *Index, a netip.Addr, node string) bool { return node != "" && x.NodeByAddr[a] == node },
}

// policyOrder is the order of all policies in the Index of a cluster with Antrea.
type policyOrder struct {
	places map[model.Key]ladder.Place // of the policies that decide
	// ranks are the standings of rules in tiers 1 and 3, in order: highest priority first.
	ranks         [model.TierBaseline + 1][]ruleRank
	aboutServices [][]model.Key // as Index.aboutServices
}

// bandAndWord returns the name of a rule's tier. word is its action if package model has no word for it.
func (o *policyOrder) bandAndWord(r *Rule) (band, word string) {
	switch place, native := o.places[r.Key]; {
	case r.Key.Kind == model.KindNetpolNamespace:
		return model.KindNP.Abbreviation(), ""
	case r.Policy == nil:
		return "always", ""
	case native && r.Policy.Tiered != nil:
		rule := r.Policy.Rule(r.Direction, r.Index)
		if r.Action != rule.Action { // what its layer 7 protocols deny
			return place.TierName, "Drop"
		}
		return place.TierName, rule.Tiered.Action
	}
	return r.Policy.Kind.Abbreviation(), ""
}

// walkTier returns the tier of the walk in which a policy decides. Antrea's tiers before NetworkPolicies count
// as one, since Pass leaves them all; the tiers after count as one too.
func walkTier(p *ladder.Place) int8 {
	switch {
	case p.Tier < antrea.PriorityNetwork:
		return model.TierAdmin
	case p.Tier == antrea.PriorityNetwork:
		return model.TierNetwork
	}
	return model.TierBaseline
}

type antreaMaker struct {
	*termMaker
	order  *policyOrder
	groups *antrea.GroupResolver
}

func antreaTerms(m *termMaker) *policyOrder {
	a := &antreaMaker{termMaker: m, order: &policyOrder{places: map[model.Key]ladder.Place{}}, groups: antrea.ResolveGroups(m.x.view.Cluster)}
	var decide []*model.Policy
	for _, p := range antrea.EffectiveOrder(m.x.view.Cluster) {
		// The order lacks policies that admission rejects, but has kinds of other plugins.
		if p.Missing || p.Policy.IsRejected() || !m.x.view.IsEnforced(p.Policy) || a.isUnrealizable(p.Policy) {
			continue
		}
		a.order.places[p.Policy.Key] = p
		decide = append(decide, p.Policy)
		if p.Policy.Kind == model.KindNP {
			continue
		}
		for r := range p.Policy.AllRules() {
			s := &a.order.ranks[walkTier(&p)]
			*s = append(*s, ruleRank{p.Tier, p.Priority(), r.Index})
		}
	}
	for i := range a.order.ranks {
		s := a.order.ranks[i]
		slices.SortFunc(s, ruleRank.compare)
		a.order.ranks[i] = slices.Compact(s)
	}
	a.addUndeniable()
	for _, p := range decide {
		switch {
		case p.Tiered != nil:
			a.addNative(p)
		case p.Kind == model.KindNP:
			a.addNetpol(p)
		default:
			a.addUpstream(p)
		}
	}
	a.addIsolations()
	a.order.aboutServices = m.x.aboutServices
	return a.order
}

// isUnrealizable reports whether Antrea cannot realize a policy: an ANNP that applies to a group with a
// namespaceSelector (antrea.md#groups).
func (a *antreaMaker) isUnrealizable(p *model.Policy) bool {
	return p.Tiered != nil && slices.ContainsFunc(a.groups.ScopeOfPolicy(p).Reasons, func(r antrea.EmptyReason) bool {
		return r.Code == antrea.AppliedToNamespaces
	})
}

// tierAndPriority returns the tier and priority of a rule's terms; rules of equal rank get equal ones.
func (o *policyOrder) tierAndPriority(p *model.Policy, rule int) (tier int8, priority int32) {
	place := o.places[p.Key]
	tier = walkTier(&place)
	all := o.ranks[tier]
	i, _ := slices.BinarySearchFunc(all, ruleRank{place.Tier, place.Priority(), rule}, ruleRank.compare)
	return tier, int32(len(all) - i)
}

func (o *policyOrder) termRank(tier int8, priority int32) ruleRank {
	all := o.ranks[tier]
	return all[len(all)-int(priority)]
}

// signaturePlace returns a term's place for its signature. It uses the values of a ruleRank, since indexes of
// ranks change as policies come and go.
func (o *policyOrder) signaturePlace(t *Term) (priority int32, text string) {
	text = fmt.Sprint(t.Multicast)
	if t.Services > 0 {
		text += fmt.Sprint(o.aboutServices[t.Services-1])
	}
	if len(o.ranks[t.Tier]) == 0 {
		return t.Priority, text
	}
	return 0, text + fmt.Sprint(o.termRank(t.Tier, t.Priority))
}

// The priorities of terms before all tiers.
const (
	alwaysAllowed = 1
	byOthers      = 0
)

// addUndeniable makes the terms that no policy can deny: connections from a node to its own pods, and a
// Service's connections back to their own pod (antrea.md#always-allowed).
func (a *antreaMaker) addUndeniable() {
	t := Term{Tier: model.TierIsolation, Priority: alwaysAllowed, Effect: Allows, Switch: AtDestination, To: a.noCondition()}
	t.From = a.conditionID("own node", func(c *Condition) { c.OwnNode = true })
	t.Rule = a.addRule(Rule{Key: model.Key{Kind: model.KindOwnNode}, OwnNode: true, Direction: model.Ingress, Index: -1, Action: model.Allow})
	a.addTerm(IngressTerms, t)
	t.From = a.conditionID("hairpin", func(c *Condition) { c.hairpin = true })
	t.Rule = a.addRule(Rule{Key: model.Key{Kind: model.KindHairpin}, Direction: model.Ingress, Index: -1, Action: model.Allow})
	a.addTerm(IngressTerms, t)
}

// addNetpol makes the terms of a NetworkPolicy's rules in the directions of its policyTypes.
func (a *antreaMaker) addNetpol(p *model.Policy) {
	subject := a.subjectCondition(subjectKey(p), p)
	for r := range p.AllRules() {
		if !p.HasType(r.Direction) {
			continue
		}
		ref := Rule{Policy: p, Key: p.Key, Direction: r.Direction, Index: r.Index, Action: model.Allow}
		a.addRuleTerms(p, r, ref, Term{Tier: model.TierNetwork, Priority: ladder.PriorityNetpolAllow, Effect: Allows}, subject)
	}
}

// addIsolations makes the terms of the default denies of NetworkPolicies.
func (a *antreaMaker) addIsolations() {
	byNamespace := map[string][]*model.Policy{}
	var names []string
	for p := range a.x.view.Cluster.Policies(model.KindNP) {
		if _, decides := a.order.places[p.Key]; !decides {
			continue
		}
		if byNamespace[p.Namespace] == nil {
			names = append(names, p.Namespace)
		}
		byNamespace[p.Namespace] = append(byNamespace[p.Namespace], p)
	}
	for _, ns := range names {
		for _, d := range model.Directions {
			a.addIsolation(ns, d, byNamespace[ns])
		}
	}
}

// addUpstream makes the terms of an AdminNetworkPolicy, its baseline, and kinds of the same form.
func (a *antreaMaker) addUpstream(p *model.Policy) {
	subject := a.subjectCondition(subjectKey(p), p)
	for r := range p.AllRules() {
		tier, priority := a.order.tierAndPriority(p, r.Index)
		ref := Rule{Policy: p, Key: p.Key, Direction: r.Direction, Index: r.Index, Action: r.Action}
		a.addRuleTerms(p, r, ref, Term{Tier: tier, Priority: priority, Effect: actionEffect(r.Action)}, subject)
	}
}

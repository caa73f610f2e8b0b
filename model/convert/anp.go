package convert

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/antrea"
	"rung/model/words"
)

// anpRules bounds the rules of a direction in an AdminNetworkPolicy or BaselineAdminNetworkPolicy.
const anpRules = 100

// baselineName is the only name a BaselineAdminNetworkPolicy may have.
const baselineName = "default"

// ToANP converts ClusterNetworkPolicies to AdminNetworkPolicies and the one BaselineAdminNetworkPolicy.
// Priorities stay if OVN-Kubernetes enforces them all; else they are spread over the enforced ones, in the
// same order. Parts that ToCNP made are joined. AdminNetworkPolicies change only their priority; other kinds
// are left out.
func ToANP(policies []*model.Policy) Result {
	given := adminPolicies(policies, model.KindANP, model.KindBANP)
	m := newPolicyMaker()
	var high, low []*policySource
	for _, p := range given {
		if p.Kind != model.KindCNP {
			m.taken[p.Key] = true
		}
		if why := whyRefused(p); why != "" {
			m.ignorePolicy(p, why)
			continue
		}
		pieces := &high
		if p.Tier == model.TierBaseline {
			pieces = &low
		}
		if n := len(*pieces); n > 0 && (*pieces)[n-1].isNextPart(p) {
			(*pieces)[n-1].policies = append((*pieces)[n-1].policies, p)
		} else {
			*pieces = append(*pieces, &policySource{policies: []*model.Policy{p}})
		}
	}
	m.makeANPs(high)
	m.makeBANP(low)
	return m.sortedResult(given)
}

// policySource has the source policies of a new policy: usually one, else the parts of a split policy in order.
type policySource struct{ policies []*model.Policy }

func (c *policySource) firstPolicy() *model.Policy { return c.policies[0] }

// isNextPart reports whether a policy is the next part of a split one: its name and priority follow, its
// subject is the same, and the part before is full.
func (c *policySource) isNextPart(p *model.Policy) bool {
	last := c.policies[len(c.policies)-1]
	return p.Kind == model.KindCNP && p.Name == partName(c.firstPolicy().Name, len(c.policies)) && p.Priority == last.Priority+1 &&
		sameSubject(p, last) && p.Logging == last.Logging && p.HasLogging == last.HasLogging &&
		(len(last.Ingress) == cnpRules || len(last.Egress) == cnpRules) &&
		(len(p.Ingress) == 0 || len(last.Ingress) == cnpRules) && (len(p.Egress) == 0 || len(last.Egress) == cnpRules)
}

func sameSubject(a, b *model.Policy) bool {
	x, y := &a.Subject, &b.Subject
	return x.Namespace == y.Namespace && x.Namespaces.IsNil() == y.Namespaces.IsNil() && x.Pods.IsNil() == y.Pods.IsNil() &&
		subjectKey(x) == subjectKey(y)
}

// makeANPs makes the AdminNetworkPolicies.
func (m *policyMaker) makeANPs(pieces []*policySource) {
	at := spreadPriorities(pieces)
	for _, c := range pieces {
		p := c.firstPolicy()
		if at[p.Priority] < 0 {
			for _, part := range c.policies {
				m.noteInexpressible(part, fmt.Sprintf("no priority is left: OVN-Kubernetes enforces only %d", model.MaxPriority+1))
			}
			continue
		}
		if p.Kind == model.KindANP {
			delete(m.taken, p.Key)
		}
		next := m.beginPolicy(p, model.KindANP, model.TierAdmin, at[p.Priority], p.Name, p.Name+"-cnp")
		for _, part := range c.policies {
			m.addRules(part, next, "")
		}
	}
}

// spreadPriorities maps used priorities to enforced ones, or to -1 if none is left.
func spreadPriorities(pieces []*policySource) map[int32]int32 {
	var used []int32
	joined, tens := false, true
	for _, c := range pieces {
		used = append(used, c.firstPolicy().Priority)
		joined = joined || len(c.policies) > 1
		tens = tens && c.firstPolicy().Priority%scale == 0
	}
	slices.Sort(used)
	used = slices.Compact(used)
	at := map[int32]int32{}
	over := len(used) > 0 && used[len(used)-1] > model.MaxPriority
	for i, p := range used {
		switch {
		case (over || joined) && tens && used[len(used)-1]/scale <= model.MaxPriority:
			at[p] = p / scale
		case !over:
			at[p] = p
		case len(used) <= model.MaxPriority+1:
			at[p] = int32((i*2 + 1) * (model.MaxPriority + 1) / (len(used) * 2)) // as far apart as possible
		case i <= model.MaxPriority:
			at[p] = int32(i)
		default:
			at[p] = -1
		}
	}
	return at
}

// makeBANP joins the policies of tier Baseline into the only BANP the API permits.
func (m *policyMaker) makeBANP(pieces []*policySource) {
	if len(pieces) == 0 {
		return
	}
	first := pieces[0].firstPolicy()
	tied := map[int32][]string{}
	for _, c := range pieces {
		if p := c.firstPolicy(); p.Kind == model.KindCNP {
			tied[p.Priority] = append(tied[p.Priority], p.Name)
		}
	}
	next := &model.Policy{}
	for _, c := range pieces {
		for _, p := range c.policies {
			why := ""
			if with := tied[c.firstPolicy().Priority]; p.Kind == model.KindCNP && len(with) > 1 {
				why = words.List(with, 3) + " share a priority: their order was undefined and is fixed now"
			}
			switch {
			case !sameSubject(p, first):
				m.noteInexpressible(p, "only one BaselineAdminNetworkPolicy is allowed: its subject is that of "+first.Label())
				continue
			case p.Logging != first.Logging || p.HasLogging != first.HasLogging:
				why = strings.TrimPrefix(why+"; it logs like "+first.Label(), "; ")
			}
			if next.Name == "" {
				next = m.beginPolicy(first, model.KindBANP, model.TierBaseline, 0, baselineName)
			}
			m.addRules(p, next, why)
		}
	}
}

// addRules adds the rules of a policy to a new one; why describes a difference common to all.
func (m *policyMaker) addRules(p, next *model.Policy, why string) {
	for r := range p.AllRules() {
		now := *r
		if r.Action == model.Pass && next.Kind == model.KindBANP {
			now.Action = model.Allow // after the last tier everything is allowed
		}
		m.anpRule(p, r, now, next, why)
	}
}

func (m *policyMaker) anpRule(p *model.Policy, r *model.Rule, now model.Rule, next *model.Policy, why string) {
	var names []string
	now.Peers, now.Ports = nil, slices.Clone(r.Ports)
	for _, peer := range clonedPeers(r.Peers) {
		if peer.Kind == model.PeerDNS {
			names = append(names, peer.DNSName)
			continue
		}
		now.Peers = append(now.Peers, peer)
	}
	whole := slices.ContainsFunc(r.Ports, func(p model.Port) bool { return p.Name == "" && p.Start == 0 })
	switch {
	case whole:
		m.noteRule(p, r, Inexpressible, "its ports are undefined: it names a protocol without a port")
		return
	case len(next.Rules(r.Direction)) >= anpRules:
		m.noteRule(p, r, Inexpressible, "the API accepts at most "+strconv.Itoa(anpRules)+" rules per direction")
		return
	case len(now.Peers) == 0:
		m.noteRule(p, r, Inexpressible, "the API does not support domain names: "+words.List(names, 3))
		return
	case len(names) > 0:
		why = strings.TrimPrefix(why+"; without domain names, which the API does not support: "+words.List(names, 3), "; ")
	}
	label := Exact
	if why != "" {
		label = Approximate
	}
	m.noteRule(p, r, label, why, addRule(next, now))
}

// makeBaseline converts the tier that decides after NetworkPolicies: to the one BaselineAdminNetworkPolicy, or
// to ClusterNetworkPolicies of tier Baseline, before the existing ones.
func (f *importer) makeBaseline(ties []policyTie) {
	var behind []policyTie
	for _, t := range ties {
		if t.tier > antrea.PriorityApplication {
			behind = append(behind, t)
		}
	}
	if f.targetKind == model.KindCNP {
		last := lastEnforced()
		for p := range f.c.Policies(model.KindCNP) {
			if p.Tier == model.TierBaseline {
				last.limitBefore(p)
			}
		}
		f.placeTies(behind, model.TierBaseline, 0, last)
		return
	}
	for p := range f.c.Policies(model.KindBANP) {
		for i := range behind {
			behind[i].leaveOutRules("the cluster already has its only BaselineAdminNetworkPolicy: %s", p.Label())
		}
		return
	}
	f.makeSingleBaseline(behind)
}

// makeSingleBaseline joins the rules of the baseline tier into one policy with the subject of the first.
func (f *importer) makeSingleBaseline(ties []policyTie) {
	var banp *model.Policy
	var of string
	for i := range ties {
		for _, d := range model.Directions {
			for _, r := range ties[i].rowsOfDirection(d) {
				tied := r.whyOrderChosen()
				for _, s := range r {
					if banp == nil {
						p := s.clauses[0]
						next := *s.policy
						next.Subject, next.Annotations, next.Logging, next.HasLogging = p.subject, nil, "", false
						banp, of = f.beginPolicy(&next, model.KindBANP, model.TierBaseline, 0, baselineName), s.policy.Label()
					}
					f.joinClauses(s, banp, of)
					if tied != "" && len(s.madeRules) > 0 {
						s.addDifference("%s", tied)
					}
				}
			}
		}
	}
}

// joinClauses adds the clauses of a rule that have the policy's subject.
func (f *importer) joinClauses(s *convertedRule, banp *model.Policy, of string) {
	left := 0
	for _, p := range s.clauses {
		switch {
		case subjectKey(&p.subject) != subjectKey(&banp.Subject):
			left++
		case len(banp.Rules(s.rule.Direction)) >= anpRules:
			s.addDifference("the API accepts at most %d rules per direction", anpRules)
		default:
			s.madeRules = append(s.madeRules, addRule(banp, ruleOfClause(s, p)))
		}
	}
	if left == 0 {
		return
	}
	what := "its subject is that of " + of
	if s.policy.Label() == of {
		what = fmt.Sprintf("it has one subject, not %s", words.Count(left, "other"))
	}
	s.addDifference("only one BaselineAdminNetworkPolicy is allowed: %s", what)
}

// whyOrderChosen returns why the order within a row is a choice; empty if all its rules have one action.
func (r ruleRow) whyOrderChosen() string {
	var names []string
	for _, s := range r {
		if s.rule.Action != r[0].rule.Action {
			names = append(names, s.policy.Label())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return words.List(append([]string{r[0].policy.Label()}, names...), 3) + " share a priority: their order was undefined and is " +
		"fixed now"
}

package revision

import (
	"context"
	"slices"

	"rung/model"
	"rung/model/ladder"
	"rung/model/selectors"
	"rung/model/verdict"
)

// OverruledRule is a rule and the rules above it that decide connections it matches: these never reach it.
type OverruledRule struct {
	Direction model.Direction
	Rule      int // -1 for the default deny that isolates the pods of a NetworkPolicy
	// RulesAbove are in the order in which they decide.
	RulesAbove []RuleAbove
	// DecidesNothing means that RulesAbove decide everything the rule matches now; the last one decides the
	// rest. OnlyTogether means that only all of RulesAbove do, in no order.
	DecidesNothing, OnlyTogether bool
}

// RuleAbove is a rule that decides before another.
type RuleAbove struct {
	// Policy is the rule's policy; if Rule is -1, the default deny of a namespace.
	Policy    model.Key
	Direction model.Direction
	Rule      int
	Action    model.Action
	Level     string // log level, empty if it does not log
}

const mostAbove = 20

// DecidedBefore returns the rules of a policy for which rules above decide connections: one given rule, or all
// logging rules. The rules above are earlier rules of the policy and rules of policies before it on the
// ladder. For the baseline they include the NetworkPolicies that isolate its pods. Policies at one priority
// have no order and are left out.
//
// It claims nothing that is uncertain. For a NetworkPolicy or the baseline it leaves out an
// AdminNetworkPolicy's rule if a Pass above may leave nothing for it. Rules that decide nothing at all come
// from the verdicts of all connections, if those can be computed.
func DecidedBefore(r *Revision, ctx context.Context, k model.PolicyKey, dir model.Direction, rule int) []OverruledRule {
	_, _ = AllFindings(r, ctx) // without verdicts the rest remains true
	out := decidedBefore(r, k, dir, rule)
	if audit := KnownAudit(r); audit != nil {
		for i := range audit.Rules {
			a := &audit.Rules[i]
			if a.Policy == k && a.Matches && !a.Decides && (dir == "" || a.Direction == dir && a.Rule == rule) {
				out = addNeverDeciding(r, out, a, dir != "")
			}
		}
	}
	return out
}

// addNeverDeciding adds a rule that decides nothing, with its deciders, unless it is already listed as such. A
// rule that does not log is added only if asked for.
func addNeverDeciding(r *Revision, out []OverruledRule, a *verdict.AuditedRule, asked bool) []OverruledRule {
	p := r.Cluster.Policy(a.Policy)
	if p == nil || !asked && PolicyLogging(r, p).Levels.ForAction(a.Action) == "" {
		return out
	}
	b := OverruledRule{Direction: a.Direction, Rule: a.Rule, DecidesNothing: true, OnlyTogether: len(a.DecidersBefore) > 1}
	for i := range a.DecidersBefore {
		by := &a.DecidersBefore[i]
		b.RulesAbove = append(b.RulesAbove, RuleAbove{by.Policy, by.Direction, by.Rule, by.Action, deciderLogLevel(r, by)})
	}
	at := slices.IndexFunc(out, func(o OverruledRule) bool { return o.Direction == a.Direction && o.Rule == a.Rule })
	switch {
	case at < 0:
		return append(out, b)
	case !out[at].DecidesNothing:
		out[at] = b
	}
	return out
}

// deciderLogLevel returns the level at which a rule or a default deny logs.
func deciderLogLevel(r *Revision, by *verdict.Decider) string {
	if p := r.Cluster.Policy(by.Policy); p != nil {
		return PolicyLogging(r, p).Levels.ForAction(by.Action)
	}
	l, _ := UnitLogging(r, by.Policy)
	return l.Levels.ForAction(by.Action)
}

func decidedBefore(r *Revision, k model.PolicyKey, dir model.Direction, rule int) (out []OverruledRule) {
	p := r.Cluster.Policy(k)
	if p == nil || r.WhyNoRows(k) != nil {
		return nil
	}
	levels := PolicyLogging(r, p).Levels
	for _, d := range model.Directions {
		if dir != "" && d != dir {
			continue
		}
		a := &rulesAbovePolicy{r: r, x: r.PodIndex(), p: p}
		a.listRules(d)
		for i := range p.Rules(d) {
			t := &p.Rules(d)[i]
			if dir == "" && levels.ForAction(t.Action) != "" || dir != "" && i == rule {
				out = a.judgeRule(out, t)
			}
		}
		if k.Kind == model.KindNP && dir == "" && levels.Deny != "" && p.IsolatesDirection(d) {
			out = a.judgeRule(out, &model.Rule{Direction: d, Index: -1, Action: model.Deny, AnyPeer: true})
		}
	}
	return out
}

// rulesAbovePolicy holds a policy's rules of one direction, and the rules that decide before them.
type rulesAbovePolicy struct {
	r     *Revision
	x     *selectors.PodIndex
	p     *model.Policy
	rules []policyRule
}

type policyRule struct {
	policy *model.Policy
	rule   *selectors.ResolvedRule
}

func (a *rulesAbovePolicy) listRules(d model.Direction) {
	add := func(q *model.Policy) {
		for i := range q.Rules(d) {
			if !q.Rules(d)[i].MatchesNothing() {
				a.rules = append(a.rules, policyRule{q, a.x.ResolveRule(&q.Rules(d)[i])})
			}
		}
	}
	for _, rung := range a.r.Ladder().Tiers[model.TierAdmin].Rungs {
		if rung.Idle {
			continue
		}
		if rung.Unsupported || a.p.Tier == model.TierAdmin && rung.Priority >= a.p.Priority {
			break
		}
		for _, q := range rung.Policies {
			if a.r.WhyNoRows(q.Policy.Key) == nil {
				add(q.Policy)
			}
		}
	}
	if baseline := &a.r.Ladder().Tiers[model.TierBaseline]; a.p.Tier == model.TierBaseline {
		for i := range baseline.Rungs {
			rung := &baseline.Rungs[i]
			for _, q := range rung.Policies {
				if baseline.TopPriority(rung) > ladder.RowPriority(a.p, 0) && a.r.WhyNoRows(q.Policy.Key) == nil {
					add(q.Policy)
				}
			}
		}
	}
	if a.p.Kind != model.KindNP { // a NetworkPolicy's rules have no order
		add(a.p)
	}
}

// judgeRule adds the rules that decide before a rule of the policy.
func (a *rulesAbovePolicy) judgeRule(out []OverruledRule, t *model.Rule) []OverruledRule {
	b := OverruledRule{Direction: t.Direction, Rule: t.Index}
	target := a.x.ResolveRule(t)
	admin := a.p.Tier == model.TierAdmin
	var passes []policyRule
	for _, up := range a.rules {
		rule := up.rule.Rule()
		own := up.policy.Key == a.p.Key
		if own && rule.Index >= t.Index {
			break
		}
		subject := a.x.SubjectSet(up.policy).And(a.x.SubjectSet(a.p))
		_, meets := a.x.MeetRules(subject, up.rule, target)
		if !meets {
			continue
		}
		all := a.x.RuleCovers(up.policy, up.rule, a.p, target)
		switch {
		case admin || own:
		case rule.Action == model.Pass && all:
			return a.addIsolations(out, b, target) // no later rule of that tier decides these connections
		case rule.Action == model.Pass:
			passes = append(passes, up)
			continue
		case a.p.Kind == model.KindEF && rule.Action == model.Allow:
			continue // the EgressFirewall still decides
		case !a.decidesForCertain(passes, up, target):
			continue
		default:
			all = all && len(passes) == 0
		}
		b.DecidesNothing = all
		if all || len(b.RulesAbove) < mostAbove {
			b.RulesAbove = append(b.RulesAbove, RuleAbove{up.policy.Key, rule.Direction, rule.Index, rule.Action,
				PolicyLogging(a.r, up.policy).Levels.ForAction(rule.Action)})
		}
		if all {
			return append(out, b)
		}
	}
	return a.addIsolations(out, b, target)
}

// decidesForCertain reports whether a rule surely decides connections that the target matches too, despite the
// Passes above it.
func (a *rulesAbovePolicy) decidesForCertain(passes []policyRule, up policyRule, target *selectors.ResolvedRule) bool {
	met := false
	left := up.rule.Reach().ReachedPods().And(target.Reach().ReachedPods())
	for _, pass := range passes {
		subject := a.x.SubjectSet(up.policy).And(a.x.SubjectSet(pass.policy)).And(a.x.SubjectSet(a.p))
		_, meets := a.x.MeetRules(subject, pass.rule, up.rule)
		met = met || meets
		left = left.AndNot(pass.rule.Reach().ReachedPods())
	}
	// A pod is not its own peer.
	return !met || len(up.rule.Rule().Ports) == 0 && left.Len() > 1
}

// addIsolations adds for the baseline the default denies of the NetworkPolicies that isolate its pods: they
// decide all traffic of these pods.
func (a *rulesAbovePolicy) addIsolations(out []OverruledRule, b OverruledRule, t *selectors.ResolvedRule) []OverruledRule {
	if a.p.Tier == model.TierBaseline {
		dir := t.Rule().Direction
		var all selectors.PodSet
		subject := a.x.SubjectSet(a.p)
		seen := map[string]bool{}
		for np := range a.r.Cluster.Policies(model.KindNP) {
			pods := a.x.SubjectSet(np).And(subject)
			if !np.IsolatesDirection(dir) || a.r.WhyNoRows(np.Key) != nil || pods.IsEmpty() {
				continue
			}
			all = all.Or(pods)
			if seen[np.Namespace] || len(b.RulesAbove) >= mostAbove {
				continue
			}
			seen[np.Namespace] = true
			unit := DefaultDeny(np.Namespace, dir)
			l, _ := UnitLogging(a.r, unit)
			b.RulesAbove = append(b.RulesAbove, RuleAbove{unit, dir, -1, model.Deny, l.Levels.ForAction(model.Deny)})
		}
		b.DecidesNothing = len(b.RulesAbove) > 0 && !subject.IsEmpty() && subject.IsWithin(all)
	}
	if len(b.RulesAbove) == 0 {
		return out
	}
	return append(out, b)
}

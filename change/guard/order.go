package guard

import (
	"fmt"

	"rung/model"
	"rung/model/selectors"
)

// orderGuard finds Allows that lose their effect: it compares the ladder of
// ANPs and BANP before and after a change, rule by rule.
type orderGuard struct {
	x             *selectors.PodIndex
	touched       map[model.PolicyKey]bool
	before, after map[model.Direction]*rungRules
	resolved      map[*model.Rule]*selectors.ResolvedRule
	subjects      map[*model.Policy]selectors.PodSet
	coverers      map[*model.Rule][]rungRule
}

// rungRules are the Allows and Denies of one direction in the order in which
// they decide.
type rungRules struct {
	allows, denies []rungRule
	byPolicy       map[model.PolicyKey][]rungRule // allows
	deniesOf       map[model.PolicyKey][]rungRule
}

type rungRule struct {
	policy *model.Policy
	rule   *model.Rule
	order  int // less decides first; equal is undefined
}

// wouldCatch stands in a message before the example: which pods serve for one
// may change without a change of anything else.
const wouldCatch = " would catch "

func newOrderGuard(c *model.Cluster, x *selectors.PodIndex, touched []PolicyChange, e enforcementFacts) *orderGuard {
	g := &orderGuard{x: x, touched: map[model.PolicyKey]bool{}, resolved: map[*model.Rule]*selectors.ResolvedRule{},
		subjects: map[*model.Policy]selectors.PodSet{}, coverers: map[*model.Rule][]rungRule{}}
	next := map[model.PolicyKey]*model.Policy{}
	for _, ch := range touched {
		g.touched[ch.Key] = true
		next[ch.Key] = ch.New
	}
	var was, will []*model.Policy
	for _, kind := range []model.Kind{model.KindANP, model.KindBANP, model.KindCNP} {
		for p := range c.Policies(kind) {
			if kind == model.KindCNP && !e.compilesCNP {
				break
			}
			was = append(was, p)
			if !g.touched[p.Key] {
				will = append(will, p)
			}
		}
	}
	for _, ch := range touched {
		if ch.New != nil {
			will = append(will, ch.New)
		}
	}
	g.before, g.after = rulesByDirection(was, e), rulesByDirection(will, e)
	return g
}

// enforcementFacts holds the two facts of a cluster that decide which policies it enforces: the
// last priority, and whether ClusterNetworkPolicies are compiled.
type enforcementFacts struct {
	lastPriority int32
	compilesCNP  bool
}

// isEnforced says whether OVN-Kubernetes programs the policy, as far as the policy
// itself tells. One that it does not program may have older rows that still
// decide, but that ends with the next start of a controller at the latest: what
// is not programmed does not count as above anything.
func (e enforcementFacts) isEnforced(p *model.Policy) bool {
	if p.Kind.HasPriority() && p.Priority > e.lastPriority || p.Kind == model.KindCNP && !e.compilesCNP || p.IsRefused() {
		return false
	}
	_, err := p.LogLevels()
	return err == nil
}

// Behind every rule of tier 1 are those of ClusterNetworkPolicies of tier Baseline, and
// behind them that of the baseline.
const (
	baselineTier  = 1 << 29
	baselineOrder = 1 << 30
)

func rulesByDirection(ps []*model.Policy, e enforcementFacts) map[model.Direction]*rungRules {
	out := map[model.Direction]*rungRules{}
	for _, d := range []model.Direction{model.Ingress, model.Egress} {
		rr := &rungRules{byPolicy: map[model.PolicyKey][]rungRule{}, deniesOf: map[model.PolicyKey][]rungRule{}}
		out[d] = rr
		for _, p := range ps {
			if !e.isEnforced(p) {
				continue
			}
			base := int(p.Priority) * 100 // at most 100 rules (ovn-kubernetes.md#api-limits)
			switch {
			case p.Kind == model.KindBANP:
				base = baselineOrder
			case p.Tier == model.TierBaseline:
				base += baselineTier
			}
			for i := range p.Rules(d) {
				r := rungRule{p, &p.Rules(d)[i], base + i}
				switch r.rule.Action {
				case model.Allow:
					rr.allows = append(rr.allows, r)
					rr.byPolicy[p.Key] = append(rr.byPolicy[p.Key], r)
				case model.Deny:
					rr.denies = append(rr.denies, r)
					rr.deniesOf[p.Key] = append(rr.deniesOf[p.Key], r)
				}
			}
		}
	}
	return out
}

func (g *orderGuard) resolveRule(r *model.Rule) *selectors.ResolvedRule {
	v := g.resolved[r]
	if v == nil {
		v = g.x.ResolveRule(r)
		g.resolved[r] = v
	}
	return v
}

func (g *orderGuard) subjectPods(p *model.Policy) selectors.PodSet {
	s, ok := g.subjects[p]
	if !ok {
		s = g.x.SubjectSet(p)
		g.subjects[p] = s
	}
	return s
}

// commonTraffic finds traffic that both rules match: now, or, where the Allow's subject
// or peers are nobody now, by selectors.
func (g *orderGuard) commonTraffic(allow, deny rungRule) (example string, ok bool) {
	a := g.resolveRule(allow.rule)
	subject := g.subjectPods(allow.policy)
	if subject.IsEmpty() || a.Reach().IsEmpty() {
		if selectors.MayMeet(allow.policy, allow.rule, deny.policy, deny.rule) {
			return "what it would select", true
		}
		return "", false
	}
	both := subject.And(g.subjectPods(deny.policy))
	if both.IsEmpty() {
		return "", false
	}
	m, ok := g.x.MeetRules(both, a, g.resolveRule(deny.rule))
	if !ok {
		return "", false
	}
	return m.Text(allow.rule.Direction), true
}

// findLostAllows returns one guard for each policy whose Allow is lost by a changed
// policy.
func (g *orderGuard) findLostAllows() (out []Guard) {
	type pair struct{ changed, allow model.PolicyKey }
	seen := map[pair]bool{}
	for _, d := range []model.Direction{model.Ingress, model.Egress} {
		for _, a := range g.before[d].allows {
			for _, deny := range g.after[d].denies {
				by := a.policy.Key
				if !g.touched[by] {
					by = deny.policy.Key
				}
				if !g.touched[by] || seen[pair{by, a.policy.Key}] {
					continue
				}
				if msg, lost := g.isAllowLost(g.before[d], g.after[d], a, deny); lost {
					seen[pair{by, a.policy.Key}] = true
					out = append(out, Guard{Code: AllowLost, Policy: by, Message: msg})
				}
			}
		}
	}
	return out
}

// isAllowLost says whether the Allow does not decide before the Deny any more.
func (g *orderGuard) isAllowLost(before, after *rungRules, a, deny rungRule) (msg string, lost bool) {
	// The same rule in its policy as it will be, above the Deny: the usual case.
	stays := false
	for _, r := range after.byPolicy[a.policy.Key] {
		if sameRule(*r.rule, *a.rule) && sameSubject(r.policy, a.policy) {
			stays = true
			if r.order < deny.order {
				return "", false
			}
		}
	}
	had := before.deniesOf[deny.policy.Key]
	if stays && len(had) == 0 {
		return "", false // see the end: spares asking every Allow about a new policy
	}
	example, meets := g.commonTraffic(a, deny)
	if !meets {
		return "", false
	}
	above := false
	for _, d := range had {
		if _, ok := g.commonTraffic(a, d); !ok {
			continue
		}
		if d.order <= a.order {
			return "", false // caught it before already
		}
		above = true
	}
	for _, r := range g.coveringAllows(a, after) {
		if r.order < deny.order {
			return "", false
		}
		stays = true
	}
	// A new Deny above an Allow that stays where it is: that is what a Deny is
	// for, and the rule is read in the preview.
	if stays && !above {
		return "", false
	}
	what := "no longer applies"
	if stays {
		what = "no longer comes first"
	}
	return fmt.Sprintf("Allow %s of %s %s: %s of %s"+wouldCatch+"%s",
		ruleText(a.rule), a.policy.Key.Label(), what, ruleText(deny.rule), deny.policy.Key.Label(), example), true
}

// coveringAllows are the Allows after the change that let through what a did.
func (g *orderGuard) coveringAllows(a rungRule, after *rungRules) []rungRule {
	out, known := g.coverers[a.rule]
	if !known {
		for _, r := range after.allows {
			if g.x.RuleCovers(r.policy, g.resolveRule(r.rule), a.policy, g.resolveRule(a.rule)) {
				out = append(out, r)
			}
		}
		g.coverers[a.rule] = out
	}
	return out
}

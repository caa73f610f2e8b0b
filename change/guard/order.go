package guard

import (
	"fmt"

	"rung/change"
	"rung/model"
	"rung/model/selectors"
)

// orderGuard finds Allows that lose their effect. It compares the ladder of ANPs and BANP before and after a
// change, rule by rule.
type orderGuard struct {
	x             *selectors.PodIndex
	touched       map[model.PolicyKey]bool
	before, after map[model.Direction]*rungRules
	resolved      map[*model.Rule]*selectors.ResolvedRule
	subjects      map[*model.Policy]selectors.PodSet
	coverers      map[*model.Rule][]rungRule
}

// rungRules are the Allows and Denies of one direction, in order of precedence.
type rungRules struct {
	allows, denies []rungRule
	allowsByPolicy map[model.PolicyKey][]rungRule // allows
	deniesByPolicy map[model.PolicyKey][]rungRule
}

type rungRule struct {
	policy *model.Policy
	rule   *model.Rule
	order  int // lower decides first; equal is undefined
}

func newOrderGuard(c *model.Cluster, x *selectors.PodIndex, touched []change.ObjectChange, e enforcementFacts) *orderGuard {
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

// enforcementFacts decide which policies a cluster enforces: the last priority, and whether
// ClusterNetworkPolicies are compiled.
type enforcementFacts struct {
	lastPriority int32
	compilesCNP  bool
}

// isEnforced reports whether OVN-Kubernetes programs the policy, as far as the policy itself tells. Rows of a
// policy that it no longer programs may decide until a controller restarts. Such a policy counts as above no
// other.
func (e enforcementFacts) isEnforced(p *model.Policy) bool {
	if p.Kind.HasPriority() && p.Priority > e.lastPriority || p.Kind == model.KindCNP && !e.compilesCNP || p.IsRejected() {
		return false
	}
	_, err := p.LogLevels()
	return err == nil
}

// Rules of ClusterNetworkPolicies in tier Baseline come after all rules of tier 1, and before the baseline's.
const (
	baselineTier  = 1 << 29
	baselineOrder = 1 << 30
)

func rulesByDirection(ps []*model.Policy, e enforcementFacts) map[model.Direction]*rungRules {
	out := map[model.Direction]*rungRules{}
	for _, d := range []model.Direction{model.Ingress, model.Egress} {
		rr := &rungRules{allowsByPolicy: map[model.PolicyKey][]rungRule{}, deniesByPolicy: map[model.PolicyKey][]rungRule{}}
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
					rr.allowsByPolicy[p.Key] = append(rr.allowsByPolicy[p.Key], r)
				case model.Deny:
					rr.denies = append(rr.denies, r)
					rr.deniesByPolicy[p.Key] = append(rr.deniesByPolicy[p.Key], r)
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

// commonTraffic finds traffic that both rules match now. If the Allow has no subjects or peers now, it
// compares the selectors.
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

// findLostAllows returns a guard for each policy whose Allow is lost by a changed policy.
func (g *orderGuard) findLostAllows() (out []change.Guard) {
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
				if what, example, lost := g.isAllowLost(g.before[d], g.after[d], a, deny); lost {
					seen[pair{by, a.policy.Key}] = true
					out = append(out, change.Guard{Code: AllowLost, Policy: by, About: what, Message: what + " would catch " + example})
				}
			}
		}
	}
	return out
}

// isAllowLost reports whether the Allow no longer decides before the Deny, with a text and an example.
func (g *orderGuard) isAllowLost(before, after *rungRules, a, deny rungRule) (what, example string, lost bool) {
	// The usual case: the rule is still in its policy, and above the Deny.
	stays := false
	for _, r := range after.allowsByPolicy[a.policy.Key] {
		if sameRule(*r.rule, *a.rule) && sameSubject(r.policy, a.policy) {
			stays = true
			if r.order < deny.order {
				return "", "", false
			}
		}
	}
	had := before.deniesByPolicy[deny.policy.Key]
	if stays && len(had) == 0 {
		return "", "", false // see the end: avoids comparing every Allow with a new policy
	}
	example, meets := g.commonTraffic(a, deny)
	if !meets {
		return "", "", false
	}
	above := false
	for _, d := range had {
		if _, ok := g.commonTraffic(a, d); !ok {
			continue
		}
		if d.order <= a.order {
			return "", "", false // a Deny of the same policy caught it before the change already
		}
		above = true
	}
	for _, r := range g.coveringAllows(a, after) {
		if r.order < deny.order {
			return "", "", false
		}
		stays = true
	}
	// A new Deny above an unmoved Allow is what a Deny is for, and the preview shows the rule.
	if stays && !above {
		return "", "", false
	}
	what = "no longer applies"
	if stays {
		what = "no longer comes first"
	}
	return fmt.Sprintf("Allow %s %s %s: %s %s", a.policy.Key.Label(), ruleText(a.rule), what, deny.policy.Key.Label(), ruleText(deny.rule)),
		example, true
}

// coveringAllows returns the Allows after the change that let through all that a did.
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

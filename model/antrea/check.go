package antrea

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/selectors"
	"rung/model/words"
)

// Limits of tiers and priorities (antrea.md#limits).
const (
	maxTiers        = 20
	advisedTiers    = 10
	maxBaseline     = 150   // unique priorities of rules in the baseline tier
	maxPriorities   = 10000 // of policies outside it
	maxRules        = 50000 // of rules outside it
	advisedPriority = 100
)

// checker is one run of CheckCluster.
type checker struct {
	c     *model.Cluster
	r     *GroupResolver
	tiers map[string]*model.Tier
	// refused has the tiers that admission rejects, by name.
	refused map[string]EmptyReason
	out     []model.Finding

	x       *selectors.PodIndex // nil until podIndex makes it
	dropped *selectors.PodSet   // pods with an egress rule that drops something; nil if unknown yet
}

// CheckCluster returns findings about the whole cluster: what Antrea's admission would reject, what its
// documentation advises against, and what has no effect. It includes the faults of single objects
// (Policy.Invalid, Group.Invalid).
func CheckCluster(c *model.Cluster) []model.Finding {
	k := newChecker(c)
	k.checkTiers(TiersInOrder(c))
	for _, kind := range []model.Kind{model.KindClusterGroup, model.KindGroup} {
		for g := range c.Groups(kind) {
			k.checkGroup(g)
		}
	}
	for p := range c.TieredPolicies() {
		k.checkPolicy(p)
	}
	order := EffectiveOrder(c)
	k.checkTies(order)
	k.checkLimits(order)
	k.checkLabels()
	return k.out
}

func newChecker(c *model.Cluster) *checker {
	k := &checker{c: c, r: ResolveGroups(c), tiers: map[string]*model.Tier{}}
	all := TiersInOrder(c)
	for _, t := range all {
		k.tiers[t.Name] = t
	}
	k.refused = refusedTiers(all)
	return k
}

func (k *checker) addFinding(m *model.Meta, dir model.Direction, rule int, code, message, remedy string) {
	k.out = append(k.out, model.Finding{Code: code, Severity: codeSeverity(code), Policy: m.Key, Direction: dir, Rule: rule,
		Message: message, Remedy: remedy, Origin: m.Origin})
}

func (k *checker) addAboutObject(m *model.Meta, code, message, remedy string) {
	k.addFinding(m, "", -1, code, message, remedy)
}

func (k *checker) addAboutRule(p *model.Policy, r *model.Rule, code, message, remedy string) {
	k.addFinding(&p.Meta, r.Direction, r.Index, code, message, remedy)
}

func (k *checker) checkTiers(all []*model.Tier) {
	for _, t := range all {
		if want, ok := StaticPriority(t.Name); ok {
			if o, _ := k.c.Get(t.Key).(*model.Tier); o != nil && o.Priority != want {
				k.addAboutObject(&o.Meta, TierStatic, fmt.Sprintf("priority %d: tier %s is Antrea's own and has %d", o.Priority, t.Name, want),
					"remove it: Antrea creates it")
			}
			continue
		}
		if why, ok := k.refused[t.Name]; ok {
			k.addAboutObject(&t.Meta, why.Code, why.Message, "give it another priority")
		}
	}
	last := &all[len(all)-1].Meta
	for _, t := range all {
		if !t.Static {
			last = &t.Meta
		}
	}
	switch n := len(all); {
	case n > maxTiers:
		k.addAboutObject(last, TierLimit, fmt.Sprintf("%s: Antrea supports at most %d", words.Count(n, "tier"), maxTiers),
			"use one tier for each owner's policies")
	case n > advisedTiers:
		k.addAboutObject(last, TiersMany, fmt.Sprintf("%s: Antrea advises at most %d", words.Count(n, "tier"), advisedTiers), "")
	}
}

// addInvalid adds the faults found when an object was read.
func (k *checker) addInvalid(m *model.Meta, list []model.Broken) {
	for _, b := range list {
		f := model.Finding{Code: b.Code, Severity: b.Severity, Policy: m.Key, Rule: -1, Message: strings.TrimPrefix(b.Field+": "+b.Message, ": "),
			Remedy: b.Remedy, Origin: b.Origin}
		f.Direction, f.Rule = b.RuleAt()
		k.out = append(k.out, f)
	}
}

func (k *checker) checkGroup(g *model.Group) {
	k.addInvalid(&g.Meta, g.Invalid)
	if g.OldBlock {
		k.addAboutObject(&g.Meta, GroupBlock, "ipBlock is deprecated in favour of ipBlocks", "use ipBlocks")
	}
	if len(g.Invalid) > 0 {
		return
	}
	for _, why := range k.r.FindMembers(g.Key).Reasons {
		k.addAboutObject(&g.Meta, why.Code, why.Message, codeRemedy(why.Code))
	}
}

// codeRemedy returns what to do about a reference that selects nothing.
func codeRemedy(code string) string {
	switch code {
	case GroupMissing, ServiceMissing:
		return "create it, or correct the name"
	case GroupNested, GroupCycle:
		return "list the nested groups as direct children"
	case AppliedToNetworks:
		return "apply the policy to pods"
	case AppliedToNamespaces:
		return "use an Antrea ClusterNetworkPolicy"
	}
	return ""
}

func (k *checker) checkPolicy(p *model.Policy) {
	k.addInvalid(&p.Meta, p.Invalid)
	a := p.Tiered
	switch t := k.tiers[a.Tier]; {
	case t == nil && a.Phase != "":
		k.addAboutObject(&p.Meta, TierDeleted, "its tier "+a.Tier+" was deleted after Antrea accepted the policy",
			"create the tier again, or move the policy to another")
	case t == nil:
		k.addAboutObject(&p.Meta, TierMissing, "its tier "+a.Tier+" does not exist: the policy decides nothing",
			"create the tier, or use another")
	case k.refused[a.Tier] != EmptyReason{}:
		k.addAboutObject(&p.Meta, TierMissing, "its tier "+a.Tier+" is rejected ("+k.refused[a.Tier].Message+"): the policy decides nothing",
			"give the tier another priority, or use another tier")
	}
	if a.Tier != Baseline && a.Priority > advisedPriority && a.Priority <= 10000 {
		k.addAboutObject(&p.Meta, PriorityHigh, fmt.Sprintf("priority %g is above %d: more work for the agents", a.Priority, advisedPriority), "")
	}
	k.nameLabels(p)
	seen := map[EmptyReason]bool{}
	k.addReasons(p, nil, k.r.ScopeOfRule(p, nil), seen)
	for r := range p.AllRules() {
		k.checkRule(p, r, seen)
	}
}

// addReasons reports once each part of appliedTo that selects nothing.
func (k *checker) addReasons(p *model.Policy, r *model.Rule, s AppliedScope, seen map[EmptyReason]bool) {
	for _, why := range s.Reasons {
		if seen[why] || why.Code == AppliedToNothing {
			continue // a policy without appliedTo is rejected: Policy.Invalid has it
		}
		seen[why] = true
		if r == nil {
			k.addAboutObject(&p.Meta, why.Code, why.Message, codeRemedy(why.Code))
		} else {
			k.addAboutRule(p, r, why.Code, why.Message, codeRemedy(why.Code))
		}
	}
	for _, key := range s.Services {
		why := EmptyReason{ServiceType, ""}
		switch o, _ := k.c.Get(key).(*model.Service); {
		case o == nil:
			why.Message = "Service " + key.Namespace + "/" + key.Name + " in appliedTo does not exist"
		case o.Type != nodePort:
			why.Message = notNodePort(o)
		}
		if why.Message != "" && !seen[why] {
			seen[why] = true
			k.addAboutObject(&p.Meta, why.Code, why.Message, "use a NodePort Service")
		}
	}
}

func (k *checker) checkRule(p *model.Policy, r *model.Rule, seen map[EmptyReason]bool) {
	a := r.Tiered
	if len(a.AppliedTo) > 0 {
		k.addReasons(p, r, k.r.ScopeOfRule(p, r), seen)
	}
	if a.Action == string(model.Deny) {
		k.addAboutRule(p, r, ActionDeny, "Antrea has no Deny: the API server rejects it, Rung reads it as Drop", "use Drop or Reject")
	}
	if p.Tiered.Tier == Baseline && r.Action == model.Allow {
		k.addAboutRule(p, r, BaselineAllow, "Allow in the baseline tier: connections that no rule denies are allowed anyway, and "+
			"the rule cannot lift the isolation of a NetworkPolicy", "")
	}
	for i := range r.Peers {
		k.checkPeer(p, r, &r.Peers[i], seen)
	}
	for _, key := range a.ToServices {
		name := "Service " + key.Namespace + "/" + key.Name
		switch s, _ := k.c.Get(key).(*model.Service); {
		case s == nil:
			k.addAboutRule(p, r, ToServicesMissing, name+" does not exist: this entry of toServices matches nothing", "correct the name")
		case len(s.ClusterIPs) == 0:
			k.addAboutRule(p, r, ToServicesHeadless, name+" is headless: it has no cluster IP to match",
				"use a ClusterGroup with serviceReference as the peer")
		}
	}
}

func (k *checker) checkPeer(p *model.Policy, r *model.Rule, pe *model.Peer, seen map[EmptyReason]bool) {
	switch {
	case pe.Kind == model.PeerGroup:
		m := k.r.FindMembers(GroupKey(p, pe.Group))
		k.checkGroupNetworks(p, r, pe.Group, m.Networks)
		for _, why := range m.Reasons {
			if !seen[why] {
				seen[why] = true
				k.addAboutRule(p, r, why.Code, why.Message, codeRemedy(why.Code))
			}
		}
	case pe.Kind == model.PeerNetworks:
		k.checkBlock(p, r, pe)
	case pe.Kind == model.PeerDNS:
		k.checkFQDN(p, r, pe.DNSName)
	case pe.Match != nil && len(pe.Match.SameLabels) > 0:
		for ns := range k.c.Namespaces() {
			if _, ok := LabelValues(ns, pe.Match.SameLabels); ok {
				return
			}
		}
		k.addAboutRule(p, r, SameLabelsNoMatch, "no namespace has all of the labels "+strings.Join(pe.Match.SameLabels, ", ")+
			": the rule applies to no pod", "")
	}
}

// LabelValues returns a namespace's values of labels. ok is false if it lacks a label: then rules with
// sameLabels do not apply to its pods (antrea.md#peers).
func LabelValues(ns *model.Namespace, labels []string) (values []string, ok bool) {
	for _, l := range labels {
		v, has := ns.Labels.Map()[l]
		if !has {
			return nil, false
		}
		values = append(values, v)
	}
	return values, true
}

// RequiredLabels returns the labels that a namespace needs for a policy to apply to its pods: all keys of
// sameLabels in the policy's rules (antrea.md#same-labels).
func RequiredLabels(p *model.Policy) (out []string) {
	for r := range p.AllRules() {
		for i := range r.Peers {
			if m := r.Peers[i].Match; m != nil {
				out = append(out, m.SameLabels...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (k *checker) checkFQDN(p *model.Policy, r *model.Rule, name string) {
	if r.Action == model.Deny {
		k.addAboutRule(p, r, FQDNDrop, r.Tiered.Action+" of "+name+" may still let through connections to an address resolved earlier",
			"allow the wanted names and drop the rest")
	}
	if r.Action == model.Pass {
		k.addAboutRule(p, r, FQDNPass, "Pass of "+name+": rules with fqdn support Allow, Drop and Reject only", "use Allow, Drop or Reject")
	}
	k.checkFallback(p, r)
	if namesPods(name) {
		k.addAboutRule(p, r, FQDNKubernetes, name+" is a DNS name of Kubernetes: labels select pods more reliably", "select pods by labels")
	}
	if s := serviceOfName(k.c, name); s != nil && len(s.ClusterIPs) > 0 {
		k.addAboutRule(p, r, FQDNService, name+" is a Service with a cluster IP: fqdn does not match it", "select its pods by labels")
	}
}

// checkTies warns of policies that share tier and priority. It does if rules of theirs with the same number
// have different actions and apply to the same pod.
func (k *checker) checkTies(order []ladder.Place) {
	differ := false
	for i := range order {
		p := &order[i]
		if !p.IsTied() || p.Policy.Tiered == nil {
			continue
		}
		if i == 0 || len(order[i-1].Group) == 0 || &order[i-1].Group[0] != &p.Group[0] { // ties share one list
			differ = k.rulesDiffer(p.Group)
		}
		if !differ {
			continue
		}
		var names []string
		for _, o := range p.TiedPolicies() {
			if other := k.c.Policy(o); other != nil && k.rulesDisagree(k.podIndex(), p.Policy, other) {
				names = append(names, o.Label())
			}
		}
		if len(names) > 0 {
			k.addAboutObject(&p.Policy.Meta, PriorityTie,
				fmt.Sprintf("shares tier %s and priority %g with %s: if rules with the same number conflict, it is undefined which one wins",
					p.TierName, p.Priority(), words.ListFew(names, 3)), "give it a priority of its own")
			k.out[len(k.out)-1].NamesOthers = true
		}
	}
}

// rulesDiffer reports whether some rules of the same number in these policies have different actions. If not,
// no two policies need comparing.
func (k *checker) rulesDiffer(group []model.PolicyKey) bool {
	type number struct {
		dir  model.Direction
		rule int
	}
	does := map[number]model.Action{}
	for _, key := range group {
		p := k.c.Policy(key)
		if p == nil {
			continue
		}
		for r := range p.AllRules() {
			at := number{r.Direction, r.Index}
			if was, ok := does[at]; ok && was != r.Action {
				return true
			}
			does[at] = r.Action
		}
	}
	return false
}

// rulesDisagree reports whether rules of the same number have different actions and apply to the same pod.
func (k *checker) rulesDisagree(x *selectors.PodIndex, a, b *model.Policy) bool {
	for _, d := range model.Directions {
		ra, rb := a.Rules(d), b.Rules(d)
		for i := range min(len(ra), len(rb)) {
			if ra[i].Action == rb[i].Action {
				continue
			}
			sa, sb := k.r.ScopeOfRule(a, &ra[i]), k.r.ScopeOfRule(b, &rb[i])
			if sa.PodSet(x).Meets(sb.PodSet(x)) {
				return true
			}
		}
	}
	return false
}

func (k *checker) checkLimits(order []ladder.Place) {
	type at struct {
		tier     string
		priority float64
		dir      model.Direction
		rule     int
	}
	policies, rules, baseline := map[at]bool{}, map[at]bool{}, map[at]bool{}
	var last *model.Policy
	for i := range order {
		p := order[i].Policy
		if p.Tiered == nil || math.IsNaN(p.Tiered.Priority) {
			continue
		}
		in := rules
		if p.Tiered.Tier == Baseline {
			in = baseline
		} else {
			policies[at{p.Tiered.Tier, p.Tiered.Priority, "", 0}] = true
		}
		for r := range p.AllRules() {
			in[at{p.Tiered.Tier, p.Tiered.Priority, r.Direction, r.Index}] = true
		}
		last = p
	}
	if last == nil {
		return
	}
	if len(policies) > maxPriorities || len(rules) > maxRules {
		k.addAboutObject(&last.Meta, PrioritiesLimit, fmt.Sprintf("%s policy priorities and %s rule priorities: Antrea supports %s and %s",
			words.Thousands(len(policies)), words.Thousands(len(rules)), words.Thousands(maxPriorities), words.Thousands(maxRules)),
			"let policies for different pods share a priority")
	}
	if len(baseline) > maxBaseline {
		k.addAboutObject(&last.Meta, BaselineLimit, fmt.Sprintf("the baseline tier has %s rule priorities: Antrea supports %d",
			words.Thousands(len(baseline)), maxBaseline), "merge rules")
	}
}

package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/convert"
	"rung/model/selectors"
	"rung/model/words"
)

// manyPods is the number of pods from which work for each pod is reported; sharedPods is how many pods two
// rules must share to be reported.
const (
	manyPods   = 500
	sharedPods = 10
)

// checkGaps reports runs of priorities without a free one, and those at the ends of the range.
func (l *linter) checkGaps() {
	rungs := l.ladder.Tiers[model.TierAdmin].Rungs
	for i := 0; i < len(rungs); {
		if rungs[i].Unsupported {
			break
		}
		if rungs[i].Idle {
			i++
			continue
		}
		j, n := i+1, len(rungs[i].Policies)
		for j < len(rungs) && rungs[j].IsEnforced() && rungs[j].Priority == rungs[j-1].Priority+1 {
			n += len(rungs[j].Policies)
			j++
		}
		first, last := rungs[i].Priority, rungs[j-1].Priority
		message := ""
		switch {
		case j > i+1:
			message = fmt.Sprintf("no free priority between %d and %d (%s)", first, last, words.Count(n, "policy"))
		case first == 0:
			message = "priority 0 is the first: no policy can come before it"
		case last == l.max:
			message = fmt.Sprintf("priority %d is the last: no policy can come after it", last)
		}
		if message != "" {
			l.addAbout(rungs[i].Policies[0].Policy, PriorityNoGap, message)
		}
		i = j
	}
}

// usualPolicies is the largest number of AdminNetworkPolicies that OVN-Kubernetes expects.
const usualPolicies = 50

// checkPolicyCount reports more AdminNetworkPolicies than OVN-Kubernetes expects.
func (l *linter) checkPolicyCount() {
	if n := l.c.Count(model.KindANP); n > usualPolicies {
		l.addFinding(PoliciesMany, model.Finding{Rule: -1,
			Message: fmt.Sprintf("%s: OVN-Kubernetes expects 30 to %d", words.Count(n, "AdminNetworkPolicy"), usualPolicies)})
	}
}

// checkSetOverlap reports rules of one direction whose peers share pods: each rule has its own address sets.
func (l *linter) checkSetOverlap(p *model.Policy) {
	type set struct {
		r    *model.Rule
		pods selectors.PodSet
	}
	var worst string
	most, pairs := 0, 0
	for _, d := range model.Directions {
		var sets []set
		for i := range p.Rules(d) {
			r := &p.Rules(d)[i]
			s := set{r, l.x.PeersSet(r)}
			for _, o := range sets {
				if !s.pods.Meets(o.pods) {
					continue
				}
				n := s.pods.And(o.pods).Len()
				if n < sharedPods {
					continue
				}
				pairs++
				if n > most {
					most = n
					worst = fmt.Sprintf("%s are in the address sets of both %s (%s) and %s (%s)", words.Count(n, "pod"),
						ruleText(p, p, o.r), words.Count(o.pods.Len(), "pod"), ruleText(p, p, s.r), words.Count(s.pods.Len(), "pod"))
				}
			}
			if !s.pods.IsEmpty() {
				sets = append(sets, s)
			}
		}
	}
	if pairs == 0 {
		return
	}
	if pairs > 1 {
		worst += fmt.Sprintf(", and %s", words.OneOrMany(pairs-1, "another pair overlaps", words.Thousands(pairs-1)+" more pairs overlap"))
	}
	l.addAbout(p, SetsOverlap, worst+": when such a pod comes or goes, ovn-controller recomputes all flows")
}

// checkCosts reports rules that cause work for each of many pods.
func (l *linter) checkCosts(p *model.Policy, r *model.Rule) {
	var peers selectors.PodSet
	var names, negative []string
	negatives := 0
	for i := range r.Peers {
		pe := &r.Peers[i]
		set := l.x.PeerSet(pe)
		peers = peers.Or(set)
		if n := set.Len(); n >= manyPods && (pe.Namespaces.LeavesOutByLabel() || pe.Kind == model.PeerPods && pe.Pods.LeavesOutByLabel()) {
			negative, negatives = append(negative, strconv.Quote(pe.String())), max(negatives, n)
		}
	}
	for i := range r.Ports {
		if r.Ports[i].Name != "" {
			names = append(names, r.Ports[i].String())
		}
	}
	if n := peers.Or(l.x.SubjectSet(p)).Len(); len(names) > 0 && n >= manyPods {
		l.addAboutRule(p, r, NamedPortMany, fmt.Sprintf("the named %s %s %s looked up in the containers of %s, again whenever one changes",
			words.OneOrMany(len(names), "port", "ports"), words.ListFew(names, shown), words.OneOrMany(len(names), "is", "are"),
			words.Count(n, "pod")))
	}
	if len(negative) > 0 {
		l.addAboutRule(p, r, NegativeMany, negativeText("peer", negative, negatives))
	}
	l.checkPeerHosts(p, r)
}

// negativeText returns how many pods selectors match because the pods lack a label.
func negativeText(what string, selectors []string, pods int) string {
	return fmt.Sprintf("the %s %s %s by a missing label: %s now, and all future pods without it",
		words.OneOrMany(len(selectors), what, what+"s"), words.ListFew(selectors, shown), words.OneOrMany(len(selectors), "selects", "select"),
		words.Count(pods, "pod"))
}

// checkNegativeSubject reports a subject that matches many pods because they lack a label.
func (l *linter) checkNegativeSubject(p *model.Policy) {
	s := p.Subject
	if n := l.x.SubjectSet(p).Len(); n >= manyPods && (s.Namespaces.LeavesOutByLabel() || !s.AllPods && s.Pods.LeavesOutByLabel()) {
		l.addAbout(p, NegativeMany, negativeText("subject", []string{strconv.Quote(s.String())}, n))
	}
}

// checkPeerHosts reports host-networked pods that a peer selects, except by selectors of everything.
func (l *linter) checkPeerHosts(p *model.Policy, r *model.Rule) {
	var host []string
	for i := range r.Peers {
		pe := &r.Peers[i]
		if pe.Kind != model.PeerNamespaces && pe.Kind != model.PeerPods || pe.Namespaces.MatchesEverything() &&
			(pe.Kind == model.PeerNamespaces || pe.Pods.MatchesEverything()) {
			continue
		}
		for pod := range l.x.Pods(l.x.PeerSelected(pe).AndNot(l.x.EligiblePods())) {
			if pod.HostNetwork && !pod.IsCompleted() {
				host = model.AppendNew(host, podName(pod))
			}
		}
	}
	if n := len(host); n > 0 {
		l.addAboutRule(p, r, PeerHost, fmt.Sprintf("%s of its peers %s host-networked: the rule does not match %s (%s)",
			words.Count(n, "pod"), words.OneOrMany(n, "is", "are"), words.OneOrMany(n, "it", "them"), words.ListFew(host, shown)))
	}
}

// checkTenants reports sets of policies with one policy for each value of a label, and the values without one.
func (l *linter) checkTenants() {
	byLabel := map[string][]*model.Policy{}
	var order []string
	for _, p := range l.policies {
		key, _, ok := p.Subject.Namespaces.OnlyLabel()
		if p.Kind != model.KindANP || !ok || key == nameLabel || !p.Subject.AllPods || !allowsOwnNamespaces(p) {
			continue
		}
		if byLabel[key] == nil {
			order = append(order, key)
		}
		byLabel[key] = append(byLabel[key], p)
	}
	for _, key := range order {
		policies := byLabel[key]
		if len(policies) < 2 {
			continue
		}
		// By name, so that moving a policy does not move the finding.
		slices.SortFunc(policies, func(a, b *model.Policy) int { return strings.Compare(a.Name, b.Name) })
		var values, missing []string
		for _, p := range policies {
			_, value, _ := p.Subject.Namespaces.OnlyLabel()
			values = append(values, value)
		}
		for ns := range l.c.Namespaces() {
			if v, ok := ns.Labels.Map()[key]; ok && !slices.Contains(values, v) && !slices.Contains(missing, v) {
				missing = append(missing, v)
			}
		}
		slices.Sort(missing)
		message := fmt.Sprintf("one of %s, one for each value of label %s (%s)", words.Count(len(policies), "policy"), key,
			words.ListFew(values, shown))
		if len(missing) > 0 {
			message += "; missing for " + words.ListFew(missing, shown)
		}
		l.addAbout(policies[0], TenantPolicies, message)
	}
}

const nameLabel = "kubernetes.io/metadata.name"

// allowsOwnNamespaces reports whether the first rule of a direction allows the policy's own namespaces.
func allowsOwnNamespaces(p *model.Policy) bool {
	for _, rules := range [][]model.Rule{p.Ingress, p.Egress} {
		if len(rules) > 0 && rules[0].Action == model.Allow && slices.ContainsFunc(rules[0].Peers, func(pe model.Peer) bool {
			return pe.Kind == model.PeerNamespaces && pe.Namespaces.Key() == p.Subject.Namespaces.Key()
		}) {
			return true
		}
	}
	return false
}

// checkConversions reports namespace values that appeared after a policy was converted to one for each value.
func (l *linter) checkConversions() {
	for _, u := range convert.AllSplitPolicies(l.c) {
		missing := u.MissingValues(l.c)
		if len(missing) == 0 {
			continue
		}
		var names []string
		for _, m := range missing {
			name := m.Value
			if len(u.Labels) > 0 {
				name += " (" + words.OneOrMany(len(m.Namespaces), "namespace ", "namespaces ") + words.ListFew(m.Namespaces, shown) + ")"
			}
			names = append(names, name)
		}
		each, what := "namespace", words.OneOrMany(len(names), "namespace ", "namespaces ")
		if len(u.Labels) > 0 {
			each, what = "value of label "+strings.Join(u.Labels, " with "), words.OneOrMany(len(names), "value ", "values ")
		}
		p, to := u.Policies[0], "anp"
		if p.Kind == model.KindCNP {
			to = "cnp"
		}
		l.addAbout(p, ConversionNewValue, fmt.Sprintf("converted from %s, one policy for each %s: %s%s %s none, so %s does not apply to "+
			"their pods",
			u.From, each, what, words.ListFew(names, shown), words.OneOrMany(len(names), "has", "have"), u.From)).Remedy = fmt.Sprintf(
			"convert %s again with the current namespaces, and apply the new policies: rung convert --to %s FILE…", u.From, to)
	}
}

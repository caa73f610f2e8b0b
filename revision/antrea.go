package revision

import (
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/antrea"
	"rung/model/ladder"
	"rung/model/overlap"
)

// Antrea says whether Antrea's precedence holds: then there are no rows and no zones.
func (r *Revision) Antrea() bool { return r.System == model.SystemAntrea }

// Bands are the ladder of a cluster on Antrea.
func (r *Revision) Bands() []ladder.Band {
	d := r.shared
	d.bandsOnce.Do(func() { d.bands = ladder.Bands(r.Cluster) })
	return d.bands
}

// Order are the policies in Antrea's effective order.
func (r *Revision) Order() []antrea.Place { return antrea.Order(r.Cluster) }

// selectedBy says whether what a policy applies to is worked out from selectors: it has no
// compiled rows that would know.
func (r *Revision) selectedBy(p *model.Policy) bool {
	return p != nil && (p.Antrea != nil || r.Antrea())
}

// appliedSet are the pods a policy applies to, where nothing is compiled.
func (r *Revision) appliedSet(p *model.Policy) overlap.PodSet {
	x := r.podIndex()
	if p.Antrea == nil {
		return x.SubjectSet(p)
	}
	s := antrea.Groups(r.Cluster).Whole(p)
	return s.PodSet(x).And(x.Where((*model.Pod).SubjectEligible))
}

// undecided are the policies that are read and decide nothing under Antrea, since admission
// refuses them or their tier, or their tier is not there.
func (r *Revision) undecided() (out []model.Omission) {
	if !r.Antrea() {
		return nil
	}
	for _, place := range r.Order() {
		p := place.Policy
		o := model.Omission{Code: model.OmittedObject, Key: p.Key, Origin: p.Origin}
		switch {
		case place.Missing:
			o.Why = "whose tier " + place.TierName + " does not exist, or is refused"
		case p.Antrea != nil && p.Refused():
			b := p.Invalid[slices.IndexFunc(p.Invalid, func(b model.Broken) bool { return !b.Tolerated() })]
			o.Why = "which Antrea refuses: " + strings.TrimSpace(b.Field+" "+b.Message)
		default:
			continue
		}
		out = append(out, o)
	}
	return out
}

// RulePods are the pods one rule of a policy of Antrea applies to.
func (r *Revision) RulePods(p *model.Policy, rule *model.Rule) []*model.Pod {
	x := r.podIndex()
	s := antrea.Groups(r.Cluster).Applied(p, rule)
	return slices.Collect(x.Pods(s.PodSet(x).And(x.Where((*model.Pod).SubjectEligible))))
}

// peerSet are the pods behind a peer, where nothing is compiled; of one that stands for
// other namespaces by the pod a rule applies to, none.
func (r *Revision) peerSet(p *model.Policy, pe *model.Peer) overlap.PodSet {
	x := r.podIndex()
	switch {
	case pe.Match != nil:
		return nil
	case pe.Kind == model.PeerGroup:
		m := antrea.Groups(r.Cluster).Of(antrea.Ref(p, pe.Group))
		var out overlap.PodSet
		for i := range m.Pods {
			out = out.Or(m.Pods[i].PodSet(x))
		}
		return out
	case pe.Kind == model.PeerServiceAccount:
		s := antrea.Selection{Account: pe.ServiceAccount}
		return s.PodSet(x)
	}
	return x.PeerSelected(pe)
}

// antreaTouches are the rules that touch a pod in Antrea's effective order.
func (r *Revision) antreaTouches(pod *model.Pod) (out []Touch) {
	ns, groups := r.Cluster.Namespace(pod.Namespace), antrea.Groups(r.Cluster)
	m := newMatcher(r, pod)
	for _, place := range r.Order() {
		p := place.Policy
		subject := p.Antrea == nil && m.selected(p.Subject.Namespace, p.Subject.Namespaces, p.Subject.Pods)
		for rule := range p.AllRules() {
			t := Touch{Policy: p.Key, Direction: rule.Direction, Rule: rule.Index, AsSubject: subject}
			if p.Antrea != nil {
				s := groups.Applied(p, rule)
				t.AsSubject = s.Matches(ns, pod)
			}
			t.AsSubject = t.AsSubject && pod.SubjectEligible()
			t.AsPeer, t.Network = r.isPeer(groups, ns, pod, p, rule)
			if t.AsSubject || t.AsPeer {
				out = append(out, t)
			}
		}
	}
	return out
}

// isPeer says whether a pod is behind a peer of a rule, and by which network.
func (r *Revision) isPeer(groups *antrea.Resolver, ns *model.Namespace, pod *model.Pod, p *model.Policy, rule *model.Rule) (bool, string) {
	for i := range rule.Peers {
		pe := &rule.Peers[i]
		networks := pe.Networks
		switch {
		case pe.Kind == model.PeerGroup:
			m := groups.Of(antrea.Ref(p, pe.Group))
			if slices.ContainsFunc(m.Pods, func(s antrea.Selection) bool { return s.Matches(ns, pod) }) {
				return true, ""
			}
			networks = m.Networks
		case pe.Kind == model.PeerServiceAccount:
			if s := (antrea.Selection{Account: pe.ServiceAccount}); s.Matches(ns, pod) {
				return true, ""
			}
		case pe.Match != nil:
			if pe.Pods.Matches(pod.Labels) && r.anyMatches(groups, ns, p, rule, pe.Match) {
				return true, ""
			}
		case pe.Kind == model.PeerPods || pe.Kind == model.PeerNamespaces:
			pods := pe.Pods
			if pe.Kind == model.PeerNamespaces {
				pods = model.Everything()
			}
			if s := (antrea.Selection{Namespace: pe.Namespace, Namespaces: pe.Namespaces, Pods: pods}); s.Matches(ns, pod) {
				return true, ""
			}
		}
		for _, n := range networks {
			if cidr, err := netip.ParsePrefix(n); err == nil && slices.ContainsFunc(pod.IPs, func(ip string) bool {
				a, err := netip.ParseAddr(ip)
				return err == nil && cidr.Contains(a)
			}) {
				return true, n
			}
		}
	}
	return false, ""
}

// anyMatches says whether the pods of a namespace are peers of some pod that the rule
// applies to, by its namespace.
func (r *Revision) anyMatches(groups *antrea.Resolver, ns *model.Namespace, p *model.Policy, rule *model.Rule, match *model.NamespaceMatch) bool {
	if ns == nil {
		return false
	}
	s := groups.Applied(p, rule)
	own, all := antrea.Values(ns, match.SameLabels)
	for pod := range r.Cluster.Pods() {
		if match.Self && pod.Namespace != ns.Name || !match.Self && !all {
			continue
		}
		other := r.Cluster.Namespace(pod.Namespace)
		if other == nil || !s.Matches(other, pod) {
			continue
		}
		if match.Self {
			return true
		}
		if values, ok := antrea.Values(other, match.SameLabels); ok && slices.Equal(values, own) {
			return true
		}
	}
	return false
}

// antreaNeighbours are the rules of a direction right before and after one.
func (r *Revision) antreaNeighbours(p *model.Policy, rule *model.Rule) (before, after *PlacedRule) {
	var last *PlacedRule
	seen := false
	for _, place := range r.Order() {
		rules := place.Policy.Rules(rule.Direction)
		for i := range rules {
			at := &PlacedRule{place.Policy, &rules[i]}
			switch {
			case place.Policy.Key == p.Key && i == rule.Index:
				before, seen = last, true
			case seen:
				return before, at
			}
			last = at
		}
	}
	return before, nil
}

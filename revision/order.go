package revision

import (
	"slices"

	"rung/model"
	"rung/model/antrea"
	"rung/model/ladder"
	"rung/model/selectors"
	"rung/system"
)

// PolicyOrder are the policies in the order in which they decide, nil where they stand in the stages
// of a Ladder.
func (r *Revision) PolicyOrder() []ladder.Place { return r.System.PolicyPlaces(r.Cluster) }

// LadderBands is the same in tiers.
func LadderBands(r *Revision) []ladder.Band {
	return SharedValue[Once[[]ladder.Band]](r).Get(func() []ladder.Band { return r.System.Bands(r.Cluster) })
}

// BySelectors says whether what a policy applies to is worked out from selectors: it has no
// compiled rows that would know.
func (r *Revision) BySelectors(p *model.Policy) bool {
	return p != nil && (p.Tiered != nil || !r.System.HasFeature(system.Rows))
}

// AppliedPods are the pods a policy applies to, where nothing is compiled.
func AppliedPods(r *Revision, p *model.Policy) selectors.PodSet {
	x := r.PodIndex()
	if p.Tiered == nil {
		return x.SubjectSet(p)
	}
	s := antrea.ResolveGroups(r.Cluster).ScopeOfPolicy(p)
	return s.PodSet(x).And(x.PodsWhere((*model.Pod).CanBeSubject))
}

// RuleSubjects are the pods one rule of a policy with appliedTo applies to.
func RuleSubjects(r *Revision, p *model.Policy, rule *model.Rule) []*model.Pod {
	x := r.PodIndex()
	s := antrea.ResolveGroups(r.Cluster).ScopeOfRule(p, rule)
	return slices.Collect(x.Pods(s.PodSet(x).And(x.PodsWhere((*model.Pod).CanBeSubject))))
}

// peerSet are the pods behind a peer, where nothing is compiled; of one that stands for
// other namespaces by the pod a rule applies to, none.
func peerSet(r *Revision, p *model.Policy, pe *model.Peer) selectors.PodSet {
	x := r.PodIndex()
	switch {
	case pe.Match != nil:
		return nil
	case pe.Kind == model.PeerGroup:
		m := antrea.ResolveGroups(r.Cluster).MembersOf(antrea.GroupKey(p, pe.Group))
		var out selectors.PodSet
		for i := range m.Pods {
			out = out.Or(m.Pods[i].PodSet(x))
		}
		return out
	case pe.Kind == model.PeerServiceAccount:
		s := antrea.PodSelection{Account: pe.ServiceAccount}
		return s.PodSet(x)
	}
	return x.PeerSelected(pe)
}

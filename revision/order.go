package revision

import (
	"slices"

	"rung/model"
	"rung/model/antrea"
	"rung/model/ladder"
	"rung/model/selectors"
	"rung/system"
)

// PolicyOrder returns the policies in deciding order, nil if they are in the stages of a Ladder.
func (r *Revision) PolicyOrder() []ladder.Place { return r.System.PolicyPlaces(r.Cluster) }

// LadderBands returns the policies of PolicyOrder by tier.
func LadderBands(r *Revision) []ladder.Band {
	return SharedValue[Once[[]ladder.Band]](r).Get(func() []ladder.Band { return r.System.Bands(r.Cluster) })
}

// BySelectors reports whether the subject of a policy comes from its selectors, not from rows.
func (r *Revision) BySelectors(p *model.Policy) bool {
	return p != nil && (p.Tiered != nil || !r.System.HasFeature(system.Rows))
}

// AppliedPods returns the subject of a policy without compiled rows.
func AppliedPods(r *Revision, p *model.Policy) selectors.PodSet {
	x := r.PodIndex()
	if p.Tiered == nil {
		return x.SubjectSet(p)
	}
	s := antrea.ResolveGroups(r.Cluster).ScopeOfPolicy(p)
	return s.PodSet(x).And(x.PodsWhere((*model.Pod).CanBeSubject))
}

// RuleSubjects returns the pods to which one rule of a policy with appliedTo applies.
func RuleSubjects(r *Revision, p *model.Policy, rule *model.Rule) []*model.Pod {
	x := r.PodIndex()
	s := antrea.ResolveGroups(r.Cluster).ScopeOfRule(p, rule)
	return slices.Collect(x.Pods(s.PodSet(x).And(x.PodsWhere((*model.Pod).CanBeSubject))))
}

// peerSet returns the pods of a peer of a policy without compiled rows. It is nil for a peer that depends on
// the namespace of the rule's pod.
func peerSet(r *Revision, p *model.Policy, pe *model.Peer) selectors.PodSet {
	x := r.PodIndex()
	switch {
	case pe.Match != nil:
		return nil
	case pe.Kind == model.PeerGroup:
		m := antrea.ResolveGroups(r.Cluster).FindMembers(antrea.GroupKey(p, pe.Group))
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

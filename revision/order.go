package revision

import (
	"slices"
	"strings"

	"rung/model"
	"rung/model/antrea"
	"rung/model/ladder"
	"rung/model/overlap"
	"rung/model/signs"
	"rung/system"
)

// PolicyOrder are the policies in the order in which they decide, nil where they stand in the stages
// of a Ladder.
func (r *Revision) PolicyOrder() []ladder.Place { return r.System.PolicyPlaces(r.Cluster) }

// LadderBands is the same in tiers.
func LadderBands(r *Revision) []ladder.Band {
	return SharedValue[Once[[]ladder.Band]](r).Get(func() []ladder.Band { return r.System.Bands(r.Cluster) })
}

// Unjudged says in a few words that a policy decides nothing, or that Rung does not judge it, and why.
type Unjudged struct{ Sign, State, Why string }

// WhyUnjudged returns nil for a policy that decides something and that Rung judges as a whole.
func (r *Revision) WhyUnjudged(p *model.Policy) *Unjudged {
	if p.IsRefused() {
		_, b := p.WhyUntaken("")
		why := strings.TrimSpace(b.Field + " " + b.Message)
		if b.IsError() {
			return &Unjudged{signs.No, "decides nothing", why}
		}
		return &Unjudged{signs.Unknown, notJudged, why}
	}
	if r.System.UnjudgedPart != nil {
		if why := r.System.UnjudgedPart(r.Cluster, p); why != "" {
			return &Unjudged{signs.Unknown, notJudged, why}
		}
	}
	return nil
}

const notJudged = "not judged"

// Facts returns whether the policy is refused, and why Rung does not judge it if it is not; u may be nil.
func (u *Unjudged) Facts() (refused bool, why string) {
	if u == nil || u.State != notJudged {
		return u != nil, ""
	}
	return false, u.Why
}

// BySelectors says whether what a policy applies to is worked out from selectors: it has no
// compiled rows that would know.
func (r *Revision) BySelectors(p *model.Policy) bool {
	return p != nil && (p.Tiered != nil || !r.System.HasFeature(system.Rows))
}

// AppliedPods are the pods a policy applies to, where nothing is compiled.
func AppliedPods(r *Revision, p *model.Policy) overlap.PodSet {
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
func peerSet(r *Revision, p *model.Policy, pe *model.Peer) overlap.PodSet {
	x := r.PodIndex()
	switch {
	case pe.Match != nil:
		return nil
	case pe.Kind == model.PeerGroup:
		m := antrea.ResolveGroups(r.Cluster).MembersOf(antrea.GroupKey(p, pe.Group))
		var out overlap.PodSet
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

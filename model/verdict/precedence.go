package verdict

import (
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/ladder"
)

// Precedence is how a network plugin applies policies to connections: Stages or Antrea. The view chooses it;
// all other code treats both alike.
type Precedence struct {
	// AtEnds applies rules once at each end, after load balancing. Otherwise they apply on every switch of the
	// way, in the stages of OVN's pipeline.
	AtEnds bool
	// ExemptPrefix begins the reason why policies do not apply to a pod. NoPod is the reason if neither end is a pod.
	ExemptPrefix, NoPod string
	// SourceAddrs returns the addresses from which a node reaches pods. NoSource explains why none is
	// known; nil for the default explanation.
	SourceAddrs func(*model.Node) []string
	NoSource    func(node string) string
	// Defect returns the known defect of a NetworkPolicy's rule for a connection, or "". Plugins without known
	// defects have a nil Defect.
	Defect func(r *model.Rule, proto int8, port uint16, to *model.Pod, matched bool) string

	// terms makes the terms of all enforced policies. It returns the order of the policies, or nil.
	terms func(*termMaker) *policyOrder
	// ownNode reports whether a node's connections from an address to its own pods are allowed.
	ownNode func(x *Index, a netip.Addr, node string) bool
}

// Stages is the precedence of OVN-Kubernetes: its tiers, in the stages of OVN's pipeline.
var Stages = &Precedence{
	ExemptPrefix: "ANP does not apply: ", NoPod: "no policy applies: neither end is a pod of the default network",
	SourceAddrs: func(n *model.Node) []string { return n.MgmtIPs },
	NoSource: func(node string) string {
		return "the source address of node " + node + " is unknown: no usable annotation " + model.AnnotationNodeSubnets
	},
	Defect: NetpolDefect,
	terms:  (*termMaker).addAllTerms,
	ownNode: func(x *Index, a netip.Addr, node string) bool {
		n := x.view.Cluster.Node(node)
		return n != nil && slices.Contains(ParseAddrs(n.MgmtIPs), a)
	},
}

// Precedence returns the precedence of the view.
func (x *Index) Precedence() *Precedence { return x.view.Precedence }

// HasPlaceInOrder reports whether a policy has a place in the order of all policies: admission accepts it, and
// its tier exists.
func (x *Index) HasPlaceInOrder(k model.Key) bool {
	if x.order == nil {
		return false
	}
	_, has := x.order.places[k]
	return has
}

// IsOwnNode reports whether a node's connections from an address to its own pods are allowed.
func (x *Index) IsOwnNode(a netip.Addr, node string) bool {
	return x.view.Precedence.ownNode(x, a, node)
}

// IsAbout reports whether a term applies to a Service; an empty key stands for no Service.
func (x *Index) IsAbout(t *Term, service model.Key) bool {
	return t.Services == 0 || service.Name != "" && slices.Contains(x.aboutServices[t.Services-1], service)
}

// PolicyMover computes the terms after a policy moves to another priority.
type PolicyMover struct {
	// Priority is the current priority. OtherPriorities are the priorities it ranks among, in order.
	Priority        float64
	OtherPriorities []float64
	// Terms returns all terms with the policy at a priority; nil if the policy decides nothing.
	Terms func(priority float64) [StageCount][]Term
}

// MoverOfPolicy returns the mover of a policy.
func (x *Index) MoverOfPolicy(key model.Key) (m PolicyMover) {
	if x.order != nil {
		return x.order.newMover(x, key)
	}
	for p := range x.view.Cluster.AllPolicies() {
		switch {
		case !p.Kind.HasPriority() || p.Tier != model.TierAdmin:
		case p.Key == key:
			m.Priority = float64(p.Priority)
		case x.view.IsEnforced(p):
			m.OtherPriorities = append(m.OtherPriorities, float64(p.Priority))
		}
	}
	slices.Sort(m.OtherPriorities)
	m.Terms = func(priority float64) (terms [StageCount][]Term) {
		for stage := range terms {
			terms[stage] = slices.Clone(x.Terms[stage])
			for i := range terms[stage] {
				if t := &terms[stage][i]; x.Rules[t.Rule].Key == key {
					t.Priority += int32(ladder.PriorityAdminStep) * int32(m.Priority-priority)
				}
			}
		}
		return terms
	}
	return m
}

package verdict

import (
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/ladder"
)

// Precedence is how a network plugin asks policies about connections: Stages or Antrea. It is
// chosen with the view, and nothing below asks which one it is.
type Precedence struct {
	// AtEnds says that rules are asked once where each end is, after load balancing; else on
	// every switch of the way, in the stages of OVN's pipeline.
	AtEnds bool
	// Apart begins the reason why policies do not apply to a pod, NoPod why they do not where
	// neither end is one.
	Apart, NoPod string
	// SourceAddrs are the addresses from which a node reaches pods, NoSource says of a node
	// why none is known, empty where it has no addresses at all.
	SourceAddrs func(*model.Node) []string
	NoSource    func(node string) string
	// Defect says what is known to be wrong with a rule of a NetworkPolicy for a connection,
	// and whether it matches; nil where nothing is.
	Defect func(r *model.Rule, proto int8, port uint16, to *model.Pod, matched bool) string

	// terms makes the terms of all policies that are enforced; what else hangs on the order
	// of the policies is its order, nil for nothing.
	terms func(*termMaker) *policyOrder
	// ownNode says whether a node's connections from an address to its own pods are let in.
	ownNode func(x *Index, a netip.Addr, node string) bool
}

// Stages is the precedence of OVN-Kubernetes: its tiers, in the stages of OVN's pipeline.
var Stages = &Precedence{
	Apart: "ANP does not apply: ", NoPod: "no policy is asked: neither end is a pod of the default network",
	SourceAddrs: func(n *model.Node) []string { return n.MgmtIPs },
	NoSource: func(node string) string {
		return "the address that node " + node + " sends from is not known: the node has no usable annotation " + model.AnnotationNodeSubnets
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

// HasPlaceInOrder says of a policy whether it has a place in the order of all policies: admission lets
// it in, and its tier is there.
func (x *Index) HasPlaceInOrder(k model.Key) bool {
	if x.order == nil {
		return false
	}
	_, has := x.order.places[k]
	return has
}

// IsOwnNode says whether a node's connections from an address to its own pods are let in.
func (x *Index) IsOwnNode(a netip.Addr, node string) bool {
	return x.view.Precedence.ownNode(x, a, node)
}

// IsAbout says whether a term that is about Services is about one; without a name it is none.
func (x *Index) IsAbout(t *Term, service model.Key) bool {
	return t.Services == 0 || service.Name != "" && slices.Contains(x.aboutServices[t.Services-1], service)
}

// PolicyMover is a policy that may get another priority.
type PolicyMover struct {
	// Priority is the priority it has, OtherPriorities are those of the policies it ranks among, in order.
	Priority        float64
	OtherPriorities []float64
	// Terms are all terms as they rank where it has a priority; nil where it decides nothing.
	Terms func(priority float64) [StageCount][]Term
}

// MoverOfPolicy is the mover of a policy.
func (x *Index) MoverOfPolicy(key model.Key) (m PolicyMover) {
	if x.order != nil {
		return x.order.moverOf(x, key)
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

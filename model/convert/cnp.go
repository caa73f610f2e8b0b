package convert

import (
	"fmt"
	"iter"
	"slices"

	"rung/model"
	"rung/model/words"
)

// Limits of lists in the API of ClusterNetworkPolicy.
const (
	cnpRules    = 25 // in a direction
	cnpPeers    = 25
	cnpPorts    = 25
	cnpNetworks = 25
	cnpLargest  = 1000 // priority
)

// scale multiplies priorities if a policy must be split: its parts follow each other, before the next policy.
const scale = 10

// BaselinePriority is the priority of the ClusterNetworkPolicy made from a BaselineAdminNetworkPolicy. It
// leaves room for others before it.
const BaselinePriority = 90

// ToCNP converts AdminNetworkPolicies and the BaselineAdminNetworkPolicy to ClusterNetworkPolicies of the same
// name and priority. A policy with too many rules for the API is split into parts, and then all priorities of
// tier Admin are multiplied by ten. ClusterNetworkPolicies change only in that; other kinds are left out.
func ToCNP(policies []*model.Policy) Result {
	given := adminPolicies(policies, model.KindCNP)
	m := newPolicyMaker()
	rules := map[*model.Policy][2][]ruleSplit{}
	factor := int32(1)
	for _, p := range given {
		if p.Kind == model.KindCNP {
			m.taken[p.Key] = true
			continue
		}
		both := [2][]ruleSplit{splitRules(p.Ingress), splitRules(p.Egress)}
		rules[p] = both
		if p.Kind == model.KindANP && partsNeeded(both) > 1 {
			factor = scale
		}
	}
	for _, p := range given {
		why := whyRefused(p)
		priority, tier := p.Priority, p.Tier
		if tier == model.TierAdmin {
			priority *= factor
		} else if p.Kind == model.KindBANP {
			priority = BaselinePriority
		}
		switch {
		case p.Kind == model.KindCNP:
			delete(m.taken, p.Key)
			next := m.beginPolicy(p, p.Kind, p.Tier, priority, p.Name)
			for r := range p.AllRules() {
				same := *r
				same.Peers, same.Ports = clonedPeers(r.Peers), slices.Clone(r.Ports)
				m.noteRule(p, r, Exact, "", addRule(next, same))
			}
		case why != "":
			m.ignorePolicy(p, why)
		case int(priority)+partsNeeded(rules[p])-1 > cnpLargest:
			m.noteInexpressible(p, fmt.Sprintf("no free priority up to %d", cnpLargest))
		default:
			m.makeCNPs(p, tier, priority, rules[p])
		}
	}
	return m.sortedResult(given)
}

// makeCNPs makes the ClusterNetworkPolicy of a policy, or one for each part.
func (m *policyMaker) makeCNPs(p *model.Policy, tier int, priority int32, rules [2][]ruleSplit) {
	n := partsNeeded(rules)
	made := make([]*model.Policy, n)
	for i := range made {
		name := partName(p.Name, i)
		made[i] = m.beginPolicy(p, model.KindCNP, tier, priority+int32(i), name, name+"-baseline")
	}
	for _, list := range rules {
		at := 0
		for i := range list {
			s := &list[i]
			var to []MadeRule
			for _, r := range s.rules {
				to = append(to, addRule(made[at/cnpRules], r))
				at++
			}
			label := Exact
			if s.leftOutText != "" {
				label = Approximate
			}
			m.noteRule(p, s.source, label, s.leftOutText, to...)
		}
	}
}

// partName returns the name of part i of a split policy, counted from 0.
func partName(name string, i int) string {
	if i == 0 {
		return name
	}
	return fmt.Sprintf("%s%s%d", name, partSuffix, i+1)
}

const partSuffix = "-part-"

// partsNeeded returns how many policies the rules of both directions need.
func partsNeeded(rules [2][]ruleSplit) int {
	n := 1
	for _, list := range rules {
		count := 0
		for i := range list {
			count += len(list[i].rules)
		}
		n = max(n, (count+cnpRules-1)/cnpRules)
	}
	return n
}

// ruleSplit is a rule and the rules it is split into.
type ruleSplit struct {
	source      *model.Rule
	rules       []model.Rule
	leftOutText string // what is left out
}

func splitRules(rules []model.Rule) []ruleSplit {
	out := make([]ruleSplit, len(rules))
	for i := range rules {
		out[i] = splitRule(&rules[i])
	}
	return out
}

// splitRule splits a rule to fit the limits of the API. The new rules have the same action and follow each
// other; each has a part of the peers and ports.
func splitRule(r *model.Rule) ruleSplit {
	s := ruleSplit{source: r}
	var ports []model.Port
	var broken []string
	for _, p := range r.Ports {
		if p.IsBroken() {
			broken = append(broken, p.String())
			continue
		}
		p.Range = p.Range && p.End > p.Start // a range of one port is that port
		ports = append(ports, p)
	}
	if len(broken) > 0 {
		s.leftOutText = "the API does not support " + words.List(broken, 3) + ", which matches nothing in OVN-Kubernetes"
		if len(ports) == 0 {
			return s
		}
	}
	for c := range peerAndPortChunks(clonedPeers(r.Peers), ports, apiLimits{peers: cnpPeers, ports: cnpPorts, networks: cnpNetworks}) {
		s.rules = append(s.rules, model.Rule{Direction: r.Direction, Name: r.Name, Action: r.Action, Peers: c.peers,
			Ports: slices.Clone(c.ports)})
	}
	return s
}

// peerAndPortChunks yields every chunk of peers with every chunk of ports, within limits. Without ports it
// yields the chunks of peers alone.
func peerAndPortChunks(peers []model.Peer, ports []model.Port, most apiLimits) iter.Seq[ruleClause] {
	var cut []model.Peer
	for _, p := range peers {
		if p.Kind != model.PeerNetworks {
			cut = append(cut, p)
			continue
		}
		for some := range slices.Chunk(p.Networks, most.networks) {
			cut = append(cut, model.Peer{Kind: model.PeerNetworks, Networks: some})
		}
	}
	return func(yield func(ruleClause) bool) {
		for some := range slices.Chunk(cut, most.peers) {
			if len(ports) == 0 && !yield(ruleClause{peers: some}) {
				return
			}
			for few := range slices.Chunk(ports, most.ports) {
				if !yield(ruleClause{peers: some, ports: few}) {
					return
				}
			}
		}
	}
}

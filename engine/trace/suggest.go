package trace

import (
	"net/netip"

	"rung/model"
	"rung/model/verdict"
	"rung/revision"
)

// Limits of what SuggestConnection tries: all combinations of a rule's first subjects, peers and ports.
const (
	subjectsTried = 12
	peersTried    = 24
	portsTried    = 4
)

// usualPort is used if neither the rule nor the pod names a port.
const usualPort = 80

// SuggestConnection chooses a connection for a rule: one it decides by the policies, else one it matches, else
// any between its subjects and peers. ok is false if it has no subject or no peer.
func SuggestConnection(r *revision.Revision, k model.PolicyKey, dir model.Direction, index int) (c verdict.Connection, ok bool) {
	p := r.Cluster.Policy(k)
	if p == nil {
		return c, false
	}
	rule := p.Rule(dir, index)
	if rule == nil {
		return c, false
	}
	x, best := r.Verdicts(), 0
	subjects, peers := podEnds(r.Subjects(p.Key), subjectsTried), examplePeers(r, p, rule)
	for _, s := range subjects {
		for _, o := range peers {
			from, to := s, o
			if dir == model.Ingress {
				from, to = o, s
			}
			if from.Endpoint == to.Endpoint {
				continue
			}
			for _, port := range examplePorts(rule, to.pod) {
				q := verdict.Connection{From: from.Endpoint, To: to.Endpoint, Protocol: port.Protocol, Port: port.Port}
				n := fitScore(x, q, p.Key, dir, index)
				if n > best {
					c, best = q, n
				}
				if best == decides {
					return c, true
				}
			}
		}
	}
	return c, best > 0
}

// How well a connection fits a rule.
const (
	fitting = iota + 1 // the ends are the rule's
	matches
	decides
)

// fitScore returns how well a connection fits a rule; 0 if it cannot be asked.
func fitScore(x *verdict.Index, q verdict.Connection, k model.PolicyKey, dir model.Direction, index int) int {
	a, err := verdict.TracePolicies(x, q)
	if err != nil || a.Verdict == verdict.NotApplicable {
		return 0
	}
	is := func(d *verdict.Decider) bool { return d.Policy == k && d.Direction == dir && d.Rule == index }
	out := fitting
	for s := range a.Stages() {
		if s.Decided != nil && is(s.Decided) {
			return decides
		}
		for t := range s.Tiers {
			for w := range s.Tiers[t].Attempts {
				if what := &s.Tiers[t].Attempts[w]; what.Matched && is(&what.Decider) {
					out = matches
				}
			}
		}
	}
	return out
}

// endCandidate is an end, with its pod if any.
type endCandidate struct {
	verdict.Endpoint
	pod *model.Pod
}

func podEnds(pods []*model.Pod, most int) (out []endCandidate) {
	for _, p := range pods {
		if len(out) < most && p.CanBePeer() && p.PrimaryUDN() == "" && len(p.IPs) > 0 && p.NodeName != "" {
			out = append(out, endCandidate{verdict.PodEnd(p.Namespace, p.Name), p})
		}
	}
	return out
}

// examplePeers returns some ends that match the peers of a rule.
func examplePeers(r *revision.Revision, p *model.Policy, rule *model.Rule) (out []endCandidate) {
	if rule.AnyPeer {
		var all []*model.Pod
		for pod := range r.Cluster.Pods() {
			all = append(all, pod)
			if len(all) == peersTried {
				break
			}
		}
		return podEnds(all, peersTried)
	}
	for i := range rule.Peers {
		peer := &rule.Peers[i]
		out = append(out, podEnds(r.PeerPods(p.Key, rule.Direction, rule.Index, i), peersTried)...)
		for n := range r.Cluster.Nodes() {
			if peer.Kind == model.PeerNodes && len(out) < peersTried && peer.Nodes.Matches(n.Labels) {
				out = append(out, endCandidate{Endpoint: verdict.NodeEnd(n.Name)})
			}
		}
		for _, text := range peer.Networks {
			if n, err := netip.ParsePrefix(text); err == nil && len(out) < peersTried {
				out = append(out, endCandidate{Endpoint: verdict.AddrEnd(addressInside(n))})
			}
		}
	}
	return out
}

// addressInside returns the second address of a network, or its only one. For 0.0.0.0/0 and ::/0 it returns an
// address reserved for documentation.
func addressInside(n netip.Prefix) netip.Addr {
	switch {
	case n.Bits() > 0:
	case n.Addr().Is4():
		return netip.MustParseAddr("198.51.100.9")
	default:
		return netip.MustParseAddr("2001:db8::9")
	}
	a := n.Masked().Addr()
	if next := a.Next(); n.Contains(next) {
		return next
	}
	return a
}

// examplePorts returns some ports of a rule at a destination; pod is nil for other destinations.
func examplePorts(rule *model.Rule, pod *model.Pod) (out []verdict.Ports) {
	add := func(protocol string, port int32) {
		if len(out) < portsTried && port > 0 && model.KnowsProtocol(protocol) {
			out = append(out, verdict.Ports{Protocol: verdict.Protocol(protocol), Port: uint16(port)})
		}
	}
	for _, p := range rule.Ports {
		switch {
		case p.Name != "" && pod != nil:
			for _, c := range pod.Ports {
				if c.Name == p.Name {
					add(c.Protocol, c.Port)
				}
			}
		case p.Name == "" && p.Start > 0:
			add(p.Protocol, p.Start)
		case p.Name == "":
			add(p.Protocol, usualPort)
		}
	}
	if len(out) == 0 && pod != nil {
		for _, c := range pod.Ports {
			add(c.Protocol, c.Port)
		}
	}
	if len(out) == 0 {
		add("TCP", usualPort)
	}
	return out
}

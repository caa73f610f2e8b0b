package selectors

import "rung/model"

// portSet is the ports of a rule: everything, or ranges and names. Broken ports are omitted.
type portSet struct {
	isEverything bool
	ranges       []portRange
	names        []string
}

type portRange struct {
	protocol   string
	start, end int32
}

// lastPort is the highest port number. A whole protocol is the range from 0 to lastPort, which also covers
// traffic without ports.
const lastPort = 65535

func newPortSet(ports []model.Port) portSet {
	s := portSet{isEverything: len(ports) == 0}
	for _, p := range ports {
		switch {
		case p.IsBroken():
		case p.Name != "":
			s.names = append(s.names, p.Name)
		case p.Start == 0 && p.End == 0:
			s.ranges = append(s.ranges, portRange{p.Protocol, 0, lastPort})
		default:
			s.ranges = append(s.ranges, portRange{p.Protocol, p.Start, max(p.Start, p.End)})
		}
	}
	return s
}

// resolvedOn returns the set with its names resolved on one pod. Without resolve it drops the names.
func (s portSet) resolvedOn(p *model.Pod, resolve bool) portSet {
	if len(s.names) == 0 {
		return s
	}
	out := portSet{isEverything: s.isEverything, ranges: s.ranges[:len(s.ranges):len(s.ranges)]}
	if !resolve {
		return out
	}
	for _, name := range s.names {
		for _, c := range p.Ports {
			if c.Name == name && model.KnowsProtocol(c.Protocol) {
				out.ranges = append(out.ranges, portRange{c.Protocol, c.Port, c.Port})
			}
		}
	}
	return out
}

// commonPort returns the first protocol and port in both sets, names aside. Both are zero if both sets are
// everything.
func (s portSet) commonPort(o portSet) (protocol string, port int32, ok bool) {
	return s.commonPortBut(o, nil)
}

// commonPortBut returns commonPort without some ports, which must be few; nil excludes none.
func (s portSet) commonPortBut(o portSet, without func(protocol string, port int32) bool) (protocol string, port int32, ok bool) {
	first := func(r portRange) bool {
		for protocol, port = r.protocol, r.start; port <= r.end; port++ {
			if without == nil || !without(protocol, port) {
				return true
			}
		}
		return false
	}
	switch {
	case s.isEverything && o.isEverything:
		return "", 0, true
	case s.isEverything:
		s, o = o, s
		fallthrough
	case o.isEverything:
		for _, r := range s.ranges {
			if first(r) {
				return protocol, port, true
			}
		}
		return "", 0, false
	}
	for _, a := range s.ranges {
		for _, b := range o.ranges {
			if from, to := max(a.start, b.start), min(a.end, b.end); a.protocol == b.protocol && first(portRange{a.protocol, from, to}) {
				return protocol, port, true
			}
		}
	}
	return "", 0, false
}

// hasPort reports whether a port is in the set, names aside.
func (s portSet) hasPort(protocol string, port int32) bool {
	_, _, ok := s.commonPort(portSet{ranges: []portRange{{protocol, port, port}}})
	return ok
}

// PortMatch reports whether a rule's ports match a protocol and port, names aside. Without ports it matches all.
func PortMatch(ports []model.Port, protocol string, port int32) bool {
	return newPortSet(ports).hasPort(protocol, port)
}

// BoundPods are the pods that a policy applies to.
type BoundPods struct {
	Pods  PodSet
	nodes map[string]bool // found when needed
}

// BindPolicy returns the policy's subject, for comparison with others.
func (x *PodIndex) BindPolicy(p *model.Policy) *BoundPods { return &BoundPods{Pods: x.SubjectSet(p)} }

// podNodes returns the nodes of the pods.
func (x *PodIndex) podNodes(b *BoundPods) map[string]bool {
	if b.nodes == nil {
		b.nodes = map[string]bool{}
		for p := range x.Pods(b.Pods) {
			b.nodes[p.NodeName] = true
		}
	}
	return b.nodes
}

// MeetNamedPorts does MeetRules for two ingress rules of which one has named ports: it finds traffic that both
// match and whose verdict depends on their order. OVN-Kubernetes gives such a rule rows with its peers as
// destinations, too. These rows apply on every node with a subject, where a packet leaves its node and where
// it arrives (ovn-kubernetes.md#named-ports). So the pods found may be subject of only one policy. If a Deny
// is alone at one of the two places it decides, whatever the order at the other. below reports that a baseline
// has named ports: otherwise only an Allow follows a Pass where a packet leaves its node.
func (x *PodIndex) MeetNamedPorts(ofA *BoundPods, a *ResolvedRule, ofB *BoundPods, b *ResolvedRule, below bool) (RuleMeeting, bool) {
	holders := x.portHolders(a, b)
	if proto, port, ok := a.ports.commonPort(b.ports); ok {
		if m, ok := x.meetPeers(ofA.Pods.And(ofB.Pods).And(x.peers).And(x.defaultNetwork).AndNot(holders), a, b); ok {
			m.Protocol, m.Port = proto, port
			return m, true
		}
	}
	onA, onB := x.podNodes(ofA), x.podNodes(ofB)
	for f := range x.family {
		from := x.exampleSenders(f, a, b, onA, onB)
		for i := range holders.And(x.family[f]).And(x.defaultNetwork).Each() {
			var of [2]namedPorts
			for side, r := range [...]*ResolvedRule{a, b} {
				bound, on := ofA, onA
				if side == 1 {
					bound, on = ofB, onB
				}
				of[side].onOwnNode, of[side].onOtherNode = r.matchedPorts(x.pods[i], i, bound, on, x.missing[f])
				of[side].denies = r.rule.Action == model.Deny
			}
			for _, s := range from {
				if s.podIndex == i {
					continue
				}
				if proto, port, ok := meetingPorts(of, s.node == x.pods[i].NodeName, s.hasRows, below); ok {
					return RuleMeeting{Subject: x.pods[i].Key, Peer: s.name, Protocol: proto, Port: port}, true
				}
			}
		}
	}
	return RuleMeeting{}, false
}

// namedSender is a pod that both rules name as a peer, or a network.
type namedSender struct {
	podIndex int // -1 for a network
	name     string
	node     string
	hasRows  [2]bool // whether each rule has rows on its node
}

// exampleSenders returns two senders of each node, since one may be the receiver, and a network.
func (x *PodIndex) exampleSenders(f int, a, b *ResolvedRule, onA, onB map[string]bool) (out []namedSender) {
	of := map[string]int{}
	for s := range a.reach.byFamily[f].And(b.reach.byFamily[f]).And(x.defaultNetwork).Each() {
		p := x.pods[s]
		of[p.NodeName]++
		if of[p.NodeName] <= 2 {
			out = append(out, namedSender{s, p.Namespace + "/" + p.Name, p.NodeName, [2]bool{onA[p.NodeName], onB[p.NodeName]}})
		}
	}
	for n := range x.commonNetworks(f, a, b) {
		return append(out, namedSender{podIndex: -1, name: networkText(n)})
	}
	return out
}

// namedPorts are the ports that the rows of a rule match for one pod, on its own node and on other nodes
// with a subject.
type namedPorts struct {
	onOwnNode, onOtherNode portSet
	denies                 bool
}

// meetingPorts returns a port at which the order of two rules matters.
func meetingPorts(of [2]namedPorts, oneNode bool, on [2]bool, below bool) (proto string, port int32, ok bool) {
	if oneNode {
		return of[0].onOwnNode.commonPort(of[1].onOwnNode)
	}
	for side := range of {
		if !on[side] {
			of[side].onOtherNode = portSet{}
		}
	}
	alone := func(at func(*namedPorts) portSet) func(string, int32) bool {
		return func(proto string, port int32) bool {
			in := [2]bool{at(&of[0]).hasPort(proto, port), at(&of[1]).hasPort(proto, port)}
			return in[0] != in[1] && (in[0] && of[0].denies || in[1] && of[1].denies)
		}
	}
	proto, port, ok = of[0].onOwnNode.commonPortBut(of[1].onOwnNode, alone(func(p *namedPorts) portSet { return p.onOtherNode }))
	if ok {
		return proto, port, true
	}
	if !of[0].denies && !of[1].denies && !below {
		return "", 0, false
	}
	return of[0].onOtherNode.commonPortBut(of[1].onOtherNode, alone(func(p *namedPorts) portSet { return p.onOwnNode }))
}

// matchedPorts returns the ports of pod i that the rows of a rule match: here on the pod's own node, there on
// another node with a subject. A missing family has rows only for names.
func (r *ResolvedRule) matchedPorts(p *model.Pod, i int, of *BoundPods, on map[string]bool, missing bool) (here, there portSet) {
	if r.reach.Pods.Has(i) {
		there = portSet{names: r.ports.names}.resolvedOn(p, true)
	}
	switch {
	case of.Pods.Has(i) && missing:
		here = portSet{names: r.ports.names}.resolvedOn(p, true)
	case of.Pods.Has(i):
		here = r.ports.resolvedOn(p, true)
	case on[p.NodeName]:
		here = there
	}
	return here, there
}

// portHolders returns the pods that declare a port named by either rule.
func (x *PodIndex) portHolders(a, b *ResolvedRule) (out PodSet) {
	for _, names := range [][]string{a.ports.names, b.ports.names} {
		for _, name := range names {
			out = out.Or(x.WithPort(name))
		}
	}
	return out
}

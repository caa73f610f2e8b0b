package selectors

import "rung/model"

// portSet is the ports that a rule means: everything, or ranges and names; nothing
// where all of them are broken.
type portSet struct {
	isEverything bool
	ranges       []portRange
	names        []string
}

type portRange struct {
	protocol   string
	start, end int32
}

// lastPort is the highest port number; a whole protocol is 0 to it, which also
// stands for traffic of the protocol as such.
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

// resolvedOn is the set with its names resolved on one pod; without resolve the names
// mean nothing there.
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

// commonPort is the first protocol and port that both sets have, names aside. Both
// are zero when both sets mean everything.
func (s portSet) commonPort(o portSet) (protocol string, port int32, ok bool) {
	return s.commonPortBut(o, nil)
}

// commonPortBut is common without some ports, of which there are few; nil for none.
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

// hasPort says whether a port is in the set, names aside.
func (s portSet) hasPort(protocol string, port int32) bool {
	_, _, ok := s.commonPort(portSet{ranges: []portRange{{protocol, port, port}}})
	return ok
}

// PortMatch says whether a rule's ports let a connection of the protocol to the
// port through, names aside: a rule without ports matches every port.
func PortMatch(ports []model.Port, protocol string, port int32) bool {
	return newPortSet(ports).hasPort(protocol, port)
}

// BoundPods are the pods that a policy applies to.
type BoundPods struct {
	Pods  PodSet
	nodes map[string]bool // found when needed
}

// BindPolicy is the policy's subject, to be compared with others.
func (x *PodIndex) BindPolicy(p *model.Policy) *BoundPods { return &BoundPods{Pods: x.SubjectSet(p)} }

// nodesOf are the nodes that have one of the pods.
func (x *PodIndex) nodesOf(b *BoundPods) map[string]bool {
	if b.nodes == nil {
		b.nodes = map[string]bool{}
		for p := range x.Pods(b.Pods) {
			b.nodes[p.NodeName] = true
		}
	}
	return b.nodes
}

// MeetNamedPorts finds traffic that two ingress rules, of which one has named ports, both match and
// whose verdict depends on which comes first: MeetRules, and more. Rows of an ingress rule with named
// ports have its peers as destinations, too, on every node that has one of its subjects, and are
// asked where the packet leaves its node and where it arrives (ovn-kubernetes.md#named-ports). So
// pods that are not subject of both policies may be met; and where a Deny is alone at one of the
// two places it decides, whichever comes first at the other. below says that a baseline has named
// ports as well: without, nothing but an Allow comes after a Pass where a packet leaves its node.
func (x *PodIndex) MeetNamedPorts(ofA *BoundPods, a *ResolvedRule, ofB *BoundPods, b *ResolvedRule, below bool) (RuleMeeting, bool) {
	holders := x.portHolders(a, b)
	if proto, port, ok := a.ports.commonPort(b.ports); ok {
		if m, ok := x.meetPeers(ofA.Pods.And(ofB.Pods).And(x.peers).And(x.defaultNetwork).AndNot(holders), a, b); ok {
			m.Protocol, m.Port = proto, port
			return m, true
		}
	}
	onA, onB := x.nodesOf(ofA), x.nodesOf(ofB)
	for f := range x.family {
		from := x.sendersOf(f, a, b, onA, onB)
		for i := range holders.And(x.family[f]).And(x.defaultNetwork).Each() {
			var of [2]namedPorts
			for side, r := range [...]*ResolvedRule{a, b} {
				bound, on := ofA, onA
				if side == 1 {
					bound, on = ofB, onB
				}
				of[side].onOwnNode, of[side].onOtherNode = r.portsOf(x.pods[i], i, bound, on, x.missing[f])
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
	hasRows  [2]bool // the rules have rows on its node
}

// sendersOf are two senders of each node, since one may be the receiver, and a network.
func (x *PodIndex) sendersOf(f int, a, b *ResolvedRule, onA, onB map[string]bool) (out []namedSender) {
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

// namedPorts are the ports that the rows of a rule match for one pod, on its own node and on
// another that has a subject.
type namedPorts struct {
	onOwnNode, onOtherNode portSet
	denies                 bool
}

// meetingPorts is a port at which it matters which of two rules comes first.
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

// portsOf are the ports of pod i that the rows of a rule match on the pod's own node, and
// on another one that has a subject. Over a family that is missing there are rows of names alone.
func (r *ResolvedRule) portsOf(p *model.Pod, i int, of *BoundPods, on map[string]bool, missing bool) (here, there portSet) {
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

// portHolders are the pods that declare a port either rule names.
func (x *PodIndex) portHolders(a, b *ResolvedRule) (out PodSet) {
	for _, names := range [][]string{a.ports.names, b.ports.names} {
		for _, name := range names {
			out = out.Or(x.WithPort(name))
		}
	}
	return out
}

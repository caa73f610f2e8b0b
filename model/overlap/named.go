package overlap

import "rung/model"

// Bound are the pods that a policy applies to.
type Bound struct {
	Pods  PodSet
	nodes map[string]bool // found when needed
}

// Bound is the policy's subject, to be compared with others.
func (x *PodIndex) Bound(p *model.Policy) *Bound { return &Bound{Pods: x.SubjectSet(p)} }

// on are the nodes that have one of the pods.
func (x *PodIndex) on(b *Bound) map[string]bool {
	if b.nodes == nil {
		b.nodes = map[string]bool{}
		for p := range x.Pods(b.Pods) {
			b.nodes[p.NodeName] = true
		}
	}
	return b.nodes
}

// MeetNamed finds traffic that two ingress rules, of which one has named ports, both match and
// whose verdict depends on which comes first: Meet, and more. Rows of an ingress rule with named
// ports have its peers as destinations, too, on every node that has one of its subjects, and are
// asked where the packet leaves its node and where it arrives (ovn-kubernetes.md#named-ports). So
// pods that are not subject of both policies may be met; and where a Deny is alone at one of the
// two places it decides, whichever comes first at the other. below says that a baseline has named
// ports as well: without, nothing but an Allow comes after a Pass where a packet leaves its node.
func (x *PodIndex) MeetNamed(ofA *Bound, a *Resolved, ofB *Bound, b *Resolved, below bool) (Meeting, bool) {
	holders := x.holders(a, b)
	if proto, port, ok := a.ports.common(b.ports); ok {
		if m, ok := x.meetPeers(ofA.Pods.And(ofB.Pods).And(x.peers).And(x.plain).AndNot(holders), a, b); ok {
			m.Protocol, m.Port = proto, port
			return m, true
		}
	}
	onA, onB := x.on(ofA), x.on(ofB)
	for f := range x.family {
		from := x.sendersOf(f, a, b, onA, onB)
		for i := range holders.And(x.family[f]).And(x.plain).Each() {
			var of [2]namedPorts
			for side, r := range [...]*Resolved{a, b} {
				bound, on := ofA, onA
				if side == 1 {
					bound, on = ofB, onB
				}
				of[side].here, of[side].there = r.portsOf(x.pods[i], i, bound, on, x.missing[f])
				of[side].denies = r.rule.Action == model.Deny
			}
			for _, s := range from {
				if s.at == i {
					continue
				}
				if proto, port, ok := meetingPorts(of, s.node == x.pods[i].NodeName, s.on, below); ok {
					return Meeting{Subject: x.pods[i].Key, Peer: s.name, Protocol: proto, Port: port}, true
				}
			}
		}
	}
	return Meeting{}, false
}

// sender is a pod that both rules name as a peer, or a network.
type sender struct {
	at   int // -1 for a network
	name string
	node string
	on   [2]bool // the rules have rows on its node
}

// sendersOf are two senders of each node, since one may be the receiver, and a network.
func (x *PodIndex) sendersOf(f int, a, b *Resolved, onA, onB map[string]bool) (out []sender) {
	of := map[string]int{}
	for s := range a.reach.byFamily[f].And(b.reach.byFamily[f]).And(x.plain).Each() {
		p := x.pods[s]
		if of[p.NodeName]++; of[p.NodeName] <= 2 {
			out = append(out, sender{s, p.Namespace + "/" + p.Name, p.NodeName, [2]bool{onA[p.NodeName], onB[p.NodeName]}})
		}
	}
	for n := range x.commonNetworks(f, a, b) {
		return append(out, sender{at: -1, name: networkText(n)})
	}
	return out
}

// namedPorts are the ports that the rows of a rule match for one pod, on its own node and on
// another that has a subject.
type namedPorts struct {
	here, there portSet
	denies      bool
}

// meetingPorts is a port at which it matters which of two rules comes first.
func meetingPorts(of [2]namedPorts, oneNode bool, on [2]bool, below bool) (proto string, port int32, ok bool) {
	if oneNode {
		return of[0].here.common(of[1].here)
	}
	for side := range of {
		if !on[side] {
			of[side].there = portSet{}
		}
	}
	alone := func(at func(*namedPorts) portSet) func(string, int32) bool {
		return func(proto string, port int32) bool {
			in := [2]bool{at(&of[0]).has(proto, port), at(&of[1]).has(proto, port)}
			return in[0] != in[1] && (in[0] && of[0].denies || in[1] && of[1].denies)
		}
	}
	if proto, port, ok = of[0].here.commonBut(of[1].here, alone(func(p *namedPorts) portSet { return p.there })); ok {
		return proto, port, true
	}
	if !of[0].denies && !of[1].denies && !below {
		return "", 0, false
	}
	return of[0].there.commonBut(of[1].there, alone(func(p *namedPorts) portSet { return p.here }))
}

// portsOf are the ports of pod i that the rows of a rule match on the pod's own node, and
// on another one that has a subject. Over a family that is missing there are rows of names alone.
func (r *Resolved) portsOf(p *model.Pod, i int, of *Bound, on map[string]bool, missing bool) (here, there portSet) {
	if r.reach.Pods.Has(i) {
		there = portSet{names: r.ports.names}.at(p, true)
	}
	switch {
	case of.Pods.Has(i) && missing:
		here = portSet{names: r.ports.names}.at(p, true)
	case of.Pods.Has(i):
		here = r.ports.at(p, true)
	case on[p.NodeName]:
		here = there
	}
	return here, there
}

// holders are the pods that declare a port either rule names.
func (x *PodIndex) holders(a, b *Resolved) (out PodSet) {
	for _, names := range [][]string{a.ports.names, b.ports.names} {
		for _, name := range names {
			out = out.Or(x.WithPort(name))
		}
	}
	return out
}

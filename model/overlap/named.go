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

// MeetNamedPeers finds traffic that two ingress rules both match although the pod it goes
// to is not subject of both policies: rows of an ingress rule with named ports have its
// peers as destinations, too, on every node that has one of its subjects, and are asked
// where the packet leaves its node and where it arrives (ovn-kubernetes.md#named-ports).
func (x *PodIndex) MeetNamedPeers(ofA *Bound, a *Resolved, ofB *Bound, b *Resolved) (Meeting, bool) {
	if a.rule.Direction != model.Ingress || len(a.ports.names)+len(b.ports.names) == 0 {
		return Meeting{}, false
	}
	for f := range x.family {
		senders := a.reach.byFamily[f].And(b.reach.byFamily[f]).And(x.plain)
		if senders.Empty() {
			continue
		}
		onA, onB := x.on(ofA), x.on(ofB)
		// A sender of each of two nodes where both policies have rows: one is not the receiver's.
		var remote []int
		for s := range senders.Each() {
			node := x.pods[s].NodeName
			if onA[node] && onB[node] && len(remote) < 2 && (len(remote) == 0 || x.pods[remote[0]].NodeName != node) {
				remote = append(remote, s)
			}
		}
		for i := range x.holders(a, b).And(x.family[f]).And(x.plain).Each() {
			hereA, thereA := a.portsOf(x.pods[i], i, ofA, onA)
			hereB, thereB := b.portsOf(x.pods[i], i, ofB, onB)
			if proto, port, ok := hereA.common(hereB); ok {
				for s := range senders.Each() {
					if s != i {
						return x.meeting(i, s, proto, port), true
					}
				}
			}
			if proto, port, ok := thereA.common(thereB); ok {
				for _, s := range remote {
					if x.pods[s].NodeName != x.pods[i].NodeName {
						return x.meeting(i, s, proto, port), true
					}
				}
			}
		}
	}
	return Meeting{}, false
}

// portsOf are the ports of pod i that the rows of a rule match on the pod's own node, and
// on another one that has a subject.
func (r *Resolved) portsOf(p *model.Pod, i int, of *Bound, on map[string]bool) (here, there portSet) {
	if r.reach.Pods.Has(i) {
		there = portSet{names: r.ports.names}.at(p, true)
	}
	switch {
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

func (x *PodIndex) meeting(to, from int, proto string, port int32) Meeting {
	return Meeting{Subject: x.pods[to].Key, Peer: x.pods[from].Namespace + "/" + x.pods[from].Name, Protocol: proto, Port: port}
}

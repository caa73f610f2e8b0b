package verdict

import (
	"rung/model"
)

// antreaHops are the walks under Antrea: rules of egress where the pod is that begins the
// connection, rules of ingress where the pod is that it goes to, both once it is load
// balanced (antrea.md#order). Multicast has no rules of ingress.
func (w *way) antreaHops() (out []hop) {
	src := place{port: w.from.at, end: w.from.at, addr: w.from.addr}
	dst := place{port: w.to.at, end: w.to.at, addr: w.to.addr}
	if w.to.addr.IsMulticast() {
		dst.port, dst.end = -1, -1
	}
	h := hop{in: src, out: dst, proto: w.proto, port: w.port}
	if w.from.pod != nil {
		h := h
		h.stage, h.zone, h.where = model.StageEgress, w.from.zone, atSource
		if w.service.IsValid() && (w.front == nil || w.front.Kind == ClusterIP) { // toServices means no other address
			h.service = w.serviceKey
		}
		out = append(out, h)
	}
	if w.to.pod != nil && !w.to.addr.IsMulticast() {
		h.stage, h.zone, h.where = model.StageIngress, w.to.zone, atDestination
		h.in.hairpin = w.hairpin
		if w.from.pod == nil {
			h.service = w.serviceKey
		}
		out = append(out, h)
	}
	return out
}

const multicastActions = "Pass and Reject are not supported for multicast"

// antreaNode says why no policy is asked about a connection of nodes.
func (x *Index) antreaNode(from, to *found) string {
	for _, f := range []*found{from, to} {
		if by := x.byNode(f.node); by != "" {
			return "no policy of pods is asked, and what " + by + " makes of a node's own connections is not judged"
		}
	}
	return "no policy is asked: neither end is a pod"
}

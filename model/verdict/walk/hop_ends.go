package walk

import (
	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/index"
)

// endHops are the walks where rules are asked at the ends: rules of egress where the pod is
// that begins the connection, rules of ingress where the pod is that it goes to, both once it
// is load balanced. Multicast has no rules of ingress.
func (w *way) endHops() (out []hop) {
	src := index.Place{Port: w.from.at, End: w.from.at, Addr: w.from.addr}
	dst := index.Place{Port: w.to.at, End: w.to.at, Addr: w.to.addr}
	if w.to.addr.IsMulticast() {
		dst.Port, dst.End = -1, -1
	}
	h := hop{in: src, out: dst, proto: w.proto, port: w.port}
	if w.from.pod != nil {
		h := h
		h.stage, h.zone, h.where = model.StageEgress, w.from.zone, index.AtSource
		if w.service.IsValid() && (w.front == nil || w.front.Kind == verdict.ClusterIP) { // toServices means no other address
			h.service = w.serviceKey
		}
		out = append(out, h)
	}
	if w.to.pod != nil && !w.to.addr.IsMulticast() {
		h.stage, h.zone, h.where = model.StageIngress, w.to.zone, index.AtDestination
		h.in.Hairpin = w.hairpin
		if w.from.pod == nil {
			h.service = w.serviceKey
		}
		out = append(out, h)
	}
	return out
}

const multicastActions = "Pass and Reject are not supported for multicast"

// noPod says why no policy is asked about a connection of nodes.
func noPod(x *index.Index, from, to *found) string {
	for _, f := range []*found{from, to} {
		if by := x.PoliciesOfNode(f.node); by != "" {
			return "no policy of pods is asked, and what " + by + " makes of a node's own connections is not judged"
		}
	}
	if from.Note != "" && to.Note != "" && !x.Precedence().AtEnds {
		return from.Note
	}
	return x.Precedence().NoPod
}

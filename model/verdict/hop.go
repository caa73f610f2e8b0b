package verdict

import (
	"net/netip"

	"rung/model"
)

// way is how a packet goes: between which addresses, and past which switches.
type way struct {
	from, to end
	proto    int8
	port     uint16
	hairpin  bool
	// service is the Service's own address, which the packet carries until it is load
	// balanced, and servicePort its port; not valid for a connection to no Service.
	service     netip.Addr
	servicePort uint16
	serviceKey  model.Key
	front       *Front // how the Service was asked, nil for by its name
	antrea      bool
}

// end is one end of a way. Node and outside have no pod.
type end struct {
	pod  *model.Pod
	at   int32 // of Index.ends: the pod's address, -1 without a pod
	addr netip.Addr
	zone string // whose switch it is on, empty for outside
}

// hop is one walk through the tiers.
type hop struct {
	stage   model.Stage
	zone    string
	in, out place
	proto   int8
	port    uint16
	where   where
	// service is the one that the connection was begun to, where Antrea's rules can know.
	service model.Key
}

// hops are the walks in the order of the way: on each switch before load balancing, after
// it, and to the port it leaves by. A packet to another node leaves the source's switch
// and enters the destination's by the router's port.
func (w *way) hops() []hop {
	if w.antrea {
		return w.antreaHops()
	}
	src := place{port: w.from.at, end: w.from.at, addr: w.from.addr}
	dst := place{port: w.to.at, end: w.to.at, addr: w.to.addr}
	if w.to.addr.IsMulticast() {
		dst.end = -1
	}
	begun := src
	if w.hairpin {
		src.end, src.addr = -1, hairpinAddrs[FamilyOf(w.from.addr).at()]
	}
	out := make([]hop, 0, 6)
	pass := func(zone string, in, to place, at where) {
		for _, s := range [...]model.Stage{model.StageFromLport, model.StageAfterLB, model.StageToLport} {
			if w.hairpin && s == model.StageAfterLB {
				continue // it has turned round before (ovn-kubernetes.md#hairpin-packets)
			}
			h := hop{stage: s, zone: zone, in: in, out: to, proto: w.proto, port: w.port, where: at}
			if s == model.StageFromLport && w.service.IsValid() && !in.router {
				h.out, h.port = place{port: -1, end: -1, addr: w.service}, w.servicePort
			}
			if s == model.StageFromLport && w.hairpin {
				h.in = begun // its address changes when it turns round
			}
			out = append(out, h)
		}
	}
	byRouter := func(p place) place {
		p.port, p.router = -1, true
		return p
	}
	switch {
	case w.from.zone == w.to.zone:
		pass(w.from.zone, src, dst, anywhere)
		return out
	case w.from.zone != "":
		pass(w.from.zone, src, byRouter(dst), atSource)
	}
	if w.to.zone != "" {
		pass(w.to.zone, byRouter(src), dst, atDestination)
	}
	return out
}

// terms are those of a stage.
func (x *Index) termsOf(s model.Stage) []term {
	switch s {
	case model.StageAfterLB, model.StageEgress:
		return x.terms[egressTerms]
	case model.StageToLport, model.StageIngress:
		return x.terms[ingressTerms]
	}
	return nil
}

// matches says whether a term matches in a hop.
func (x *Index) matches(t *term, h *hop) bool {
	return t.at&h.where != 0 && x.conds[t.from].holds(x, &h.in, h.zone) && x.conds[t.to].holds(x, &h.out, h.zone) &&
		t.ports.has(h.proto, h.port) && (t.outPort == 0 || x.conds[t.outPort-1].holds(x, &h.out, h.zone)) &&
		(!t.outRouter || h.out.router) && x.about(t, h.service)
}

// decide walks the tiers of a hop.
func (x *Index) decide(h *hop, buf []hit) (settled, []hit) {
	stage := egressTerms
	switch h.stage {
	case model.StageFromLport:
		return settled{verdict: Allow}, nil
	case model.StageToLport, model.StageIngress:
		stage = ingressTerms
	}
	terms, subject, at := x.terms[stage], int32(-1), &h.in
	if stage == ingressTerms {
		at = &h.out
	}
	c := collector{hits: buf[:0]}
	for i := 0; i < len(terms); i++ {
		t := &terms[i]
		counts, more := c.next(t.tier, t.priority)
		if !more {
			break
		}
		if !counts {
			continue
		}
		// The rules of a policy have their subject in common: where it is not the one, none of
		// them is asked.
		if is := t.subject(stage); is != subject {
			if !x.conds[is].holds(x, at, h.zone) {
				i = int(x.runs[stage][i]) - 1
				continue
			}
			subject = is
		}
		if x.matches(t, h) {
			c.add(hit{ref: int32(i), priority: t.priority, tier: t.tier, does: t.does, maybe: t.maybe || t.multicast && h.out.addr.IsMulticast()})
		}
	}
	return settle(c.hits), c.hits
}

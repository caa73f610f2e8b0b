package verdict

import (
	"net/netip"

	"rung/model"
)

// packetRoute is the way of a packet: its addresses, and the switches it passes.
type packetRoute struct {
	from, to routeEnd
	proto    int8
	port     uint16
	hairpin  bool
	// service is the Service's own address, which the packet carries until load balancing, and servicePort its
	// port; invalid for a connection to no Service.
	service     netip.Addr
	servicePort uint16
	serviceKey  model.Key
	front       *ServiceFront // how the Service was reached, nil if by name
	atEnds      bool          // rules apply at the ends
	openPod     *model.Pod    // the destination, if tier 0 isolates it but leaves this port open; else nil
}

// routeEnd is one end of a way. Nodes and outside addresses have no pod.
type routeEnd struct {
	pod      *model.Pod
	indexEnd int32 // in Index.Ends: the pod's address, or -1 without a pod
	addr     netip.Addr
	zone     string // the zone of its switch, empty outside
}

// tierHop is one walk through the tiers.
type tierHop struct {
	stage     model.Stage
	zone      string
	in, out   HopEnd
	proto     int8
	port      uint16
	hopSwitch HopSwitch
	// service is the Service that the connection was begun to, if the rules can know.
	service model.Key
	openPod *model.Pod // packetRoute.openPod, where the packet arrives
	// reply marks the way of replies: in is the destination then.
	reply bool
}

func (h *tierHop) ends() (from, to *HopEnd) {
	if h.reply {
		return &h.out, &h.in
	}
	return &h.in, &h.out
}

// hops returns the walks in order: on each switch before load balancing, after it, and towards the
// outgoing port. A packet to another node leaves the source's switch and enters the destination's by the
// router's port. On a secondary network the walks of replies follow (networks.md#replies).
func (w *packetRoute) hops(x *Index) []tierHop {
	if w.atEnds {
		return w.endHops()
	}
	src := HopEnd{Port: w.from.indexEnd, End: w.from.indexEnd, Addr: w.from.addr}
	dst := HopEnd{Port: w.to.indexEnd, End: w.to.indexEnd, Addr: w.to.addr}
	if w.to.addr.IsMulticast() {
		dst.End = -1
	}
	begun := src
	if w.hairpin {
		src.End, src.Addr = -1, x.HairpinAddr(AddrFamily(w.from.addr))
	}
	out := make([]tierHop, 0, 6)
	pass := func(zone string, in, to HopEnd, at HopSwitch) {
		for _, s := range [...]model.Stage{model.StageFromLport, model.StageAfterLB, model.StageToLport} {
			if w.hairpin && s == model.StageAfterLB {
				continue // it turned round earlier (ovn-kubernetes.md#hairpin-packets)
			}
			h := tierHop{stage: s, zone: zone, in: in, out: to, proto: w.proto, port: w.port, hopSwitch: at}
			if s == model.StageFromLport && w.service.IsValid() && !in.Router {
				h.out, h.port = HopEnd{Port: -1, End: -1, Addr: w.service}, w.servicePort
			}
			if s == model.StageFromLport && w.hairpin {
				h.in = begun // its address changes when it turns round
			}
			if s == model.StageToLport && to.Port >= 0 {
				h.openPod = w.openPod
			}
			out = append(out, h)
		}
	}
	byRouter := func(p HopEnd) HopEnd {
		p.Port, p.Router = -1, true
		return p
	}
	over := func(from, to string, src, dst HopEnd) {
		switch {
		case from == to:
			pass(from, src, dst, Anywhere)
			return
		case from != "":
			pass(from, src, byRouter(dst), AtSource)
		}
		if to != "" {
			pass(to, byRouter(src), dst, AtDestination)
		}
	}
	over(w.from.zone, w.to.zone, src, dst)
	if n := x.Network(); n != nil && !n.Primary && !w.to.addr.IsMulticast() {
		there := len(out)
		over(w.to.zone, w.from.zone, dst, src)
		for i := there; i < len(out); i++ {
			out[i].reply = true
		}
	}
	return out
}

// termStage returns the index's stage of a hop; ok is false if the hop has no terms.
func (h *tierHop) termStage() (stage int, ok bool) {
	switch h.stage {
	case model.StageAfterLB, model.StageEgress:
		stage = EgressTerms
		if h.reply {
			stage = ReplyEgressTerms
		}
	case model.StageToLport, model.StageIngress:
		stage = IngressTerms
		if h.reply {
			stage = ReplyIngressTerms
		}
	default:
		return 0, false
	}
	return stage, true
}

func hopTerms(x *Index, h *tierHop) []Term {
	if stage, ok := h.termStage(); ok {
		return x.Terms[stage]
	}
	return nil
}

func termMatches(x *Index, t *Term, h *tierHop) bool {
	from, to := h.ends()
	return t.Switch&h.hopSwitch != 0 && x.Conditions[t.From].HoldsFor(x, from, h.zone) && x.Conditions[t.To].HoldsFor(x, to, h.zone) &&
		t.Ports.Has(h.proto, h.port) && (t.OutPort == 0 || x.Conditions[t.OutPort-1].HoldsFor(x, &h.out, h.zone)) &&
		(!t.OutRouter || h.out.Router) && x.IsAbout(t, h.service)
}

func walkHop(x *Index, h *tierHop, buf []Hit) (SettledWalk, []Hit) {
	stage, ok := h.termStage()
	if !ok {
		return SettledWalk{Verdict: Allow}, nil
	}
	terms, subject, at := x.Terms[stage], int32(-1), &h.in
	if h.stage.IsArriving() {
		at = &h.out
	}
	c := HitCollector{Hits: buf[:0]}
	for i := 0; i < len(terms); i++ {
		t := &terms[i]
		counts, more := c.Next(t.Tier, t.Priority)
		if !more {
			break
		}
		if !counts {
			continue
		}
		// The rules of a policy share their subject: if it does not match, all are skipped.
		if is := t.SubjectCondition(stage); is != subject {
			if !x.Conditions[is].HoldsFor(x, at, h.zone) {
				i = int(x.NextSubject[stage][i]) - 1
				continue
			}
			subject = is
		}
		if termMatches(x, t, h) {
			c.Add(Hit{Ref: int32(i), Priority: t.Priority, Tier: t.Tier, Effect: t.Effect, Maybe: t.Maybe || t.Multicast &&
				h.out.Addr.IsMulticast()})
		}
	}
	return SettleHits(c.Hits), c.Hits
}

// endHops returns the walks of a plugin that applies rules at the ends: egress at the source pod, ingress at
// the destination pod, both after load balancing. Multicast has no ingress.
func (w *packetRoute) endHops() (out []tierHop) {
	src := HopEnd{Port: w.from.indexEnd, End: w.from.indexEnd, Addr: w.from.addr}
	dst := HopEnd{Port: w.to.indexEnd, End: w.to.indexEnd, Addr: w.to.addr}
	if w.to.addr.IsMulticast() {
		dst.Port, dst.End = -1, -1
	}
	h := tierHop{in: src, out: dst, proto: w.proto, port: w.port}
	if w.from.pod != nil {
		h := h
		h.stage, h.zone, h.hopSwitch = model.StageEgress, w.from.zone, AtSource
		if w.service.IsValid() && (w.front == nil || w.front.Kind == ClusterIP) { // toServices sees no other kind of address
			h.service = w.serviceKey
		}
		out = append(out, h)
	}
	if w.to.pod != nil && !w.to.addr.IsMulticast() {
		h.stage, h.zone, h.hopSwitch = model.StageIngress, w.to.zone, AtDestination
		h.in.Hairpin = w.hairpin
		if w.from.pod == nil {
			h.service = w.serviceKey
		}
		out = append(out, h)
	}
	return out
}

const multicastActions = "Pass and Reject are not supported for multicast"

// whyNoPod returns why no policy applies to a connection between nodes.
func whyNoPod(x *Index, from, to *resolvedEnd) string {
	for _, f := range []*resolvedEnd{from, to} {
		if by := x.PoliciesOfNode(f.node); by != "" {
			return "no pod policy applies; Rung does not judge how " + by + " affects a node's own connections"
		}
	}
	if from.Note != "" && to.Note != "" && !x.Precedence().AtEnds {
		return from.Note
	}
	return x.Precedence().NoPod
}

package verdict

import (
	"cmp"
	"strconv"

	"rung/model"
	"rung/model/network"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// ZoneRows holds the zones read; Zone returns nil for an unread zone.
type ZoneRows interface{ Zone(name string) *Zone }

// ZonesByName are ZoneRows by zone name.
type ZonesByName map[string]*Zone

// Zone returns the zone with a name, or nil.
func (z ZonesByName) Zone(name string) *Zone { return z[name] }

// FromRows returns the rows' answer about a connection: each zone's rows decide their part of the way. The
// index supplies the ends; the policies are not used.
func FromRows(x *Index, zones ZoneRows, c Connection) (Answer, error) {
	return answerByPaths(x, c, func(w *packetRoute) []StageVerdict {
		return model.MapList(w.hops(x), func(h tierHop) StageVerdict { return judgeByRows(x, zones, &h) })
	})
}

var matchProto = [...]match.Proto{match.TCP, match.UDP, match.SCTP, match.ICMP}

// whyUntracked returns why replies are dropped in a zone, and how to change it.
func whyUntracked(x *Index, zone string) string {
	return "replies are dropped: OVN does not track connections on switch " + x.Network().Switch(zone) + " of " + zone +
		", where no ACL is allow-related; to track them, add any rule to a MultiNetworkPolicy that selects a pod there"
}

func judgeByRows(x *Index, zones ZoneRows, h *tierHop) StageVerdict {
	out := StageVerdict{Stage: h.stage, Zone: h.zone, Reply: h.reply, Verdict: Unknown}
	for _, at := range [...]int32{h.in.End, h.out.End} {
		if at < 0 {
			continue
		}
		if p := x.Pods.PodAt(int(x.Ends[at].Pod)); p.Assumed != "" {
			out.Reason = "no rows exist for " + p.Namespace + "/" + p.Name + ", which " + p.Assumed
			return out
		}
	}
	z := zones.Zone(h.zone)
	if z == nil {
		out.Reason = "zone " + h.zone + " was not read"
		return out
	}
	at, p := rowPacket(x, h)
	if h.reply && z.tracksAt(at) {
		out.Verdict = Allow
		return out
	}
	d, ok := z.DecideStage(h.stage, at, p)
	if !ok {
		out.Reason = "zone " + h.zone + " has no logical port " + at
		return out
	}
	if h.openPod != nil && !z.hasTier(model.TierIsolation) { // rows compiled from policies have none in tier 0
		return openStage(h)
	}
	out.Verdict = d.Verdict
	if d.Verdict == Unknown && d.Why != nil {
		out.Reason = "a row " + d.Why.Error()
	}
	if h.reply && d.Verdict == Deny {
		out.Reason = whyUntracked(x, h.zone)
	}
	for _, a := range d.Passed {
		out.Passed = append(out.Passed, RowDecider(a, x.Network()))
	}
	for i, a := range d.Rows {
		r := RowDecider(a, x.Network())
		r.Reply = h.reply
		if i == 0 {
			out.Decided = &r
		}
		if d.IsOpen {
			out.Candidates = append(out.Candidates, r)
		}
	}
	return out
}

// rowPacket returns the packet that rows judge on a hop, and the logical port whose switch judges it.
func rowPacket(x *Index, h *tierHop) (at string, p match.Packet) {
	in, to := hopLogicalPort(x, &h.in, h.zone), hopLogicalPort(x, &h.out, h.zone)
	p = match.Packet{InPort: in, Src: h.in.Addr, Dst: h.out.Addr, Proto: matchProto[h.proto], DstPort: h.port}
	if h.proto < int8(ICMP.Number()) {
		p.SrcPort = ReplyPort
		if h.reply {
			p.SrcPort, p.DstPort = p.DstPort, p.SrcPort
		}
	}
	if h.stage == model.StageToLport {
		p.OutPort = to // on ingress to the switch, the outgoing port is not known yet
	}
	at = in
	if h.in.Port < 0 {
		at = to
	}
	return at, p
}

// hopLogicalPort returns the logical port of an end: the pod's, the router's, or a node's management port.
func hopLogicalPort(x *Index, at *HopEnd, zone string) string {
	switch {
	case at.Port >= 0:
		return x.Pods.PodAt(int(x.Ends[at.Port].Pod)).PortNames()[0]
	case at.Router && x.Network() != nil:
		return x.Network().RouterPort(zone)
	case at.Router:
		return nb.RouterPort(zone)
	case x.Network() != nil:
		return x.Network().ManagementPort(zone)
	}
	return nb.ManagementPort(zone)
}

// RowDecider returns the decider named by a row's external_ids on a network; nil is the default network.
func RowDecider(a *nb.ACL, on *network.Network) Decider {
	o := nb.ParseOwner(nb.TableACL, a.ExternalIDs)
	d := Decider{Tier: a.Tier, Rule: o.Index, Direction: model.Direction(o.Direction), Priority: a.Priority, Action: model.Allow,
		ACL: cmp.Or(a.ID(), a.UUID)}
	switch effectOfRow(a) {
	case Drops:
		d.Action = model.Deny
	case Passes:
		d.Action = model.Pass
	}
	if o.Form == nb.FormKnown {
		d.Policy = model.Key{Kind: model.Kind(o.Type), Namespace: o.Namespace, Name: o.Name}
		if d.Policy.Kind == model.KindNP && on != nil && !on.Primary {
			d.Policy.Kind = model.KindMNP
		}
	}
	if d.Policy.Kind == model.KindEF && d.Direction == "" {
		d.Direction = model.Egress
	}
	if n, err := strconv.Atoi(a.ExternalIDs[nb.KeyRuleIndex]); err == nil && d.Rule < 0 {
		d.Rule = n
	}
	return d
}

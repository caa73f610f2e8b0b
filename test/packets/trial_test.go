package packets_test

import (
	"fmt"
	"net/netip"
	"slices"

	"rung/model/logline"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
	verdicts "rung/model/verdict"
	"rung/sources/sandbox"
)

// trial is a connection to try: its first packet, zone by zone.
type trial struct {
	what   string
	packet sandbox.Packet // but for where it is put in
	legs   []leg
	asked  verdicts.Connection // what the policies are asked
	at     int                 // the leg that comes next
	seen   sandbox.PacketOutcome
	over   bool
	tied   bool // OVN might have chosen otherwise
}

// leg is a packet's way through one zone.
type leg struct {
	zone, in string
	over     []crossing // of the node's switch
	out      string     // "" for a multicast packet
}

// crossing is a way over the node's switch, from port to port.
type crossing struct{ in, out string }

func (t *trial) String() string {
	p := t.packet
	return fmt.Sprintf("%s: %s from %s port %d to %s port %d", t.what, protoOf(p), p.Src, p.SrcPort, p.Dst, p.DstPort)
}

var protos = map[sandbox.PacketProto]match.Proto{sandbox.TCP: match.TCP, sandbox.UDP: match.UDP, sandbox.SCTP: match.SCTP, sandbox.ICMP: match.ICMP}

func protoOf(p sandbox.Packet) match.Proto {
	if p.Proto == sandbox.ICMP && p.Src.Is6() {
		return match.ICMP6
	}
	return protos[p.Proto]
}

// trial draws a connection; ok is false where it has no two addresses of one family.
func (d *drawn) trial(w *world, srcPort uint16) (t *trial, ok bool) {
	if len(d.pods) == 0 {
		return nil, false
	}
	from, to := d.pods[d.r.IntN(len(d.pods))], d.pods[d.r.IntN(len(d.pods))]
	src := from.ips[d.r.IntN(len(from.ips))]
	t = &trial{packet: sandbox.Packet{Src: src, Proto: sandbox.PacketProto(1 + d.r.IntN(4)), SrcPort: srcPort, DstPort: uint16(79 + d.r.IntN(5))}}
	if d.one(4) && len(to.ports) > 0 { // a port that the pod declares
		cp := to.ports[d.r.IntN(len(to.ports))]
		t.packet.Proto = map[string]sandbox.PacketProto{"TCP": sandbox.TCP, "UDP": sandbox.UDP, "SCTP": sandbox.SCTP}[cp.Protocol]
		t.packet.DstPort = uint16(cp.Port)
	}
	same := func(addrs ...string) netip.Addr { return familyOf(src, addrs...) }
	zone := w.zones[from.zone]
	router := func(zone string) string { return nb.RouterPort(zone) }
	dst := same(to.v4.String(), to.v6.String())
	arrive := func(zone *node, in string, p *pod) leg {
		return leg{zone.Name(), in, []crossing{{router(zone.Name()), p.lport}}, p.lport}
	}
	leave := leg{zone.Name(), from.lport, []crossing{{from.lport, router(zone.Name())}}, zone.ElsewherePort()}
	defer func() { t.ask() }()
	t.asked.From, t.asked.To = verdicts.PodEnd(from.namespace, from.name), verdicts.PodEnd(to.namespace, to.name)
	switch n := d.r.IntN(18); {
	case n < 9 && from != to:
		t.what, t.packet.Dst = "pod to pod", dst
		if from.zone == to.zone {
			t.legs = []leg{{zone.Name(), from.lport, []crossing{{from.lport, to.lport}}, to.lport}}
		} else {
			there := w.zones[to.zone]
			t.what, t.legs = "pod to pod of another node", []leg{leave, arrive(there, there.ElsewherePort(), to)}
		}
	case n < 11:
		t.what, t.packet.Dst = "pod to outside", same(d.pick("198.51.100.9", "203.0.113.9", "8.8.8.8"), d.pick("2001:db8:9::9", "2001:4860::8888"))
		leave.out = zone.OutsidePort()
		t.legs, t.asked.To = []leg{leave}, verdicts.Endpoint{}
	case n < 12:
		t.what, t.packet.Src, t.packet.Dst = "outside to pod", same("198.51.100.9", "2001:db8:9::9"), dst
		there := w.zones[to.zone]
		t.legs, t.asked.From = []leg{arrive(there, there.OutsidePort(), to)}, verdicts.Endpoint{}
	case n < 13:
		there := slices.Index(zoneNames, to.zone)
		t.what, t.packet.Dst = "pod to node", same(management(there)...)
		t.asked.To = verdicts.NodeEnd(to.zone)
		if to.zone == from.zone {
			t.legs = []leg{{zone.Name(), from.lport, []crossing{{from.lport, zone.NodePort()}}, zone.NodePort()}}
		} else {
			z := w.zones[to.zone]
			t.legs = []leg{leave, {to.zone, z.ElsewherePort(), []crossing{{router(to.zone), z.NodePort()}}, z.NodePort()}}
		}
	case n < 14:
		here := slices.Index(zoneNames, from.zone)
		t.what, t.packet.Dst = "pod to its node's own address", same(hostAddrs(here)...)
		t.asked.To = verdicts.NodeEnd(from.zone)
		t.legs = []leg{{zone.Name(), from.lport, []crossing{{from.lport, router(from.zone)}, {router(from.zone), zone.NodePort()}}, zone.NodePort()}}
	case n < 17:
		there := w.zones[to.zone]
		t.what, t.packet.Src, t.packet.Dst = "node to pod", same(management(slices.Index(zoneNames, from.zone))...), dst
		t.asked.From = verdicts.NodeEnd(from.zone)
		if from.zone == to.zone {
			t.legs = []leg{{to.zone, there.NodePort(), []crossing{{there.NodePort(), to.lport}}, to.lport}}
		} else {
			leave.in, leave.over = zone.NodePort(), []crossing{{zone.NodePort(), router(from.zone)}}
			t.what, t.legs = "node to pod of another node", []leg{leave, arrive(there, there.ElsewherePort(), to)}
		}
	default:
		t.what, t.packet.Dst, t.packet.Proto = "multicast", same("239.1.1.7", "ff05::1:7"), sandbox.UDP
		l := leg{zone: from.zone, in: from.lport}
		for _, p := range places() {
			if p.zone == from.zone && p.lport != from.lport {
				l.over = append(l.over, crossing{from.lport, p.lport})
			}
		}
		l.over = append(l.over, crossing{from.lport, zone.NodePort()}, crossing{from.lport, router(from.zone)})
		t.legs = []leg{l}
	}
	return t, t.packet.Dst.IsValid() && t.packet.Src.IsValid()
}

// familyOf is the first address of the family of another.
func familyOf(as netip.Addr, of ...string) netip.Addr {
	for _, s := range of {
		if a := netip.MustParseAddr(s); a.Is4() == as.Is4() {
			return a
		}
	}
	return netip.Addr{}
}

// expected is what the rows say of a packet in one zone.
type expected struct {
	at       []string // where it comes out
	met      []decision
	tied     bool // rows that OVN may choose among decide differently
	unjudged int
}

// expect judges a leg.
func (t *trial) expect(j *judge, l *leg) (e expected) {
	p := match.Packet{Src: t.packet.Src, Dst: t.packet.Dst, Proto: protoOf(t.packet)}
	if t.packet.Proto != sandbox.ICMP {
		p.SrcPort, p.DstPort = t.packet.SrcPort, t.packet.DstPort
	}
	for i, c := range l.over {
		p.InPort, p.OutPort = c.in, c.out
		met, passed, unjudged := j.pass(c.in, p)
		e.unjudged += unjudged
		for _, d := range met {
			// A multicast packet is judged once on its way in, and at each port out.
			if i == 0 || l.out != "" || d.acl.Direction == nb.ToLport {
				e.met = append(e.met, d)
			}
			for _, o := range d.tied {
				e.tied = e.tied || verdictOfACL(o) != verdictOfACL(d.acl)
			}
		}
		switch {
		case l.out != "" && !passed:
			return e
		case l.out != "" && i == len(l.over)-1:
			e.at = []string{l.out}
		case l.out == "" && passed && c.out != nb.RouterPort(l.zone):
			e.at = append(e.at, c.out)
		}
	}
	slices.Sort(e.at)
	return e
}

// verdictOfACL is what ovn-controller's log calls an action.
func verdictOfACL(a *nb.ACL) string {
	switch a.Action {
	case nb.ActionAllowRelated, nb.ActionAllowStateless:
		return nb.ActionAllow
	}
	return a.Action
}

// lines are the log lines that a decision may leave: one for each row that OVN may
// choose, "" for one that does not log.
func lines(d decision) (out []string) {
	for _, a := range d.tied {
		s := ""
		if a.Log {
			s = fmt.Sprintf("%q %s %s %s", a.Name, verdictOfACL(a), a.Severity, a.Direction)
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func lineOf(l logline.Line) string {
	return fmt.Sprintf("%q %s %s %s", l.Name, l.Verdict, l.Severity, l.Direction)
}

// tuple is what tells a packet's lines from those of others; packets of ICMP with the
// same addresses share theirs.
type tuple struct {
	proto            string
	src, dst         netip.Addr
	srcPort, dstPort uint16
}

func (t *trial) tuple() tuple {
	k := tuple{string(protoOf(t.packet)), t.packet.Src, t.packet.Dst, t.packet.SrcPort, t.packet.DstPort}
	if t.packet.Proto == sandbox.ICMP {
		k.srcPort, k.dstPort = 0, 0
	}
	return k
}

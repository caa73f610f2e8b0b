package packets_test

import (
	"fmt"
	"net/netip"
	"slices"

	"rung/model/network"
	"rung/model/ovn/nb"
	verdicts "rung/model/verdict"
	"rung/sources/sandbox"
	"rung/test/lab"
)

// networkTrial is a connection on a network, or between two.
type networkTrial struct {
	trial
	family string // of its kind, for counting
	never  bool   // the ends do not reach each other: it is lost, or leaves the cluster
	lost   bool   // the reply is
}

// delivered reports whether the packet came to the pod or the port that it was for.
func (t *networkTrial) delivered() bool { return t.at == len(t.legs) && !t.never }

// replies puts in the reply to every packet that was delivered, back over the same ports.
func (r *run) replies(trials []*networkTrial) {
	for step, more := 0, true; more; step++ {
		batch := map[string][]*networkTrial{}
		for _, t := range trials {
			if t.delivered() && !t.tied && !t.lost && step < len(t.legs) {
				zone := t.legs[len(t.legs)-1-step].zone
				batch[zone] = append(batch[zone], t)
			}
		}
		more = len(batch) > 0
		err := r.w.each(func(n *node) error {
			var packets []sandbox.Packet
			for _, t := range batch[n.Name()] {
				packets = append(packets, t.reply(t.legs[len(t.legs)-1-step].out))
			}
			out, err := lab.SendLogged(r.t.Context(), n.Zone, packets)
			for i := range out {
				t := batch[n.Name()][i]
				t.lost = !out[i].Delivered(t.legs[len(t.legs)-1-step].in)
			}
			return err
		})
		if err != nil {
			r.t.Fatal(err)
		}
	}
	if err := r.w.each(func(n *node) error { _, err := n.logged(); return err }); err != nil { // nothing is said of its lines
		r.t.Fatal(err)
	}
}

// reply returns the reply to the packet, to be put in at a port.
func (t *networkTrial) reply(at string) sandbox.Packet {
	p := t.packet
	p.EntryPort, p.Src, p.Dst = at, p.Dst, p.Src
	if p.Proto == sandbox.ICMP {
		p.Reply = true
		return p
	}
	p.SrcPort, p.DstPort = p.DstPort, p.SrcPort
	switch p.Proto {
	case sandbox.TCP:
		p.Flags, p.Seq, p.Ack = sandbox.SYN|sandbox.ACK, 1, p.Seq+1
	case sandbox.SCTP:
		p.Chunk = sandbox.SCTPInitAck
	}
	return p
}

// ports are the names of the ports of a zone's switch on a network; n is nil for the default one.
type ports struct{ node, router, elsewhere, outside string }

func portsOn(n *network.Network, zone string) ports {
	if n == nil {
		return ports{nb.ManagementPort(zone), nb.RouterPort(zone), sandbox.ElsewherePort(zone), sandbox.OutsidePort(zone)}
	}
	sw := n.Switch(zone)
	return ports{n.ManagementPort(zone), n.RouterPort(zone), sandbox.ElsewherePort(sw), sandbox.OutsidePort(sw)}
}

// networkTrial draws a connection on a network, or between networks.
func (d *drawn) networkTrial(w *world, all []*home, srcPort uint16) (*networkTrial, bool) {
	t := &networkTrial{trial: trial{packet: sandbox.Packet{Proto: sandbox.PacketProto(1 + d.r.IntN(4)), SrcPort: srcPort, DstPort: uint16(79 + d.r.IntN(4))}}}
	var ok bool
	switch d.r.IntN(6) {
	case 0:
		ok = d.between(w, t, all)
	default:
		ok = d.onOne(w, t, all)
	}
	if ok {
		t.ask()
	}
	return t, ok
}

// onOne draws a connection on one network.
func (d *drawn) onOne(w *world, t *networkTrial, all []*home) bool {
	n := w.desired.Networks().Network(nets[d.r.IntN(len(nets))].name)
	here := slices.DeleteFunc(slices.Clone(all), func(h *home) bool { return h.on[n.Name].lport == "" })
	a, b := here[d.r.IntN(len(here))], here[d.r.IntN(len(here))]
	from, to := a.on[n.Name], b.on[n.Name]
	t.family = string(n.Topology)
	if !n.Primary {
		t.asked.Network, t.family = n.Name, "secondary "+t.family
	}
	src := from.v4
	if !src.IsValid() || to.v6.IsValid() && d.one(2) {
		src = from.v6
	}
	same := func(addrs ...string) netip.Addr { return familyOf(src, addrs...) }
	t.packet.Src, t.packet.Dst = src, same(to.texts()...)
	mine, there := portsOn(n, from.zone), portsOn(n, to.zone)
	t.asked.From, t.asked.To = verdicts.PodEnd(a.namespace, a.name), verdicts.PodEnd(b.namespace, b.name)
	leave := leg{from.zone, from.lport, []crossing{{from.lport, mine.router}}, mine.elsewhere}
	arrive := leg{to.zone, there.elsewhere, []crossing{{there.router, to.lport}}, to.lport}
	routed := n.Primary || n.Topology == network.Layer3
	switch k := d.r.IntN(13); {
	case k < 8:
		t.what = "pod to pod"
		if a == b {
			return false
		}
		if from.zone != to.zone {
			t.what = "pod to pod of another node"
		}
		t.legs = podLegs(n, from, to)
	case k < 10 && routed:
		t.what, t.asked.To = "pod to outside", verdicts.Endpoint{}
		t.packet.Dst = same(d.pick("198.51.100.9", "203.0.113.9", "8.8.8.8"), d.pick("2001:db8:9::9", "2001:4860::8888"))
		leave.out = mine.outside
		t.legs = []leg{leave}
	case k < 11 && routed:
		t.what, t.packet.Src, t.packet.Dst, t.asked.From = "outside to pod", same("203.0.113.9", "2001:db8:9::9"), same(to.texts()...), verdicts.Endpoint{}
		arrive.in = there.outside
		t.legs = []leg{arrive}
	case n.Primary:
		node := n.NodeAddresses(w.cluster.Node(to.zone))
		if k < 12 {
			t.what, t.packet.Src, t.packet.Dst = "node to pod", same(node...), same(to.texts()...)
			t.asked.From = verdicts.NodeEnd(to.zone)
			t.legs = []leg{{to.zone, there.node, []crossing{{there.node, to.lport}}, to.lport}}
			break
		}
		t.what, t.packet.Dst, t.asked.To = "pod to node", same(n.NodeAddresses(w.cluster.Node(from.zone))...), verdicts.NodeEnd(from.zone)
		t.legs = []leg{{from.zone, from.lport, []crossing{{from.lport, mine.node}}, mine.node}}
	}
	return t.legs != nil && t.packet.Dst.IsValid() && t.packet.Src.IsValid()
}

// podLegs returns the way from pod to pod on a network; nil if the lab has none.
func podLegs(n *network.Network, from, to place) []leg {
	mine, there := portsOn(n, from.zone), portsOn(n, to.zone)
	straight := leg{from.zone, from.lport, []crossing{{from.lport, to.lport}}, to.lport}
	switch {
	case from.zone == to.zone:
		return []leg{straight}
	case n.Topology == network.Localnet:
		return nil // the lab has no wire between nodes
	case n.Topology == network.Layer2:
		return []leg{straight, {to.zone, from.lport, []crossing{{from.lport, to.lport}}, to.lport}}
	}
	return []leg{{from.zone, from.lport, []crossing{{from.lport, mine.router}}, mine.elsewhere},
		{to.zone, there.elsewhere, []crossing{{there.router, to.lport}}, to.lport}}
}

// between draws a connection from a network to another: to the pod's address there, from the port here; and
// from or to the default network, to the pod's address there, which tier 0 keeps apart.
func (d *drawn) between(w *world, t *networkTrial, all []*home) bool {
	primary := func(h *home) *network.Network {
		at, n := w.desired.Networks().Place(h.namespace)
		if at != network.OnPrimary {
			return nil
		}
		return n
	}
	a, b := all[d.r.IntN(len(all))], all[d.r.IntN(len(all))]
	m, n := primary(a), primary(b)
	if m == n {
		return false
	}
	t.never, t.family = true, "apart"
	t.asked.From, t.asked.To = verdicts.PodEnd(a.namespace, a.name), verdicts.PodEnd(b.namespace, b.name)
	from, to := a.on[""], b.on[""]
	var via *network.Network // the default one
	switch {
	case m == nil || n == nil && d.one(2) || d.one(3):
		t.what = "over the default network"
	default:
		t.what, via, from = "from network to network", m, a.on[m.Name]
		if n != nil {
			to = b.on[n.Name]
		}
	}
	t.packet.Src = from.v4
	if !from.v4.IsValid() || !to.v4.IsValid() || d.one(2) {
		t.packet.Src = from.v6
	}
	if !t.packet.Src.IsValid() {
		return false
	}
	t.packet.Dst = familyOf(t.packet.Src, to.texts()...)
	mine, there := portsOn(via, from.zone), portsOn(via, to.zone)
	leave := leg{from.zone, from.lport, []crossing{{from.lport, mine.router}}, mine.elsewhere}
	switch {
	case via != nil:
		leave.out = mine.outside // nobody leads it back
		t.legs = []leg{leave}
	case from.zone == to.zone:
		t.legs = []leg{{from.zone, from.lport, []crossing{{from.lport, to.lport}}, to.lport}}
	default:
		t.legs = []leg{leave, {to.zone, there.elsewhere, []crossing{{there.router, to.lport}}, to.lport}}
	}
	return t.packet.Dst.IsValid()
}

func (t *networkTrial) String() string { return fmt.Sprintf("%s (%s)", &t.trial, t.family) }

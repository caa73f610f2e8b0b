package packets_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"rung/compiler"
	"rung/model"
	verdicts "rung/model/verdict"
	"rung/sources/sandbox"
	"rung/test/made"
)

// talk is a connection between two pods.
type talk struct {
	w                *world
	client, server   place
	proto            sandbox.PacketProto
	srcPort, dstPort uint16
}

// open makes the connection.
func (k *talk) open(t *testing.T) {
	t.Helper()
	steps, made, err := sandbox.TryConnection(t.Context(), sandbox.Connection{From: k.w.zones[k.client.zone].Zone, To: k.w.zones[k.server.zone].Zone,
		FromPort: k.client.lport, ToPort: k.server.lport, Src: k.client.v4, Dst: k.server.v4, Proto: k.proto, SrcPort: k.srcPort, DstPort: k.dstPort})
	if err != nil || !made {
		t.Fatalf("the connection was not made: %v %+v", err, steps)
	}
}

// say puts in packets of the connection, each with a letter: c of the client, s of the
// server. In what comes back the letter of a packet that was lost is a dot.
func (k *talk) say(t *testing.T, who string) string {
	t.Helper()
	var out strings.Builder
	for _, c := range who {
		p := sandbox.Packet{Src: k.client.v4, Dst: k.server.v4, Proto: k.proto, SrcPort: k.srcPort, DstPort: k.dstPort, Flags: sandbox.ACK | sandbox.PSH, Seq: 2, Ack: 2}
		from, to := k.client, k.server
		if c == 's' {
			from, to = to, from
			p.Src, p.Dst, p.SrcPort, p.DstPort = p.Dst, p.Src, p.DstPort, p.SrcPort
		}
		if k.put(t, p, from, to) {
			out.WriteRune(c)
		} else {
			out.WriteByte('.')
		}
	}
	return out.String()
}

// put sends a packet from pod to pod, by way of two zones where they are in two.
func (k *talk) put(t *testing.T, p sandbox.Packet, from, to place) bool {
	t.Helper()
	here, there := k.w.zones[from.zone], k.w.zones[to.zone]
	send := func(z *node, in, out string) bool {
		p.EntryPort = in
		got, err := z.Send(t.Context(), []sandbox.Packet{p})
		if err != nil {
			t.Fatal(err)
		}
		return got[0].Delivered(out)
	}
	if here == there {
		return send(here, from.lport, to.lport)
	}
	return send(here, from.lport, here.ElsewherePort()) && send(there, there.ElsewherePort(), to.lport)
}

// talkers are pods a and b on n1 and on n2, in namespaces a and b, and put has these written with more objects.
func talkers(t *testing.T, w *world) (pods []place, put func(objects ...model.Object)) {
	t.Helper()
	for _, p := range places() {
		if p.name == p.zone+"0" && p.namespace != "c" {
			pods = append(pods, p)
		}
	}
	var base []model.Object
	for n, zone := range zoneNames {
		nd := made.Node(zone, "", hostAddrs(n)[0])
		nd.MgmtIPs = management(n)[:1]
		base = append(base, nd)
	}
	base = append(base, made.NS("a", "t=a"), made.NS("b", "t=b"))
	for _, p := range pods {
		obj := made.Pod(p.namespace+"/"+p.name, "", p.v4.String())
		obj.NodeName = p.zone
		base = append(base, obj)
	}
	return pods, func(objects ...model.Object) {
		t.Helper()
		if err := w.put(t.Context(), append(slices.Clone(base), objects...), compiler.Options{IPv4: true, Defaults: compiler.On,
			ClusterSubnets: []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16")}}); err != nil {
			t.Fatal(err)
		}
	}
}

// outsideOf is a place outside the cluster, by way of a pod's node.
func outsideOf(w *world, p place) place {
	return place{zone: p.zone, lport: w.zones[p.zone].OutsidePort(), v4: netip.MustParseAddr("198.51.100.9")}
}

// A Deny of egress, also of an EgressFirewall to all addresses, does not stop a connection that a client outside
// begins: its replies are of a connection that OVN knows. Verdicts say the same.
func TestRepliesToOutside(t *testing.T) {
	w := start(t)
	pods, put := talkers(t, w)
	outside, port := outsideOf(w, pods[0]), uint16(31000)
	for _, kind := range []model.Kind{model.KindEF, model.KindANP, model.KindNP, model.KindBANP} {
		put(denying(kind, model.Egress))
		for proto, verdict := range map[sandbox.PacketProto]verdicts.Protocol{sandbox.TCP: verdicts.TCP, sandbox.UDP: verdicts.UDP} {
			pod, far := verdicts.PodEnd(pods[0].namespace, pods[0].name), verdicts.AddrEnd(outside.v4)
			for _, c := range []struct {
				from, to place
				asked    verdicts.Connection
			}{
				{outside, pods[0], verdicts.Connection{From: far, To: pod}},
				{pods[0], outside, verdicts.Connection{From: pod, To: far}},
			} {
				port++
				steps, works, err := sandbox.TryConnection(t.Context(), sandbox.Connection{From: w.zones[c.from.zone].Zone, To: w.zones[c.to.zone].Zone,
					FromPort: c.from.lport, ToPort: c.to.lport, Src: c.from.v4, Dst: c.to.v4, Proto: proto, SrcPort: port, DstPort: 80})
				if err != nil {
					t.Fatal(err)
				}
				c.asked.Protocol, c.asked.Port, c.asked.Family = verdict, 80, verdicts.IPv4
				a, err := verdicts.TracePolicies(w.index(), c.asked)
				if err != nil {
					t.Fatal(err)
				}
				if told := a.Paths[0].Note != ""; told != (kind == model.KindEF && c.from == outside) {
					t.Errorf("%s denies egress, and %s is told as %q", kind, c.asked, a.Paths[0].Note)
				}
				if wants := c.from == outside || kind.IsAdmin(); works != wants || works != (a.Verdict == verdicts.Allow) { // admin policies here deny pods alone
					t.Errorf("%s denies egress: %s %s is made: %v (%+v), and by policies %s (%s)", kind, verdict, c.asked, works, steps, a.Verdict, a.Reason)
				}
			}
		}
	}
}

// What happens to an established connection when a Deny arrives, and when it goes
// (ovn-kubernetes.md#established-connections).
func TestEstablished(t *testing.T) {
	w := start(t)
	pods, put := talkers(t, w)
	// What gets through of each order of packets, of the client and of the server, and
	// in the end of the first connection when the Deny is gone again. By a Deny of egress
	// the client's packets are dropped, and the server's from the client's next one on.
	// By a Deny of ingress every second of the client's packets gets through.
	orders := []string{"cccccc", "ssssss", "cscscs", "scscsc"}
	want := map[model.Direction]string{
		model.Egress:  "...... ssssss ...... s..... then ccs",
		model.Ingress: ".c.c.c ssssss ..cs.. s..cs. then ccs",
	}
	// By a Deny of an EgressFirewall the client's packets are dropped; the server's are
	// behind the client's first, third, … and delivered behind its second, fourth, ….
	outside := outsideOf(w, pods[0])
	const wantFirewall = "...... ssssss ...s.. s...s. then ccs"
	port := uint16(30000)
	for _, kind := range []model.Kind{model.KindANP, model.KindNP, model.KindBANP, model.KindEF} {
		for dir, want := range want {
			servers := []place{pods[1], pods[3]} // on the client's node, on another
			if kind == model.KindEF {
				if dir == model.Ingress {
					continue
				}
				servers, want = []place{outside}, wantFirewall
			}
			for _, server := range servers {
				for name, proto := range map[string]sandbox.PacketProto{"tcp": sandbox.TCP, "udp": sandbox.UDP} {
					put()
					var talks []*talk // each order on a connection of its own
					for range orders {
						port++
						k := &talk{w: w, client: pods[0], server: server, proto: proto, srcPort: port, dstPort: 80}
						k.open(t)
						talks = append(talks, k)
					}
					put(denying(kind, dir))
					var said []string
					for i, k := range talks {
						said = append(said, k.say(t, orders[i]))
					}
					port++
					fresh := sandbox.Packet{Src: pods[0].v4, Dst: server.v4, Proto: proto, SrcPort: port, DstPort: 80}
					if talks[0].put(t, fresh, pods[0], server) {
						t.Errorf("%s %s %s: a new connection is let through", kind, dir, name)
					}
					put()
					said = append(said, "then "+talks[0].say(t, "ccs"))
					if got := strings.Join(said, " "); got != want {
						t.Errorf("%s: %s of %s, %s to %s on %s: %q gets through of %q, want %q", w.tools.Describe(), kind, dir, name, server.lport, server.zone, got, orders, want)
					}
				}
			}
		}
	}
}

// denying is a policy that denies everything: of the client, whose namespace is a, or of
// the server, whose is b.
func denying(kind model.Kind, dir model.Direction) *model.Policy {
	ns := map[model.Direction]string{model.Egress: "a", model.Ingress: "b"}[dir]
	rules := []model.Rule{made.Rule(model.Deny, made.Peers(made.NSPeer("*")))}
	p := made.ANP("default", 10, "*", nil, rules)
	if dir == model.Ingress {
		p = made.ANP("default", 10, "*", rules, nil)
	}
	p.Subject = model.Subject{Namespaces: made.Sel("t=" + ns), Pods: model.SelectEverything(), AllPods: true}
	switch kind {
	case model.KindEF:
		p.Kind, p.Tier, p.Namespace = kind, model.TierNetwork, ns
		p.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true, Namespace: ns}
		p.Egress[0].Peers = made.Peers(made.NetPeer("0.0.0.0/0"))
	case model.KindBANP:
		p.Kind, p.Tier = kind, model.TierBaseline
	case model.KindNP: // isolation alone
		p.Kind, p.Tier, p.Namespace, p.Ingress, p.Egress = kind, model.TierNetwork, ns, nil, nil
		p.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true, Namespace: ns}
		p.IsolatesIngress, p.IsolatesEgress = dir == model.Ingress, dir == model.Egress
	}
	return p
}

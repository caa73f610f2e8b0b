package packets_test

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"rung/compiler"
	"rung/engine/trace"
	"rung/model"
	verdicts "rung/model/verdict"
	"rung/revision"
	"rung/sources/sandbox"
)

// Tier 0 keeps the default network off pods whose primary network is another, but for their own node and for
// the ports that they leave open (networks.md#tier-0).
func TestIsolation(t *testing.T) {
	all := homes()
	var places []place
	at := map[string]*home{}
	for _, h := range all {
		places = append(places, h.place)
		at[h.namespace+"/"+h.name] = h
	}
	r := &run{t: t, w: startWith(t, places), kinds: map[string]int{}, verdict: map[string]int{}}
	d := &drawn{r: rand.New(rand.NewPCG(1, 1)), options: compiler.Options{IPv4: true, IPv6: true}}
	d.base(all)
	for _, o := range d.objects {
		if p, is := o.(*model.Pod); is && p.Namespace == "blue" && p.Name == "n10" {
			p.OpenPorts = []string{"tcp.dst == 80", "icmp"}
		}
	}
	r.putNetworks(d)
	r.put(d)
	rev := revision.New(revision.Facts{Number: 1, Cluster: r.w.cluster, Desired: r.w.desired, Loaded: true}, nil)
	var asks trace.Tracer
	node := func(n int) netip.Addr { return netip.MustParseAddr(management(n)[0]) }
	for i, c := range []struct {
		from, to string // a pod, or a node
		proto    sandbox.PacketProto
		port     uint16
		want     bool
	}{
		{"plain1/n11", "blue/n10", sandbox.TCP, 80, true},
		{"plain1/n20", "blue/n10", sandbox.TCP, 80, true},
		{"red/n10", "blue/n10", sandbox.TCP, 80, false}, // it may not leave
		{"plain1/n11", "blue/n10", sandbox.TCP, 81, false},
		{"plain1/n11", "blue/n10", sandbox.UDP, 80, false},
		{"plain1/n11", "blue/n10", sandbox.ICMP, 0, true},
		{"plain1/n11", "blue/n11", sandbox.TCP, 80, false},
		{"plain1/n11", "green1/n20", sandbox.TCP, 80, false},
		{"blue/n10", "plain1/n11", sandbox.TCP, 80, false},
		{"blue/n10", "blue/n11", sandbox.TCP, 80, false}, // by their addresses on the default network
		{"plain1/n10", "plain2/n10", sandbox.TCP, 80, true},
		{"plain1/n10", "plain2/n20", sandbox.TCP, 80, true},
		{"n1", "blue/n11", sandbox.TCP, 81, true},
		{"n2", "blue/n11", sandbox.TCP, 81, false},
		{"n2", "blue/n10", sandbox.TCP, 80, true},
	} {
		to := at[c.to]
		p := sandbox.Packet{Dst: to.v4, Proto: c.proto, SrcPort: uint16(20000 + i), DstPort: c.port}
		var zone, in string
		if from := at[c.from]; from != nil {
			p.Src, zone, in = from.v4, from.zone, from.lport
		} else {
			z := map[string]int{"n1": 0, "n2": 1}[c.from]
			p.Src, zone, in = node(z), c.from, r.w.zones[c.from].NodePort()
		}
		send := func(zone, in string) sandbox.PacketOutcome {
			p.EntryPort = in
			out, err := r.w.zones[zone].Send(t.Context(), []sandbox.Packet{p})
			if err != nil {
				t.Fatal(err)
			}
			return out[0]
		}
		out := send(zone, in)
		if zone != to.zone && out.Delivered(sandbox.ElsewherePort(zone)) {
			out = send(to.zone, sandbox.ElsewherePort(to.zone))
		}
		if got := out.Delivered(to.lport); got != c.want {
			t.Errorf("%s → %s %v %d: came out at %v", c.from, c.to, c.proto, c.port, out.Ports)
		}
		from := at[c.from]
		if from == nil || from.namespace == to.namespace {
			continue
		}
		want := verdicts.Deny
		if c.want {
			want = verdicts.Allow
		}
		for _, end := range []verdicts.Endpoint{verdicts.PodEnd(to.namespace, to.name), verdicts.AddrEnd(to.v4)} {
			q := verdicts.Connection{From: verdicts.PodEnd(from.namespace, from.name), To: end, Protocol: protocols[c.proto], Port: c.port, Family: verdicts.IPv4}
			a, err := asks.Ask(rev, q, trace.Policies, false, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if a.Verdict != want {
				t.Errorf("%s: %s (%s), and the packet says delivered %v", q, a.Verdict, a.Reason, c.want)
			}
		}
	}
}

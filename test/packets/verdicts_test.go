package packets_test

import (
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	verdicts "rung/model/verdict"
	"rung/sources/sandbox"
	"rung/test/lab"
)

var protocols = map[sandbox.PacketProto]verdicts.Protocol{sandbox.TCP: verdicts.TCP, sandbox.UDP: verdicts.UDP, sandbox.SCTP: verdicts.SCTP, sandbox.ICMP: verdicts.ICMP}

// ask completes the question about a trial, whose ends are known, by what its packet is.
func (t *trial) ask() {
	t.asked.From.Addr, t.asked.To.Addr, t.asked.Protocol = t.packet.Src, t.packet.Dst, protocols[t.packet.Proto]
	if t.packet.Proto != sandbox.ICMP {
		t.asked.Port = t.packet.DstPort
	}
	t.asked.Family = verdicts.IPv6
	if t.packet.Src.Is4() {
		t.asked.Family = verdicts.IPv4
	}
}

// index is what the policies that put compiled last make of connections.
func (w *world) index() *verdicts.Index {
	o, has := w.desired.Options(), func(kind model.Kind, name string) bool {
		return w.desired.Policy(model.Key{Kind: kind, Name: name}) != nil
	}
	return verdicts.NewIndex(verdicts.View{Cluster: w.cluster, Options: verdicts.Options{IPv4: o.IPv4, IPv6: o.IPv6, AllowICMP: o.AllowICMP,
		ClusterSubnets: o.ClusterSubnets, DNS: o.DNS, HostNetworkNamespace: o.HostNetworkNamespace,
		NoRows:   compiler.Unenforced(w.desired.Policies()),
		Defaults: has(model.KindNetpolDefault, nb.NameHairpin), Multicast: has(model.KindMulticastCluster, nb.TypeMulticastDeny)}})
}

// verdicts holds the verdicts from policies against where packets came out: those of the
// trials, and of connections of each pod to itself through its Service.
func (r *run) verdicts(d *drawn, trials []*trial) {
	x := r.w.index()
	if r.other != nil {
		x = r.other()
	}
	for _, t := range trials {
		switch {
		case t.packet.Dst.IsMulticast():
			for _, p := range d.pods {
				if p.zone == t.legs[0].zone && p.lport != t.legs[0].in && slices.Contains(p.ips, familyOf(t.packet.Src, p.v4.String(), p.v6.String())) {
					q := t.asked
					q.To = verdicts.Endpoint{Key: model.Key{Kind: model.KindPod, Namespace: p.namespace, Name: p.name}, Addr: t.packet.Dst}
					r.confirm(d, x, t, q, t.seen.Delivered(p.lport))
				}
			}
		case t.tied:
		default:
			r.confirm(d, x, t, t.asked, t.at == len(t.legs))
		}
	}
	if r.other == nil {
		r.hairpins(d, x)
	}
}

// confirm holds one verdict against the packet.
func (r *run) confirm(d *drawn, x *verdicts.Index, t *trial, q verdicts.Connection, delivered bool) {
	a, err := verdicts.TracePolicies(x, q)
	if err != nil {
		r.t.Fatalf("%s: %v", q, err)
	}
	want := verdicts.Deny
	if delivered {
		want = verdicts.Allow
	}
	switch {
	case a.Verdict == verdicts.Undefined:
		r.verdict["undefined"]++
	case a.Verdict != want:
		r.verdict["disagree"]++
		zone := t.legs[0].zone
		r.t.Errorf("%s: %s by policies (%s), and the packet says %s\n%+v\n%s", t, a.Verdict, a.Reason, want, a.Paths, r.dump(d, zone))
	default:
		what, _, _ := strings.Cut(t.what, " of another")
		r.verdict[what]++
		r.verdict["all"]++
		r.verdict[string(want)]++
	}
}

// tally says how many connections packets were held against verdicts for, and how they went.
func (r *run) tally() {
	r.t.Logf("by verdicts: %d connections, %d delivered, %d denied, %d disagree; left out: %d ties of rows, %d undefined, %d unknown",
		r.verdict["all"]+r.verdict["disagree"], r.verdict["allow"], r.verdict["deny"], r.verdict["disagree"], r.ties, r.verdict["undefined"], r.verdict["unknown"])
}

// hairpins sends a packet of every pod to its own Service. Nothing is said of its log
// lines: the rows that it meets carry another address than it was sent with.
func (r *run) hairpins(d *drawn, x *verdicts.Index) {
	ctx := r.t.Context()
	err := r.w.each(func(n *node) error {
		var packets []sandbox.Packet
		var trials []*trial
		for i, p := range d.pods {
			if p.zone != n.Name() || d.stateless(p.namespace) {
				continue
			}
			for j, a := range p.ips {
				packet := sandbox.Packet{EntryPort: p.lport, Src: a, Dst: p.service(a), Proto: sandbox.PacketProto(1 + (i+j)%3), SrcPort: uint16(30000 + i), DstPort: uint16(79 + (i+j)%5)}
				t := &trial{what: "hairpin", packet: packet, legs: []leg{{zone: n.Name(), in: p.lport, out: p.lport}}}
				t.ask()
				t.asked.From = verdicts.PodEnd(p.namespace, p.name)
				t.asked.To = verdicts.ServiceEnd(p.namespace, p.name)
				packets, trials = append(packets, packet), append(trials, t)
			}
		}
		out, err := lab.SendLogged(ctx, n.Zone, packets)
		if err != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for i, t := range trials {
			r.confirm(d, x, t, t.asked, out[i].Delivered(t.legs[0].out))
		}
		_, err = n.logged()
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// stateless says whether a NetworkPolicy of a namespace has allow-stateless rows. What
// meets one is not tracked, and OVN does not balance its load: it never reaches the pod.
func (d *drawn) stateless(namespace string) bool {
	return d.options.Stateless && slices.ContainsFunc(d.objects, func(o model.Object) bool {
		p, is := o.(*model.Policy)
		return is && p.Namespace == namespace && p.Annotations[model.AnnotationStateless] != ""
	})
}

// confirmed says how many verdicts packets confirmed, of which kinds.
func (r *run) confirmed() {
	r.t.Logf("verdicts from policies that packets confirmed: %v", r.verdict)
	if r.verdict["all"] < 2000 {
		r.t.Errorf("only %d", r.verdict["all"])
	}
	for _, what := range []string{"allow", "deny", "pod to pod", "pod to outside", "outside to pod", "pod to node", "node to pod", "multicast", "hairpin"} {
		if r.verdict[what] < 20 {
			r.t.Errorf("only %d are %s", r.verdict[what], what)
		}
	}
}

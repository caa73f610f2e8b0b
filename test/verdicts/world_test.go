package verdicts

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/revision"
	"rung/test/made"
)

// world draws clusters and connections over small pools of names, so that things meet.
type world struct {
	r        *rand.Rand
	networks []string // those that rules name, the usual ones for none
}

func newWorld(seed uint64) *world { return &world{r: rand.New(rand.NewPCG(seed, 11))} }

func (w *world) pick(s ...string) string { return s[w.r.IntN(len(s))] }
func (w *world) odds(n int) bool         { return w.r.IntN(n) == 0 }

var (
	worldNodes  = []string{"n1", "n2", "n3"}
	worldSpaces = []string{"a", "b", "c", "ovn-host-network"}
)

// cluster draws a cluster with policies of all kinds and the options it is compiled with.
func (w *world) cluster() (*model.Cluster, compiler.Options) {
	var objects []model.Object
	for i, name := range worldSpaces {
		if i == 2 && w.odds(8) {
			continue // its pods are there, the object is not
		}
		ns := made.NS(name, w.pick("t=1", "t=2", "t=1,env=p", "env=p"))
		if w.odds(3) {
			ns.Annotations = map[string]string{model.AnnotationMulticast: "true"}
		}
		objects = append(objects, ns)
	}
	for i, name := range worldNodes {
		n := made.Node(name, w.pick("role=w", "role=c", ""), fmt.Sprintf("172.18.0.%d", i+2))
		n.InternalIPs = n.HostIPs
		if w.odds(2) {
			n.HostIPs = append(n.HostIPs, fmt.Sprintf("fc00::%d", i+2))
		}
		n.MgmtIPs = []string{fmt.Sprintf("10.244.%d.2", i), fmt.Sprintf("fd01:%d::2", i)}
		n.GatewayIPs = []string{fmt.Sprintf("100.64.0.%d", i+2)}
		objects = append(objects, n)
	}
	objects = append(objects, w.pods()...)
	for _, ns := range worldSpaces[:2] {
		s := &model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: ns, Name: "s"}}, Selector: made.Pod("x/x", w.pick("app=x", "app=y")).Labels}
		for i := range int32(4) {
			s.Ports = append(s.Ports, model.ServicePort{Protocol: "TCP", Port: 80 + i, TargetPort: w.pick("http", "81", "0", "82")})
		}
		objects = append(objects, s)
	}
	for i := range w.r.IntN(6) {
		objects = append(objects, w.admin(fmt.Sprintf("anp%d", i)))
	}
	if w.odds(2) {
		p := w.admin("default")
		p.Kind, p.Tier, p.Priority = model.KindBANP, model.TierBaseline, 0
		for _, rs := range [][]model.Rule{p.Ingress, p.Egress} {
			for i := range rs {
				if rs[i].Action == model.Pass {
					rs[i].Action = model.Deny
				}
			}
		}
		objects = append(objects, p)
	}
	for i := range w.r.IntN(4) {
		objects = append(objects, w.netpol(fmt.Sprintf("np%d", i)))
	}
	for _, ns := range worldSpaces[:3] {
		if w.odds(3) {
			objects = append(objects, w.firewall(ns))
		}
	}
	o := compiler.Options{IPv4: true, IPv6: w.r.IntN(3) > 0, AllowICMP: w.odds(3),
		Defaults: compiler.SwitchOption(w.r.IntN(3)), Multicast: compiler.SwitchOption(w.r.IntN(3)), HostNetworkNamespace: "ovn-host-network",
		DNS: map[string][]string{"www.example.com": {"192.0.2.9", "2001:db8::9", "10.1.0.3"}, "none.example.com": nil}}
	if o.IPv6 && w.odds(4) {
		o.IPv4 = false
	}
	if w.odds(2) {
		o.ClusterSubnets = []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/48")}
	}
	return made.Cluster(objects...), o
}

func (w *world) pods() (out []model.Object) {
	n := 6 + w.r.IntN(8)
	for i := range n {
		p := made.Pod(fmt.Sprintf("%s/p%d", w.pick(worldSpaces...), i), w.pick("app=x", "app=y", "app=x,tier=1", ""), fmt.Sprintf("10.1.0.%d", i+1))
		p.NodeName = w.pick(worldNodes...)
		if w.odds(2) {
			p.IPs = append(p.IPs, fmt.Sprintf("fd00::%x", i+1))
		}
		for range w.r.IntN(3) {
			p.Ports = append(p.Ports, model.ContainerPort{Name: w.pick("http", "dns", "x"), Protocol: w.pick("TCP", "UDP", "SCTP", ""), Port: int32(80 + w.r.IntN(4))})
		}
		switch w.r.IntN(28) {
		case 0:
			p.HostNetwork, p.IPs = true, []string{"172.18.0." + p.NodeName[1:]}
		case 1:
			p.Phase = "Succeeded" // its address may be another pod's by now
			p.IPs = []string{fmt.Sprintf("10.1.0.%d", 1+w.r.IntN(n))}
		case 2:
			p.IPs = nil
		case 3:
			p.NodeName = ""
		case 4:
			p.Networks = []model.PodNetwork{{Name: "a/udn", Role: "primary"}}
		}
		out = append(out, p)
	}
	return out
}

func (w *world) nsSel() model.Selector {
	return made.Sel(w.pick("*", "*", "t=1", "t in (1,2)", "env", "!env", "t notin (1)"))
}
func (w *world) podSel() model.Selector {
	return made.Sel(w.pick("*", "app=x", "app notin (x)", "app", "!tier", "app=y"))
}

func (w *world) action() model.Action { return model.Action(w.pick("Allow", "Deny", "Pass")) }

func (w *world) admin(name string) *model.Policy {
	p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: name}}, Tier: model.TierAdmin,
		Priority: []int32{1, 2, 2, 2, 2, 2, 3, 101}[w.r.IntN(8)]}
	p.Subject = model.Subject{Namespaces: w.nsSel(), AllPods: true, Pods: model.SelectEverything()}
	if w.odds(2) {
		p.Subject.AllPods, p.Subject.Pods = false, w.podSel()
	}
	for _, d := range model.Directions {
		var rules []model.Rule
		for i := range w.r.IntN(5) {
			r := model.Rule{Direction: d, Index: i, Action: w.action(), Ports: w.adminPorts()}
			for range 1 + w.r.IntN(2) {
				r.Peers = append(r.Peers, w.adminPeer(d))
			}
			rules = append(rules, r)
		}
		if d == model.Ingress {
			p.Ingress = rules
		} else {
			p.Egress = rules
		}
	}
	if w.odds(12) {
		p.Logging, p.HasLogging = `{"deny":"LOUD"}`, true
	}
	return p
}

func (w *world) adminPeer(d model.Direction) model.Peer {
	n := 4
	if d == model.Ingress {
		n = 2
	}
	switch w.r.IntN(n) {
	case 0:
		return model.Peer{Kind: model.PeerNamespaces, Namespaces: w.nsSel(), Pods: model.SelectEverything()}
	case 1:
		return model.Peer{Kind: model.PeerPods, Namespaces: w.nsSel(), Pods: w.podSel()}
	case 2:
		return model.Peer{Kind: model.PeerNodes, Nodes: made.Sel(w.pick("*", "role=w", "role notin (w)"))}
	}
	return made.NetPeer(w.network())
}

func (w *world) network() string {
	if w.networks != nil {
		return w.pick(w.networks...)
	}
	return w.pick("0.0.0.0/0", "10.1.0.0/30", "10.1.0.5/32", "10.1.2.3/8", "192.0.2.0/24", "172.18.0.0/16", "::/0", "fd00::/125", "2001:0db8::/32")
}

func (w *world) adminPorts() (out []model.Port) {
	if w.odds(2) {
		return nil
	}
	for range 1 + w.r.IntN(3) {
		switch w.r.IntN(6) {
		case 0, 1:
			out = append(out, model.Port{Name: w.pick("http", "dns")})
		case 2:
			lo := int32(79 + w.r.IntN(3))
			out = append(out, model.Port{Protocol: w.pick("TCP", "UDP"), Start: lo, End: lo + int32(w.r.IntN(4)-1), Range: true})
		case 3:
			out = append(out, model.Port{Protocol: "tcp", Start: 80, End: 80})
		default:
			n := int32(80 + w.r.IntN(4))
			out = append(out, model.Port{Protocol: w.pick("TCP", "TCP", "UDP", "SCTP"), Start: n, End: n})
		}
	}
	return out
}

func (w *world) netpol(name string) *model.Policy {
	ns := w.pick(worldSpaces[:3]...)
	p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: ns, Name: name}}, Tier: model.TierNetwork,
		Subject: model.Subject{Namespace: ns, Namespaces: model.SelectEverything(), Pods: w.podSel()}, IsolatesIngress: w.odds(2), IsolatesEgress: w.odds(2)}
	for _, d := range model.Directions {
		for i := range w.r.IntN(3) {
			r := model.Rule{Direction: d, Index: i, Action: model.Allow}
			for range w.r.IntN(3) {
				r.Peers = append(r.Peers, w.netpolPeer(ns))
			}
			r.AnyPeer = len(r.Peers) == 0
			for range w.r.IntN(3) {
				q := model.Port{Protocol: w.pick("TCP", "TCP", "UDP", "SCTP")}
				switch w.r.IntN(4) {
				case 0:
				case 1:
					q.Name = "http"
				default:
					q.Start = int32(80 + w.r.IntN(3))
					q.End = q.Start + int32(w.r.IntN(2))
				}
				r.Ports = append(r.Ports, q)
			}
			if d == model.Ingress {
				p.Ingress = append(p.Ingress, r)
			} else {
				p.Egress = append(p.Egress, r)
			}
		}
	}
	if w.odds(15) {
		p.Invalid = []model.Broken{{Key: p.Key, Code: "profile", Message: "bad"}}
	}
	return p
}

func (w *world) netpolPeer(ns string) model.Peer {
	switch w.r.IntN(4) {
	case 0:
		return model.Peer{Kind: model.PeerNamespaces, Namespaces: w.nsSel(), Pods: model.SelectEverything()}
	case 1:
		return model.Peer{Kind: model.PeerPods, Namespaces: w.nsSel(), Pods: w.podSel()}
	case 2:
		return model.Peer{Kind: model.PeerPods, Namespace: ns, Namespaces: model.SelectEverything(), Pods: w.podSel()}
	}
	p := made.NetPeer(w.network())
	switch {
	case w.networks != nil:
		p.Except = w.inside(p.Networks[0])
	case w.odds(2):
		p.Except = []string{"10.1.0.0/31"}
		if p.Networks[0][0] != '1' && p.Networks[0][0] != '0' {
			p.Except = []string{"fd00::4/126"}
		}
	}
	return p
}

// inside draws some of the networks that are inside one.
func (w *world) inside(network string) (out []string) {
	n := netip.MustParsePrefix(network)
	for _, s := range w.networks {
		if p := netip.MustParsePrefix(s); p.Bits() > n.Bits() && n.Contains(p.Addr()) && w.odds(5) {
			out = append(out, s)
		}
	}
	return out
}

func (w *world) firewall(ns string) *model.Policy {
	p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindEF, Namespace: ns, Name: "default"}}, Tier: model.TierNetwork,
		Subject: model.Subject{Namespace: ns, Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true}}
	for i := range w.r.IntN(5) {
		r := model.Rule{Direction: model.Egress, Index: i, Action: model.Action(w.pick("Allow", "Deny"))}
		switch w.r.IntN(4) {
		case 0:
			r.Peers = []model.Peer{{Kind: model.PeerDNS, DNSName: w.pick("www.example.com", "none.example.com", "www.example.com", "unknown.example.com")}}
		case 1:
			r.Peers = []model.Peer{{Kind: model.PeerNodes, Nodes: made.Sel(w.pick("*", "role=w"))}}
		default:
			r.Peers = []model.Peer{made.NetPeer(w.network())}
		}
		for range w.r.IntN(3) {
			n := int32(w.r.IntN(4))
			if n > 0 {
				n += 79
			}
			r.Ports = append(r.Ports, model.Port{Protocol: w.pick("TCP", "UDP", "SCTP"), Start: n, End: n})
		}
		p.Egress = append(p.Egress, r)
	}
	return p
}

// connection draws a question about a cluster.
func (w *world) connection(c *model.Cluster) verdict.Connection {
	var pods []*model.Pod
	for p := range c.Pods() {
		pods = append(pods, p)
	}
	end := func(source bool) verdict.Endpoint {
		switch n := w.r.IntN(20); {
		case n == 0 && !source:
			return verdict.ServiceEnd(w.pick(worldSpaces[:2]...), "s")
		case n < 11 || n > 15:
			return verdict.Endpoint{Key: pods[w.r.IntN(len(pods))].Key}
		case n == 11:
			return verdict.NodeEnd(w.pick(worldNodes...))
		case n == 12 && !source:
			return verdict.AddrEnd(netip.MustParseAddr(w.pick("224.0.1.1", "ff15::1", "ff02::1")))
		case n == 13 && !source:
			e := verdict.Endpoint{Key: pods[w.r.IntN(len(pods))].Key}
			e.Addr = netip.MustParseAddr(w.pick("224.0.1.1", "ff15::1"))
			return e
		}
		return verdict.AddrEnd(netip.MustParseAddr(w.pick("192.0.2.9", "8.8.8.8", "10.1.0.3", "10.7.0.1", "172.18.0.2", "2001:db8::9", "2001:4860::1", "fd00::3")))
	}
	q := verdict.Connection{From: end(true), To: end(false), Protocol: verdict.Protocols[w.r.IntN(4)]}
	if q.Protocol != verdict.ICMP {
		q.Port = uint16(78 + w.r.IntN(7))
	}
	if w.odds(6) {
		q.Family = verdict.IPv6
	}
	return q
}

// optionsOf are the options of compiled policies.
func optionsOf(d *compiler.Desired) verdict.Options {
	o := d.Options()
	return verdict.Options{IPv4: o.IPv4, IPv6: o.IPv6, Defaults: d.Policy(model.Key{Kind: model.KindNetpolDefault, Name: nb.NameHairpin}) != nil,
		Multicast: d.Policy(model.Key{Kind: model.KindMulticastCluster, Name: nb.TypeMulticastDeny}) != nil, AllowICMP: o.AllowICMP,
		ClusterSubnets: o.ClusterSubnets, HostNetworkNamespace: o.HostNetworkNamespace, DNS: o.DNS,
		NoRows: compiler.Unenforced(d.Policies())}
}

func zonesOf(d *compiler.Desired) verdict.ZonesByName {
	m, out := &verdict.MatchCache{}, verdict.ZonesByName{}
	for _, name := range worldNodes {
		out[name] = verdict.NewZone(name, revision.ZoneDatabase(d, name), m, nil)
	}
	return out
}

func indexOf(tb testing.TB, c *model.Cluster, o compiler.Options) (*verdict.Index, *compiler.Desired) {
	tb.Helper()
	d := compiler.Compile(c, o)
	return verdict.NewIndex(verdict.View{Cluster: c, Options: optionsOf(d)}), d
}

package packets_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/test/made"
)

// drawn is a random cluster.
type drawn struct {
	r       *rand.Rand
	objects []model.Object
	options compiler.Options
	pods    []*pod
	only    func(*trial) bool // which connections are tried; nil for all
	spaces  []string          // namespaces of NetworkPolicies; nil for those of the lab
	blocks  []string          // CIDRs of peers; nil for those of the default network
}

type pod struct {
	place
	ips   []netip.Addr
	ports []model.ContainerPort
}

// own is the pod's own Service, by which it can reach itself, on the ports that are tried.
func (p *pod) own() []model.Object {
	s := &model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: p.namespace, Name: p.name}}}
	for _, a := range p.ips {
		s.ClusterIPs = append(s.ClusterIPs, p.service(a).String())
	}
	for port := int32(79); port < 84; port++ {
		for _, proto := range []string{"TCP", "UDP", "SCTP"} {
			s.Ports = append(s.Ports, model.ServicePort{Protocol: proto, Port: port})
		}
	}
	es := &model.EndpointSlice{Meta: model.Meta{Key: model.Key{Kind: model.KindEndpointSlice, Namespace: p.namespace, Name: p.name}}, Service: p.name}
	for _, a := range p.ips {
		es.Addresses = append(es.Addresses, a.String())
	}
	return []model.Object{s, es}
}

// dnsAddrs are what an EgressFirewall's name resolves to.
var dnsAddrs = map[string][]string{"www.example.com": {"203.0.113.9", "2001:db8:9::9"}, "none.example.com": nil}

const logging = `{"allow":"info","deny":"alert","pass":"notice"}`

func (d *drawn) pick(s ...string) string { return s[d.r.IntN(len(s))] }
func (d *drawn) one(in int) bool         { return d.r.IntN(in) == 0 }

// draw makes a cluster of every kind of policy that Rung compiles, in one family or
// both. Ties between AdminNetworkPolicies are left out: OVN does not define them.
func draw(r *rand.Rand) *drawn {
	d := &drawn{r: r}
	families := r.IntN(4)
	v4, v6 := families != 1, families != 0
	d.options = compiler.Options{IPv4: v4, IPv6: v6, AllowICMP: d.one(2), Stateless: d.one(2), Observability: false, DNS: dnsAddrs}
	if v4 {
		d.options.ClusterSubnets = append(d.options.ClusterSubnets, netip.MustParsePrefix("10.244.0.0/16"))
	}
	if v6 {
		d.options.ClusterSubnets = append(d.options.ClusterSubnets, netip.MustParsePrefix("fd01::/48"))
	}
	if d.one(4) {
		d.options.Multicast = compiler.On
	}
	only := func(addrs []string) (out []string) {
		for _, a := range addrs {
			if netip.MustParseAddr(a).Is4() && v4 || netip.MustParseAddr(a).Is6() && v6 {
				out = append(out, a)
			}
		}
		return out
	}
	for n, zone := range zoneNames {
		nd := made.Node(zone, d.pick("role=w", "role=c", ""), only(hostAddrs(n))...)
		nd.MgmtIPs = only(management(n))
		d.objects = append(d.objects, nd)
	}
	for _, name := range namespaces {
		ns := made.NS(name, d.pick("t=1", "t=2", "t=1,env=p", ""))
		ns.Annotations = map[string]string{model.AnnotationLogging: logging}
		if d.one(3) {
			ns.Annotations[model.AnnotationMulticast] = "true"
		}
		d.objects = append(d.objects, ns)
	}
	for _, p := range places() {
		if d.one(8) {
			continue
		}
		x := &pod{place: p}
		if v4 {
			x.ips = append(x.ips, p.v4)
		}
		if v6 {
			x.ips = append(x.ips, p.v6)
		}
		for _, cp := range []model.ContainerPort{{Name: "http", Protocol: "TCP", Port: int32(80 + r.IntN(3))},
			{Name: "dns", Protocol: "UDP", Port: int32(80 + r.IntN(3))}, {Name: "sig", Protocol: "SCTP", Port: int32(80 + r.IntN(3))}} {
			if d.one(2) {
				x.ports = append(x.ports, cp)
			}
		}
		obj := made.WithPorts(made.Pod(p.namespace+"/"+p.name, d.pick("app=x", "app=y", "app=x,tier=1", "")), x.ports...)
		obj.NodeName = p.zone
		for _, a := range x.ips {
			obj.IPs = append(obj.IPs, a.String())
		}
		d.objects, d.pods = append(append(d.objects, obj), x.own()...), append(d.pods, x)
	}
	priorities := r.Perm(100)
	for i := range 1 + r.IntN(4) {
		p := made.ANP("anp"+string(rune('0'+i)), int32(priorities[i]), "*", d.rules(model.Ingress, true), d.rules(model.Egress, true))
		p.Subject = d.subject()
		if !d.one(4) {
			p.Logging, p.HasLogging = logging, true
		}
		d.objects = append(d.objects, p)
	}
	if d.one(2) {
		p := made.ANP("default", 0, "*", d.rules(model.Ingress, false), d.rules(model.Egress, false))
		p.Kind, p.Tier, p.Subject = model.KindBANP, model.TierBaseline, d.subject()
		p.Logging, p.HasLogging = logging, true
		d.objects = append(d.objects, p)
	}
	for i := range r.IntN(4) {
		d.objects = append(d.objects, d.networkPolicy("np"+string(rune('0'+i))))
	}
	for _, ns := range namespaces {
		if d.one(3) {
			d.objects = append(d.objects, d.firewall(ns))
		}
	}
	return d
}

func (d *drawn) subject() model.Subject {
	s := model.Subject{Namespaces: made.Sel(d.pick("*", "t=1", "t in (1,2)")), Pods: made.Sel(d.pick("*", "app=x", "!app"))}
	s.AllPods = s.Pods.String() == ""
	return s
}

// rules draws the rules of an AdminNetworkPolicy, or of the baseline.
func (d *drawn) rules(dir model.Direction, pass bool) (out []model.Rule) {
	actions := []string{"Allow", "Deny"}
	if pass {
		actions = append(actions, "Pass")
	}
	for range d.r.IntN(4) {
		var peers []model.Peer
		for range 1 + d.r.IntN(2) {
			switch n := d.r.IntN(6); {
			case n < 2:
				peers = append(peers, made.NSPeer(d.pick("*", "t=1", "t=2")))
			case n < 4 || dir == model.Ingress:
				peers = append(peers, made.PodPeer(d.pick("*", "t=1", "env=p"), d.pick("*", "app=x", "app=y")))
			case n == 4:
				peers = append(peers, made.NetPeer(d.network()))
			default:
				peers = append(peers, made.NodePeer(d.pick("*", "role=w")))
			}
		}
		out = append(out, made.Rule(model.Action(d.pick(actions...)), peers, d.ports(true)...))
	}
	return out
}

func (d *drawn) network() string {
	of := slices.Clone(d.blocks)
	if d.blocks != nil {
		return d.pick(of...)
	}
	if d.options.IPv4 {
		of = append(of, "0.0.0.0/0", "10.244.1.0/24", "10.244.1.77/24", "10.244.2.10/32", "198.51.100.0/24", "172.18.0.0/16", "239.0.0.0/8")
	}
	if d.options.IPv6 {
		of = append(of, "::/0", "fd01:0:0:1::/64", "fd01:0:0:1::77/64", "fd01:0:0:2::10/128", "2001:db8::/32", "fc00:18::/64")
	}
	return d.pick(of...)
}

func (d *drawn) ports(named bool) (out []model.Port) {
	for range d.r.IntN(3) {
		p := model.Port{Protocol: d.pick("TCP", "TCP", "UDP", "SCTP"), Start: int32(80 + d.r.IntN(3))}
		p.End = p.Start
		switch n := d.r.IntN(5); {
		case n == 0 && named:
			p = model.Port{Name: d.pick("http", "dns", "sig")}
		case n == 1:
			p.End, p.Range = p.Start+int32(d.r.IntN(3)), true
		}
		out = append(out, p)
	}
	return out
}

func (d *drawn) networkPolicy(name string) *model.Policy {
	spaces := d.spaces
	if spaces == nil {
		spaces = namespaces
	}
	ns := d.pick(spaces...)
	p := made.ANP(name, 0, "*", nil, nil)
	p.Kind, p.Namespace, p.Tier = model.KindNP, ns, model.TierNetwork
	pods := d.pick("*", "app=x", "app notin (x)")
	p.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: made.Sel(pods), AllPods: pods == "*", Namespace: ns}
	p.IsolatesIngress, p.IsolatesEgress = d.one(2), d.one(2)
	if d.one(4) {
		p.Annotations = map[string]string{model.AnnotationStateless: "true"}
	}
	for range d.r.IntN(4) {
		rule := model.Rule{Direction: model.Direction(d.pick("Ingress", "Egress")), Action: model.Allow}
		for range d.r.IntN(3) {
			switch d.r.IntN(4) {
			case 0:
				rule.Peers = append(rule.Peers, made.NSPeer(d.pick("*", "t=1", "env=p")))
			case 1:
				rule.Peers = append(rule.Peers, made.PodPeer(d.pick("*", "t=1"), d.pick("*", "app=x", "!app")))
			case 2:
				rule.Peers = append(rule.Peers, model.Peer{Kind: model.PeerPods, Namespace: ns, Namespaces: model.SelectEverything(), Pods: made.Sel(d.pick("*", "app=x"))})
			default:
				block := made.NetPeer(d.network())
				switch {
				case block.Networks[0] == "0.0.0.0/0" && d.one(2):
					block.Except = []string{d.pick("10.244.1.0/24", "198.51.100.9/32")}
				case block.Networks[0] == "::/0" && d.one(2):
					block.Except = []string{d.pick("fd01:0:0:1::/64", "2001:db8:9::/48")}
				}
				rule.Peers = append(rule.Peers, block)
			}
		}
		rule.AnyPeer = len(rule.Peers) == 0
		for range d.r.IntN(3) {
			port := model.Port{Protocol: d.pick("TCP", "UDP", "SCTP")}
			switch d.r.IntN(4) {
			case 0: // any port
			case 1:
				port.Name = d.pick("http", "dns", "sig")
			case 2:
				port.Start, port.End, port.Range = 80, 81, true
			default:
				port.Start = int32(80 + d.r.IntN(3))
				port.End = port.Start
			}
			rule.Ports = append(rule.Ports, port)
		}
		list := &p.Ingress
		if rule.Direction == model.Egress {
			list = &p.Egress
		}
		rule.Index = len(*list)
		*list = append(*list, rule)
	}
	return p
}

func (d *drawn) firewall(ns string) *model.Policy {
	p := made.ANP("default", 0, "*", nil, nil)
	p.Kind, p.Namespace, p.Tier = model.KindEF, ns, model.TierNetwork
	p.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true, Namespace: ns}
	for i := range 1 + d.r.IntN(4) {
		rule := model.Rule{Direction: model.Egress, Index: i, Action: model.Action(d.pick("Allow", "Deny"))}
		switch d.r.IntN(4) {
		case 0:
			rule.Peers = []model.Peer{{Kind: model.PeerDNS, DNSName: d.pick("www.example.com", "none.example.com")}}
		case 1:
			rule.Peers = []model.Peer{made.NodePeer(d.pick("*", "role=w"))}
		default:
			rule.Peers = []model.Peer{made.NetPeer(d.network())}
		}
		for range d.r.IntN(3) {
			n := int32(d.r.IntN(3))
			if n > 0 {
				n += 79
			}
			rule.Ports = append(rule.Ports, model.Port{Protocol: d.pick("TCP", "UDP", "SCTP"), Start: n, End: n})
		}
		p.Egress = append(p.Egress, rule)
	}
	return p
}

// describe is the cluster in a few lines.
func (d *drawn) describe() string {
	var b strings.Builder
	for _, o := range d.objects {
		switch o := o.(type) {
		case *model.Pod:
			fmt.Fprintf(&b, "%s on %s, %v, %v, %v\n", o.Key, o.NodeName, o.Labels, o.IPs, o.Ports)
		case *model.Policy:
			fmt.Fprintf(&b, "%s %d of %+v\n", o.Key, o.Priority, o.Subject)
			for _, rule := range slices.Concat(o.Ingress, o.Egress) {
				fmt.Fprintf(&b, "  %+v\n", rule)
			}
		case *model.Namespace:
			fmt.Fprintf(&b, "%s %v %v\n", o.Key, o.Labels, o.Annotations)
		case *model.Node:
			fmt.Fprintf(&b, "%s %v %v %v\n", o.Key, o.Labels, o.HostIPs, o.MgmtIPs)
		}
	}
	return b.String()
}

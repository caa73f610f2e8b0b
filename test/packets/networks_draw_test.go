package packets_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/model/network"
	"rung/model/ovn/nb"
	"rung/test/made"
)

// net is a network of the lab of networks, with the namespaces whose pods are on it.
type net struct {
	name, key  string // key is that of its NetworkAttachmentDefinition, %s for the namespace
	topology   network.Topology
	primary    bool
	v4, v6     string // its subnets, empty for none
	static     bool   // v4 and v6 are addresses that pods ask for: the network has no subnets
	namespaces []string
}

// The networks: primary ones of layer 3 and 2, in one family or both, and secondary ones, with subnets and without.
var nets = []net{
	{name: "blue_net", key: "blue/net", topology: network.Layer3, primary: true, v4: "10.20.0.0/16", namespaces: []string{"blue"}},
	{name: "cluster_udn_green", key: "%s/green", topology: network.Layer2, primary: true, v4: "10.30.0.0/16", v6: "fd30::/64", namespaces: []string{"green1", "green2"}},
	{name: "red_net", key: "red/net", topology: network.Layer3, primary: true, v6: "fd40::/48", namespaces: []string{"red"}},
	{name: "extra3", key: "plain1/extra3", topology: network.Layer3, v4: "10.50.0.0/16", v6: "fd50::/48", namespaces: []string{"plain1"}},
	{name: "extra2", key: "plain1/extra2", topology: network.Layer2, v4: "10.60.0.0/16", namespaces: []string{"plain1", "plain2"}},
	{name: "bare2", key: "plain1/bare2", topology: network.Layer2, v4: "10.70.0.0/16", v6: "fd70::/64", static: true, namespaces: []string{"plain1", "plain2"}},
	{name: "wire", key: "plain2/wire", topology: network.Localnet, v4: "10.80.0.0/16", static: true, namespaces: []string{"plain1", "plain2"}},
}

var spaces = []string{"blue", "green1", "green2", "red", "plain1", "plain2"}

// home is a pod on the default network and on others.
type home struct {
	place
	on map[string]place // by network, "" for the default one
}

// homes are the pods of the lab of networks. They keep their ports from cluster to cluster.
func homes() (out []*home) {
	for z, zone := range zoneNames {
		for s, ns := range spaces {
			for i := range podsEach {
				host, name := 10+s*podsEach+i, fmt.Sprintf("%s%d", zone, i)
				h := &home{place: place{zone: zone, namespace: ns, name: name, lport: nb.PortName(ns, name),
					v4: netip.AddrFrom4([4]byte{10, 244, byte(z + 1), byte(host)}), v6: netip.MustParseAddr(fmt.Sprintf("fd01:0:0:%d::%d", z+1, host))}}
				h.on = map[string]place{"": h.place}
				for _, n := range nets {
					for _, of := range n.namespaces {
						if of == ns {
							h.on[n.name] = n.place(h.place, z, host)
						}
					}
				}
				out = append(out, h)
			}
		}
	}
	return out
}

func (n *net) keyIn(namespace string) string {
	return strings.Replace(n.key, "%s", namespace, 1)
}

// place is a pod on the network.
func (n *net) place(p place, zone, host int) place {
	p.lport, p.v4, p.v6 = network.PortName(n.keyIn(p.namespace), p.namespace, p.name), netip.Addr{}, netip.Addr{}
	if n.v4 != "" {
		b := netip.MustParsePrefix(n.v4).Addr().As4()
		b[2], b[3] = byte(zone+1), byte(host)
		p.v4 = netip.AddrFrom4(b)
	}
	if n.v6 != "" {
		b := netip.MustParsePrefix(n.v6).Addr().As16()
		b[15] = byte(host)
		if n.topology == network.Layer3 {
			b[7] = byte(zone + 1)
		} else {
			b[14] = byte(zone + 1)
		}
		p.v6 = netip.AddrFrom16(b)
	}
	return p
}

func (p *place) texts() (out []string) {
	for _, a := range []netip.Addr{p.v4, p.v6} {
		if a.IsValid() {
			out = append(out, a.String())
		}
	}
	return out
}

// nodeSubnets are the subnets of a node on a network.
func (n *net) nodeSubnets(zone int) (out []string) {
	if n.topology != network.Layer3 {
		return nil
	}
	p := n.place(place{}, zone, 0)
	if p.v4.IsValid() {
		out = append(out, netip.PrefixFrom(p.v4, 24).String())
	}
	if p.v6.IsValid() {
		out = append(out, netip.PrefixFrom(p.v6, 64).String())
	}
	return out
}

// objects are what the network comes from.
func (n *net) objects() (out []model.Object) {
	c := network.Config{Name: n.name, Topology: n.topology, Primary: n.primary}
	for _, s := range []string{n.v4, n.v6} {
		if s != "" && !n.static {
			c.Subnets = append(c.Subnets, netip.MustParsePrefix(s))
		}
	}
	seen := map[string]bool{}
	for _, of := range n.namespaces {
		ns, name, _ := strings.Cut(n.keyIn(of), "/")
		if !seen[ns] {
			out = append(out, &network.Attachment{Meta: model.Meta{Key: model.Key{Kind: model.KindNAD, Namespace: ns, Name: name}}, Config: c})
		}
		seen[ns] = true
	}
	return out
}

// base are nodes, namespaces, networks and pods, with labels that are drawn.
func (d *drawn) base(all []*home) {
	for z, zone := range zoneNames {
		nd := made.Node(zone, d.pick("role=w", "role=c", ""), hostAddrs(z)...)
		nd.MgmtIPs, nd.NetworkSubnets = management(z), map[string][]string{}
		for i := range nets {
			if s := nets[i].nodeSubnets(z); s != nil {
				nd.NetworkSubnets[nets[i].name] = s
			}
		}
		d.objects = append(d.objects, nd)
	}
	primary := map[string]bool{}
	for i := range nets {
		d.objects = append(d.objects, nets[i].objects()...)
		for _, ns := range nets[i].namespaces {
			primary[ns] = primary[ns] || nets[i].primary
		}
	}
	for _, name := range spaces {
		ns := made.NS(name, d.pick("t=1", "t=2", "t=1,env=p", ""))
		labels := ns.Labels.Map()
		if labels == nil {
			labels = map[string]string{}
		}
		if primary[name] {
			labels[model.LabelPrimaryUDN] = ""
		}
		ns.Labels, ns.Annotations = model.NewLabels(labels), map[string]string{model.AnnotationLogging: logging}
		d.objects = append(d.objects, ns)
	}
	for _, h := range all {
		obj := made.WithPorts(made.Pod(h.namespace+"/"+h.name, d.pick("app=x", "app=y", "app=x,tier=1", ""), h.texts()...),
			model.ContainerPort{Name: "http", Protocol: "TCP", Port: 80})
		obj.NodeName, obj.Phase = h.zone, "Running"
		role := "primary"
		for i := range nets {
			n := &nets[i]
			p, is := h.on[n.name]
			if !is {
				continue
			}
			e := model.PodNetwork{Name: n.keyIn(h.namespace), Role: "secondary", IPs: p.texts()}
			if n.primary {
				e.Role, role = "primary", "infrastructure-locked"
			} else {
				obj.Attachments = append(obj.Attachments, e.Name)
			}
			obj.Networks = append(obj.Networks, e)
		}
		obj.Networks = append([]model.PodNetwork{{Name: "default", Role: role, IPs: h.texts()}}, obj.Networks...)
		d.objects = append(d.objects, obj)
	}
}

// multiNetworkPolicy draws a policy of secondary networks; half of them have no rule.
func (d *drawn) multiNetworkPolicy(name string) *model.Policy {
	p := d.networkPolicy(name)
	p.Kind = model.KindMNP
	for _, list := range []*[]model.Rule{&p.Ingress, &p.Egress} {
		if d.one(2) {
			*list = nil
		}
	}
	p.Annotations = map[string]string{model.AnnotationPolicyFor: d.pick("plain1/extra2", "plain1/extra3", "plain1/extra2, plain1/extra3")}
	if d.one(2) {
		return p
	}
	p.Annotations[model.AnnotationPolicyFor] = d.pick("plain1/bare2", "plain2/wire", "plain1/bare2,plain2/wire")
	for _, rules := range [][]model.Rule{p.Ingress, p.Egress} {
		for i := range rules { // selectors are refused there
			rules[i].Peers = slices.DeleteFunc(rules[i].Peers, func(peer model.Peer) bool { return peer.Kind != model.PeerNetworks })
			rules[i].AnyPeer = len(rules[i].Peers) == 0
		}
	}
	return p
}

// drawNetworks makes a cluster with networks, and policies on them and on the default one.
func drawNetworks(r *rand.Rand, all []*home) *drawn {
	d := &drawn{r: r, spaces: spaces, blocks: []string{"0.0.0.0/0", "::/0", "10.244.1.0/24", "10.20.1.0/24", "10.30.0.0/16", "10.30.1.0/24", "fd30::/64",
		"fd40:0:0:1::/64", "10.50.2.0/24", "fd50::/48", "10.60.0.0/16", "10.70.1.0/24", "10.80.0.0/16", "fd70::/64", "198.51.100.0/24", "198.51.0.0/16", "2001:db8::/32", "2001:db8:9::/48", "203.0.113.9/32"}}
	d.options = compiler.Options{IPv4: true, IPv6: true, AllowICMP: d.one(2), Stateless: d.one(2), DNS: dnsAddrs,
		ClusterSubnets: []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16"), netip.MustParsePrefix("fd01::/48")}}
	d.base(all)
	for i := range 4 + r.IntN(9) {
		d.objects = append(d.objects, d.networkPolicy(fmt.Sprint("np", i)))
	}
	for _, ns := range []string{"blue", "green1", "red", "plain1"} {
		if !d.one(4) {
			d.objects = append(d.objects, d.firewall(ns))
		}
	}
	d.spaces = []string{"plain1", "plain2"}
	for i := range 2 + r.IntN(6) {
		d.objects = append(d.objects, d.multiNetworkPolicy(fmt.Sprint("mnp", i)))
	}
	priorities := r.Perm(100)
	for i := range r.IntN(3) {
		p := made.ANP(fmt.Sprint("anp", i), int32(priorities[i]), "*", d.rules(model.Ingress, true), d.rules(model.Egress, true))
		p.Subject = d.subject()
		d.objects = append(d.objects, p)
	}
	return d
}

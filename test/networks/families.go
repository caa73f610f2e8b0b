package networks

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"rung/model"
)

// primaries are the networks that have hairpin, node and multicast rows: the default one, which is nil, and
// primary ones.
func (r *reference) primaries() []*net {
	out := []*net{nil}
	for _, name := range slices.Sorted(maps.Keys(r.networks.all)) {
		if n := r.networks.all[name]; n.primary {
			out = append(out, n)
		}
	}
	return out
}

// defaults follows networks.md#node-rows.
func (r *reference) defaults() {
	var from []string // of the cluster's families, on every network
	if r.o.IPv4 {
		from = append(from, "ip4.src == "+r.o.HairpinV4)
	}
	if r.o.IPv6 {
		from = append(from, "ip6.src == "+r.o.HairpinV6)
	}
	for _, n := range r.primaries() {
		c := controllerName(n)
		for _, dir := range []string{"Ingress", "Egress"} {
			r.acl(c, "NetpolDefault", dir, "", 1001, "allow-related", either(from...), "",
				"Port_Group "+Hashed(c+":Cluster:clusterPortGroup"), named("allow-hairpinning"), directed(dir))
		}
		for node := range r.c.Nodes() {
			if node.Name != r.zone {
				continue
			}
			for _, ip := range nodeAddresses(n, node) {
				r.acl(c, "NetpolNode", "Ingress", "", 1001, "allow-related", "ip"+addressFamily(ip)+".src=="+ip, "",
					"Logical_Switch "+n.switchName(node.Name), named(n.switchName(node.Name)), pair{"ip", ip})
			}
		}
	}
}

// nodeAddresses are the addresses of the management port of a node on a network.
func nodeAddresses(n *net, node *model.Node) (out []string) {
	if n == nil {
		return node.MgmtIPs
	}
	if n.topology == "layer3" {
		for _, text := range node.NetworkSubnets[n.name] {
			out = append(out, netip.MustParsePrefix(text).Masked().Addr().Next().Next().String())
		}
		return out
	}
	for _, subnet := range n.subnets {
		first := subnet.Masked().Addr()
		spare := func(taken ...netip.Addr) (a netip.Addr) {
			for _, p := range n.infrastructure {
				for a := p.Masked().Addr(); p.Contains(a) && p.Addr().Is4() == subnet.Addr().Is4(); a = a.Next() {
					last := !subnet.Contains(a.Next()) && a.Is4()
					if a != first && !last && !slices.Contains(taken, a) {
						return a
					}
				}
			}
			return a
		}
		var gateway netip.Addr
		for _, g := range n.gateways {
			if subnet.Contains(g) {
				gateway = g
			}
		}
		if !gateway.IsValid() {
			gateway = spare()
		}
		if !gateway.IsValid() {
			gateway = first.Next()
		}
		mine := spare(gateway)
		if !mine.IsValid() {
			mine = first.Next().Next()
		}
		if mine == gateway {
			mine = first.Next()
		}
		out = append(out, mine.String())
	}
	return out
}

// egressFirewall follows networks.md#egressfirewall and ovn-kubernetes.md#egressfirewall.
func (r *reference) egressFirewall(p *model.Policy) {
	n, _, programmed := r.active(p.Namespace)
	if !programmed || len(p.Invalid) > 0 {
		return
	}
	group := Hashed(joinID(controllerName(n), "Namespace", named(p.Namespace)))
	allow, deny := r.levels(p.Namespace)
	for i, rule := range p.Egress {
		to := r.destination(n, &rule.Peers[0])
		if to == "" {
			continue
		}
		action, level := "allow", allow
		if rule.Action == model.Deny {
			action, level = "drop", deny
		}
		r.acl(controllerName(nil), "EgressFirewall", "Ingress", fmt.Sprintf("EF:%s:%d", p.Namespace, i), 10000-i, action,
			"("+to+") && inport == @"+group+firewallPorts(rule.Ports), level, "Port_Group "+group, named(p.Namespace), pair{"rule-index", strconv.Itoa(i)})
	}
}

func (r *reference) destination(n *net, p *model.Peer) string {
	var exprs []string
	switch p.Kind {
	case model.PeerDNS:
		sets := r.sets(controllerName(nil), "EgressFirewallDNS", p.DNSName, r.families(nil), r.o.DNS[p.DNSName], false)
		for _, f := range r.families(nil) {
			exprs = append(exprs, "ip"+f+".dst == $"+sets[f])
		}
	case model.PeerNodes:
		var all []string
		for node := range r.c.Nodes() {
			if p.Nodes.Matches(node.Labels) {
				all = append(all, node.HostIPs...)
			}
		}
		slices.Sort(all)
		for _, ip := range all {
			exprs = append(exprs, "ip"+addressFamily(ip)+".dst == "+ip)
		}
	case model.PeerNetworks:
		cidr, at := netip.MustParsePrefix(p.Networks[0]).Masked(), "ip"+addressFamily(p.Networks[0])+".dst"
		own := r.o.ClusterSubnets
		if n != nil {
			own = n.subnets
		}
		var but []string
		for _, s := range own {
			if s.Overlaps(cidr) {
				but = append(but, at+" != "+s.String())
			}
		}
		exprs = []string{at + " == " + p.Networks[0]}
		if len(but) > 0 {
			exprs[0] += " && " + strings.Join(but, "&&")
		}
	}
	return strings.Join(exprs, " || ")
}

func firewallPorts(ports []model.Port) string {
	var groups []string
	for _, protocol := range []string{"udp", "tcp", "sctp"} {
		var of []string
		whole, any := false, false
		for _, p := range ports {
			if strings.ToLower(p.Protocol) == protocol {
				any, whole = true, whole || p.Start == 0
				of = append(of, fmt.Sprintf("%s.dst == %d", protocol, p.Start))
			}
		}
		switch {
		case whole:
			groups = append(groups, "("+protocol+")")
		case any:
			groups = append(groups, "("+protocol+" && ( "+strings.Join(of, " || ")+" ))")
		}
	}
	if len(groups) == 0 {
		return ""
	}
	return " && (" + strings.Join(groups, " || ") + ")"
}

// multicast follows networks.md#multicast and ovn-kubernetes.md#multicast.
func (r *reference) multicast() {
	if !r.o.Multicast {
		return
	}
	const six = "mldv1 || mldv2 || (ip6.dst[120..127] == 0xff && ip6.dst[116] == 1)"
	for _, n := range r.primaries() {
		c := controllerName(n)
		all, nodes := Hashed(c+":Cluster:clusterPortGroup"), Hashed(c+":Cluster:clusterRtrPortGroup")
		for _, dir := range []string{"Ingress", "Egress"} {
			r.acl(c, "MulticastCluster", dir, "", 1011, "drop", "(ip4.mcast || "+six+")", "", "Port_Group "+all, pair{"type", "DefaultDeny"}, directed(dir))
			r.acl(c, "MulticastCluster", dir, "", 1012, "allow", portTerm(dir, nodes)+" && (ip4.mcast || "+six+")", "", "Port_Group "+nodes, pair{"type", "AllowInterNode"}, directed(dir))
		}
	}
	for ns := range r.c.Namespaces() {
		if ns.Annotations["k8s.ovn.org/multicast-enabled"] != "true" {
			continue
		}
		r.addMulticast(nil, ns)
		if n, _, _ := r.active(ns.Name); n != nil {
			r.addMulticast(n, ns)
		}
	}
}

// addMulticast puts the pair of rows of a namespace on a network.
func (r *reference) addMulticast(n *net, ns *model.Namespace) {
	const six = "mldv1 || mldv2 || (ip6.dst[120..127] == 0xff && ip6.dst[116] == 1)"
	c := controllerName(n)
	group := Hashed(joinID(c, "Namespace", named(ns.Name)))
	sets := r.set(n, ns.Name+"_LS{}_LNM", true, func(o *model.Namespace) bool { return o.Name == ns.Name }, model.SelectEverything())
	out, in := map[string]string{"4": "ip4.mcast", "6": "(" + six + ")"}, map[string]string{
		"4": "(igmp || (ip4.src == $" + sets["4"] + " && ip4.mcast))",
		"6": "(mldv1 || mldv2 || (ip6.src == $" + sets["6"] + " && (ip6.dst[120..127] == 0xff && ip6.dst[116] == 1)))"}
	for dir, terms := range map[string]map[string]string{"Egress": out, "Ingress": in} {
		var exprs []string
		for _, f := range r.families(n) {
			exprs = append(exprs, terms[f])
		}
		r.acl(c, "MulticastNS", dir, "", 1012, "allow", portTerm(dir, group)+" && "+either(exprs...), "", "Port_Group "+group, named(ns.Name), directed(dir))
	}
}

package compiler

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
)

// egressFirewall follows ovn-kubernetes.md#egressfirewall. A node whose host-cidrs
// cannot be read has no addresses.
func (n *naive) egressFirewall(p *model.Policy) {
	u := n.unit(model.KindEF, p.Namespace, p.Name)
	if len(p.Invalid) > 0 || p.Name != "default" {
		u.None = &model.NoRows{Code: "profile"}
		return
	}
	allow, deny := n.levels(p.Namespace)
	for i, r := range p.Egress {
		dst := ""
		for _, peer := range r.Peers {
			dst = n.destination(peer)
		}
		if dst == "" {
			continue
		}
		match := "(" + dst + ") && inport == @" + nb.HashedName(d+"Namespace:"+p.Namespace)
		if len(r.Ports) > 0 {
			match += " && " + naiveEFL4(r.Ports)
		}
		action, level := "allow", allow
		if r.Action == model.Deny {
			action, level = "drop", deny
		}
		// to-lport, although it is about what leaves
		n.row(u, naiveIDs("EgressFirewall", "k8s.ovn.org/name", p.Namespace, "rule-index", strconv.Itoa(i)), "Ingress",
			fmt.Sprintf("EF:%s:%d", p.Namespace, i), 10000-i, action, level, match)
	}
}

func (n *naive) destination(p model.Peer) string {
	var exprs []string
	switch p.Kind {
	case model.PeerDNS:
		n.sets(n.unit(model.KindEFDNS, "", p.DNSName), n.o.DNS[p.DNSName])
		for _, f := range n.families() {
			exprs = append(exprs, "ip"+f+".dst == $"+naiveSetName("EgressFirewallDNS", p.DNSName, f))
		}
	case model.PeerNodes:
		var all []string
		for node := range n.c.Nodes() {
			if p.Nodes.Matches(node.Labels) {
				all = append(all, node.HostIPs...)
			}
		}
		slices.Sort(all)
		for _, ip := range all {
			if strings.Contains(ip, ":") {
				exprs = append(exprs, "ip6.dst == "+ip)
			} else {
				exprs = append(exprs, "ip4.dst == "+ip)
			}
		}
	case model.PeerNetworks:
		cidr, f := netip.MustParsePrefix(p.Networks[0]), "ip4"
		if cidr.Addr().Is6() {
			f = "ip6"
		}
		var outside []string
		for _, s := range n.o.ClusterSubnets {
			if s.Addr().Is6() == cidr.Addr().Is6() && (s.Masked().Contains(cidr.Masked().Addr()) || cidr.Masked().Contains(s.Masked().Addr())) {
				outside = append(outside, f+".dst != "+s.String())
			}
		}
		exprs = []string{f + ".dst == " + p.Networks[0]}
		if len(outside) > 0 {
			exprs[0] += " && " + strings.Join(outside, "&&")
		}
	}
	return strings.Join(exprs, " || ")
}

func naiveEFL4(ports []model.Port) string {
	var groups []string
	for _, proto := range []string{"UDP", "TCP", "SCTP"} {
		l := strings.ToLower(proto)
		var of []string
		whole, some := false, false
		for _, p := range ports {
			if p.Protocol == proto {
				some, whole = true, whole || p.Start == 0
				of = append(of, fmt.Sprintf("%s.dst == %d", l, p.Start))
			}
		}
		switch {
		case whole:
			groups = append(groups, "("+l+")")
		case some:
			groups = append(groups, "("+l+" && ( "+strings.Join(of, " || ")+" ))")
		}
	}
	return "(" + strings.Join(groups, " || ") + ")"
}

// multicast follows ovn-kubernetes.md#multicast.
func (n *naive) multicast() {
	allowed := false
	for ns := range n.c.Namespaces() {
		allowed = allowed || ns.Annotations["k8s.ovn.org/multicast-enabled"] == "true"
	}
	if n.o.Multicast == Off || n.o.Multicast == Auto && !allowed {
		return
	}
	const six = "mldv1 || mldv2 || (ip6.dst[120..127] == 0xff && ip6.dst[116] == 1)"
	for _, dir := range []string{"Ingress", "Egress"} {
		n.row(n.unit(model.KindMulticastCluster, "", "DefaultDeny"), naiveIDs("MulticastCluster", "type", "DefaultDeny", "direction", dir),
			dir, "", 1011, "drop", "", "(ip4.mcast || "+six+")")
		n.row(n.unit(model.KindMulticastCluster, "", "AllowInterNode"), naiveIDs("MulticastCluster", "type", "AllowInterNode", "direction", dir),
			dir, "", 1012, "allow", "", naiveLport(dir, nb.HashedName(d+"Cluster:clusterRtrPortGroup"))+" && (ip4.mcast || "+six+")")
	}
	for ns := range n.c.Namespaces() {
		if ns.Annotations["k8s.ovn.org/multicast-enabled"] != "true" {
			continue
		}
		set := n.selected(ns.Name+"_LS{}_LNM", true, model.SelectEverything(), func(o *model.Namespace) bool { return o.Name == ns.Name })
		for _, dir := range []string{"Ingress", "Egress"} {
			four, sixes := "ip4.mcast", "("+six+")"
			if dir == "Ingress" {
				four = "(igmp || (ip4.src == $" + naiveSetName("PodSelector", set, "4") + " && ip4.mcast))"
				sixes = "(mldv1 || mldv2 || (ip6.src == $" + naiveSetName("PodSelector", set, "6") + " && (ip6.dst[120..127] == 0xff && ip6.dst[116] == 1)))"
			}
			var exprs []string
			for _, f := range n.families() {
				exprs = append(exprs, map[string]string{"4": four, "6": sixes}[f])
			}
			n.row(n.unit(model.KindMulticastNS, ns.Name, "default"), naiveIDs("MulticastNS", "k8s.ovn.org/name", ns.Name, "direction", dir),
				dir, "", 1012, "allow", "", naiveLport(dir, nb.HashedName(d+"Namespace:"+ns.Name))+" && "+naiveEither(exprs...))
		}
	}
}

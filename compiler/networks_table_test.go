package compiler

import (
	"net/netip"

	"rung/model"
	"rung/model/network"
	"rung/test/made"
)

const (
	d2  = "default-network-controller:"
	mc6 = "mldv1 || mldv2 || (ip6.dst[120..127] == 0xff && ip6.dst[116] == 1)"
)

// networkNames are networks.md#names, #port-groups and #namespaces.
var networkNames = []networkCase{
	{name: "hashed names of a user-defined network",
		objects: []model.Object{primaryNS("team-a"), blue("10.20.0.0/16"), netpolOn("team-a/p", "", "", nil), podOnNets("team-a/web", "", "team-a/blue-net: 10.20.1.5")},
		want: map[string]string{
			blueNet + "NetpolNamespace:team-a:Ingress":             "a16735057847057461346: team.a.blue.net_team-a_web",
			blueNet + "NetpolNamespace:team-a:Egress":              "a9853188153381333488: team.a.blue.net_team-a_web",
			blueNet + "NetpolNamespace:team-a:Egress:defaultDeny":  "NP:team-a:Egress 1000 after-lb drop inport == @a9853188153381333488 on a9853188153381333488",
			blueNet + "NetpolNamespace:team-a:Ingress:defaultDeny": "NP:team-a:Ingress 1000 to-lport drop outport == @a16735057847057461346 on a16735057847057461346",
			blueNet + "NetpolNamespace:team-a:Ingress:arpAllow":    "NP:team-a:Ingress 1001 to-lport allow outport == @a16735057847057461346 && (arp || nd) on a16735057847057461346",
		}, none: []string{d2 + "NetworkPolicy", d2 + "NetpolNamespace", blueNet + "NetpolNamespace:team-a:Ingress:icmpAllow"}},
	{name: "a cluster network has one name in all its namespaces",
		objects: []model.Object{primaryNS("beta-1", "green=1"), primaryNS("beta-2", "green=1"), green("10.30.0.0/16"), netpolOn("beta-1/p", "", "", nil), netpolOn("beta-2/p", "", "", nil),
			podOnNets("beta-1/web", "", "beta-1/green-net: 10.30.0.5"), podOnNets("beta-2/web", "", "beta-2/green-net: 10.30.0.6")},
		want: map[string]string{
			greenNet + "NetpolNamespace:beta-1:Ingress": name(greenNet+"NetpolNamespace:beta-1:Ingress") + ": beta.1.green.net_beta-1_web",
			greenNet + "NetpolNamespace:beta-2:Ingress": name(greenNet+"NetpolNamespace:beta-2:Ingress") + ": beta.2.green.net_beta-2_web",
		}},
	{name: "a network made by hand has the name of its config",
		objects: []model.Object{primaryNS("team-a"), nad("team-a", "blue-net", "by-hand", network.Layer3, true, "10.20.0.0/16"), netpolOn("team-a/p", "", "", nil)},
		want:    map[string]string{"by-hand-network-controller:NetworkPolicy:team-a:p": name("by-hand-network-controller:NetworkPolicy:team-a:p") + ": "}},
	{name: "the label without a network",
		objects: []model.Object{annotated(primaryNS("team-a"), model.AnnotationMulticast, "true"), netpolOn("team-a/p", "", "", nil), firewallIn("team-a", made.Rule(model.Deny, made.Peers(made.NetPeer("0.0.0.0/0"))))},
		options: func(o *Options) { o.Multicast = On },
		want:    map[string]string{d2 + "MulticastNS:team-a:Egress": "1012 after-lb allow inport == @" + name(d2+"Namespace:team-a") + " && (ip4.mcast || (" + mc6 + ")) on " + name(d2+"Namespace:team-a")},
		none:    []string{d2 + "NetworkPolicy", d2 + "NetpolNamespace", d2 + "EgressFirewall"}},
	{name: "a network without the label",
		objects: []model.Object{made.NS("team-a", ""), nad("team-a", "blue-net", "by-hand", network.Layer3, true, "10.20.0.0/16"), netpolOn("team-a/p", "", "", nil),
			firewallIn("team-a", made.Rule(model.Deny, made.Peers(made.NetPeer("0.0.0.0/0"))))},
		want: map[string]string{d2 + "EgressFirewall:team-a:0": "EF:team-a:0 10000 to-lport drop (ip4.dst == 0.0.0.0/0 && ip4.dst != 10.128.0.0/14) && inport == @" + name(d2+"Namespace:team-a") + " on " + name(d2+"Namespace:team-a")},
		none: []string{d2 + "NetworkPolicy", d2 + "NetpolNamespace", "by-hand-network-controller:NetworkPolicy", "by-hand-network-controller:NetpolNamespace"}},
	{name: "without segmentation every namespace is on the default network",
		objects: []model.Object{primaryNS("team-a"), blue("10.20.0.0/16"), netpolOn("team-a/p", "", "", nil), podOnNets("team-a/web", "", "team-a/blue-net: 10.20.1.5")},
		options: func(o *Options) { o.Segmentation = Off },
		want:    map[string]string{d2 + "NetworkPolicy:team-a:p": name(d2+"NetworkPolicy:team-a:p") + ": team-a_web"}, none: []string{"team-a_"}},
}

// networkPolicies are networks.md#networkpolicy.
var networkPolicies = []networkCase{
	{name: "families are the network's",
		objects: []model.Object{primaryNS("team-a"), made.NS("other", ""), blue("10.20.0.0/16"),
			netpolOn("team-a/p", "", "", rulesOf(allows(), allows(ownPods("team-a", "")), allows(made.NetPeer("fd00::/8"))))},
		want: map[string]string{
			blueNet + "NetworkPolicy:team-a:p:Ingress:0:None:-1": "NP:team-a:p:Ingress:0 1001 to-lport allow-related ip4 && outport == @" + name(blueNet+"NetworkPolicy:team-a:p") + " on " + name(blueNet+"NetworkPolicy:team-a:p"),
			blueNet + "NetworkPolicy:team-a:p:Ingress:1:None:-1": "NP:team-a:p:Ingress:1 1001 to-lport allow-related ip4.src == {$a2052508524836822970} && outport == @" + name(blueNet+"NetworkPolicy:team-a:p") + " on " + name(blueNet+"NetworkPolicy:team-a:p"),
			blueNet + "NetworkPolicy:team-a:p:Ingress:2:None:-2": "NP:team-a:p:Ingress:2 1001 to-lport allow-related ip6.src == fd00::/8 && outport == @" + name(blueNet+"NetworkPolicy:team-a:p") + " on " + name(blueNet+"NetworkPolicy:team-a:p"),
		}, none: []string{blueNet + "PodSelector:team-a_LS{}:v6"}},
	{name: "sets are the network's, with addresses there",
		objects: []model.Object{primaryNS("team-a"), made.NS("other", ""), blue("10.20.0.0/16", "fd30::/48"),
			netpolOn("team-a/p", "", "", rulesOf(allows(ownPods("team-a", ""), ownPods("team-a", "app=client"), made.NSPeer("")))), netpolOn("other/p", "", "", rulesOf(allows(made.NSPeer("")))),
			podOnNets("team-a/web", "app=client", "default: 10.128.1.5", "team-a/blue-net: 10.20.1.5 fd30:1::5"), podOnNets("team-a/plain", "app=client"), podOnNets("other/web", "app=client"),
			func() *model.Pod {
				p := podOnNets("team-a/pending", "", "team-a/blue-net: 10.20.2.6")
				p.NodeName, p.Phase = "n2", "Pending"
				return p
			}(), func() *model.Pod {
				p := podOnNets("team-a/done", "", "team-a/blue-net: 10.20.1.7")
				p.Phase = "Succeeded"
				return p
			}(), func() *model.Pod {
				p := podOnNets("team-a/host", "", "team-a/blue-net: 10.20.1.8")
				p.HostNetwork = true
				return p
			}()},
		want: map[string]string{
			blueNet + "PodSelector:team-a_LS{}:v4":                   "a2052508524836822970: 10.20.1.5 10.20.2.6",
			blueNet + "PodSelector:team-a_LS{}:v6":                   "a2052506325813566548: fd30:1::5",
			blueNet + "PodSelector:team-a_LS{ML:{app: client,},}:v4": "a16514050947159725403: 10.20.1.5",
			blueNet + "PodSelector:LS{}_LS{}_LNM:v4":                 "a16880036578276648686: 10.20.1.5 10.20.2.6",
			d2 + "PodSelector:LS{}_LS{}_LNM:v4":                      name(d2+"PodSelector:LS{}_LS{}_LNM:v4") + ": 10.128.1.5",
			blueNet + "NetworkPolicy:team-a:p":                       name(blueNet+"NetworkPolicy:team-a:p") + ": team.a.blue.net_team-a_web",
			d2 + "NetworkPolicy:other:p":                             name(d2+"NetworkPolicy:other:p") + ": other_web",
			blueNet + "NetpolNamespace:team-a:Ingress":               "a16735057847057461346: team.a.blue.net_team-a_web",
		}, none: []string{blueNet + "NetworkPolicy:other"}},
	{name: "the nodes are no members where the host network's namespace is selected",
		objects: []model.Object{primaryNS("team-a"), made.NS("ovn-host-network", ""), blue("10.20.0.0/16"), netpolOn("team-a/p", "", "", rulesOf(allows(made.NSPeer(""))))},
		want:    map[string]string{blueNet + "PodSelector:LS{}_LS{}_LNM:v4": "a16880036578276648686: "}},
	{name: "flags hold on every network",
		objects: []model.Object{annotated(primaryNS("team-a"), model.AnnotationLogging, `{"allow":"info","deny":"alert"}`), blue("10.20.0.0/16"), func() *model.Policy {
			p := netpolOn("team-a/p", "", "", rulesOf(made.Rule(model.Allow, nil, model.Port{Protocol: "TCP", Name: "http"})))
			p.Annotations = map[string]string{model.AnnotationStateless: "true"}
			return p
		}()},
		options: func(o *Options) { o.AllowICMP, o.Stateless, o.Observability = true, true, true },
		want: map[string]string{
			blueNet + "NetworkPolicy:team-a:p:Ingress:0:tcp:-1":    "NP:team-a:p:Ingress:0 1001 to-lport allow-stateless ip4 && tcp && outport == @" + name(blueNet+"NetworkPolicy:team-a:p") + " on " + name(blueNet+"NetworkPolicy:team-a:p") + " info",
			blueNet + "NetpolNamespace:team-a:Ingress:icmpAllow":   "NP:team-a:Ingress 1001 to-lport allow outport == @a16735057847057461346 && (icmp || icmp6) on a16735057847057461346",
			blueNet + "NetpolNamespace:team-a:Ingress:defaultDeny": "NP:team-a:Ingress 1000 to-lport drop outport == @a16735057847057461346 on a16735057847057461346 alert",
		}},
}

// networkNodes are networks.md#node-rows.
var networkNodes = []networkCase{
	{name: "layer 3 has an address for each subnet of the node, hairpin the families of the cluster",
		objects: []model.Object{primaryNS("team-a"), blue("10.20.0.0/16")},
		want: map[string]string{
			blueNet + "NetpolDefault:allow-hairpinning:Ingress": "1001 to-lport allow-related (ip4.src == 169.254.0.5 || ip6.src == fd69::5) on a5443424878306357389",
			blueNet + "NetpolDefault:allow-hairpinning:Egress":  "1001 after-lb allow-related (ip4.src == 169.254.0.5 || ip6.src == fd69::5) on a5443424878306357389",
			blueNet + "NetpolNode:team.a_blue.net_n1:10.20.1.2": "1001 to-lport allow-related ip4.src==10.20.1.2 on team.a_blue.net_n1",
			blueNet + "NetpolNode:team.a_blue.net_n1:10.22.1.2": "1001 to-lport allow-related ip4.src==10.22.1.2 on team.a_blue.net_n1",
			blueNet + "NetpolNode:team.a_blue.net_n1:fd30:1::2": "1001 to-lport allow-related ip6.src==fd30:1::2 on team.a_blue.net_n1",
			d2 + "NetpolNode:n1:10.244.1.2":                     "1001 to-lport allow-related ip4.src==10.244.1.2 on n1",
		}, none: []string{blueNet + "NetpolNode:team.a_blue.net_n2"}},
	{name: "a policy on a primary network turns on the node rows of the default one",
		objects: []model.Object{primaryNS("team-a"), blue("10.20.0.0/16"), netpolOn("team-a/p", "", "", rulesOf(allows(ownPods("team-a", ""))))},
		options: func(o *Options) { o.Defaults = Auto },
		want: map[string]string{
			d2 + "NetpolNode:n1:10.244.1.2": "1001 to-lport allow-related ip4.src==10.244.1.2 on n1",
		}},
	{name: "masquerade subnets that are not known are those of clusters with primary networks",
		objects: []model.Object{primaryNS("team-a"), blue("10.20.0.0/16")},
		options: func(o *Options) { o.HairpinFrom4, o.HairpinFrom6 = "", "" },
		want: map[string]string{
			blueNet + "NetpolDefault:allow-hairpinning:Ingress": "1001 to-lport allow-related (ip4.src == 169.254.0.5 || ip6.src == fd69::5) on a5443424878306357389",
		}},
	{name: "layer 2 has the second address of each subnet",
		objects: []model.Object{primaryNS("beta-1", "green=1"), green("10.30.0.0/16", "fd30::/64")},
		want: map[string]string{
			greenNet + "NetpolDefault:allow-hairpinning:Ingress":                      "1001 to-lport allow-related (ip4.src == 169.254.0.5 || ip6.src == fd69::5) on a14229080772045397925",
			greenNet + "NetpolNode:cluster_udn_green.net_ovn_layer2_switch:10.30.0.2": "1001 to-lport allow-related ip4.src==10.30.0.2 on cluster_udn_green.net_ovn_layer2_switch",
			greenNet + "NetpolNode:cluster_udn_green.net_ovn_layer2_switch:fd30::2":   "1001 to-lport allow-related ip6.src==fd30::2 on cluster_udn_green.net_ovn_layer2_switch",
		}},
	{name: "layer 2 with addresses of its own",
		objects: []model.Object{primaryNS("beta-1", "green=1"), func() *network.Definition {
			d := green("10.30.0.0/16", "fd30::/64")
			d.Config.InfrastructureSubnets = []netip.Prefix{netip.MustParsePrefix("10.30.0.8/29"), netip.MustParsePrefix("fd30::8/125")}
			d.Config.Gateways = []netip.Addr{netip.MustParseAddr("10.30.0.9"), netip.MustParseAddr("fd30::9")}
			return d
		}()},
		want: map[string]string{
			greenNet + "NetpolNode:cluster_udn_green.net_ovn_layer2_switch:10.30.0.8": "1001 to-lport allow-related ip4.src==10.30.0.8 on cluster_udn_green.net_ovn_layer2_switch",
			greenNet + "NetpolNode:cluster_udn_green.net_ovn_layer2_switch:fd30::8":   "1001 to-lport allow-related ip6.src==fd30::8 on cluster_udn_green.net_ovn_layer2_switch",
		}, none: []string{greenNet + "NetpolNode:cluster_udn_green.net_ovn_layer2_switch:10.30.0.2"}},
	{name: "layer 2 whose gateway has the second address",
		objects: []model.Object{primaryNS("beta-1", "green=1"), func() *network.Definition {
			d := green("10.30.0.0/16")
			d.Config.Gateways = []netip.Addr{netip.MustParseAddr("10.30.0.2")}
			return d
		}()},
		want: map[string]string{greenNet + "NetpolNode:cluster_udn_green.net_ovn_layer2_switch:10.30.0.1": "1001 to-lport allow-related ip4.src==10.30.0.1 on cluster_udn_green.net_ovn_layer2_switch"}},
}

// networkFirewalls are networks.md#egressfirewall.
var networkFirewalls = []networkCase{
	{name: "the network's subnets are left out, not the cluster's",
		objects: []model.Object{annotated(primaryNS("team-a"), model.AnnotationLogging, `{"allow":"info","deny":"alert"}`), blue("10.20.0.0/16"), firewallIn("team-a", made.Rule(model.Deny, made.Peers(made.NetPeer("10.128.0.0/14"))),
			made.Rule(model.Deny, made.Peers(made.NetPeer("0.0.0.0/0"))), made.Rule(model.Allow, made.Peers(made.NetPeer("::/0")), made.UDP(55)),
			made.Rule(model.Allow, made.Peers(made.NodePeer("a=b"))), made.Rule(model.Allow, made.Peers(made.NodePeer("a=none"))), made.Rule(model.Allow, made.Peers(made.NetPeer("10.20.4.4/32"))))},
		want: map[string]string{
			d2 + "EgressFirewall:team-a:0": "EF:team-a:0 10000 to-lport drop (ip4.dst == 10.128.0.0/14) && inport == @a386580421755115105 on a386580421755115105 alert",
			d2 + "EgressFirewall:team-a:1": "EF:team-a:1 9999 to-lport drop (ip4.dst == 0.0.0.0/0 && ip4.dst != 10.20.0.0/16) && inport == @a386580421755115105 on a386580421755115105 alert",
			d2 + "EgressFirewall:team-a:2": "EF:team-a:2 9998 to-lport allow (ip6.dst == ::/0) && inport == @a386580421755115105 && ((udp && ( udp.dst == 55 ))) on a386580421755115105 info",
			d2 + "EgressFirewall:team-a:3": "EF:team-a:3 9997 to-lport allow (ip4.dst == 10.0.0.1 || ip4.dst == 10.0.0.1 || ip4.dst == 9.9.9.9 || ip4.dst == 9.9.9.9 || ip6.dst == fc00::1 || ip6.dst == fc00::1) && inport == @a386580421755115105 on a386580421755115105 info",
			d2 + "EgressFirewall:team-a:5": "EF:team-a:5 9995 to-lport allow (ip4.dst == 10.20.4.4/32 && ip4.dst != 10.20.0.0/16) && inport == @a386580421755115105 on a386580421755115105 info",
		}, none: []string{d2 + "EgressFirewall:team-a:4", blueNet + "EgressFirewall"}},
	{name: "several subnets are joined without spaces",
		objects: []model.Object{primaryNS("team-a"), blue("10.20.0.0/16", "10.22.0.0/16"), firewallIn("team-a", made.Rule(model.Deny, made.Peers(made.NetPeer("0.0.0.0/0"))))},
		want:    map[string]string{d2 + "EgressFirewall:team-a:0": "EF:team-a:0 10000 to-lport drop (ip4.dst == 0.0.0.0/0 && ip4.dst != 10.20.0.0/16&&ip4.dst != 10.22.0.0/16) && inport == @a386580421755115105 on a386580421755115105"}},
	{name: "the group of a cluster network",
		objects: []model.Object{primaryNS("beta-1", "green=1"), green("10.30.0.0/16"), firewallIn("beta-1", made.Rule(model.Allow, made.Peers(model.Peer{Kind: model.PeerDNS, DNSName: "www.example.com"})))},
		options: func(o *Options) { o.DNS = map[string][]string{"www.example.com": {"1.2.3.4"}} },
		want: map[string]string{
			d2 + "EgressFirewall:beta-1:0":              "EF:beta-1:0 10000 to-lport allow (ip4.dst == $" + name(d2+"EgressFirewallDNS:www.example.com:v4") + " || ip6.dst == $" + name(d2+"EgressFirewallDNS:www.example.com:v6") + ") && inport == @a3674347961093019114 on a3674347961093019114",
			d2 + "EgressFirewallDNS:www.example.com:v4": name(d2+"EgressFirewallDNS:www.example.com:v4") + ": 1.2.3.4",
		}},
}

// networkMulticast are networks.md#multicast.
var networkMulticast = []networkCase{
	{name: "the rows of the cluster are there on each primary network, those of a namespace twice",
		objects: []model.Object{annotated(primaryNS("team-a"), model.AnnotationMulticast, "true"), blue("10.20.0.0/16"), podOnNets("team-a/web", "", "team-a/blue-net: 10.20.1.5")},
		options: func(o *Options) { o.Multicast = On },
		want: map[string]string{
			blueNet + "MulticastCluster:DefaultDeny:Egress":     "1011 after-lb drop (ip4.mcast || " + mc6 + ") on a5443424878306357389",
			blueNet + "MulticastCluster:DefaultDeny:Ingress":    "1011 to-lport drop (ip4.mcast || " + mc6 + ") on a5443424878306357389",
			blueNet + "MulticastCluster:AllowInterNode:Egress":  "1012 after-lb allow inport == @a15475543214200458979 && (ip4.mcast || " + mc6 + ") on a15475543214200458979",
			blueNet + "MulticastCluster:AllowInterNode:Ingress": "1012 to-lport allow outport == @a15475543214200458979 && (ip4.mcast || " + mc6 + ") on a15475543214200458979",
			blueNet + "MulticastNS:team-a:Egress":               "1012 after-lb allow inport == @a386580421755115105 && ip4.mcast on a386580421755115105",
			blueNet + "MulticastNS:team-a:Ingress":              "1012 to-lport allow outport == @a386580421755115105 && (igmp || (ip4.src == $" + name(blueNet+"PodSelector:team-a_LS{}_LNM:v4") + " && ip4.mcast)) on a386580421755115105",
			blueNet + "PodSelector:team-a_LS{}_LNM:v4":          name(blueNet+"PodSelector:team-a_LS{}_LNM:v4") + ": 10.20.1.5",
			d2 + "MulticastNS:team-a:Egress":                    "1012 after-lb allow inport == @" + name(d2+"Namespace:team-a") + " && (ip4.mcast || (" + mc6 + ")) on " + name(d2+"Namespace:team-a"),
			d2 + "PodSelector:team-a_LS{}_LNM:v4":               name(d2+"PodSelector:team-a_LS{}_LNM:v4") + ": 10.128.1.5",
		}},
	{name: "secondary networks have none",
		objects: []model.Object{annotated(made.NS("app-1", ""), model.AnnotationMulticast, "true"), nad("app-1", "l2net", "l2net", network.Layer2, false, "10.50.0.0/16")},
		options: func(o *Options) { o.Multicast = On },
		none:    []string{"l2net-network-controller"}},
}

// networkMultiPolicies are networks.md#multinetworkpolicy.
var networkMultiPolicies = []networkCase{
	{name: "policy-for with spaces, other namespaces, more parts and unknown names",
		objects: []model.Object{made.NS("app-1", ""), made.NS("app-2", ""), nad("app-1", "l2net", "l2net", network.Layer2, false, "10.50.0.0/16"), nad("app-2", "l3net", "l3net", network.Layer3, false, "10.51.0.0/16"),
			nad("app-2", "unused", "unused", network.Layer2, false, "10.52.0.0/16"), netpolOn("app-1/p", "", " l2net , app-2/l3net/more,nowhere,app-2/nowhere", nil)},
		want: map[string]string{
			"l2net-network-controller:NetworkPolicy:app-1:p":         name("l2net-network-controller:NetworkPolicy:app-1:p") + ": ",
			"l2net-network-controller:NetpolNamespace:app-1:Ingress": name("l2net-network-controller:NetpolNamespace:app-1:Ingress") + ": ",
			"l3net-network-controller:NetworkPolicy:app-1:p":         name("l3net-network-controller:NetworkPolicy:app-1:p") + ": ",
			"l3net-network-controller:NetpolNamespace:app-1:Egress":  name("l3net-network-controller:NetpolNamespace:app-1:Egress") + ": ",
		}, none: []string{"unused-network-controller", d2 + "NetworkPolicy", d2 + "NetpolNamespace", "l2net-network-controller:NetpolDefault", "l2net-network-controller:NetpolNode"}},
	{name: "no annotation, a network that nobody knows, a primary one",
		objects: []model.Object{primaryNS("team-a"), blue("10.20.0.0/16"), netpolOn("team-a/p", "", "blue-net", nil), netpolOn("team-a/q", "", "nowhere", nil), netpolOn("team-a/r", "", " ", nil)},
		none:    []string{blueNet + "NetworkPolicy", blueNet + "NetpolNamespace", d2 + "NetworkPolicy", d2 + "NetpolNamespace"}},
	{name: "two attachments to one network",
		objects: []model.Object{made.NS("app-1", ""), nad("app-1", "l2net", "l2net", network.Layer2, false, "10.50.0.0/16"), netpolOn("app-1/p", "", "l2net", rulesOf(allows(ownPods("app-1", "")))),
			asksFor(podOnNets("app-1/c", "", "app-1/l2net: 10.50.0.5", "app-1/l2net/1: 10.50.0.6"), "app-1/l2net", "app-1/l2net/1"), podOnNets("app-1/apart", "", "app-1/l2net: 10.50.0.9"),
			func() *model.Pod {
				p := asksFor(podOnNets("app-1/remote", "", "app-1/l2net: 10.50.0.7"), "app-1/l2net")
				p.NodeName = "n2"
				return p
			}()},
		want: map[string]string{
			"l2net-network-controller:NetworkPolicy:app-1:p":     name("l2net-network-controller:NetworkPolicy:app-1:p") + ": app.1.l2net.1_app-1_c app.1.l2net_app-1_c",
			"l2net-network-controller:PodSelector:app-1_LS{}:v4": name("l2net-network-controller:PodSelector:app-1_LS{}:v4") + ": 10.50.0.5 10.50.0.6 10.50.0.7",
		}},
	{name: "no policy types isolate nothing",
		objects: []model.Object{made.NS("app-1", ""), nad("app-1", "l2net", "l2net", network.Localnet, false, "10.50.0.0/16"), func() *model.Policy {
			p := netpolOn("app-1/p", "", "l2net", rulesOf(allows()))
			p.IsolatesIngress, p.IsolatesEgress = false, false
			return p
		}(), asksFor(podOnNets("app-1/c", "", "app-1/l2net: 10.50.0.5"), "app-1/l2net")},
		want: map[string]string{
			"l2net-network-controller:NetworkPolicy:app-1:p":                   name("l2net-network-controller:NetworkPolicy:app-1:p") + ": app.1.l2net_app-1_c",
			"l2net-network-controller:NetpolNamespace:app-1:Ingress":           name("l2net-network-controller:NetpolNamespace:app-1:Ingress") + ": ",
			"l2net-network-controller:NetpolNamespace:app-1:Egress":            name("l2net-network-controller:NetpolNamespace:app-1:Egress") + ": ",
			"l2net-network-controller:NetworkPolicy:app-1:p:Ingress:0:None:-1": "NP:app-1:p:Ingress:0 1001 to-lport allow-related ip4 && outport == @" + name("l2net-network-controller:NetworkPolicy:app-1:p") + " on " + name("l2net-network-controller:NetworkPolicy:app-1:p"),
		}},
	{name: "a network without addresses",
		objects: []model.Object{made.NS("app-1", ""), made.NS("app-2", ""), nad("app-1", "bare", "bare", network.Layer2, false), nad("app-1", "l2net", "l2net", network.Layer2, false, "10.50.0.0/16"),
			netpolOn("app-1/blocks", "", "bare", rulesOf(allows(), allows(made.NetPeer("10.0.0.0/8"), made.NetPeer("fd00::/8")))), netpolOn("app-2/peers", "", "app-1/bare, app-1/l2net", rulesOf(allows(), allows(made.NSPeer("")))),
			asksFor(podOnNets("app-1/c", ""), "app-1/bare")},
		want: map[string]string{
			"bare-network-controller:NetworkPolicy:app-1:blocks":                   name("bare-network-controller:NetworkPolicy:app-1:blocks") + ": app.1.bare_app-1_c",
			"bare-network-controller:NetworkPolicy:app-1:blocks:Ingress:0:None:-1": "NP:app-1:blocks:Ingress:0 1001 to-lport allow-related ip4 && outport == @" + name("bare-network-controller:NetworkPolicy:app-1:blocks") + " on " + name("bare-network-controller:NetworkPolicy:app-1:blocks"),
			"bare-network-controller:NetworkPolicy:app-1:blocks:Ingress:1:None:-2": "NP:app-1:blocks:Ingress:1 1001 to-lport allow-related (ip4.src == 10.0.0.0/8 || ip6.src == fd00::/8) && outport == @" + name("bare-network-controller:NetworkPolicy:app-1:blocks") + " on " + name("bare-network-controller:NetworkPolicy:app-1:blocks"),
			"l2net-network-controller:NetworkPolicy:app-2:peers:Ingress:0:None:-1": "NP:app-2:peers:Ingress:0 1001 to-lport allow-related ip4 && outport == @" + name("l2net-network-controller:NetworkPolicy:app-2:peers") + " on " + name("l2net-network-controller:NetworkPolicy:app-2:peers"),
		}, none: []string{"bare-network-controller:NetworkPolicy:app-2", "bare-network-controller:NetpolNamespace:app-2"}},
	{name: "without the feature there are none",
		objects: []model.Object{made.NS("app-1", ""), nad("app-1", "l2net", "l2net", network.Layer2, false, "10.50.0.0/16"), netpolOn("app-1/p", "", "l2net", nil)},
		options: func(o *Options) { o.MultiPolicies = Off }, none: []string{"l2net-network-controller"}},
}

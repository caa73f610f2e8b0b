package sandbox

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/network"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/test/install"
	"rung/test/made"
)

// networkObjects are two nodes, a namespace on a primary network, one that is not, and their pods.
func networkObjects(topology network.Topology) []model.Object {
	blue, plain := made.NS("blue", model.LabelPrimaryUDN+"=x"), made.NS("plain", "")
	nad := &network.Attachment{Meta: model.Meta{Key: model.Key{Kind: model.KindNAD, Namespace: "blue", Name: "net"}},
		Config: network.Config{Name: "blue_net", Topology: topology, Primary: true, Subnets: []netip.Prefix{netip.MustParsePrefix("10.20.0.0/16")}}}
	out := []model.Object{blue, plain, nad}
	for i := 1; i <= 2; i++ {
		node := made.Node(fmt.Sprint("n", i), "")
		node.MgmtIPs, node.NetworkSubnets = []string{fmt.Sprintf("10.244.%d.2", i)}, map[string][]string{"blue_net": {fmt.Sprintf("10.20.%d.0/24", i)}}
		p := made.Pod(fmt.Sprintf("blue/p%d", i), "app=x", fmt.Sprintf("10.244.%d.10", i))
		p.NodeName, p.OpenPorts = node.Name, []string{"tcp.dst == 80", "icmp"}
		p.Networks = []model.PodNetwork{{Name: "default", Role: "infrastructure-locked", IPs: p.IPs}, {Name: "blue/net", Role: "primary", IPs: []string{fmt.Sprintf("10.20.%d.10", i)}}}
		q := made.Pod(fmt.Sprintf("plain/q%d", i), "app=x", fmt.Sprintf("10.244.%d.11", i))
		q.NodeName = node.Name
		out = append(out, node, p, q)
	}
	return out
}

// networkRows are the rows of networks besides the default one, and of tier 0, as text.
func networkRows(db *nb.DB) (out []string) {
	ports := func(uuids []string) string {
		var names []string
		for _, id := range uuids {
			if p := db.Port(id); p != nil {
				names = append(names, p.Name)
			}
		}
		slices.Sort(names)
		return strings.Join(names, " ")
	}
	for sw := range db.Switches() {
		if sw.ExternalIDs[KeyNetwork] != "" {
			out = append(out, "switch "+sw.Name+": "+ports(sw.Ports))
		}
	}
	for g := range db.PortGroups() {
		if o := nb.ParseOwner(nb.TablePortGroup, g.ExternalIDs); o.Network() != "" || o.Type == nb.OwnerUDNIsolation {
			out = append(out, "group "+g.ExternalIDs[nb.KeyID]+": "+ports(g.Ports))
		}
	}
	for a := range db.ACLs() {
		if a.Tier == 0 {
			out = append(out, fmt.Sprintf("acl %s %d %s: %s", a.ExternalIDs[nb.KeyID], a.Priority, a.Action, a.Match))
		}
	}
	slices.Sort(out)
	return out
}

var isolationACLs = []string{
	`acl default-network-controller:UDNIsolation:AllowHostARPPrimaryUDN:Egress 1001 allow: inport == @a8747502060113802905 && (( arp && arp.tpa == 10.244.1.2 ))`,
	`acl default-network-controller:UDNIsolation:AllowHostARPPrimaryUDN:Ingress 1001 allow: outport == @a8747502060113802905 && (( arp && arp.spa == 10.244.1.2 ))`,
	`acl default-network-controller:UDNIsolation:AllowHostPrimaryUDN:Ingress 1001 allow-related: outport == @a8747502060113802905 && (ip4.src==10.244.1.2)`,
	`acl default-network-controller:UDNIsolation:DenyPrimaryUDN:Egress 1000 drop: inport == @a8747502060113802905`,
	`acl default-network-controller:UDNIsolation:DenyPrimaryUDN:Ingress 1000 drop: outport == @a8747502060113802905`,
}

var openPortACLs = []string{
	`acl default-network-controller:UDNIsolation:OpenPort-blue/p1:Egress 1001 allow: inport == "blue_p1" && (arp || nd)`,
	`acl default-network-controller:UDNIsolation:OpenPort-blue/p1:Ingress 1001 allow-related: outport == "blue_p1" && (arp || nd || (tcp.dst == 80 || icmp))`,
}

// A zone has the switch of each network, the ports of the node and of pods, the groups of the cluster and
// of namespaces and the rows of tier 0, and all of it follows the objects (networks.md#port-groups).
func TestNetworksOfAZone(t *testing.T) {
	onBoth(t, func(t *testing.T, server string) {
		s := start(t, Config{Zones: []string{"n1"}, Server: server, ForeignRows: true})
		w := follow(t, s, "n1", nbdb.Config{})
		cluster := made.Cluster(networkObjects(network.Layer2)...)
		s.SetPods(cluster, nil)
		expect := func(what string, want []string) {
			t.Helper()
			slices.Sort(want)
			var diff string
			w.until(what, func(_ []model.ZoneUpdate, db *nb.DB) bool {
				diff = cmp.Diff(want, networkRows(db))
				return diff == "" || what == ""
			})
			if diff != "" {
				t.Errorf("%s: %s", what, diff)
			}
		}
		expect("the network", slices.Concat(isolationACLs, openPortACLs, []string{
			"switch blue_net_ovn_layer2_switch: blue.net_blue_p1 blue.net_blue_p2 k8s-blue_net_n1 stotr-blue_net_ovn_layer2_switch",
			"group blue_net-network-controller:Cluster:clusterPortGroup: k8s-blue_net_n1",
			"group blue_net-network-controller:Cluster:clusterRtrPortGroup: ",
			"group blue_net-network-controller:Namespace:blue: blue.net_blue_p1 blue.net_blue_p2",
			"group default-network-controller:UDNIsolation:SecondaryPods: blue_p1",
		}))
		gone := cluster.Pod("blue", "p1")
		next, changes := cluster.Upsert(nil, []model.Key{gone.Key})
		s.SetPods(next, changes)
		expect("without the pod", slices.Concat(isolationACLs, []string{
			"switch blue_net_ovn_layer2_switch: blue.net_blue_p2 k8s-blue_net_n1 stotr-blue_net_ovn_layer2_switch",
			"group blue_net-network-controller:Cluster:clusterPortGroup: k8s-blue_net_n1",
			"group blue_net-network-controller:Cluster:clusterRtrPortGroup: ",
			"group blue_net-network-controller:Namespace:blue: blue.net_blue_p2",
			"group default-network-controller:UDNIsolation:SecondaryPods: ",
		}))
		last, changes := next.Upsert(nil, []model.Key{{Kind: model.KindNAD, Namespace: "blue", Name: "net"}})
		s.SetPods(last, changes)
		expect("without the network", slices.Concat(isolationACLs, []string{"group default-network-controller:UDNIsolation:SecondaryPods: "}))
		s.SetPods(cluster, nil)
		expect("the network again", slices.Concat(isolationACLs, openPortACLs, []string{
			"switch blue_net_ovn_layer2_switch: blue.net_blue_p1 blue.net_blue_p2 k8s-blue_net_n1 stotr-blue_net_ovn_layer2_switch",
			"group blue_net-network-controller:Cluster:clusterPortGroup: k8s-blue_net_n1",
			"group blue_net-network-controller:Cluster:clusterRtrPortGroup: ",
			"group blue_net-network-controller:Namespace:blue: blue.net_blue_p1 blue.net_blue_p2",
			"group default-network-controller:UDNIsolation:SecondaryPods: blue_p1",
		}))
	})
}

// On OVN a network has its router for as long as it is there, and a packet finds its way over it.
func TestNetworksOnOVN(t *testing.T) {
	tools := install.OVN(t, FindTools)
	cluster := made.Cluster(networkObjects(network.Layer3)...)
	s := start(t, Config{Zones: []string{"n1", "n2"}, OVN: tools, OVNOnly: true, Node: func(name string) *model.Node { return cluster.Node(name) }})
	probe := func() {
		t.Helper()
		steps, made, err := s.ProbePackets(t.Context(), ProbeRequest{Proto: "tcp", Port: 80,
			From: ProbeEnd{Zone: "n1", Port: "blue.net_blue_p1", Addr: netip.MustParseAddr("10.20.1.10")},
			To:   ProbeEnd{Zone: "n2", Port: "blue.net_blue_p2", Addr: netip.MustParseAddr("10.20.2.10")}})
		if err != nil {
			t.Fatal(err)
		}
		if !made {
			t.Errorf("the connection was not made: %+v", steps)
		}
	}
	for range 4 {
		s.SetPods(cluster, nil)
		w := follow(t, s, "n2", nbdb.Config{AnyName: true})
		for _, zone := range s.Zones() {
			follow(t, s, zone, nbdb.Config{}).until("the network's ports", func(_ []model.ZoneUpdate, db *nb.DB) bool {
				return db.PortByName(OutsidePort("blue_net_"+zone)) != nil && db.PortByName("blue.net_blue_p"+zone[1:]) != nil
			})
		}
		probe()
		next, changes := cluster.Upsert(nil, []model.Key{{Kind: model.KindNAD, Namespace: "blue", Name: "net"}})
		s.SetPods(next, changes)
		w.until("without the router", func(_ []model.ZoneUpdate, db *nb.DB) bool {
			return db.PortByName(OutsidePort("blue_net_n2")) == nil && db.SwitchByName("blue_net_n2") == nil
		})
	}
}

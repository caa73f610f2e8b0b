package network

import (
	"net/netip"
	"slices"
	"strings"

	"rung/model"
)

// Topology is the kind of a network.
type Topology string

// The topologies.
const (
	Layer3   Topology = "layer3"
	Layer2   Topology = "layer2"
	Localnet Topology = "localnet"
)

// Config is a network as a NetworkAttachmentDefinition or a UserDefinedNetwork describes it.
type Config struct {
	// Name identifies the network and its controller (networks.md#names).
	Name     string
	Topology Topology
	Primary  bool
	// Subnets are the subnets of the whole network, masked, in order; empty if it gives its pods no addresses.
	Subnets []netip.Prefix
	// InfrastructureSubnets and Gateways are the addresses that a layer 2 network reserves, if configured
	// (networks.md#node-rows).
	InfrastructureSubnets []netip.Prefix
	Gateways              []netip.Addr
	EVPN                  bool // its transport is EVPN
}

// Attachment is a NetworkAttachmentDefinition.
type Attachment struct {
	model.Meta
	Config Config
	// Foreign is true for other network plugins: nothing else of it is read.
	Foreign bool
	// Err explains an unusable spec.config in one line; empty if usable.
	Err string
	// ID is the network's number from the cluster manager, empty if unknown.
	ID string
}

// Definition is a UserDefinedNetwork or a ClusterUserDefinedNetwork.
type Definition struct {
	model.Meta
	Config Config
	// Namespaces selects the namespaces of a ClusterUserDefinedNetwork.
	Namespaces model.Selector
	// Err explains an unusable definition in one line; empty if usable.
	Err string
	// Conditions are the cluster manager's reports in its status.
	Conditions []model.Condition
}

// Connect is a ClusterNetworkConnect, reduced to effects on rows and connections.
type Connect struct {
	model.Meta
	// Pods and Services are true if it admits connections to pods, or to Services.
	Pods, Services bool
	// IDs are the numbers of the networks it connects now.
	IDs []string
}

// Network is a user-defined or secondary network.
type Network struct {
	Config
	// IPv4 and IPv6 tell the subnets' families; both false without subnets.
	IPv4, IPv6 bool
	// NADs has the keys of NetworkAttachmentDefinitions, "namespace/name", sorted.
	NADs []string
	// Made is true if Rung knows only a UserDefinedNetwork: NADs has the objects that would be made.
	Made bool
	// ID is its number, empty if unknown.
	ID string
	// From is its source: a UserDefinedNetwork, a ClusterUserDefinedNetwork, or the first of its
	// NetworkAttachmentDefinitions.
	From model.Key
}

// GivesAddresses reports whether pods get addresses from its subnets.
func (n *Network) GivesAddresses() bool { return n.IPv4 || n.IPv6 }

// Has reports whether an address is in one of the network's subnets.
func (n *Network) Has(a netip.Addr) bool {
	return slices.ContainsFunc(n.Subnets, func(p netip.Prefix) bool { return p.Contains(a) })
}

// Label returns the network for people: "user-defined network blue_net, layer 3".
func (n *Network) Label() string {
	role := "secondary network "
	if n.Primary {
		role = "user-defined network "
	}
	return role + n.Name + ", " + n.Topology.Words()
}

// Words returns the topology for people.
func (t Topology) Words() string {
	switch t {
	case Layer3:
		return "layer 3"
	case Layer2:
		return "layer 2"
	}
	return string(t)
}

// Prefix returns the prefix that a name becomes in logical ports, switches and routers (networks.md#names).
func Prefix(name string) string { return portText.Replace(name) + "_" }

var portText = strings.NewReplacer("-", ".", "/", ".")

// Switch returns the network's logical switch on a node; a layer 2 network has one for all nodes.
func (n *Network) Switch(node string) string {
	switch n.Topology {
	case Layer2:
		return Prefix(n.Name) + "ovn_layer2_switch"
	case Localnet:
		return Prefix(n.Name) + "ovn_localnet_switch"
	}
	return Prefix(n.Name) + node
}

// ManagementPort returns the port of a node on the network.
func (n *Network) ManagementPort(node string) string { return "k8s-" + Prefix(n.Name) + node }

// RouterPort returns the port of a node's switch that leads to the router.
func (n *Network) RouterPort(node string) string {
	if n.Topology == Layer2 {
		return "stotr-" + n.Switch(node)
	}
	return "stor-" + n.Switch(node)
}

// PortName returns the port of a pod attached by a key, "namespace/name". A second attachment has an index
// (networks.md#names).
func PortName(key, namespace, pod string) string { return Prefix(key) + namespace + "_" + pod }

// NodeAddresses returns the addresses from which a node reaches its pods on the network
// (networks.md#node-rows).
func (n *Network) NodeAddresses(node *model.Node) (out []string) {
	switch {
	case !n.Primary:
		return nil
	case n.Topology == Layer3:
		for _, p := range model.ParsePrefixes(node.NetworkSubnets[n.Name]) {
			out = append(out, p.Masked().Addr().Next().Next().String())
		}
		return out
	}
	for _, subnet := range n.Subnets {
		if a := n.managementAddress(subnet); a.IsValid() {
			out = append(out, a.String())
		}
	}
	return out
}

// managementAddress returns the address of all management ports of a layer 2 network in a subnet. It is the
// second, or the first of the infrastructure subnets that is neither gateway nor network nor broadcast address.
func (n *Network) managementAddress(subnet netip.Prefix) netip.Addr {
	gateway := n.gatewayIn(subnet)
	first := subnet.Masked().Addr().Next()
	switch a := n.infrastructureAddress(subnet, gateway); {
	case a.IsValid():
		return a
	case first.Next() == gateway:
		return first
	}
	return first.Next()
}

// gatewayIn returns the gateway of a layer 2 subnet: the configured one, the first usable one of the
// infrastructure subnets, or the first address of the subnet.
func (n *Network) gatewayIn(subnet netip.Prefix) netip.Addr {
	if i := slices.IndexFunc(n.Gateways, subnet.Contains); i >= 0 {
		return n.Gateways[i]
	}
	if a := n.infrastructureAddress(subnet, netip.Addr{}); a.IsValid() {
		return a
	}
	return subnet.Masked().Addr().Next()
}

// infrastructureAddress returns the first address of the infrastructure subnets that is usable in a subnet
// and not the given one; invalid if there is none.
func (n *Network) infrastructureAddress(subnet netip.Prefix, not netip.Addr) netip.Addr {
	for _, infra := range n.InfrastructureSubnets {
		if infra.Addr().Is4() != subnet.Addr().Is4() {
			continue
		}
		for a := infra.Masked().Addr(); infra.Contains(a); a = a.Next() {
			if a != subnet.Masked().Addr() && a != broadcast(subnet) && a != not {
				return a
			}
		}
	}
	return netip.Addr{}
}

// broadcast returns the last address of an IPv4 subnet; the zero address for IPv6.
func broadcast(p netip.Prefix) netip.Addr {
	if !p.Addr().Is4() {
		return netip.Addr{}
	}
	b := p.Masked().Addr().As4()
	for i := p.Bits(); i < 32; i++ {
		b[i/8] |= 1 << (7 - i%8)
	}
	return netip.AddrFrom4(b)
}

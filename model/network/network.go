package network

import (
	"net/netip"
	"slices"
	"strings"

	"rung/model"
)

// Topology is how a network is built.
type Topology string

// The topologies.
const (
	Layer3   Topology = "layer3"
	Layer2   Topology = "layer2"
	Localnet Topology = "localnet"
)

// Config is the network as a NetworkAttachmentDefinition or a UserDefinedNetwork describes it.
type Config struct {
	// Name is the network's name, as its controller is called after it (networks.md#names).
	Name     string
	Topology Topology
	Primary  bool
	// Subnets are the subnets of the whole network, masked, in their order; none for a network that gives
	// its pods no addresses.
	Subnets []netip.Prefix
	// InfrastructureSubnets and Gateways are the addresses that a layer 2 network keeps for itself,
	// where it is told (networks.md#node-rows).
	InfrastructureSubnets []netip.Prefix
	Gateways              []netip.Addr
	EVPN                  bool // its transport
}

// Attachment is a NetworkAttachmentDefinition.
type Attachment struct {
	model.Meta
	Config Config
	// Of another network plugin: nothing else of it is known.
	Foreign bool
	// Err is why spec.config cannot be read or used, one line; empty for none.
	Err string
	// ID is the number that the cluster manager gave the network, empty where it is not known.
	ID string
}

// Definition is a UserDefinedNetwork or a ClusterUserDefinedNetwork: the cluster manager makes
// NetworkAttachmentDefinitions of it.
type Definition struct {
	model.Meta
	Config Config
	// Namespaces selects the namespaces that a ClusterUserDefinedNetwork is made in.
	Namespaces model.Selector
	// Err is why it cannot be used, one line; empty for none.
	Err string
	// Conditions are the reports of the cluster manager about it.
	Conditions []model.Condition
}

// Connect is a ClusterNetworkConnect, as far as rows and connections follow from it.
type Connect struct {
	model.Meta
	// Pods and Services say that it lets through what goes to pods, or to Services.
	Pods, Services bool
	// IDs are the numbers of the networks it connects now.
	IDs []string
}

// Network is one network besides the default one.
type Network struct {
	Config
	// IPv4 and IPv6 are the families of its subnets; a network without subnets has neither.
	IPv4, IPv6 bool
	// NADs are the keys of its NetworkAttachmentDefinitions, "namespace/name", sorted.
	NADs []string
	// Made says that it is known from its UserDefinedNetwork alone: the NetworkAttachmentDefinitions
	// are those that the cluster manager would make.
	Made bool
	// ID is its number, empty where it is not known.
	ID string
	// From is the object it comes from: a UserDefinedNetwork, a ClusterUserDefinedNetwork, or the
	// first of its NetworkAttachmentDefinitions.
	From model.Key
}

// GivesAddresses says whether its pods have addresses of its subnets.
func (n *Network) GivesAddresses() bool { return n.IPv4 || n.IPv6 }

// Has reports whether an address is in one of the network's subnets.
func (n *Network) Has(a netip.Addr) bool {
	return slices.ContainsFunc(n.Subnets, func(p netip.Prefix) bool { return p.Contains(a) })
}

// Label is the network for people: "user-defined network blue_net, layer 3".
func (n *Network) Label() string {
	role := "secondary network "
	if n.Primary {
		role = "user-defined network "
	}
	return role + n.Name + ", " + n.Topology.Words()
}

// Words is the topology for people.
func (t Topology) Words() string {
	switch t {
	case Layer3:
		return "layer 3"
	case Layer2:
		return "layer 2"
	}
	return string(t)
}

// Prefix is a name as the names of logical ports, switches and routers begin (networks.md#names).
func Prefix(name string) string { return portText.Replace(name) + "_" }

var portText = strings.NewReplacer("-", ".", "/", ".")

// Switch is the logical switch of the network on a node; a layer 2 network has one for all nodes.
func (n *Network) Switch(node string) string {
	switch n.Topology {
	case Layer2:
		return Prefix(n.Name) + "ovn_layer2_switch"
	case Localnet:
		return Prefix(n.Name) + "ovn_localnet_switch"
	}
	return Prefix(n.Name) + node
}

// ManagementPort is the port of a node on the network.
func (n *Network) ManagementPort(node string) string { return "k8s-" + Prefix(n.Name) + node }

// RouterPort is the port of the switch of a node that leads to the router.
func (n *Network) RouterPort(node string) string {
	if n.Topology == Layer2 {
		return "stotr-" + n.Switch(node)
	}
	return "stor-" + n.Switch(node)
}

// PortName is the port of a pod that is attached by a key, "namespace/name" with an index after a
// second attachment (networks.md#names).
func PortName(key, namespace, pod string) string { return Prefix(key) + namespace + "_" + pod }

// NodeAddresses are the addresses from which a node reaches its pods on the network
// (networks.md#node-rows).
func (n *Network) NodeAddresses(node *model.Node) (out []string) {
	switch {
	case !n.Primary:
		return nil
	case n.Topology == Layer3:
		for _, text := range node.NetworkSubnets[n.Name] {
			if p, err := netip.ParsePrefix(text); err == nil {
				out = append(out, p.Masked().Addr().Next().Next().String())
			}
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

// managementAddress is the address of all management ports of a layer 2 network in a subnet: the
// second, or the first of the infrastructure subnets that is neither the gateway nor the network's own.
func (n *Network) managementAddress(subnet netip.Prefix) netip.Addr {
	gateway := n.gatewayIn(subnet)
	for _, infra := range n.InfrastructureSubnets {
		if infra.Addr().Is4() != subnet.Addr().Is4() {
			continue
		}
		for a := infra.Masked().Addr(); infra.Contains(a); a = a.Next() {
			if a != subnet.Masked().Addr() && a != broadcast(subnet) && a != gateway {
				return a
			}
		}
	}
	second := subnet.Masked().Addr().Next().Next()
	if second == gateway {
		return subnet.Masked().Addr().Next()
	}
	return second
}

// gatewayIn is the gateway of a subnet of a layer 2 network: the one it is told, the first of its
// infrastructure subnets that can be one, or the first of the subnet.
func (n *Network) gatewayIn(subnet netip.Prefix) netip.Addr {
	for _, g := range n.Gateways {
		if subnet.Contains(g) {
			return g
		}
	}
	for _, infra := range n.InfrastructureSubnets {
		if infra.Addr().Is4() != subnet.Addr().Is4() {
			continue
		}
		for a := infra.Masked().Addr(); infra.Contains(a); a = a.Next() {
			if a != subnet.Masked().Addr() && a != broadcast(subnet) {
				return a
			}
		}
	}
	return subnet.Masked().Addr().Next()
}

// broadcast is the last address of an IPv4 subnet, the zero address for others.
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

package network

import (
	"iter"
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/ovn/nb"
)

// ZonePart is a network's part of a zone's database without policies: the switch, its ports, and the groups of
// namespaces and of the cluster (networks.md#port-groups).
type ZonePart struct {
	Network *Network
	Switch  string
	// Management and Router are the node's port and the port to the router, on a primary network. Uplink is
	// the port of a localnet. Of the first two, a secondary network has only Router, and only on layer 3.
	Management, Router, Uplink string
	Pods                       []PodPort
	Groups                     []PortGroup
}

// PodPort is a port of a pod on a network.
type PodPort struct {
	Name string
	Key  string // of the NetworkAttachmentDefinition, with index
	Pod  *model.Pod
	IPs  []string
	// Remote is true if the pod is in another zone (networks.md#pods).
	Remote bool
}

// PortGroup is a port group that exists without any policy.
type PortGroup struct {
	IDs   map[string]string // external ids
	Name  string
	Ports []string
}

// NewPortGroup returns a port group of a network's controller, without ports; network is empty for the default.
func NewPortGroup(network, owner, name string) PortGroup {
	ids := nb.IDs(nb.ControllerName(network), owner, nb.IDPair{Key: nb.KeyName, Value: name})
	return PortGroup{IDs: ids, Name: nb.HashedName(ids[nb.KeyID])}
}

// PartIn returns what a zone's database has of the network. pods and namespaces come from Table.Project.
// multicast is true if the network's multicast rows exist.
func (n *Network) PartIn(zone string, pods iter.Seq[*model.Pod], namespaces iter.Seq[*model.Namespace], multicast bool) *ZonePart {
	z := &ZonePart{Network: n, Switch: n.Switch(zone)}
	if n.Topology == Localnet {
		z.Uplink = Prefix(n.Name) + "ovn_localnet_port"
	}
	if n.Topology == Layer3 || n.Primary {
		z.Router = n.RouterPort(zone)
	}
	if n.Primary {
		z.Management = n.ManagementPort(zone)
		cluster, router := NewPortGroup(n.Name, nb.OwnerCluster, nb.GroupCluster), NewPortGroup(n.Name, nb.OwnerCluster, nb.GroupClusterRtr)
		cluster.Ports = []string{z.Management}
		if n.Topology == Layer3 && multicast {
			router.Ports = []string{z.Router}
		}
		z.Groups = append(z.Groups, cluster, router)
	}
	of := map[string]*PortGroup{}
	var names []string
	for ns := range namespaces {
		g := NewPortGroup(n.Name, nb.OwnerNamespace, ns.Name)
		of[ns.Name], names = &g, append(names, ns.Name)
	}
	for p := range pods {
		remote := p.NodeName != zone
		if !p.CanBeSubject() || remote && (n.Topology != Layer2 || n.EVPN) {
			continue
		}
		for _, port := range p.PortNames() {
			pp := PodPort{Name: port, Pod: p, Remote: remote}
			pp.Key, pp.IPs = attachedAt(p, port)
			z.Pods = append(z.Pods, pp)
			if g := of[p.Namespace]; g != nil && n.GivesAddresses() {
				g.Ports = append(g.Ports, port)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		z.Groups = append(z.Groups, *of[name])
	}
	return z
}

// RouterAddresses returns the addresses of the network's router on a node's switch, with the length of their
// subnets: the first ones, or on layer 2 the gateways (networks.md#node-rows).
func (n *Network) RouterAddresses(node *model.Node) (out []netip.Prefix) {
	if n.Topology == Layer2 {
		for _, subnet := range n.Subnets {
			out = append(out, netip.PrefixFrom(n.gatewayIn(subnet), subnet.Bits()))
		}
		return out
	}
	for _, p := range model.ParsePrefixes(node.NetworkSubnets[n.Name]) {
		out = append(out, netip.PrefixFrom(p.Masked().Addr().Next(), p.Bits()))
	}
	return out
}

// PodsByNetwork returns the pods on each network, by its name.
func (t *Table) PodsByNetwork(c *model.Cluster) map[string][]*model.Pod {
	out := make(map[string][]*model.Pod, len(t.Names()))
	for p := range c.Pods() {
		for n, o := range t.Project(p) {
			if on, is := o.(*model.Pod); is {
				out[n.Name] = append(out[n.Name], on)
			}
		}
	}
	return out
}

// NamespacesOn yields the namespaces with a port group of the network: its own, or all for a secondary network.
func (t *Table) NamespacesOn(c *model.Cluster, n *Network) iter.Seq[*model.Namespace] {
	return func(yield func(*model.Namespace) bool) {
		for ns := range c.Namespaces() {
			if (!n.Primary || t.Serves(n, ns.Name)) && !yield(ns) {
				return
			}
		}
	}
}

// Isolates reports whether tier 0 isolates the pod's port on the default network. It does if the namespace has
// a primary network, with or without the label (networks.md#tier-0).
func (t *Table) Isolates(p *model.Pod) bool {
	return t != nil && t.primary[p.Namespace] != nil && p.CanBeSubject()
}

// attachedAt returns the key of a pod's port and the addresses there; empty if no annotation names the port.
func attachedAt(p *model.Pod, port string) (key string, ips []string) {
	for i := range p.Networks {
		if e := &p.Networks[i]; PortName(e.Name, p.Namespace, p.Name) == port {
			return e.Name, e.IPs
		}
	}
	for _, key := range p.Attachments {
		if PortName(key, p.Namespace, p.Name) == port {
			return key, nil
		}
	}
	return "", nil
}

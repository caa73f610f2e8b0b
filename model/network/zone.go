package network

import (
	"iter"
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/ovn/nb"
)

// ZonePart is the part of a zone's database that a network has without any policy: the switch, the
// ports on it, the groups of namespaces and of the cluster (networks.md#port-groups).
type ZonePart struct {
	Network *Network
	Switch  string
	// Management and Router are the names of the node's port and of the one that leads to the
	// router, of a primary network; Uplink is that of a localnet. A secondary network has neither a
	// node nor a router that anybody reaches, but a layer 3 one has the router.
	Management, Router, Uplink string
	Pods                       []PodPort
	Groups                     []PortGroup
}

// PodPort is a port of a pod on a network.
type PodPort struct {
	Name string
	Key  string // of the NetworkAttachmentDefinition, with its index
	Pod  *model.Pod
	IPs  []string
	// Remote says that the pod is in another zone (networks.md#pods).
	Remote bool
}

// PortGroup is a port group that is there without any policy.
type PortGroup struct {
	IDs   map[string]string // external ids
	Name  string
	Ports []string
}

// GroupOf is the port group of a network's controller with no ports yet; network is empty for the
// default one.
func GroupOf(network, owner, name string) PortGroup {
	ids := nb.IDs(nb.ControllerOf(network), owner, nb.IDPair{Key: nb.KeyName, Value: name})
	return PortGroup{IDs: ids, Name: nb.HashedName(ids[nb.KeyID])}
}

// PartIn returns the part of a zone's database that the network has. The pods and namespaces are those that stand on it, as
// Table.Project shows them; multicast says that the network's rows of multicast are there.
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
		cluster, router := GroupOf(n.Name, nb.OwnerCluster, nb.GroupCluster), GroupOf(n.Name, nb.OwnerCluster, nb.GroupClusterRtr)
		cluster.Ports = []string{z.Management}
		if n.Topology == Layer3 && multicast {
			router.Ports = []string{z.Router}
		}
		z.Groups = append(z.Groups, cluster, router)
	}
	of := map[string]*PortGroup{}
	var names []string
	for ns := range namespaces {
		g := GroupOf(n.Name, nb.OwnerNamespace, ns.Name)
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

// RouterAddresses are the addresses of the network's router on the switch of a node, with the length of
// their subnets: the first ones, or on layer 2 the gateways (networks.md#node-rows).
func (n *Network) RouterAddresses(node *model.Node) (out []netip.Prefix) {
	if n.Topology == Layer2 {
		for _, subnet := range n.Subnets {
			out = append(out, netip.PrefixFrom(n.gatewayIn(subnet), subnet.Bits()))
		}
		return out
	}
	for _, text := range node.NetworkSubnets[n.Name] {
		if p, err := netip.ParsePrefix(text); err == nil {
			out = append(out, netip.PrefixFrom(p.Masked().Addr().Next(), p.Bits()))
		}
	}
	return out
}

// StandingPods are the pods that stand on each of the networks, by its name.
func (t *Table) StandingPods(c *model.Cluster) map[string][]*model.Pod {
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

// NamespacesOn are the namespaces that have a port group of the network: those that a primary one
// serves, all for a secondary one.
func (t *Table) NamespacesOn(c *model.Cluster, n *Network) iter.Seq[*model.Namespace] {
	return func(yield func(*model.Namespace) bool) {
		for ns := range c.Namespaces() {
			if (!n.Primary || t.Serves(n, ns.Name)) && !yield(ns) {
				return
			}
		}
	}
}

// Isolates says whether the port of a pod on the default network is isolated by tier 0: its
// namespace has a primary network, with the label or without (networks.md#tier-0).
func (t *Table) Isolates(p *model.Pod) bool {
	return t != nil && t.primary[p.Namespace] != nil && p.CanBeSubject()
}

// attachedAt is the key of a pod's port, and the addresses there; a pod whose annotation does not
// name the port has neither.
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

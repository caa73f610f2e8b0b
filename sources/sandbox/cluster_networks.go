package sandbox

import (
	"slices"
	"sync"

	"rung/model"
	"rung/model/network"
	"rung/model/ovn/nb"
)

// ClusterNetworks is a cluster with its networks, and the rows each zone has of them.
type ClusterNetworks struct {
	Cluster *model.Cluster
	// Table lists the networks except the default one; nil reads them from the cluster.
	Table *network.Table

	once      sync.Once
	ports     map[string]map[string]podPort // ports on the default network, by zone and name
	groups    map[string]string             // port groups' names by namespace
	pods      map[string][]*model.Pod       // by network
	isolated  map[string][]*model.Pod       // by node
	multicast bool
}

// podPort is the port a pod should have.
type podPort struct{ uid, namespace, address string }

// collect reads the cluster once for all zones.
func (s *ClusterNetworks) collect() {
	s.once.Do(func() {
		if s.Table == nil {
			s.Table = network.NewTable(s.Cluster)
		}
		s.ports, s.groups = map[string]map[string]podPort{}, map[string]string{}
		s.pods, s.isolated = s.Table.PodsByNetwork(s.Cluster), map[string][]*model.Pod{}
		for p := range s.Cluster.Pods() {
			if s.Table.Isolates(p) {
				s.isolated[p.NodeName] = append(s.isolated[p.NodeName], p)
			}
			if !p.CanBeSubject() {
				continue
			}
			if s.ports[p.NodeName] == nil {
				s.ports[p.NodeName] = map[string]podPort{}
			}
			s.ports[p.NodeName][nb.PortName(p.Namespace, p.Name)] = newPodPort(p)
		}
		for ns := range s.Cluster.Namespaces() {
			s.groups[ns.Name] = nb.HashedName(NamespaceIDs(ns.Name)[nb.KeyID])
			s.multicast = s.multicast || ns.Annotations[model.AnnotationMulticast] == "true"
		}
	})
}

// newPodPort returns a pod's port. Without an IP address it has only a MAC address.
func newPodPort(p *model.Pod) podPort {
	return podPort{uid: p.UID, namespace: p.Namespace, address: addressColumn(p.Namespace+"/"+p.Name, p.IPs)}
}

// In describes the rows of the networks that a zone should have. mgmt are the addresses of the node's
// management port on the default network.
func (s *ClusterNetworks) In(zone string, mgmt []string, lab bool) *Networks {
	s.collect()
	out := &Networks{Zone: zone, Node: s.Cluster.Node(zone), Lab: lab,
		Isolation: &network.Isolation{Management: mgmt, Pods: s.isolated[zone]}}
	for _, name := range s.Table.Names() {
		n := s.Table.Network(name)
		out.Parts = append(out.Parts, n.PartIn(zone, slices.Values(s.pods[name]), s.Table.NamespacesOn(s.Cluster, n), s.multicast))
	}
	return out
}

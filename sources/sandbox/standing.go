package sandbox

import (
	"slices"
	"sync"

	"rung/model"
	"rung/model/network"
)

// Standing is a cluster with its networks, from which follows what each zone has of them.
type Standing struct {
	Cluster *model.Cluster
	Table   *network.Table

	once      sync.Once
	pods      map[string][]*model.Pod // by network
	isolated  map[string][]*model.Pod // by node
	multicast bool
}

// gather reads the cluster once for all zones.
func (s *Standing) gather() {
	s.once.Do(func() {
		s.pods, s.isolated = s.Table.StandingPods(s.Cluster), map[string][]*model.Pod{}
		for p := range s.Cluster.Pods() {
			if s.Table.Isolates(p) {
				s.isolated[p.NodeName] = append(s.isolated[p.NodeName], p)
			}
		}
		for ns := range s.Cluster.Namespaces() {
			s.multicast = s.multicast || ns.Annotations[model.AnnotationMulticast] == "true"
		}
	})
}

// In describes the rows that a zone is to have of the networks. mgmt are the addresses of the node's
// management port on the default network.
func (s *Standing) In(zone string, mgmt []string, lab bool) *Networks {
	s.gather()
	out := &Networks{Zone: zone, Node: s.Cluster.Node(zone), Lab: lab, Isolation: &Isolation{network.Isolation{Management: mgmt, Pods: s.isolated[zone]}}}
	for _, name := range s.Table.Names() {
		n := s.Table.Network(name)
		out.Parts = append(out.Parts, n.PartIn(zone, slices.Values(s.pods[name]), s.Table.NamespacesOn(s.Cluster, n), s.multicast))
	}
	return out
}

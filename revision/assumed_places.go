package revision

import (
	"cmp"
	"fmt"

	"rung/model"
	"rung/model/words"
)

// The assumptions about pods without a node or an address.
const (
	AssumesNode    = "is not scheduled: treated as running alone on its node"
	assumesAddress = "has no address yet: treated as having one"
)

// JudgedCluster returns the cluster that verdicts are computed for. Pods without a node or an address, such as
// all pods in manifests, are in it as if scheduled, each on its own node. Live rows do not know these pods.
func (r *Revision) JudgedCluster() *model.Cluster {
	placed := r.placedPods()
	if len(placed) == 0 {
		return r.Cluster
	}
	return r.shared.judged.Get(func() *model.Cluster {
		judged, _ := r.Cluster.Upsert(placed, nil)
		return judged
	})
}

func (r *Revision) placedPods() []model.Object {
	if r.changed != nil {
		return r.changed.base.placedPods() // both revisions have the same pods
	}
	return r.shared.placed.Get(func() (out []model.Object) {
		var free *Allocator
		for p := range r.Cluster.Pods() {
			why := whyUnplaced(p)
			if why == "" {
				continue
			}
			if free == nil {
				free = freeAddresses(r)
			}
			q := *r.onItsNetwork(p)
			q.Assumed = why
			if q.Planned != nil {
				q.NodeName = q.Planned.Node
			}
			q.NodeName = cmp.Or(q.NodeName, "own node of "+p.Namespace+"/"+p.Name)
			if len(q.IPs) == 0 && !q.HostNetwork { // a host-networked pod has its node's addresses
				q.IPs, q.MadeUpIPs = free.AddressesNear(nodeAddresses(r, q.NodeName)), true
			}
			out = append(out, &q)
		}
		return out
	})
}

// onItsNetwork returns a pod that has no place yet with the primary network of its namespace.
func (r *Revision) onItsNetwork(p *model.Pod) *model.Pod {
	if ns := r.Cluster.Namespace(p.Namespace); ns != nil && ns.GivesNetwork() {
		return p.OnNetworkOfNamespace()
	}
	return p
}

// whyUnplaced returns why a pod needs an assumed place, empty if it has a place or needs none.
func whyUnplaced(p *model.Pod) string {
	switch {
	case p.Planned != nil:
		return assumesFuturePod
	case p.IsCompleted() || p.PrimaryUDN() != "" || p.Network != "" && len(p.LogicalPorts) == 0: // the last is unreadable
	case p.NodeName == "":
		return AssumesNode
	case len(p.IPs) == 0 && !p.HostNetwork:
		return assumesAddress
	}
	return ""
}

// IsPlaceAssumed reports whether a pod has an assumed place.
func (r *Revision) IsPlaceAssumed(k model.Key) bool {
	p := r.JudgedCluster().Pod(k.Namespace, k.Name)
	return k.Kind == model.KindPod && p != nil && p.Assumed != ""
}

// unplacedPods returns the omission for pods with an assumed place.
func unplacedPods(r *Revision) []model.Omission {
	names := placedNames(r, false)
	if len(names) == 0 {
		return nil
	}
	n := len(names)
	why := fmt.Sprintf("%s (%s) %s not scheduled or %s no address: treated as running alone on %s",
		words.Count(n, "pod"), words.ListFew(names, 3), words.OneOrMany(n, "is", "are"), words.OneOrMany(n, "has", "have"),
		words.OneOrMany(n, "its node", "their nodes"))
	return []model.Omission{{Code: model.OmittedPlace, Key: model.Key{Kind: model.KindPod}, Why: why}}
}

// placedNames returns the names of the pods with an assumed place, either those that exist or those that do not yet.
func placedNames(r *Revision, future bool) (names []string) {
	for _, o := range r.placedPods() {
		if isFuturePod(o) == future {
			names = append(names, o.ObjectKey().NamespacedName())
		}
	}
	return names
}

func freeAddresses(r *Revision) *Allocator {
	if n := r.Network; n != nil {
		return NewAllocator(r.Cluster, n.IPv4 || !n.IPv6, n.IPv6, addressesTaken(r), n.Subnets)
	}
	o := r.Desired.Options()
	return NewAllocator(r.Cluster, o.IPv4 || !o.IPv6, o.IPv6, addressesTaken(r), o.ClusterSubnets)
}

// nodeAddresses returns the first address that a pod can have in each subnet of a node, empty if unknown.
func nodeAddresses(r *Revision, node string) []string {
	n := r.Cluster.Node(node)
	if n == nil || r.Network != nil {
		return nil
	}
	return FirstPodAddresses(model.ParsePrefixes(n.Subnets))
}

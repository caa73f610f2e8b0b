package revision

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"

	"rung/compiler"
	"rung/model"
	"rung/model/verdict"
)

// ImaginedPod is a pod that does not exist, or an existing pod with other labels. With an empty Name it is
// only a namespace. Space holds the labels of a namespace that does not exist.
type ImaginedPod struct {
	Namespace, Name string
	Space, Labels   map[string]string
	// Second puts the pod on the second node if the cluster has several.
	Second bool
}

// WithImagined returns the revision as it would be with some more pods and namespaces. The pods run on one of
// the first two nodes, have an address of the pod network and declare no ports. An existing pod stays
// unchanged, except for labels if given, and for a node or address if it has none. Ask only policies: no live
// row knows these pods.
func (r *Revision) WithImagined(things []ImaginedPod) *Revision {
	var objects []model.Object
	free := freeAddresses(r)
	var nodes []*model.Node
	for n := range r.Cluster.Nodes() {
		nodes = append(nodes, n)
		if len(nodes) == 2 {
			break
		}
	}
	made := map[string]bool{}
	for _, t := range things {
		if r.Cluster.Namespace(t.Namespace) == nil && !made[t.Namespace] {
			made[t.Namespace] = true
			objects = append(objects, newNamespace(t.Namespace, t.Space))
		}
		if t.Name == "" {
			continue
		}
		p := newPod(t.Namespace, t.Name, t.Labels)
		if is := r.Cluster.Pod(t.Namespace, t.Name); is != nil {
			p = new(*is)
			if len(t.Labels) > 0 {
				p.Labels = model.NewLabels(maps.Clone(t.Labels))
			}
		}
		at := &model.Node{Meta: model.Meta{Key: model.Key{Name: "node"}}}
		if len(nodes) > 0 {
			at = nodes[0]
		}
		if t.Second && len(nodes) > 1 {
			at = nodes[1]
		}
		p.NodeName = cmp.Or(p.NodeName, at.Name)
		if len(p.IPs) == 0 {
			near := slices.Clone(at.MgmtIPs)
			for other := range r.Cluster.Pods() {
				if len(nodes) > 0 && other.NodeName == at.Name && other.CanBePeer() {
					near = append(near, other.IPs...)
				}
			}
			p.IPs, p.MadeUpIPs = free.AddressesNear(near), true
		}
		objects = append(objects, r.onItsNetwork(p))
	}
	f := r.Facts
	f.Cluster, _ = r.Cluster.Upsert(objects, nil)
	f.Desired = compiler.Compile(f.Cluster, r.Desired.Options())
	return New(f, nil)
}

func addressesTaken(r *Revision) (out []netip.Addr) {
	for p := range r.Cluster.Pods() {
		out = append(out, verdict.ParseAddrs(p.IPs)...)
	}
	for n := range r.Cluster.Nodes() {
		out = append(out, verdict.ParseAddrs(slices.Concat(n.HostIPs, n.MgmtIPs, n.GatewayIPs, n.InternalIPs))...)
	}
	return out
}

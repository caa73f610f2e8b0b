package revision

import (
	"maps"
	"net/netip"
	"slices"

	"rung/compiler"
	"rung/model"
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
			labels := maps.Clone(t.Space)
			if labels == nil {
				labels = map[string]string{}
			}
			labels["kubernetes.io/metadata.name"] = t.Namespace
			objects = append(objects, &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: t.Namespace},
				Labels: model.NewLabels(labels)}})
		}
		if t.Name == "" {
			continue
		}
		p := &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: t.Namespace, Name: t.Name},
			Labels: model.NewLabels(maps.Clone(t.Labels))},
			Phase: "Running"}
		if is := r.Cluster.Pod(t.Namespace, t.Name); is != nil {
			p = new(*is)
			if len(t.Labels) > 0 {
				p.Labels = model.NewLabels(maps.Clone(t.Labels))
			}
		}
		at := nodes
		if t.Second && len(nodes) > 1 {
			at = nodes[1:]
		}
		switch {
		case p.NodeName != "":
		case len(at) > 0:
			p.NodeName = at[0].Name
		default:
			p.NodeName = "node"
		}
		if len(p.IPs) == 0 {
			p.IPs, p.MadeUpIPs = free.AddressesNear(addressesOn(r, at)), true
		}
		objects = append(objects, r.onItsNetwork(p))
	}
	f := r.Facts
	f.Cluster, _ = r.Cluster.Upsert(objects, nil)
	f.Desired = compiler.Compile(f.Cluster, r.Desired.Options())
	return New(f, nil)
}

// addressesTaken returns the addresses of all pods and nodes.
func addressesTaken(r *Revision) (out []netip.Addr) {
	add := func(ips []string) {
		for _, ip := range ips {
			if a, err := netip.ParseAddr(ip); err == nil {
				out = append(out, a.Unmap())
			}
		}
	}
	for p := range r.Cluster.Pods() {
		add(p.IPs)
	}
	for n := range r.Cluster.Nodes() {
		for _, ips := range [][]string{n.HostIPs, n.MgmtIPs, n.GatewayIPs, n.InternalIPs} {
			add(ips)
		}
	}
	return out
}

// addressesOn returns addresses of pods on the first of the nodes.
func addressesOn(r *Revision, nodes []*model.Node) []string {
	if len(nodes) == 0 {
		return nil
	}
	out := slices.Clone(nodes[0].MgmtIPs)
	for p := range r.Cluster.Pods() {
		if p.NodeName == nodes[0].Name && p.CanBePeer() {
			out = append(out, p.IPs...)
		}
	}
	return out
}

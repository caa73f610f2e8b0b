package revision

import (
	"maps"
	"net/netip"

	"rung/compiler"
	"rung/model"
)

// Imagined is a pod that does not exist yet, or with an empty Name a namespace alone. The
// namespace has Space as its labels unless it exists.
type Imagined struct {
	Namespace, Name string
	Space, Labels   map[string]string
	// Second puts the pod on the second node, where there are several.
	Second bool
}

// AsIf is the revision as it would be if some pods and namespaces existed. The pods run
// on one of the first two nodes, have an address of the pod network and declare no ports.
// Only policies can be asked: no row knows of them.
func (r *Revision) AsIf(things []Imagined) *Revision {
	var objects []model.Object
	taken := map[netip.Addr]bool{}
	for _, ip := range r.addresses() {
		taken[ip] = true
	}
	var nodes []*model.Node
	for n := range r.Cluster.Nodes() {
		if nodes = append(nodes, n); len(nodes) == 2 {
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
			objects = append(objects, &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: t.Namespace}, Labels: model.NewLabels(labels)}})
		}
		if t.Name == "" {
			continue
		}
		p := &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: t.Namespace, Name: t.Name}, Labels: model.NewLabels(maps.Clone(t.Labels))},
			NodeName: "node", Phase: "Running"}
		at := nodes
		if t.Second && len(nodes) > 1 {
			at = nodes[1:]
		}
		if len(at) > 0 {
			p.NodeName = at[0].Name
		}
		p.IPs = r.freeAddresses(at, taken)
		objects = append(objects, p)
	}
	f := r.Facts
	f.Cluster, _ = r.Cluster.Upsert(objects, nil)
	f.Desired = compiler.Compile(f.Cluster, r.Desired.Options())
	return New(f, nil)
}

// addresses are all that pods and nodes have.
func (r *Revision) addresses() (out []netip.Addr) {
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

// freeAddresses are addresses that nobody has, one of each family of the cluster: next to
// those of the node's pods, else of any pods, else in OVN-Kubernetes' default network.
func (r *Revision) freeAddresses(nodes []*model.Node, taken map[netip.Addr]bool) (out []string) {
	var near []string
	if len(nodes) > 0 {
		near = append(near, nodes[0].MgmtIPs...)
		for p := range r.Cluster.Pods() {
			if p.NodeName == nodes[0].Name && p.PeerEligible() {
				near = append(near, p.IPs...)
			}
		}
	}
	for p := range r.Cluster.Pods() {
		if p.PeerEligible() {
			near = append(near, p.IPs...)
		}
	}
	near = append(near, "10.128.0.3", "fd01::3")
	o := r.Desired.Options()
	for _, want4 := range []bool{true, false} {
		if want4 && !o.IPv4 || !want4 && !o.IPv6 {
			continue
		}
		for _, ip := range near {
			a, err := netip.ParseAddr(ip)
			if err != nil || a.Unmap().Is4() != want4 {
				continue
			}
			for a = a.Unmap(); taken[a]; a = a.Next() {
			}
			taken[a] = true
			out = append(out, a.String())
			break
		}
	}
	return out
}

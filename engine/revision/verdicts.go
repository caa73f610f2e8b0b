package revision

import (
	"cmp"

	"rung/compiler"
	"rung/model"
	"rung/model/nb"
	"rung/model/verdict"
)

// Verdicts says what the policies of this revision make of connections.
func (r *Revision) Verdicts() *verdict.Index {
	d := r.shared
	d.verdictsOnce.Do(func() {
		if r.System == model.SystemAntrea {
			d.verdicts = verdict.New(verdict.View{Cluster: r.Cluster, Pods: r.podIndex(), Options: verdict.Options{
				IPv4: true, IPv6: true, System: r.System}})
			return
		}
		o := r.Desired.Options()
		d.verdicts = verdict.New(verdict.View{Cluster: r.Cluster, Pods: r.podIndex(), Options: verdict.Options{
			IPv4: o.IPv4, IPv6: o.IPv6, AllowICMP: o.AllowICMP, ClusterSubnets: o.ClusterSubnets, DNS: o.DNS,
			Defaults:             r.Compiled(model.Key{Kind: model.KindNetpolDefault, Name: nb.NameHairpin}),
			Multicast:            r.Compiled(model.Key{Kind: model.KindMulticastCluster, Name: nb.TypeMulticastDeny}),
			HostNetworkNamespace: cmp.Or(o.HostNetworkNamespace, compiler.DefaultHostNetworkNamespace),
			NoRows:               r.None,
		}})
	})
	return d.verdicts
}

// CompiledZones are the rows that the policies compile to, for every node, to judge
// connections by.
func (r *Revision) CompiledZones() verdict.Zones {
	d := r.Desired
	if r.after != nil {
		d = compiler.Compile(r.Cluster, d.Options())
	}
	out, m := verdict.Zones{}, &verdict.Matches{}
	for n := range r.Cluster.Nodes() {
		out[n.Name] = verdict.NewZone(n.Name, d.Database(n.Name), m, nil)
	}
	return out
}

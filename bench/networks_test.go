package bench

import (
	"fmt"
	"net/netip"

	"rung/model"
	"rung/model/network"
)

// withNetworks is a cluster with half its namespaces, and the pods in them, on ten user-defined networks
// of layer 3, with a NetworkPolicy in each.
func withNetworks(c *model.Cluster) *model.Cluster {
	const networks = 10
	name := func(i int) string { return fmt.Sprint("net", i%networks) }
	var put []model.Object
	for i := range networks {
		put = append(put, &network.Definition{Meta: model.Meta{Key: model.Key{Kind: model.KindCUDN, Name: name(i)}},
			Namespaces: model.SelectLabels(model.NewLabels(map[string]string{"network": name(i)})),
			Config: network.Config{Name: "cluster_udn_" + name(i), Topology: network.Layer3, Primary: true,
				Subnets: []netip.Prefix{netip.MustParsePrefix("10.128.0.0/9")}}}) // they may all have the same
	}
	of := map[string]string{}
	i := 0
	for ns := range c.Namespaces() {
		i++
		if i%2 == 0 {
			continue
		}
		n := *ns
		labels := map[string]string{model.LabelPrimaryUDN: "", "network": name(i / 2)}
		for k, v := range ns.Labels.Map() {
			labels[k] = v
		}
		n.Labels, of[n.Name] = model.NewLabels(labels), name(i/2)
		put = append(put, &n)
	}
	for n := range c.Nodes() {
		node := *n
		node.NetworkSubnets = map[string][]string{}
		for i := range networks {
			node.NetworkSubnets["cluster_udn_"+name(i)] = []string{"10.128.0.0/16"}
		}
		put = append(put, &node)
	}
	for p := range c.Pods() {
		if on := of[p.Namespace]; on != "" {
			pod := *p
			pod.Networks = []model.PodNetwork{{Name: "default", Role: "infrastructure-locked", IPs: p.IPs},
				{Name: p.Namespace + "/" + on, Role: "primary", IPs: p.IPs}}
			put = append(put, &pod)
		}
	}
	out, _ := c.Upsert(put, nil)
	return out
}

// withOwnPolicies gives every second namespace, those that withNetworks puts on networks, a
// NetworkPolicy that allows its own pods alone.
func withOwnPolicies(c *model.Cluster) *model.Cluster {
	var put []model.Object
	i := 0
	for ns := range c.Namespaces() {
		i++
		if i%2 == 0 {
			continue
		}
		own := model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), Namespace: ns.Name}
		put = append(put, &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: ns.Name, Name: "allow-own"}}, Tier: model.TierNetwork,
			Subject: own, IsolatesIngress: true,
			Ingress: []model.Rule{{Direction: model.Ingress, Action: model.Allow, Peers: []model.Peer{{Kind: model.PeerPods,
				Namespaces: own.Namespaces, Pods: own.Pods, Namespace: ns.Name}}}}})
	}
	out, _ := c.Upsert(put, nil)
	return out
}

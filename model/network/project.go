package network

import (
	"iter"
	"slices"
	"strings"

	"rung/model"
)

// PodOn returns a pod with its addresses and ports on a network; nil if it has no port there or is
// host-networked. A pod with unreadable annotations is on every network that these could name, without ports,
// and freezes address sets that select it (networks.md#frozen-sets).
func (t *Table) PodOn(n *Network, p *model.Pod) *model.Pod {
	if p.HostNetwork {
		return nil
	}
	p = t.withAwaitedNetwork(p)
	names, unreadable := p.Attachments, p.AttachmentsErr != ""
	if n.Primary {
		names, unreadable = nil, p.NetworksErr != "" && t.Serves(n, p.Namespace)
		for i := range p.Networks {
			names = append(names, p.Networks[i].Name)
		}
	}
	var keys []string
	if !unreadable {
		keys = slices.DeleteFunc(slices.Clone(names), func(key string) bool { return t.NetworkOfKey(key) != n })
		if len(keys) == 0 {
			return nil
		}
	}
	q := *p
	if n.Primary {
		q.AttachmentsErr = ""
	}
	q.Network, q.IPs, q.LogicalPorts, q.MadeUpIPs = n.Name, nil, nil, false
	for _, key := range keys {
		q.LogicalPorts = append(q.LogicalPorts, PortName(n.keyIn(key, p.Namespace), p.Namespace, p.Name))
		for i := range p.Networks {
			if p.Networks[i].Name == key {
				q.IPs = append(q.IPs, p.Networks[i].IPs...)
			}
		}
	}
	return &q
}

// withAwaitedNetwork returns a pod without node and annotations as it will be on the primary network of its namespace;
// other pods unchanged. No row knows of such a pod.
func (t *Table) withAwaitedNetwork(p *model.Pod) *model.Pod {
	if at, _ := t.Place(p.Namespace); at != OnPrimary || p.NodeName != "" || len(p.Networks) > 0 || p.NetworksErr != "" || p.IsCompleted() {
		return p
	}
	return p.OnNetworkOfNamespace()
}

// keyIn returns the key of a pod's port. For a pod without annotations it is the network's
// NetworkAttachmentDefinition in the pod's namespace.
func (n *Network) keyIn(key, namespace string) string {
	if !strings.HasPrefix(key, model.NetworkOfNamespace) {
		return key
	}
	for _, nad := range n.NADs {
		if strings.HasPrefix(nad, namespace+"/") {
			return nad
		}
	}
	return key
}

// Project yields an object as it appears on each network that it concerns: pods and nodes with their addresses
// there, namespaces and policies that the network serves.
func (t *Table) Project(o model.Object) iter.Seq2[*Network, model.Object] {
	return func(yield func(*Network, model.Object) bool) {
		if t == nil {
			return
		}
		switch o := o.(type) {
		case *model.Pod:
			for _, name := range t.PodNetworks(o) {
				n := t.byName[name]
				if p := t.PodOn(n, o); p != nil && !yield(n, p) {
					return
				}
			}
		case *model.Namespace:
			t.projectNamespace(o, yield)
		case *model.Node:
			for name := range o.NetworkSubnets {
				if n := t.byName[name]; n != nil && n.Primary && !yield(n, n.NodeOn(o)) {
					return
				}
			}
		case *model.Policy:
			t.projectPolicy(o, yield)
		}
	}
}

func (t *Table) projectNamespace(o *model.Namespace, yield func(*Network, model.Object) bool) {
	for _, name := range t.names {
		n := t.byName[name]
		if (!n.Primary || t.Serves(n, o.Name)) && !yield(n, o) {
			return
		}
	}
}

func (t *Table) projectPolicy(p *model.Policy, yield func(*Network, model.Object) bool) {
	switch p.Kind {
	case model.KindNP:
		if at, n := t.Place(p.Namespace); at == OnPrimary {
			yield(n, p)
		}
	case model.KindMNP:
		for _, n := range t.SecondaryTargets(p) {
			if !yield(n, p) {
				return
			}
		}
	}
}

// NodeOn returns a node with its addresses on the network.
func (n *Network) NodeOn(node *model.Node) *model.Node {
	on := *node
	on.Subnets, on.NetworkSubnets, on.GatewayIPs, on.MgmtIPs = node.NetworkSubnets[n.Name], nil, nil, n.NodeAddresses(node)
	return &on
}

// Freezes reports whether a pod, as returned by PodOn, freezes the sets that select it.
func Freezes(p *model.Pod) bool {
	return p.Network != "" && (p.NetworksErr != "" || p.AttachmentsErr != "")
}

// PodNetworks returns the names of the networks other than the default that a pod is on, sorted. Networks that
// unreadable annotations could name are included.
func (t *Table) PodNetworks(p *model.Pod) []string {
	if t == nil || p.HostNetwork {
		return nil
	}
	p = t.withAwaitedNetwork(p)
	var out []string
	add := func(n *Network) {
		if n != nil && !slices.Contains(out, n.Name) {
			out = append(out, n.Name)
		}
	}
	for i := range p.Networks {
		if n := t.NetworkOfKey(p.Networks[i].Name); n != nil && n.Primary {
			add(n)
		}
	}
	for _, key := range p.Attachments {
		if n := t.NetworkOfKey(key); n != nil && !n.Primary {
			add(n)
		}
	}
	if p.NetworksErr != "" {
		if at, n := t.Place(p.Namespace); at == OnPrimary {
			add(n)
		}
	}
	if p.AttachmentsErr != "" {
		for _, name := range t.names {
			if n := t.byName[name]; !n.Primary {
				add(n)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Target is an item of the policy-for annotation.
type Target struct {
	Key     string   // "namespace/name"
	Network *Network // nil if unknown
}

// PolicyTargets returns the networks that a MultiNetworkPolicy names, item by item
// (networks.md#multinetworkpolicy).
func (t *Table) PolicyTargets(p *model.Policy) []Target {
	var out []Target
	text := strings.ReplaceAll(p.Annotations[model.AnnotationPolicyFor], " ", "")
	for _, item := range strings.Split(text, ",") {
		if item == "" {
			continue
		}
		key := p.Namespace + "/" + item
		if parts := strings.Split(item, "/"); len(parts) > 1 {
			key = parts[0] + "/" + parts[1]
		}
		out = append(out, Target{Key: key, Network: t.NetworkOfNAD(key)})
	}
	return out
}

// NetworkOfNAD returns the network of a NetworkAttachmentDefinition, "namespace/name", or nil.
func (t *Table) NetworkOfNAD(key string) *Network {
	if t == nil {
		return nil
	}
	return t.byNAD[key]
}

// NetworksOfPolicy returns the names of the networks other than the default that a policy is programmed on.
func (t *Table) NetworksOfPolicy(p *model.Policy) []string {
	switch p.Kind {
	case model.KindNP, model.KindEF:
		if at, n := t.Place(p.Namespace); at == OnPrimary {
			return []string{n.Name}
		}
	case model.KindMNP:
		var out []string
		for _, n := range t.SecondaryTargets(p) {
			out = append(out, n.Name)
		}
		return out
	}
	return nil
}

// SecondaryTargets returns the distinct secondary networks that a MultiNetworkPolicy names, by name.
func (t *Table) SecondaryTargets(p *model.Policy) []*Network {
	var out []*Network
	for _, target := range t.PolicyTargets(p) {
		if n := target.Network; n != nil && !n.Primary && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b *Network) int { return strings.Compare(a.Name, b.Name) })
	return out
}

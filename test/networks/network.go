package networks

import (
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/network"
)

// net is a network besides the default one; nil stands for that.
type net struct {
	name, topology string
	primary        bool
	subnets        []netip.Prefix
	infrastructure []netip.Prefix
	gateways       []netip.Addr
	v4, v6         bool
}

// networks has the networks of a cluster besides the default one.
type networks struct {
	all     map[string]*net // by name
	byKey   map[string]*net // by NetworkAttachmentDefinition
	primary map[string]*net // by namespace
}

// newNetworks follows networks.md#names: NetworkAttachmentDefinitions as they are, and those that would be
// made of definitions.
func newNetworks(c *model.Cluster) *networks {
	t := &networks{all: map[string]*net{}, byKey: map[string]*net{}, primary: map[string]*net{}}
	add := func(namespace, name string, c *network.Config) {
		if len(c.Subnets) == 0 && (c.Primary || c.Topology == "layer3") {
			return
		}
		n := t.all[c.Name]
		if n == nil {
			n = &net{name: c.Name, topology: string(c.Topology), primary: c.Primary, subnets: c.Subnets, infrastructure: c.InfrastructureSubnets, gateways: c.Gateways}
			for _, s := range c.Subnets {
				n.v4, n.v6 = n.v4 || s.Addr().Is4(), n.v6 || s.Addr().Is6()
			}
			t.all[c.Name] = n
		}
		t.byKey[namespace+"/"+name] = n
		if c.Primary && t.primary[namespace] == nil {
			t.primary[namespace] = n
		}
	}
	for a := range model.ObjectsOfKind[*network.Attachment](c, model.KindNAD) {
		if !a.Foreign && a.Err == "" {
			add(a.Namespace, a.Name, &a.Config)
		}
	}
	missing := func(namespace, name string) bool {
		return c.Get(model.Key{Kind: model.KindNAD, Namespace: namespace, Name: name}) == nil
	}
	// A primary network of a namespace without the label is refused.
	refused := func(d *network.Definition, namespace string) bool {
		ns := c.Namespace(namespace)
		return d.Config.Primary && ns != nil && ns.Labels.Map()["k8s.ovn.org/primary-user-defined-network"] == ""
	}
	for d := range model.ObjectsOfKind[*network.Definition](c, model.KindUDN) {
		if d.Err == "" && missing(d.Namespace, d.Name) && !refused(d, d.Namespace) {
			add(d.Namespace, d.Name, &d.Config)
		}
	}
	for d := range model.ObjectsOfKind[*network.Definition](c, model.KindCUDN) {
		for ns := range c.Namespaces() {
			if d.Err == "" && d.Namespaces.Matches(ns.Labels) && missing(ns.Name, d.Name) && !refused(d, ns.Name) {
				add(ns.Name, d.Name, &d.Config)
			}
		}
	}
	return t
}

// active follows networks.md#namespaces: the network of a namespace's policies; known says whether
// anybody programs NetworkPolicies there, firewall whether anybody programs its EgressFirewall.
func (r *reference) active(namespace string) (n *net, known, firewall bool) {
	labeled := false
	if ns := r.c.Namespace(namespace); ns != nil {
		_, labeled = ns.Labels.Map()["k8s.ovn.org/primary-user-defined-network"]
	}
	has := r.networks.primary[namespace]
	switch {
	case labeled && has != nil:
		return has, true, true
	case labeled:
		return nil, false, false
	case has != nil:
		return nil, false, true
	}
	return nil, true, true
}

// ofKey is the network that the key of an attachment leads to, with an index or without.
func (t *networks) ofKey(key string) *net {
	parts := strings.Split(key, "/")
	if len(parts) < 2 {
		return nil
	}
	return t.byKey[parts[0]+"/"+parts[1]]
}

func prefix(x string) string {
	return strings.Map(func(c rune) rune {
		if c == '-' || c == '/' {
			return '.'
		}
		return c
	}, x) + "_"
}

func (n *net) switchName(node string) string {
	switch {
	case n == nil:
		return node
	case n.topology == "layer2":
		return prefix(n.name) + "ovn_layer2_switch"
	case n.topology == "localnet":
		return prefix(n.name) + "ovn_localnet_switch"
	}
	return prefix(n.name) + node
}

// stand is a pod on a network.
type stand struct {
	ports, addresses []string
	frozen           bool
}

// podStand follows networks.md#pods, and #frozen-sets for what cannot be read.
func (r *reference) podStand(n *net, p *model.Pod) (s stand) {
	switch {
	case n == nil:
		return stand{ports: []string{p.Namespace + "_" + p.Name}, addresses: p.IPs}
	case p.HostNetwork:
		return stand{}
	case n.primary:
		if p.NetworksErr != "" {
			at, _, _ := r.active(p.Namespace)
			return stand{frozen: at == n}
		}
		for _, e := range p.Networks {
			if r.networks.ofKey(e.Name) == n {
				s.ports = append(s.ports, prefix(e.Name)+p.Namespace+"_"+p.Name)
				s.addresses = append(s.addresses, e.IPs...)
			}
		}
	default:
		if p.AttachmentsErr != "" {
			return stand{frozen: true}
		}
		for _, key := range p.Attachments {
			if r.networks.ofKey(key) != n {
				continue
			}
			s.frozen = p.NetworksErr != ""
			s.ports = append(s.ports, prefix(key)+p.Namespace+"_"+p.Name)
			for _, e := range p.Networks {
				if e.Name == key {
					s.addresses = append(s.addresses, e.IPs...)
				}
			}
		}
	}
	return s
}

// localPorts are the ports on a network of the pods of a namespace that a selector matches, in this zone.
func (r *reference) localPorts(n *net, namespace string, pods model.Selector) (out []string) {
	for p := range r.c.Pods() {
		if p.Namespace == namespace && r.c.Namespace(namespace) != nil && p.NodeName == r.zone && !p.HostNetwork && !isCompleted(p) && pods.Matches(p.Labels) {
			out = append(out, r.podStand(n, p).ports...)
		}
	}
	return out
}

// set puts the sets of a selector, one for each family, and gives their names by family.
func (r *reference) set(n *net, text string, legacy bool, in func(*model.Namespace) bool, pods model.Selector) map[string]string {
	var all []string
	frozen := false
	for ns := range r.c.Namespaces() {
		if !in(ns) {
			continue
		}
		if on, _, _ := r.active(ns.Name); n != nil && n.primary && on != n {
			continue // not on the network
		}
		for p := range r.c.Pods() {
			if p.Namespace != ns.Name || isCompleted(p) || legacy && p.HostNetwork || !pods.Matches(p.Labels) {
				continue
			}
			s := r.podStand(n, p)
			frozen = frozen || s.frozen
			if p.NodeName != "" {
				all = append(all, s.addresses...)
			}
		}
		if legacy && n == nil && ns.Name == "ovn-host-network" {
			for node := range r.c.Nodes() {
				all = slices.Concat(all, node.MgmtIPs, node.GatewayIPs)
			}
		}
	}
	return r.sets(controllerName(n), "PodSelector", text, r.families(n), all, frozen)
}

// sets puts address sets, one for each family.
func (r *reference) sets(controller, owner, name string, families, addresses []string, frozen bool) map[string]string {
	out := map[string]string{}
	for _, f := range families {
		ids := externalIDs(controller, owner, named(name), pair{"ip-family", "v" + f})
		row := Row{Table: "Address_Set", Name: Hashed(ids["k8s.ovn.org/id"]), IDs: ids, Frozen: frozen}
		for _, a := range addresses {
			if addressFamily(a) == f {
				row.Addresses = append(row.Addresses, a)
			}
		}
		r.put(row)
		out[f] = row.Name
	}
	return out
}

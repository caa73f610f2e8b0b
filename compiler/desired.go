package compiler

import (
	"iter"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/network"
	"rung/model/ovn/dialect"
	"rung/model/ovn/nb"
	"rung/model/selectors"
	"rung/model/sorted"
)

// Desired holds the desired rows of one revision of the cluster. It is immutable and safe for concurrent use.
type Desired struct {
	cluster   *model.Cluster
	selectors *selectors.Index
	policies  *sorted.Map[*CompiledUnit] // by key string
	views     groupViews
	options   Options
	space     podSpace

	// Only in the Desired of the default network: the other networks, their rows, and all networks ever named.
	table    *network.Table
	networks map[string]*Desired
	known    map[string]struct{}
	// name is the network these rows belong to, or empty for the default network.
	name string
}

// Options are the settings and facts that the compiler needs in addition to the objects.
type Options struct {
	// IPv4 and IPv6 are the enabled families of the cluster. If neither is set, they follow the addresses of
	// the pods, or are IPv4 alone without pods.
	IPv4, IPv6 bool
	// PodFamilies adds the families of the pods' addresses to IPv4 and IPv6.
	PodFamilies bool
	// Observability adds the samples of ovn-kubernetes.md#samples.
	Observability bool
	// AlternateForms are the lines of release.Lines to compile in their other form (ovn-kubernetes.md#releases).
	AlternateForms dialect.Set
	// MaxPriority is the lowest supported precedence; 0 means
	// model.MaxPriority.
	MaxPriority int32

	// CNP compiles ClusterNetworkPolicies as OVN-Kubernetes might; it has no controller for them
	// (ovn-kubernetes.md#clusternetworkpolicy).
	CNP bool

	// AllowICMP adds the rows of allow-icmp-network-policy (ovn-kubernetes.md#default-deny). Stateless honours
	// the annotation acl-stateless (ovn-kubernetes.md#rule-rows).
	AllowICMP, Stateless bool
	// Defaults switches the hairpin and node rows (ovn-kubernetes.md#hairpin-and-node-rows). Auto: on once
	// there is a NetworkPolicy.
	Defaults SwitchOption
	// Multicast switches the multicast rows (ovn-kubernetes.md#multicast). Auto: on once a namespace allows
	// multicast.
	Multicast SwitchOption
	// ClusterSubnets are the cluster's pod subnets, which an EgressFirewall's CIDR never matches
	// (ovn-kubernetes.md#firewall-match). If empty, the nodes' subnets are used and NodeSubnets is set: there
	// may be more.
	ClusterSubnets []netip.Prefix
	NodeSubnets    bool
	// DNS maps an EgressFirewall's DNS names to their addresses.
	DNS map[string][]string
	// HostNetworkNamespace stands for the nodes as a peer
	// (ovn-kubernetes.md#pod-selector-sets); empty means DefaultHostNetworkNamespace.
	HostNetworkNamespace string
	// Segmentation Off leaves every namespace on the default network, and MultiPolicies Off programs no
	// MultiNetworkPolicy, like OVN-Kubernetes without these features (networks.md#namespaces). Auto switches
	// them on if objects need them.
	Segmentation, MultiPolicies SwitchOption
	// NoRows compiles no rows: another system than OVN-Kubernetes enforces the policies.
	NoRows bool

	// Unset names the switches among AllowICMP, Stateless and Observability that were not given, as
	// OVN-Kubernetes spells them. A ConfigMap among the objects decides them.
	Unset []string
	// fromConfig is a text of the options that ConfigMaps may change.
	fromConfig string
	// HostAssumed reports whether HostNetworkNamespace is assumed; set in the options of a Desired.
	HostAssumed bool

	// HairpinFrom4 and HairpinFrom6 are the addresses of hairpin rows, if the masquerade subnets are known.
	// Empty means the fifth address of OVN-Kubernetes' defaults. With primary networks it means
	// PrimaryHairpin4 and PrimaryHairpin6.
	HairpinFrom4, HairpinFrom6 string
	// HairpinAssumed means that PrimaryHairpin4 or PrimaryHairpin6 is used, in the options of a Desired.
	HairpinAssumed bool
	// hairpin4 and hairpin6 are the families of hairpin rows: the cluster's families, on every network.
	hairpin4, hairpin6 bool
}

// HairpinAddrs returns the addresses of hairpin rows, IPv4 and IPv6; not valid for OVN-Kubernetes' defaults.
func (o *Options) HairpinAddrs() (out [2]netip.Addr) {
	for i, text := range [...]string{o.HairpinFrom4, o.HairpinFrom6} {
		out[i], _ = netip.ParseAddr(text)
	}
	return out
}

// SwitchOption turns a feature on or off, or lets the objects decide.
type SwitchOption uint8

// The values of a SwitchOption.
const (
	Auto SwitchOption = iota
	On
	Off
)

// Hairpin addresses of clusters with primary user-defined networks and unknown masquerade subnets: nodes need
// larger subnets than the defaults there.
const (
	PrimaryHairpin4 = "169.254.0.5"
	PrimaryHairpin6 = "fd69::5"
)

// DefaultHostNetworkNamespace is OVN-Kubernetes' own default.
const DefaultHostNetworkNamespace = "ovn-host-network"

// Families returns the compiled address families.
func (d *Desired) Families() (v4, v6 bool) { return d.options.IPv4, d.options.IPv6 }

// Options returns the options the rows were compiled with. Families and subnets that follow the objects are
// filled in, as far as they were known.
func (d *Desired) Options() Options { return d.options }

// Cluster returns the cluster these rows were compiled from.
func (d *Desired) Cluster() *model.Cluster { return d.cluster }

// Selectors returns the selectors and label classes the rows were compiled with.
func (d *Desired) Selectors() *selectors.Index {
	if d == nil {
		return nil
	}
	return d.selectors
}

// Policies walks all compiled units by key, the default network's first.
func (d *Desired) Policies() iter.Seq[*CompiledUnit] {
	return func(yield func(*CompiledUnit) bool) {
		if d == nil {
			return
		}
		for _, c := range d.policies.Prefix("") {
			if !yield(c) {
				return
			}
		}
		for _, name := range slices.Sorted(maps.Keys(d.networks)) {
			for _, c := range d.networks[name].policies.Prefix("") {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// Policy returns one compiled policy, or nil. An object's key also finds its rows on another network: on the
// first by name if there are several.
func (d *Desired) Policy(k model.PolicyKey) *CompiledUnit {
	if d == nil {
		return nil
	}
	if k.Network != "" {
		d = d.networks[k.Network]
		if d == nil {
			return nil
		}
	}
	if c, _ := d.policies.Get(k.String()); c != nil || len(d.networks) == 0 {
		return c
	}
	for _, k := range d.otherNetworkUnits(k) {
		if c := d.Policy(k); c != nil {
			return c
		}
	}
	return nil
}

// RelatedUnits returns the existing units that hold further rows for a policy, by key: its namespace's default
// deny and the address sets its rules share.
func (d *Desired) RelatedUnits(k model.PolicyKey) []model.PolicyKey {
	c := d.Policy(k)
	if c == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.related), func(k model.PolicyKey) bool { return d.Policy(k) == nil })
}

// SubjectPods lists the pods a policy applies to, by namespace and name, in all zones. A policy without rows
// lists the pods it would apply to. The slice is shared and must not be changed.
func (d *Desired) SubjectPods(c *CompiledUnit) []*model.Pod {
	if c == nil {
		return nil
	}
	d = d.onNetwork(c.Key.Network)
	if len(c.subjects) == 1 {
		return slices.Clip(d.podsOfGroups(c.subjects[0]))
	}
	var all []*model.Pod
	for _, g := range c.subjects {
		all = append(all, d.podsOfGroups(g)...)
	}
	sortPods(all)
	return slices.CompactFunc(all, func(a, b *model.Pod) bool { return a.Key == b.Key })
}

// SubjectCount counts the subjects. Pods with a primary network of their own count in apart: the policy is not
// enforced there.
func (d *Desired) SubjectCount(c *CompiledUnit) (pods, apart int) {
	if c == nil {
		return 0, 0
	}
	if len(c.subjects) != 1 {
		for _, p := range d.SubjectPods(c) {
			if p.PrimaryUDN() != "" {
				apart++
			} else {
				pods++
			}
		}
		return pods, apart
	}
	d = d.onNetwork(c.Key.Network)
	v := d.findGroupView(c.subjects[0])
	if v == nil {
		return 0, 0
	}
	n := len(v.listPods(d.space))
	return n - v.podsOnPrimary, v.podsOnPrimary
}

// PeerPods lists the pods of one peer of a rule; nil for peers that are not pods. It includes pods without an
// address, which match but contribute nothing. The slice is shared and must not be changed.
func (d *Desired) PeerPods(c *CompiledUnit, dir model.Direction, rule, peer int) []*model.Pod {
	if c == nil {
		return nil
	}
	d = d.onNetwork(c.Key.Network)
	for _, r := range c.rules {
		if r.rule.Direction == dir && r.rule.Index == rule && peer >= 0 && peer < len(r.peers) && r.peers[peer] != nil {
			return slices.Clip(d.podsOfGroups(r.peers[peer]))
		}
	}
	return nil
}

func (d *Desired) podsOfGroups(g *selectorGroup) []*model.Pod {
	if v := d.findGroupView(g); v != nil {
		return v.listPods(d.space)
	}
	return nil
}

// SetMembers lists the members of an address set, sorted, without duplicates.
func (d *Desired) SetMembers(s *SetSpec) []string {
	d = d.onNetwork(s.Policy.Network)
	lists := make([][]string, 0, len(s.groups)+2)
	lists = append(lists, s.networks, d.nodeAddresses(s))
	for _, g := range s.groups {
		if v := d.findGroupView(g); v != nil {
			lists = append(lists, v.listAddresses(d.space, s.v6))
		}
	}
	lists = slices.DeleteFunc(lists, func(l []string) bool { return len(l) == 0 })
	for len(lists) > 2 { // merged lists go last
		lists = append(lists[2:], sortedUnion(lists[0], lists[1]))
	}
	switch len(lists) {
	case 0:
		return []string{}
	case 1:
		return slices.Clone(lists[0])
	}
	return sortedUnion(lists[0], lists[1])
}

// nodeAddresses returns the addresses of the nodes that a set selects.
func (d *Desired) nodeAddresses(s *SetSpec) (out []string) {
	if len(s.nodes) == 0 {
		return nil
	}
	for n := range d.cluster.Nodes() {
		if !s.selectsNode(n) {
			continue
		}
		for _, ip := range n.HostIPs {
			if isV6(ip) == s.v6 {
				out = append(out, ip)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sortedUnion merges two sorted lists without duplicates.
func sortedUnion(a, b []string) []string {
	out := make([]string, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := strings.Compare(a[0], b[0]); {
		case c < 0:
			out, a = append(out, a[0]), a[1:]
		case c > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// LogicalPorts lists the logical ports of a policy's port group in a zone, sorted. An empty zone means all
// zones. Subject pods without a logical switch port in the live rows are left out, unless live is nil
// (ovn-kubernetes.md#subject-pods).
func (d *Desired) LogicalPorts(c *CompiledUnit, zone string, live *nb.DB) []string {
	if c.Holder != (ACLHolder{}) {
		return nil // the port group belongs to another handler
	}
	d = d.onNetwork(c.Key.Network)
	var out []string
	for _, g := range c.subjects {
		for _, p := range d.podsOfGroups(g) {
			if zone != "" && p.NodeName != zone {
				continue
			}
			for _, name := range p.PortNames() {
				if live == nil || live.PortByName(name) != nil {
					out = append(out, name)
				}
			}
		}
	}
	slices.Sort(out)
	if len(c.subjects) > 1 {
		out = slices.Compact(out)
	}
	return out
}

// RowsOfUnit returns the rows of a unit in a zone, "" for all zones. It lists set members and the subject pods
// of LogicalPorts. It returns nil for an unknown unit.
func (d *Desired) RowsOfUnit(k model.PolicyKey, zone string, live *nb.DB) *model.PolicyRows {
	c := d.Policy(k)
	if c == nil || !c.HasRowsIn(zone) {
		return nil
	}
	if c.WhyNoRows != nil {
		return &model.PolicyRows{Policy: k, None: c.WhyNoRows}
	}
	rows := &model.PolicyRows{Policy: k, ACLs: d.ACLs(c, zone, live)}
	for _, s := range c.Sets {
		rows.AddressSets = append(rows.AddressSets, &nb.AddressSet{Name: s.Name, ExternalIDs: s.ExternalIDs, Addresses: d.SetMembers(s)})
	}
	rows.PortGroup = d.PortGroup(c, zone, live, rows.ACLs)
	return rows
}

// PortGroup returns the port group row of a policy with acls as its ACLs; nil if the policy has no port group.
func (d *Desired) PortGroup(c *CompiledUnit, zone string, live *nb.DB, acls []*nb.ACL) *nb.PortGroup {
	if c.GroupName == "" {
		return nil
	}
	pg := &nb.PortGroup{Name: c.GroupName, ExternalIDs: c.GroupIDs, Ports: d.LogicalPorts(c, zone, live)}
	for _, a := range acls {
		pg.ACLs = append(pg.ACLs, a.ID())
	}
	slices.Sort(pg.ACLs)
	return pg
}

func isV6(addr string) bool { return strings.IndexByte(addr, ':') >= 0 }

func sortPods(pods []*model.Pod) {
	slices.SortFunc(pods, func(a, b *model.Pod) int { return a.Key.Compare(b.Key) })
}

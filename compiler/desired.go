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

// Desired is the rows as they should be at one revision of the cluster. It is immutable
// and safe for concurrent use.
type Desired struct {
	cluster   *model.Cluster
	selectors *selectors.Index
	policies  *sorted.Map[*CompiledUnit] // by key string
	views     groupViews
	options   Options
	space     podSpace

	// Of the cluster as a whole: its networks and the rows of each, by name; and the networks that
	// there ever were while this compiler ran.
	table    *network.Table
	networks map[string]*Desired
	known    map[string]struct{}
	// name is the network that these rows are of, empty for the default one.
	name string
}

// Options are the settings and facts that the compiler needs besides the objects.
type Options struct {
	// IPv4 and IPv6 are the enabled families of the cluster. With neither set
	// they follow the addresses of the pods (IPv4 when there are none).
	IPv4, IPv6 bool
	// PodFamilies adds the families of the pods' addresses to IPv4 and IPv6.
	PodFamilies bool
	// Observability adds the samples of ovn-kubernetes.md#samples.
	Observability bool
	// Others are the lines of release.Lines whose other form is compiled (ovn-kubernetes.md#releases).
	Others dialect.Set
	// MaxPriority is the lowest supported precedence; 0 means
	// model.MaxPriority.
	MaxPriority int32

	// CNP compiles ClusterNetworkPolicies as OVN-Kubernetes, which has no controller for
	// them, might (ovn-kubernetes.md#clusternetworkpolicy).
	CNP bool

	// AllowICMP adds the rows of allow-icmp-network-policy
	// (ovn-kubernetes.md#default-deny), Stateless honours the annotation acl-stateless
	// (ovn-kubernetes.md#rule-rows).
	AllowICMP, Stateless bool
	// Defaults are the hairpin and node rows of
	// ovn-kubernetes.md#hairpin-and-node-rows: Auto has them once there is a
	// NetworkPolicy.
	Defaults SwitchOption
	// Multicast are the rows of ovn-kubernetes.md#multicast: Auto has them once a
	// namespace allows multicast.
	Multicast SwitchOption
	// ClusterSubnets are the cluster's pod subnets, which an EgressFirewall's
	// CIDR never means (ovn-kubernetes.md#firewall-match). Without any they follow
	// the nodes: NodeSubnets says so, and that there may be more.
	ClusterSubnets []netip.Prefix
	NodeSubnets    bool
	// DNS are the addresses of an EgressFirewall's DNS names, by name.
	DNS map[string][]string
	// HostNetworkNamespace stands for the nodes as a peer
	// (ovn-kubernetes.md#pod-selector-sets); empty means DefaultHostNetworkNamespace.
	HostNetworkNamespace string
	// Segmentation Off leaves every namespace on the default network, MultiPolicies Off programs no
	// MultiNetworkPolicy, as OVN-Kubernetes without these features (networks.md#namespaces). Auto has
	// them where there are objects that need them.
	Segmentation, MultiPolicies SwitchOption
	// NoRows compiles no rows at all: another system than OVN-Kubernetes enforces the
	// policies of the cluster.
	NoRows bool

	// Open are the switches among AllowICMP, Stateless and Observability that nobody set, as OVN-Kubernetes spells
	// them: a ConfigMap among the objects decides them.
	Open []string
	// fromConfig is the text of what ConfigMaps changed.
	fromConfig string
	// HostAssumed reports whether HostNetworkNamespace is only assumed; it is set in the options of Desired.
	HostAssumed bool

	// HairpinFrom4 and HairpinFrom6 are the addresses of hairpin rows if the masquerade subnets are known.
	// Empty means the fifth of OVN-Kubernetes' defaults, or PrimaryHairpin4 and PrimaryHairpin6 with primary networks.
	HairpinFrom4, HairpinFrom6 string
	// HairpinAssumed reports whether an address is PrimaryHairpin4 or PrimaryHairpin6; it is set in the options of Desired.
	HairpinAssumed bool
	// hairpin4 and hairpin6 are the families of hairpin rows: the cluster's, on every network.
	hairpin4, hairpin6 bool
}

// HairpinAddrs returns the addresses of hairpin rows, IPv4 and IPv6; not valid for OVN-Kubernetes' defaults.
func (o *Options) HairpinAddrs() (out [2]netip.Addr) {
	for i, text := range [...]string{o.HairpinFrom4, o.HairpinFrom6} {
		out[i], _ = netip.ParseAddr(text)
	}
	return out
}

// SwitchOption turns something on or off, or leaves it to the objects.
type SwitchOption uint8

// The positions.
const (
	Auto SwitchOption = iota
	On
	Off
)

// Addresses of hairpin rows of clusters with primary user-defined networks, whose masquerade subnets are not
// known: nodes need larger ones than the defaults there.
const (
	PrimaryHairpin4 = "169.254.0.5"
	PrimaryHairpin6 = "fd69::5"
)

// DefaultHostNetworkNamespace is OVN-Kubernetes' own default.
const DefaultHostNetworkNamespace = "ovn-host-network"

// Families returns the families that are compiled for.
func (d *Desired) Families() (v4, v6 bool) { return d.options.IPv4, d.options.IPv6 }

// Options returns the options the rows were compiled with. Families and subnets that
// follow the objects are filled in, as far as they were known.
func (d *Desired) Options() Options { return d.options }

// Cluster is the cluster these rows were compiled from.
func (d *Desired) Cluster() *model.Cluster { return d.cluster }

// Selectors are the selectors and label classes the rows were compiled with.
func (d *Desired) Selectors() *selectors.Index {
	if d == nil {
		return nil
	}
	return d.selectors
}

// Policies walks all compiled policies by key, those of the default network first.
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

// Policy returns one compiled policy or nil. A policy whose rows are of another network is found by
// the key of its object, too: of several networks the first by name.
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
	for _, k := range d.unitsElsewhere(k) {
		if c := d.Policy(k); c != nil {
			return c
		}
	}
	return nil
}

// RelatedUnits are the units besides a policy's own that hold rows for it: the default
// deny of its namespace and the address sets its rules share with others, those
// that are there, by key.
func (d *Desired) RelatedUnits(k model.PolicyKey) []model.PolicyKey {
	c := d.Policy(k)
	if c == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.related), func(k model.PolicyKey) bool { return d.Policy(k) == nil })
}

// SubjectPods lists the pods a policy applies to, by namespace and name, whatever
// zone they run in; of a policy without rows those it would apply to. The slice
// is shared and must not be changed.
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

// SubjectCount counts the subjects, those apart that have a primary network of
// their own: the policy is not enforced there.
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
	v := d.viewOf(c.subjects[0])
	if v == nil {
		return 0, 0
	}
	n := len(v.listPods(d.space))
	return n - v.podsApart, v.podsApart
}

// PeerPods lists the pods behind one peer of a rule; nil for peers that are not
// pods. Pods without an address are listed too: they match, but contribute
// nothing. The slice is shared and must not be changed.
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
	if v := d.viewOf(g); v != nil {
		return v.listPods(d.space)
	}
	return nil
}

// SetMembers lists an address set, sorted, without duplicates.
func (d *Desired) SetMembers(s *setSpec) []string {
	d = d.onNetwork(s.Policy.Network)
	lists := make([][]string, 0, len(s.groups)+2)
	lists = append(lists, s.networks, d.nodeAddresses(s))
	for _, g := range s.groups {
		if v := d.viewOf(g); v != nil {
			lists = append(lists, v.addressesOf(d.space, s.v6))
		}
	}
	lists = slices.DeleteFunc(lists, func(l []string) bool { return len(l) == 0 })
	for len(lists) > 2 { // those that are one already come last
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

// nodeAddresses returns the addresses of the nodes that a set takes.
func (d *Desired) nodeAddresses(s *setSpec) (out []string) {
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

// sortedUnion is two sorted lists without duplicates as one.
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

// LogicalPorts lists the logical ports of a policy's port group in a zone, sorted. An
// empty zone means all zones together. A subject pod without a logical switch port in
// the zone's live rows is left out (ovn-kubernetes.md#subject-pods), unless live is nil.
func (d *Desired) LogicalPorts(c *CompiledUnit, zone string, live *nb.DB) []string {
	if c.Holder != (ACLHolder{}) {
		return nil // the group is somebody else's
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

// RowsOfUnit are the rows of one unit in a zone ("" for all together), members
// listed, with the subject pods that LogicalPorts lists. For one that is not there it returns
// nil.
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
		rows.AddressSets = append(rows.AddressSets,
			&nb.AddressSet{Name: s.Name, ExternalIDs: s.ExternalIDs, Addresses: d.SetMembers(s)})
	}
	rows.PortGroup = d.PortGroup(c, zone, live, rows.ACLs)
	return rows
}

// PortGroup is the port group row of a policy; acls are its ACLs.
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

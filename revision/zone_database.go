package revision

import (
	"slices"

	"rung/compiler"
	"rung/model/network"
	"rung/model/ovn/nb"
)

// ZoneDatabase returns the desired rows of a zone as its database would hold them, with rows that OVN-Kubernetes' other
// handlers keep there: the node's switches with their pods' ports, and the groups of namespaces and of the
// cluster, for every network. A row's UUID is its id or name.
func ZoneDatabase(d *compiler.Desired, zone string) *nb.DB {
	b := databaseBuilder{d: d, zone: zone, switches: map[string]*nb.LogicalSwitch{}, groups: map[string]*nb.PortGroup{}}
	b.addDefaultNetwork(d)
	for _, name := range d.Networks().Names() {
		b.addNetwork(d.OnNetwork(name), d.Networks().Network(name))
	}
	for c := range d.Policies() {
		b.addUnit(c)
	}
	for _, s := range b.switches {
		b.addRow(s)
	}
	for _, g := range b.groups {
		b.addRow(g)
	}
	return (*nb.DB)(nil).Apply(b.rows)
}

// UnownedRows returns the rows of a zone that belong to no unit: the port groups of the cluster and its namespaces
// on every network, and tier 0 if user-defined networks exist. Ports are names.
func UnownedRows(d *compiler.Desired, zone string) (groups []*nb.PortGroup, acls []*nb.ACL) {
	db := ZoneDatabase(d, zone)
	add := func(g network.PortGroup) {
		row := &nb.PortGroup{Name: g.Name, ExternalIDs: g.IDs, Ports: g.Ports}
		if there := db.PortGroupByName(g.Name); there != nil {
			row.Ports, row.ACLs = there.Ports, there.ACLs
		}
		groups = append(groups, row)
	}
	add(network.NewPortGroup("", nb.OwnerCluster, nb.GroupCluster))
	add(network.NewPortGroup("", nb.OwnerCluster, nb.GroupClusterRtr))
	for ns := range d.Cluster().Namespaces() {
		add(network.NewPortGroup("", nb.OwnerNamespace, ns.Name))
	}
	table := d.Networks()
	if len(table.Names()) == 0 {
		return groups, nil
	}
	for _, name := range table.Names() {
		for _, g := range partIn(d.OnNetwork(name), table.Network(name), zone).Groups {
			add(g)
		}
	}
	isolated := network.Isolation{Management: d.Cluster().Node(zone).MgmtIPs}
	group := network.IsolationGroup()
	for p := range d.Cluster().Pods() {
		if p.NodeName == zone && table.Isolates(p) {
			isolated.Pods = append(isolated.Pods, p)
			group.Ports = append(group.Ports, nb.PortName(p.Namespace, p.Name))
		}
	}
	acls = isolated.ACLs()
	add(group)
	for _, a := range acls {
		groups[len(groups)-1].ACLs = append(groups[len(groups)-1].ACLs, a.ID())
	}
	return groups, acls
}

func partIn(d *compiler.Desired, n *network.Network, zone string) *network.ZonePart {
	return n.PartIn(zone, d.Cluster().Pods(), d.Cluster().Namespaces(), d.Options().Multicast == compiler.On)
}

type databaseBuilder struct {
	d        *compiler.Desired
	zone     string
	switches map[string]*nb.LogicalSwitch
	groups   map[string]*nb.PortGroup
	rows     []nb.RowChange
}

func (b *databaseBuilder) addRow(r nb.Row) { b.rows = append(b.rows, nb.RowChange{New: r}) }

func (b *databaseBuilder) logicalSwitch(name string) *nb.LogicalSwitch {
	if b.switches[name] == nil {
		b.switches[name] = &nb.LogicalSwitch{UUID: "switch " + name, Name: name}
	}
	return b.switches[name]
}

func (b *databaseBuilder) addPort(sw *nb.LogicalSwitch, name string) {
	b.addRow(&nb.LogicalSwitchPort{UUID: name, Name: name})
	sw.Ports = append(sw.Ports, name)
}

func (b *databaseBuilder) portGroup(name string) *nb.PortGroup {
	if b.groups[name] == nil {
		b.groups[name] = &nb.PortGroup{UUID: name, Name: name}
	}
	return b.groups[name]
}

// addNetwork adds a user-defined network's switch in the zone, its ports, and the groups without policies
// (networks.md#port-groups).
func (b *databaseBuilder) addNetwork(d *compiler.Desired, n *network.Network) {
	part := partIn(d, n, b.zone)
	sw := b.logicalSwitch(part.Switch)
	for _, port := range []string{part.Management, part.Router, part.Uplink} {
		if port != "" {
			b.addPort(sw, port)
		}
	}
	for i := range part.Pods {
		b.addPort(sw, part.Pods[i].Name)
	}
	for i := range part.Groups {
		b.portGroup(part.Groups[i].Name).Ports = part.Groups[i].Ports
	}
}

func (b *databaseBuilder) addDefaultNetwork(d *compiler.Desired) {
	management, router := nb.ManagementPort(b.zone), nb.RouterPort(b.zone)
	sw := b.logicalSwitch(b.zone)
	b.addPort(sw, management)
	b.addPort(sw, router)
	b.portGroup(compiler.GroupHolder("", nb.OwnerCluster, nb.GroupCluster).Name).Ports = []string{management}
	b.portGroup(compiler.GroupHolder("", nb.OwnerCluster, nb.GroupClusterRtr).Name).Ports = []string{router}
	for p := range d.Cluster().Pods() {
		if p.NodeName != b.zone || !p.CanBeSubject() {
			continue
		}
		port := nb.PortName(p.Namespace, p.Name)
		b.addPort(sw, port)
		if d.Cluster().Namespace(p.Namespace) != nil {
			g := b.portGroup(compiler.GroupHolder("", nb.OwnerNamespace, p.Namespace).Name)
			g.Ports = append(g.Ports, port)
		}
	}
}

func (b *databaseBuilder) addUnit(c *compiler.CompiledUnit) {
	rows := b.d.RowsOfUnit(c.Key, b.zone, nil)
	if rows == nil || rows.None != nil {
		return
	}
	for _, s := range rows.AddressSets {
		set := *s
		set.UUID = s.Name
		b.addRow(&set)
	}
	var ids []string
	for _, a := range rows.ACLs {
		acl := *a
		acl.UUID = a.ID()
		b.addRow(&acl)
		ids = append(ids, acl.UUID)
	}
	slices.Sort(ids)
	switch {
	case c.Holder.Table == nb.TableSwitch:
		sw := b.logicalSwitch(c.Holder.Name)
		sw.ACLs = append(sw.ACLs, ids...)
	case c.Holder.Table == nb.TablePortGroup:
		g := b.portGroup(c.Holder.Name)
		g.ACLs = append(g.ACLs, ids...)
	case rows.PortGroup != nil:
		g := b.portGroup(rows.PortGroup.Name)
		g.ExternalIDs, g.Ports, g.ACLs = rows.PortGroup.ExternalIDs, rows.PortGroup.Ports, ids
	}
}

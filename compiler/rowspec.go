package compiler

import (
	"slices"

	"rung/model"
	"rung/model/ovn/nb"
)

// rowSpec is the part of an ACL in which it differs from others of its unit.
type rowSpec struct {
	name      string      // empty: none
	pairs     []nb.IDPair // of the id, in declared order
	direction model.Direction
	// toLport overrules the direction: EgressFirewalls decide at the other end of
	// the pipeline (ovn-kubernetes.md#firewall-rows).
	toLport  bool
	priority int
	action   string
	level    string // to log with, empty: off
	match    string
	sampled  bool // its feature has samples (ovn-kubernetes.md#samples)
}

// newACL fills in an ACL (ovn-kubernetes.md#acl-columns, #direction-and-action, #acl-ids,
// #acl-names).
func (out *CompiledUnit) newACL(o Options, s rowSpec) *nb.ACL {
	a := &nb.ACL{
		Action: s.action, Match: s.match, Meter: nb.LoggingMeter, Priority: s.priority, Tier: model.TierNetwork,
		Name: s.name, ExternalIDs: nb.IDs(nb.DefaultController, out.owner, s.pairs...),
		Log: s.level != "", Severity: s.level,
	}
	if o.LoggedMeterOnly && !a.Log {
		a.Meter = ""
	}
	if out.Policy != nil {
		a.Tier = out.Policy.Tier
	}
	if s.direction == model.Ingress || s.toLport {
		a.Direction = nb.ToLport
	} else {
		a.Direction = nb.FromLport
		a.Options = map[string]string{nb.OptAfterLB: "true"}
	}
	if o.Observability && s.sampled {
		a.SampleNew = sampleID(a)
		a.SampleEst = a.SampleNew
	}
	return a
}

// HolderOf is the row that the ACLs of a unit hang on, whether the unit is there
// or not; the zero ACLHolder means a port group of its own, or no ACLs.
func HolderOf(k model.PolicyKey) ACLHolder {
	switch k.Kind {
	case model.KindEF, model.KindMulticastNS:
		return groupHolder(nb.OwnerNamespace, k.Namespace)
	case model.KindNetpolNode:
		return ACLHolder{nb.TableSwitch, k.Name}
	case model.KindNetpolDefault:
		return groupHolder(nb.OwnerCluster, nb.GroupCluster)
	case model.KindMulticastCluster:
		if k.Name == nb.TypeMulticastNodes {
			return groupHolder(nb.OwnerCluster, nb.GroupClusterRtr)
		}
		return groupHolder(nb.OwnerCluster, nb.GroupCluster)
	}
	return ACLHolder{}
}

func groupHolder(owner, name string) ACLHolder {
	ids := nb.IDs(nb.DefaultController, owner, nb.IDPair{Key: nb.KeyName, Value: name})
	return ACLHolder{nb.TablePortGroup, nb.HashedName(ids[nb.KeyID])}
}

// DatabaseOfZone is the desired rows of a zone as its database would hold them, with what
// OVN-Kubernetes' other handlers keep there: the node's switch with the ports of its pods,
// the groups of namespaces and of the cluster. A row's UUID is its id or name.
func (d *Desired) DatabaseOfZone(zone string) *nb.DB {
	b := databaseBuilder{d: d, zone: zone, sw: &nb.LogicalSwitch{UUID: "switch " + zone, Name: zone}, groups: map[string]*nb.PortGroup{}}
	for _, name := range []string{nb.ManagementPort(zone), nb.RouterPort(zone)} {
		b.addPort(name)
	}
	for name, port := range map[string]string{nb.GroupCluster: nb.ManagementPort(zone), nb.GroupClusterRtr: nb.RouterPort(zone)} {
		b.portGroup(groupHolder(nb.OwnerCluster, name).Name).Ports = []string{port}
	}
	for p := range d.cluster.Pods() {
		if p.NodeName == zone && p.CanBeSubject() {
			name := nb.PortName(p.Namespace, p.Name)
			b.addPort(name)
			if d.cluster.Namespace(p.Namespace) != nil {
				g := b.portGroup(groupHolder(nb.OwnerNamespace, p.Namespace).Name)
				g.Ports = append(g.Ports, name)
			}
		}
	}
	for c := range d.Policies() {
		b.addUnit(c)
	}
	b.addRow(b.sw)
	for _, g := range b.groups {
		b.addRow(g)
	}
	return (*nb.DB)(nil).Apply(b.rows)
}

type databaseBuilder struct {
	d      *Desired
	zone   string
	sw     *nb.LogicalSwitch
	groups map[string]*nb.PortGroup
	rows   []nb.RowChange
}

func (b *databaseBuilder) addRow(r nb.Row) { b.rows = append(b.rows, nb.RowChange{New: r}) }

func (b *databaseBuilder) addPort(name string) {
	b.addRow(&nb.LogicalSwitchPort{UUID: name, Name: name})
	b.sw.Ports = append(b.sw.Ports, name)
}

func (b *databaseBuilder) portGroup(name string) *nb.PortGroup {
	if b.groups[name] == nil {
		b.groups[name] = &nb.PortGroup{UUID: name, Name: name}
	}
	return b.groups[name]
}

// addUnit adds the rows of one unit.
func (b *databaseBuilder) addUnit(c *CompiledUnit) {
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
		b.sw.ACLs = append(b.sw.ACLs, ids...)
	case c.Holder.Table == nb.TablePortGroup:
		g := b.portGroup(c.Holder.Name)
		g.ACLs = append(g.ACLs, ids...)
	case rows.PortGroup != nil:
		g := b.portGroup(rows.PortGroup.Name)
		g.ExternalIDs, g.Ports, g.ACLs = rows.PortGroup.ExternalIDs, rows.PortGroup.Ports, ids
	}
}

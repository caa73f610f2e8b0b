package uitest

import (
	"maps"
	"slices"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
)

// AddUnits adds to the zones of the parts what is compiled besides
// AdminNetworkPolicies and their baseline: live rows that equal the desired
// ones, and the judgment that they do.
func AddUnits(p *revision.Facts) {
	rev := revision.New(*p, nil)
	for i, z := range p.Zones {
		next := *z
		next.Policies = map[model.PolicyKey]*model.PolicyInZone{}
		for k, x := range z.Policies {
			next.Policies[k] = x
		}
		var changes []nb.RowChange
		for _, k := range rev.Units() {
			want := rev.Rows(k, z.Name)
			if k.Kind.IsAdmin() || want == nil {
				continue
			}
			next.Policies[k] = &model.PolicyInZone{Policy: k, InSync: want.None == nil, None: want.None, LiveACLs: len(want.ACLs),
				LivePriority: -1, Touched: Now.Add(-1 << 36)}
			if want.None != nil {
				continue
			}
			if want.PortGroup == nil { // the rows hang on one of OVN-Kubernetes' own
				own := *want
				own.PortGroup = &nb.PortGroup{}
				want = &own
			}
			changes = append(changes, asChanges(liveRows(z.Name, want))...)
		}
		next.DB = z.DB.Apply(changes)
		p.Zones[i] = &next
	}
}

// AddHolders adds the port groups of OVN-Kubernetes' own that units hang their ACLs
// on: those of the namespaces, with their pods' ports. Units comes first.
func AddHolders(p *revision.Facts) {
	rev := revision.New(*p, nil)
	for i, z := range p.Zones {
		groups := map[string]*nb.PortGroup{}
		for _, k := range rev.Units() {
			table, name := revision.FindACLHolder(k)
			if table != nb.TablePortGroup || k.Namespace == "" {
				continue
			}
			g := groups[name]
			if g == nil {
				g = &nb.PortGroup{UUID: UUID(z.Name + " group " + name), Name: name,
					ExternalIDs: nb.IDs(nb.DefaultController, nb.OwnerNamespace, nb.IDPair{Key: nb.KeyName, Value: k.Namespace})}
				for pod := range rev.Cluster.PodsIn(k.Namespace) {
					if port := z.DB.PortByName(nb.PortName(pod.Namespace, pod.Name)); port != nil {
						g.Ports = append(g.Ports, port.UUID)
					}
				}
				groups[name] = g
			}
			for _, a := range rev.ACLs(k, z.Name) {
				if live := z.DB.ACLByID(a.ID()); live != nil {
					g.ACLs = append(g.ACLs, live.UUID)
				}
			}
		}
		var changes []nb.RowChange
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			changes = append(changes, nb.RowChange{New: groups[name]})
		}
		next := *z
		next.DB = z.DB.Apply(changes)
		p.Zones[i] = &next
	}
}

// AddRows adds live ACLs to a zone, as somebody else wrote them.
func AddRows(p *revision.Facts, zone string, acls ...*nb.ACL) {
	for i, z := range p.Zones {
		if z.Name != zone {
			continue
		}
		next := *z
		var changes []nb.RowChange
		for n, a := range acls {
			row := *a
			if row.UUID == "" {
				row.UUID = UUID(zone + " row " + a.ID() + a.Match + string(rune('a'+n)))
			}
			changes = append(changes, nb.RowChange{New: &row})
		}
		next.DB = z.DB.Apply(changes)
		p.Zones[i] = &next
	}
}

func asChanges(rows []nb.Row) []nb.RowChange {
	var out []nb.RowChange
	for _, r := range rows {
		if g, ok := r.(*nb.PortGroup); ok && g.Name == "" {
			continue
		}
		out = append(out, nb.RowChange{New: r})
	}
	return slices.Clip(out)
}

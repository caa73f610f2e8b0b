package bench

import (
	"fmt"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// rowName names a row: an ACL by its id, others by name.
type rowName struct{ table, name string }

// rowTexts returns the rows of a policy as text, with names in place of UUIDs.
func rowTexts(p *model.PolicyRows) map[rowName]string {
	out := map[rowName]string{}
	if p == nil {
		return out
	}
	for _, a := range p.ACLs {
		out[rowName{nb.TableACL, a.ID()}] = aclText(a)
	}
	for _, s := range p.AddressSets {
		out[rowName{nb.TableAddressSet, s.Name}] = setText(s)
	}
	if g := p.PortGroup; g != nil {
		out[rowName{nb.TablePortGroup, g.Name}] = groupText(g, g.Ports, g.ACLs)
	}
	return out
}

// liveRow is a row of a database in the same form, empty when it is not there.
func liveRow(db *nb.DB, at rowName) string {
	switch at.table {
	case nb.TableACL:
		if a := db.ACLByID(at.name); a != nil {
			return aclText(a)
		}
	case nb.TableAddressSet:
		if s := db.AddressSetByName(at.name); s != nil {
			return setText(s)
		}
	case nb.TablePortGroup:
		if g := db.PortGroupByName(at.name); g != nil {
			ports, acls := make([]string, 0, len(g.Ports)), make([]string, 0, len(g.ACLs))
			for _, uuid := range g.Ports {
				if p := db.Port(uuid); p != nil {
					ports = append(ports, p.Name)
				}
			}
			for _, uuid := range g.ACLs {
				if a := db.ACL(uuid); a != nil {
					acls = append(acls, a.ID())
				}
			}
			slices.Sort(ports)
			slices.Sort(acls)
			return groupText(g, ports, acls)
		}
	}
	return ""
}

func aclText(a *nb.ACL) string {
	row := *a
	row.UUID = ""
	return fmt.Sprintf("%+v", row)
}

func setText(s *nb.AddressSet) string {
	return fmt.Sprint(s.ExternalIDs, " ", strings.Join(s.Addresses, " "))
}

func groupText(g *nb.PortGroup, ports, acls []string) string {
	return fmt.Sprint(g.ExternalIDs, " ", strings.Join(ports, " "), " ", strings.Join(acls, " "))
}

// DesiredCounts returns the counts of a zone's rows when all are as desired.
func DesiredCounts(d *compiler.Desired, zone string) Counts {
	var c Counts
	for p := range d.Policies() {
		rows := d.RowsOfUnit(p.Key, zone, nil)
		for _, a := range rows.ACLs {
			c.add(a, 1)
		}
		for _, s := range rows.AddressSets {
			c.add(s, 1)
		}
		if rows.PortGroup != nil {
			c.add(rows.PortGroup, 1)
		}
	}
	for range clusterGroups(d.Cluster(), d.Networks()) { // each holds two hairpin rows
		c.Groups++
		c.Links += 2
	}
	return c
}

// Check compares a database with a compile of the whole cluster.
func Check(db *nb.DB, cluster *model.Cluster, zone string) error {
	d := compiler.Compile(cluster, compiler.Options{})
	want, n := DesiredCounts(d, zone), Counts{}
	for r := range db.OwnedRows() {
		n.add(r, 1)
	}
	if n != want {
		return fmt.Errorf("the database has %+v, a compile %+v", n, want)
	}
	for p := range d.Policies() {
		for at, text := range rowTexts(d.RowsOfUnit(p.Key, zone, nil)) {
			if live := liveRow(db, at); live != text {
				return fmt.Errorf("%s %s is\n%s\nand should be\n%s", at.table, at.name, live, text)
			}
		}
	}
	return nil
}

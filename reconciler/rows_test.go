package reconciler

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// canon is what the rows of one zone come to: contents by id, with references
// resolved.
type canon struct {
	ACLs   map[string]nb.ACL
	Sets   map[string]nb.AddressSet
	Groups map[string]nb.PortGroup
}

// desiredRows are the rows a zone should hold, leaving out policies without
// desired rows and those whose rows have nothing to hang on.
func desiredRows(d *compiler.Desired, zone string, db *nb.DB) (canon, map[model.PolicyKey]bool) {
	out := canon{map[string]nb.ACL{}, map[string]nb.AddressSet{}, map[string]nb.PortGroup{}}
	none := map[model.PolicyKey]bool{}
	for c := range d.Policies() {
		rows := d.RowsOfUnit(c.Key, zone, db)
		if h := c.Holder; h.Table == nb.TableSwitch && db.SwitchByName(h.Name) == nil || h.Table == nb.TablePortGroup && db.PortGroupByName(h.Name) == nil {
			// Nothing to hang them on. Those that are there hang on a row that carries
			// another name by now: they wait for theirs as the missing ones do.
			none[c.Key] = true
			continue
		}
		if rows == nil {
			continue // of another zone
		}
		if rows.None != nil {
			none[c.Key] = true
			continue
		}
		for _, a := range rows.ACLs {
			out.ACLs[a.ID()] = *a
		}
		for _, s := range rows.AddressSets {
			out.Sets[s.ID()] = *s
		}
		if rows.PortGroup != nil {
			out.Groups[rows.PortGroup.ID()] = *rows.PortGroup
		}
	}
	return out, none
}

// liveRows are the rows with Rung's owner ids that a zone holds.
func liveRows(t testing.TB, db *nb.DB, skip map[model.PolicyKey]bool) canon {
	t.Helper()
	out := canon{map[string]nb.ACL{}, map[string]nb.AddressSet{}, map[string]nb.PortGroup{}}
	once := func(dup bool, what, id string) {
		if dup {
			t.Errorf("two rows of %s carry %s", what, id)
		}
	}
	ids := func(uuids []string, id func(string) string) []string {
		s := make([]string, 0, len(uuids))
		for _, u := range uuids {
			s = append(s, id(u))
		}
		slices.Sort(s)
		return s
	}
	// A row that only a group holds which must not be touched cannot be got rid
	// of.
	held := map[string]bool{}
	on := map[compiler.ACLHolder][]string{}
	for g := range db.PortGroups() {
		for _, u := range g.ACLs {
			o := OwnerOfRow(g)
			held[u] = held[u] || (owned(o) && !skip[o.Unit]) || g.ExternalIDs[nb.KeyOwnerType] == nb.OwnerNamespace
		}
		on[compiler.ACLHolder{Table: nb.TablePortGroup, Name: g.Name}] = g.ACLs
	}
	for s := range db.Switches() {
		for _, u := range s.ACLs {
			held[u] = true
		}
	}
	for a := range db.ACLs() {
		held[a.UUID] = held[a.UUID] || slices.Contains(on[compiler.HolderForUnit(OwnerOfRow(a).Unit)], a.UUID)
	}
	for a := range db.ACLs() {
		if o := OwnerOfRow(a); !owned(o) || skip[o.Unit] || !held[a.UUID] {
			continue
		}
		row := *a
		row.UUID = ""
		_, dup := out.ACLs[a.ID()]
		once(dup, "ACL", a.ID())
		out.ACLs[a.ID()] = row
	}
	for s := range db.AddressSets() {
		if o := OwnerOfRow(s); !owned(o) || skip[o.Unit] {
			continue
		}
		row := *s
		row.UUID = ""
		row.Addresses = slices.Sorted(slices.Values(s.Addresses))
		if OwnerOfRow(s).Unit.Kind == model.KindEFDNS {
			row.Addresses = nil // theirs who resolve the name
		}
		_, dup := out.Sets[s.ID()]
		once(dup, "Address_Set", s.ID())
		out.Sets[s.ID()] = row
	}
	for g := range db.PortGroups() {
		if o := OwnerOfRow(g); !owned(o) || skip[o.Unit] {
			continue
		}
		row := *g
		row.UUID = ""
		row.ACLs = ids(g.ACLs, func(u string) string {
			if a := db.ACL(u); a != nil && owned(OwnerOfRow(a)) {
				return a.ID()
			}
			return "alien " + u
		})
		row.Ports = ids(g.Ports, func(u string) string { return db.Port(u).Name })
		_, dup := out.Groups[g.ID()]
		once(dup, "Port_Group", g.ID())
		out.Groups[g.ID()] = row
	}
	return out
}

// diffZone says how the live rows differ from a fresh compile of the cluster.
func diffZone(t testing.TB, cluster *model.Cluster, zone string, db *nb.DB) string {
	t.Helper()
	d := compiler.Compile(cluster, compiler.Options{})
	want, none := desiredRows(d, zone, db)
	return cmp.Diff(want, liveRows(t, db, none), cmpopts.EquateEmpty())
}

func diffText(ds []model.RowDiff) string {
	var b strings.Builder
	for _, d := range ds {
		fmt.Fprintf(&b, "%s %s %s %s %s\n", d.Kind, d.Table, d.ID, d.UUID, d.Waiting)
		for _, f := range d.Fields {
			fmt.Fprintf(&b, "  %s %q %q -%v +%v\n", f.Column, f.Desired, f.Live, f.Missing, f.Extra)
		}
	}
	return b.String()
}

// owned says whether a row is to be as compiled: it is known by its id, or by owner
// and name.
func owned(o RowOwner) bool { return o.Form == Ours || o.Form == Damaged }

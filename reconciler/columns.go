package reconciler

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// WrittenValue returns a column's value as operations carry it; nil means no value.
func WrittenValue(v any) any {
	if o, ok := v.(nb.Optional); ok {
		if o == "" {
			return nil
		}
		return string(o)
	}
	return v
}

// diffACL lists the differing columns by name.
func diffACL(desired, live *nb.ACL) []model.FieldDiff {
	var out []model.FieldDiff
	for i := range nb.ACLColumns {
		if c := &nb.ACLColumns[i]; !c.Same(desired, live) {
			out = append(out, model.FieldDiff{Column: c.Name, Desired: valueText(c.Value(desired)), Live: valueText(c.Value(live))})
		}
	}
	return out
}

func diffMap(column string, desired, live map[string]string) model.FieldDiff {
	return model.FieldDiff{Column: column, Desired: valueText(desired), Live: valueText(live)}
}

// valueText returns a column's value for display; a map is {k=v, …}, sorted by key.
func valueText(v any) string {
	switch v := v.(type) {
	case string:
		return cmp.Or(v, `""`)
	case map[string]string:
		parts := make([]string, 0, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, k+"="+v[k])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v)
}

// liveValue returns the value of a row's column, nil if the row has no such column.
func liveValue(row nb.Row, name string) any {
	for _, c := range nb.Columns(row) {
		if c.Name == name {
			return c.Value
		}
	}
	return nil
}

// digestSeed makes digests comparable, but only within one process.
var digestSeed = maphash.MakeSeed()

// unitDigest returns a digest of a unit's live rows, to compare zones by.
func (t *Tracker) unitDigest(tr *unitTrack) *model.UnitDigest {
	d := &model.UnitDigest{}
	add := func(table, id string, row any) { // %#v writes maps by key
		d.Rows = append(d.Rows, model.RowDigest{Table: table, ID: id, Hash: maphash.String(digestSeed, fmt.Sprintf("%#v", row))})
	}
	row := func(uuid string) {
		if a := t.DB.ACL(uuid); a != nil && !differsByZone(a.ID()) {
			row := *a // without columns that differ by zone or are not compared
			row.UUID, row.SampleNew, row.SampleEst, row.Label = "", "", "", 0
			add(nb.TableACL, a.ID(), row)
		}
		if s := t.DB.AddressSet(uuid); s != nil {
			row := *s
			row.UUID = ""
			add(nb.TableAddressSet, s.ID(), row)
		}
		if g := t.DB.PortGroup(uuid); g != nil {
			add(nb.TablePortGroup, g.ID(), nb.PortGroup{Name: g.Name, ExternalIDs: g.ExternalIDs})
		}
	}
	for _, rows := range []MemberSet{tr.liveACLs, tr.liveSets, tr.liveGroups} {
		for uuid := range rows {
			row(uuid)
		}
	}
	if len(d.Rows) == 0 {
		return nil
	}
	slices.SortFunc(d.Rows, func(a, b model.RowDigest) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Hash, b.Hash))
	})
	var h maphash.Hash
	h.SetSeed(digestSeed)
	for _, r := range d.Rows {
		maphash.WriteComparable(&h, r)
	}
	d.Sum = h.Sum64()
	return d
}

// hasOpenSets reports whether the unit has sets whose live members stay.
func hasOpenSets(c *compiler.CompiledUnit) bool {
	return c != nil && slices.ContainsFunc(c.Sets, func(s *compiler.SetSpec) bool { return s.KeptByOthers })
}

// differsByZone reports whether an ACL has another match in every zone: named ports of ingress rules resolve
// to the zone's subject pods (ovn-kubernetes.md#named-ports).
func differsByZone(id string) bool {
	return strings.Contains(id, "-namedPort") && nb.ParseOwner(nb.TableACL, map[string]string{nb.KeyID: id}).Direction != "Egress"
}

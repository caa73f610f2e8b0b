package revision

import (
	"rung/model/lint"
	"rung/model/ovn/nb"
)

// NamedRow is a row with a name or id, and the zones that have it.
type NamedRow struct {
	Row      nb.Row
	Zones    []string
	Compiled bool // the policies ask for it
}

// RowsNamed returns the ACLs, port groups and address sets of all zones and of the policies that a name, an id or
// a _uuid names, one for each table.
func RowsNamed(r *Revision, name string) (out []NamedRow) {
	find := func(row nb.Row) *NamedRow {
		_, isACL := row.(*nb.ACL) // many have the same name
		if row.IDs()[nb.KeyID] != name && row.RowUUID() != name && (row.RowName() != name || isACL) {
			return nil
		}
		for i := range out {
			if nb.TableName(out[i].Row) == nb.TableName(row) && out[i].Row.IDs()[nb.KeyID] == row.IDs()[nb.KeyID] {
				return &out[i]
			}
		}
		out = append(out, NamedRow{Row: row})
		return &out[len(out)-1]
	}
	for _, z := range r.Zones {
		if z.DB == nil {
			continue
		}
		for row := range z.DB.OwnedRows() {
			if n := find(row); n != nil {
				n.Zones = append(n.Zones, z.Name)
			}
		}
	}
	for c := range r.Desired.Policies() {
		rows := r.Desired.RowsOfUnit(c.Key, "", nil)
		all := []nb.Row{}
		if rows.PortGroup != nil {
			all = append(all, rows.PortGroup)
		}
		for _, a := range rows.ACLs {
			all = append(all, a)
		}
		for _, s := range rows.AddressSets {
			all = append(all, s)
		}
		for _, row := range all {
			if n := find(row); n != nil {
				n.Compiled = true
			}
		}
	}
	return out
}

// Label names the owner of the row: a policy with its rule, a namespace, or what else it was made for.
func (n *NamedRow) Label(r *Revision) string {
	o := nb.OwnerOfRow(n.Row)
	k, ok := PolicyOfOwner(o)
	if _, isACL := n.Row.(*nb.ACL); isACL && ok && o.Index >= 0 {
		return k.Label() + " " + RuleLabel(ruleDirection(o), o.Index, ruleName(r, k, ruleDirection(o), o.Index))
	}
	return o.Label()
}

// ExplainCode returns what a finding's code means and what to do; empty for other texts.
func ExplainCode(code string) (meaning, remedy string) {
	k := lint.KindOfCode(code)
	if k == nil {
		return "", ""
	}
	return string(k.Severity) + ": " + k.Meaning, k.Remedy
}

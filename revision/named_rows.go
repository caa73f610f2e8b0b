package revision

import (
	"cmp"
	"slices"

	"rung/model/lint"
	"rung/model/ovn/nb"
)

// NamedRow is a row with a name or id, and the zones that have it.
type NamedRow struct {
	Row      nb.Row
	Zones    []string
	Compiled bool // the policies ask for it
}

// IndexRows returns the ACLs, port groups and address sets of all zones and of the policies by name, id and
// _uuid, one for each table. Rows of several zones with the same id are one.
func IndexRows(r *Revision) map[string][]*NamedRow {
	out := map[string][]*NamedRow{}
	find := func(row nb.Row) *NamedRow {
		id, table := row.IDs()[nb.KeyID], nb.TableName(row)
		for _, n := range out[cmp.Or(id, row.RowUUID())] {
			if nb.TableName(n.Row) == table {
				return addNames(out, n, row)
			}
		}
		return addNames(out, &NamedRow{Row: row}, row)
	}
	for _, z := range r.Zones {
		if z.DB == nil {
			continue
		}
		for row := range z.DB.OwnedRows() {
			n := find(row)
			n.Zones = append(n.Zones, z.Name)
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
			find(row).Compiled = true
		}
	}
	return out
}

// addNames enters a row in an index under its id, _uuid and name, and returns it.
func addNames(index map[string][]*NamedRow, n *NamedRow, row nb.Row) *NamedRow {
	names := []string{row.IDs()[nb.KeyID], row.RowUUID()}
	if _, isACL := row.(*nb.ACL); !isACL { // many ACLs have the same name
		names = append(names, row.RowName())
	}
	for _, name := range names {
		if name != "" && !slices.Contains(index[name], n) {
			index[name] = append(index[name], n)
		}
	}
	return n
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

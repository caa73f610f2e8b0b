package gate

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/nb"
)

// rowChanges is the difference between the rows of a policy before and after a
// change, over all zones together; either may be nil. In the fields Desired is
// the value after, Live the one before; of set columns Missing are the members
// that come and Extra those that go.
func rowChanges(k model.PolicyKey, before, after *model.PolicyRows) []RowChange {
	old, now := rowTable(before), rowTable(after)
	var out []RowChange
	for id, o := range old {
		n, stays := now[id]
		d := model.RowDiff{Table: id.table, ID: id.id}
		switch {
		case !stays:
			d.Kind, d.Fields = model.DiffExtra, columnChanges(o, nil)
		default:
			d.Kind, d.Fields = model.DiffDifferent, columnChanges(o, n)
			if len(d.Fields) == 0 {
				continue
			}
		}
		out = append(out, RowChange{Policy: k, RowDiff: d})
	}
	for id, n := range now {
		if _, was := old[id]; !was {
			out = append(out, RowChange{Policy: k, RowDiff: model.RowDiff{Kind: model.DiffMissing, Table: id.table, ID: id.id,
				Fields: columnChanges(nil, n)}})
		}
	}
	slices.SortFunc(out, func(a, b RowChange) int { return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.ID, b.ID)) })
	return out
}

type rowID struct{ table, id string }

// column is one column's value: a text, or the sorted members of a set.
type column struct {
	text  string
	set   []string
	isSet bool
}

func rowTable(rows *model.PolicyRows) map[rowID]map[string]column {
	t := map[rowID]map[string]column{}
	if rows == nil || rows.None != nil {
		return t
	}
	for _, a := range rows.ACLs {
		t[rowID{nb.TableACL, a.ID()}] = aclColumns(a)
	}
	for _, s := range rows.AddressSets {
		t[rowID{nb.TableAddressSet, s.ID()}] = map[string]column{"name": text(s.Name), "external_ids": text(pairsText(s.ExternalIDs)),
			"addresses": {set: s.Addresses, isSet: true}}
	}
	if g := rows.PortGroup; g != nil {
		t[rowID{nb.TablePortGroup, g.ID()}] = map[string]column{"name": text(g.Name), "external_ids": text(pairsText(g.ExternalIDs)),
			"ports": {set: g.Ports, isSet: true}, "acls": {set: g.ACLs, isSet: true}}
	}
	return t
}

func text(s string) column { return column{text: s} }

// aclColumns are the columns OVN-Kubernetes writes (ovn-kubernetes.md#acl-columns).
func aclColumns(a *nb.ACL) map[string]column {
	return map[string]column{
		"action": text(a.Action), "direction": text(a.Direction), "external_ids": text(pairsText(a.ExternalIDs)),
		"log": text(strconv.FormatBool(a.Log)), "match": text(a.Match), "meter": text(a.Meter), "name": text(a.Name),
		"options": text(pairsText(a.Options)), "priority": text(strconv.Itoa(a.Priority)), "severity": text(a.Severity),
		"tier": text(strconv.Itoa(a.Tier)), "sample_new": text(a.SampleNew), "sample_est": text(a.SampleEst),
	}
}

// pairsText is a map column: "k=v, k=v", sorted.
func pairsText(m map[string]string) string {
	parts := make([]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, k+"="+m[k])
	}
	return strings.Join(parts, ", ")
}

// columnChanges lists the columns that differ, by name. For a row that comes or
// goes it lists those that have a value.
func columnChanges(old, now map[string]column) []model.FieldDiff {
	some := now
	if now == nil {
		some = old
	}
	var out []model.FieldDiff
	for _, name := range slices.Sorted(maps.Keys(some)) {
		o, n := old[name], now[name]
		if !o.isSet && !n.isSet {
			if o.text != n.text {
				out = append(out, model.FieldDiff{Column: name, Desired: n.text, Live: o.text})
			}
			continue
		}
		f := model.FieldDiff{Column: name, Desired: strconv.Itoa(len(n.set)), Live: strconv.Itoa(len(o.set))}
		f.Missing, f.Extra = without(n.set, o.set), without(o.set, n.set)
		if len(f.Missing)+len(f.Extra) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// without are the members of a sorted list that are not in another.
func without(a, b []string) (out []string) {
	j := 0
	for _, s := range a {
		for j < len(b) && b[j] < s {
			j++
		}
		if j == len(b) || b[j] != s {
			out = append(out, s)
		}
	}
	return out
}

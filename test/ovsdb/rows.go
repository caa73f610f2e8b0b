package ovsdb

import (
	"encoding/json"
	"fmt"

	"rung/model/ovn/nb"
)

// Compiled are the rows that `rung compile -o json` printed, in the form of
// Database.Policies.
func Compiled(text []byte) (map[string]Record, error) {
	var rows struct {
		ACLs        []map[string]any `json:"acls"`
		AddressSets []map[string]any `json:"address_sets"`
		PortGroups  []map[string]any `json:"port_groups"`
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, fmt.Errorf("reading what rung compile printed: %w", err)
	}
	out := map[string]Record{}
	for table, list := range map[string][]map[string]any{nb.TableACL: rows.ACLs, nb.TableAddressSet: rows.AddressSets, nb.TablePortGroup: rows.PortGroups} {
		for _, row := range list {
			r := Record{}
			for name, v := range row {
				r[name] = printed(v)
			}
			delete(r, "id")
			out[fmt.Sprint(table, " ", row["id"])] = r
		}
	}
	return out, nil
}

// printed is a value of JSON as ovsdb-client prints it.
func printed(v any) any {
	switch v := v.(type) {
	case nil:
		return []string{}
	case []any:
		list := []string{}
		for _, m := range v {
			list = append(list, fmt.Sprint(m))
		}
		return Column(list)
	case map[string]any:
		m := map[string]string{}
		for k, s := range v {
			m[k] = fmt.Sprint(s)
		}
		return m
	}
	return v
}

// Rows are all rows that Rung read, by UUID.
func Rows(db *nb.DB) map[string]nb.Row {
	out := map[string]nb.Row{}
	add := func(r nb.Row) { out[r.RowUUID()] = r }
	for r := range db.ACLs() {
		add(r)
	}
	for r := range db.AddressSets() {
		add(r)
	}
	for r := range db.PortGroups() {
		add(r)
	}
	for r := range db.Switches() {
		add(r)
	}
	for r := range db.Ports() {
		add(r)
	}
	for r := range db.Meters() {
		add(r)
		for _, b := range r.Bands {
			if band := db.Band(b); band != nil {
				add(band)
			}
		}
	}
	if g := db.Global(); g != nil {
		add(g)
	}
	return out
}

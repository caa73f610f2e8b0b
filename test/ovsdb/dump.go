package ovsdb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rung/model/ovn/nb"
)

// Record is a row as ovsdb-client prints it: plain values, sets as sorted
// []string (a set of one is its member), maps as map[string]string.
type Record map[string]any

// Str is a column that holds one string, or "".
func (r Record) Str(column string) string { s, _ := r[column].(string); return s }

// UUID is the row's own.
func (r Record) UUID() string { return r.Str("_uuid") }

// IDs are the external_ids.
func (r Record) IDs() map[string]string {
	m, _ := r["external_ids"].(map[string]string)
	return m
}

// ID is k8s.ovn.org/id.
func (r Record) ID() string { return r.IDs()[nb.KeyID] }

// Priority is an ACL's.
func (r Record) Priority() int { n, _ := r["priority"].(float64); return int(n) }

// Policy is the name of the ANP or BANP the row carries the ids of, or the kind
// and name of another unit that Rung compiles; "" for rows of others.
func (r Record) Policy() string {
	ids := r.IDs()
	switch t := ids[nb.KeyOwnerType]; {
	case ids[nb.KeyOwnerController] != nb.DefaultController:
		return ""
	case t == nb.OwnerANP || t == nb.OwnerBANP:
		return ids[nb.KeyName]
	}
	for _, table := range policyTables {
		if o := nb.ParseOwner(table, ids); o.Form == nb.FormKnown {
			return o.Type + " " + o.Namespace + "/" + o.Name
		}
	}
	return ""
}

// policyTables are the tables with rows of policies.
var policyTables = []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup}

// Database holds the rows of a dump by table and UUID.
type Database map[string]map[string]Record

// Parse takes apart what ovsdb-client prints with DumpArgs: a line of JSON for
// each table.
func Parse(dump []byte) (Database, error) {
	db := Database{}
	for line := range bytes.Lines(dump) {
		var table struct {
			Caption  string
			Headings []string
			Data     [][]any
		}
		if err := json.Unmarshal(line, &table); err != nil {
			return nil, fmt.Errorf("reading a dump: %w: %s", err, line)
		}
		rows := map[string]Record{}
		for _, values := range table.Data {
			r := Record{}
			for i, v := range values {
				r[table.Headings[i]] = Plain(v)
			}
			rows[r.UUID()] = r
		}
		db[strings.TrimSuffix(table.Caption, " table")] = rows
	}
	return db, nil
}

// Plain takes OVSDB's JSON notation of a value apart (RFC 7047 §5.1).
func Plain(v any) any {
	pair, ok := v.([]any)
	if !ok || len(pair) != 2 {
		return v
	}
	switch pair[0] {
	case "uuid":
		return pair[1]
	case "set":
		set := []string{}
		for _, m := range pair[1].([]any) {
			set = append(set, fmt.Sprint(Plain(m)))
		}
		slices.Sort(set)
		return set
	case "map":
		m := map[string]string{}
		for _, kv := range pair[1].([]any) {
			m[kv.([]any)[0].(string)] = kv.([]any)[1].(string)
		}
		return m
	}
	return v
}

// Column is a set as ovsdb-client prints it: a set of one is its member.
func Column(members []string) any {
	if len(members) == 1 {
		return members[0]
	}
	return append([]string{}, slices.Sorted(slices.Values(members))...)
}

// Policies are the rows of policies by table and id, UUIDs replaced by the names
// of ports and the ids of ACLs; except are policies not to look at. An id that is
// there twice is there as "id again …".
func (d Database) Policies(except ...string) map[string]Record {
	out := map[string]Record{}
	for _, table := range policyTables {
		for uuid, r := range d[table] {
			if p := r.Policy(); p == "" || slices.Contains(except, p) {
				continue
			}
			row := maps.Clone(r)
			delete(row, "_uuid")
			if table == nb.TablePortGroup {
				row["acls"] = named(d[nb.TableACL], row["acls"], Record.ID)
				row["ports"] = named(d[nb.TablePort], row["ports"], func(p Record) string { return p.Str("name") })
			}
			key := table + " " + r.ID()
			for out[key] != nil {
				key += " again " + uuid
			}
			out[key] = row
		}
	}
	return out
}

// named replaces the UUIDs in a column by names of the rows.
func named(rows map[string]Record, column any, name func(Record) string) any {
	uuids, ok := column.([]string)
	if s, one := column.(string); one {
		uuids, ok = []string{s}, true
	}
	if !ok {
		return column
	}
	names := []string{}
	for _, u := range uuids {
		names = append(names, name(rows[u]))
	}
	return Column(names)
}

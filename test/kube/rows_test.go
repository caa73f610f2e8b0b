package kube_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model/nb"
	"rung/test/kube/cluster"
)

// rows are the rows of policies by table and id, columns as OVS's own client
// shows them: sets sorted, references by name (ports) or id (ACLs). An id that is
// there twice is there as "id again …".
type rows map[string]map[string]any

// asCompiled waits until a zone's dump shows what `rung compile` wants of the
// objects the API server has now.
func asCompiled(t testing.TB, c *cluster.Cluster, z *cluster.Zones, zones ...string) {
	t.Helper()
	for _, zone := range zones {
		var diff string
		want := compiled(t, c, zone)
		ok := poll(patience, func() bool {
			diff = cmp.Diff(want, dumped(t, z, zone))
			return diff == ""
		})
		if !ok {
			t.Fatalf("zone %s: (-rung compile +ovsdb-client dump)\n%s", zone, diff)
		}
	}
}

// compiled are the rows `rung compile` prints for a zone from what kubectl
// prints of the cluster: not through Rung's own eyes.
func compiled(t testing.TB, c *cluster.Cluster, zone string) rows {
	t.Helper()
	text, err := c.Kubectl(t.Context(), cluster.Admin, "", "get", everything, "-A", "-o", "json")
	must(t, err)
	file := filepath.Join(t.TempDir(), "cluster.json")
	must(t, os.WriteFile(file, []byte(text), 0o600))
	r := rung(t, "", "compile", "-f", file, "--zone", zone, "-o", "json")
	if r.code != 0 {
		t.Fatalf("rung compile: %s", r.err)
	}
	var all struct {
		ACLs        []map[string]any `json:"acls"`
		AddressSets []map[string]any `json:"address_sets"`
		PortGroups  []map[string]any `json:"port_groups"`
	}
	must(t, json.Unmarshal([]byte(r.out), &all))
	out := rows{}
	for table, list := range map[string][]map[string]any{nb.TableACL: all.ACLs, nb.TableAddressSet: all.AddressSets, nb.TablePortGroup: all.PortGroups} {
		for _, row := range list {
			id := row["id"].(string)
			delete(row, "id")
			for name, v := range row {
				switch v := v.(type) {
				case nil:
					row[name] = []string{}
				case []any:
					row[name] = column(v)
				case map[string]any:
					m := map[string]string{}
					for k, s := range v {
						m[k] = s.(string)
					}
					row[name] = m
				}
			}
			out[table+" "+id] = row
		}
	}
	return out
}

// dumped are the policies' rows in a zone's database.
func dumped(t testing.TB, z *cluster.Zones, zone string) rows {
	t.Helper()
	text, err := z.Dump(t.Context(), zone)
	must(t, err)
	db := tables(t, text)
	out := rows{}
	for _, table := range []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup} {
		for uuid, row := range db[table] {
			ids, _ := row["external_ids"].(map[string]string)
			if !policies(table, ids) {
				continue
			}
			row = maps.Clone(row)
			delete(row, "_uuid")
			if table == nb.TablePortGroup {
				row["acls"] = named(db[nb.TableACL], row["acls"], func(r map[string]any) string { return r["external_ids"].(map[string]string)[nb.KeyID] })
				row["ports"] = named(db[nb.TablePort], row["ports"], func(r map[string]any) string { return r["name"].(string) })
			}
			key := table + " " + ids[nb.KeyID]
			for out[key] != nil {
				key += " again " + uuid
			}
			out[key] = row
		}
	}
	return out
}

// policies says whether a row belongs to a policy that Rung compiles.
func policies(table string, ids map[string]string) bool {
	if ids[nb.KeyOwnerController] != nb.DefaultController {
		return false
	}
	switch ids[nb.KeyOwnerType] {
	case nb.OwnerANP, nb.OwnerBANP:
		return true
	}
	return nb.OwnerOf(table, ids).Form == nb.FormKnown
}

// tables takes a dump apart: rows by table and UUID.
func tables(t testing.TB, dump []byte) map[string]map[string]map[string]any {
	t.Helper()
	db := map[string]map[string]map[string]any{}
	for line := range bytes.Lines(dump) {
		var table struct {
			Caption  string
			Headings []string
			Data     [][]any
		}
		must(t, json.Unmarshal(line, &table))
		list := map[string]map[string]any{}
		for _, values := range table.Data {
			r := map[string]any{}
			for i, v := range values {
				r[table.Headings[i]] = plain(v)
			}
			list[r["_uuid"].(string)] = r
		}
		db[strings.TrimSuffix(table.Caption, " table")] = list
	}
	return db
}

// plain takes OVSDB's notation apart (RFC 7047 §5.1).
func plain(v any) any {
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
			set = append(set, fmt.Sprint(plain(m)))
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

// column is a set as ovsdb-client prints it: a set of one is its member.
func column(members []any) any {
	list := []string{}
	for _, m := range members {
		list = append(list, m.(string))
	}
	slices.Sort(list)
	if len(list) == 1 {
		return list[0]
	}
	return list
}

// named replaces UUIDs by names.
func named(table map[string]map[string]any, v any, name func(map[string]any) string) any {
	uuids, ok := v.([]string)
	if s, one := v.(string); one {
		uuids, ok = []string{s}, true
	}
	if !ok {
		return v
	}
	list := []any{}
	for _, u := range uuids {
		list = append(list, name(table[u]))
	}
	return column(list)
}

// global is a zone's NB_Global.external_ids.
func global(t testing.TB, z *cluster.Zones, zone string) map[string]string {
	t.Helper()
	text, err := z.Dump(t.Context(), zone)
	must(t, err)
	for _, row := range tables(t, text)[nb.TableGlobal] {
		ids, _ := row["external_ids"].(map[string]string)
		return ids
	}
	t.Fatalf("zone %s has no NB_Global", zone)
	return nil
}

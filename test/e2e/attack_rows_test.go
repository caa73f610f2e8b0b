//go:build linux

package e2e_test

// damaging single rows, and judging what came of it.

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/install"
	"rung/test/ovsdb"
)

// columnsOf are the columns of the tables that Rung writes to. sample_new and
// sample_est refer to rows of a table that is empty here.
var columnsOf = map[string][]string{
	nb.TableACL:        {"action", "direction", "external_ids", "label", "log", "match", "meter", "name", "options", "priority", "severity", "tier", "(row)"},
	nb.TableAddressSet: {"addresses", "external_ids", "name", "(row)"},
	nb.TablePortGroup:  {"acls", "external_ids", "name", "ports", "(row)"},
}

// isOurs says whether a row is of the default network's controller and of an owner type that Rung
// compiles. Rows of a network that nobody has read are others'.
func isOurs(o nb.Owner) bool {
	return o.Controller == nb.DefaultController && (o.Form == nb.FormKnown || o.Form == nb.FormOdd)
}

// owned are the rows of a table that Rung may write.
func owned(db ovsdb.Database, table string) []ovsdb.Record {
	var out []ovsdb.Record
	for _, uuid := range slices.Sorted(maps.Keys(db[table])) {
		if isOurs(nb.ParseOwner(table, db[table][uuid].IDs())) {
			out = append(out, db[table][uuid])
		}
	}
	return out
}

// damage changes one row in one column.
func (a *attack) damage(zone string) {
	if a.wrong[zone] {
		return
	}
	// Only what Rung has seen is damaged: it cannot know whose a row was otherwise.
	z := a.w.Revision().Zone(zone)
	text, err := ovsdb.Run(a.w.ctx, append([]string{"-t", "3"}, ovsdb.DumpArgs(a.address(zone))...)...)
	if err != nil || z == nil || z.Conn != model.ConnSynced {
		a.refused++
		return
	}
	db, err := ovsdb.Parse(text)
	a.must(err)
	table := []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup}[a.r.IntN(3)]
	rows := owned(db, table)
	if len(rows) == 0 {
		return
	}
	row := rows[a.r.IntN(len(rows))]
	column := columnsOf[table][a.r.IntN(len(columnsOf[table]))]
	if a.r.IntN(4) == 0 {
		column = "external_ids" // most ways to go wrong
	}
	if known := z.DB.Row(table, row.UUID()); known == nil {
		return
	}
	var ops []map[string]any
	what := column
	switch column {
	case "(row)":
		ops = a.damageRow(db, table, row, "twin")
	case "external_ids":
		var ids map[string]string
		ids, what = a.spoil(a.r.IntN(spoils), row.IDs(), rows[a.r.IntN(len(rows))].IDs())
		ops = []map[string]any{update(table, row.UUID(), map[string]any{"external_ids": pairs(ids)})}
	default:
		ops = []map[string]any{update(table, row.UUID(), map[string]any{column: a.value(db, row, column)})}
	}
	params := []any{nb.Database}
	for _, op := range ops {
		params = append(params, op)
	}
	args, err := json.Marshal(params)
	a.must(err)
	out, err := ovsdb.Run(a.w.ctx, "-t", "3", "transact", a.address(zone), string(args))
	if err != nil || strings.Contains(string(out), `"error"`) {
		a.refused++
		return
	}
	if column == "external_ids" {
		a.disowned[zone+" "+row.UUID()] = true
	}
	a.count("damage: " + table + "." + what)
}

// damageRow does something to a row as a whole: deletes it, or what holds it, or
// makes one like it.
func (a *attack) damageRow(db ovsdb.Database, table string, row ovsdb.Record, twin string) []map[string]any {
	if table != nb.TableACL {
		return []map[string]any{remove(table, row.UUID())}
	}
	for _, holder := range []string{nb.TablePortGroup, nb.TableSwitch} {
		for uuid, h := range db[holder] {
			if !slices.Contains(members(h["acls"]), row.UUID()) {
				continue
			}
			if a.r.IntN(2) == 0 {
				return []map[string]any{mutate(holder, uuid, "acls", "delete", set(ref(row.UUID())))}
			}
			return []map[string]any{insert(nb.TableACL, twin, map[string]any{"priority": row.Priority(), "direction": row["direction"], "match": row["match"],
				"action": row["action"], "external_ids": pairs(row.IDs())}), mutate(holder, uuid, "acls", "insert", set(named(twin)))}
		}
	}
	return nil
}

// members are those of a set column as a dump has it.
func members(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []string:
		return v
	}
	return nil
}

// value is another value of a column.
func (a *attack) value(db ovsdb.Database, row ovsdb.Record, column string) any {
	pick := func(s ...any) any { return s[a.r.IntN(len(s))] }
	refs := func(table string, keep []string) any {
		some := map[string]bool{}
		for _, u := range keep {
			if a.r.IntN(2) == 0 {
				some[u] = true
			}
		}
		if all := slices.Sorted(maps.Keys(db[table])); len(all) > 0 && a.r.IntN(2) == 0 {
			some[all[a.r.IntN(len(all))]] = true
		}
		out := []any{}
		for _, u := range slices.Sorted(maps.Keys(some)) {
			out = append(out, ref(u))
		}
		return []any{"set", out}
	}
	switch column {
	case "action":
		return pick("allow", "allow-related", "drop", "reject", "pass")
	case "direction":
		return pick("from-lport", "to-lport")
	case "label", "priority":
		return a.r.IntN(30000)
	case "tier":
		return a.r.IntN(4)
	case "log":
		return pick(true, false)
	case "match":
		return pick("ip4", "0", "", "ip4.src == $"+row.Str("name"), "it's \"quoted\" `here`\n")
	case "meter", "severity":
		if column == "severity" {
			return pick("alert", "debug", set())
		}
		return pick("else", set())
	case "name":
		return pick("else", "").(string) + fmt.Sprint(a.r.IntN(1_000_000))
	case "options":
		return pick(pairs(nil), pairs(map[string]string{"apply-after-lb": "true"}), pairs(map[string]string{"x": "y"}))
	case "addresses":
		extra := fmt.Sprintf("192.0.2.%d", a.r.IntN(256))
		out := []any{extra}
		for _, s := range members(row["addresses"]) {
			if s != extra && a.r.IntN(2) == 0 {
				out = append(out, s)
			}
		}
		return []any{"set", out}
	case "acls":
		return refs(nb.TableACL, members(row["acls"]))
	case "ports":
		return refs(nb.TablePort, members(row["ports"]))
	}
	a.t.Fatalf("no value for %s", column)
	return nil
}

// spoils are how many ways spoil knows.
const spoils = 8

// spoil damages external_ids in one of the ways, and says in which.
func (a *attack) spoil(way int, ids, others map[string]string) (map[string]string, string) {
	out := maps.Clone(ids)
	switch way {
	case 0:
		delete(out, nb.KeyID)
		return out, "external_ids: no id"
	case 1:
		out[nb.KeyID] += ":x"
		return out, "external_ids: unknown id"
	case 2:
		out[nb.KeyID] = "x"
		return out, "external_ids: no id of ours"
	case 3:
		out[nb.KeyID] = others[nb.KeyID]
		return out, "external_ids: another row's id"
	case 4:
		delete(out, nb.KeyName)
		delete(out, nb.KeyID)
		return out, "external_ids: no id and no name"
	case 5:
		delete(out, nb.KeyOwnerController)
		return out, "external_ids: no controller"
	case 6:
		return nil, "external_ids: none"
	}
	keys := slices.Sorted(maps.Keys(out))
	if len(keys) > 0 {
		out[keys[a.r.IntN(len(keys))]] = "x"
	}
	return out, "external_ids: another value"
}

// compiled is what `rung compile` says about a zone.
func (a *attack) compiled(zone string) map[string]ovsdb.Record {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, install.Binary(a.t), "compile", "-f", a.manifests, "--zone", zone, "-o", "json", "--state-dir", a.t.TempDir()).Output()
	a.must(err)
	want, err := ovsdb.Compiled(out)
	a.must(err)
	return want
}

// judge says how a zone differs from what is compiled, and what is left over that
// Rung does not name; left counts what it does.
func (a *attack) judge(zone string, want map[string]ovsdb.Record) (wrong string, left int) {
	a.t.Helper()
	db := ovsdb.Dump(a.t, a.address(zone))
	z := a.w.Revision().Zone(zone)
	said := fmt.Sprint(a.w.Health().UnwrittenIn(z))
	named := func(table, uuid string) bool {
		if strings.Contains(said, uuid) {
			return true
		}
		for k, p := range z.Policies {
			if p.Blocked > 0 && strings.Contains(said, k.String()) && slices.ContainsFunc(p.Diffs, func(d model.RowDiff) bool {
				return d.Table == table && d.UUID == uuid && d.Waiting != ""
			}) {
				return true
			}
		}
		return false
	}
	// Left over may be: rows that hang on rows of others, and those whose owner ids
	// were taken away.
	for _, table := range []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup} {
		for uuid, r := range db[table] {
			o := nb.ParseOwner(table, r.IDs())
			switch {
			case !isOurs(o) && !a.disowned[zone+" "+uuid]:
				continue // others'
			case named(table, uuid):
				left++
				delete(db[table], uuid)
			case o.Form != nb.FormKnown:
				wrong += fmt.Sprintf("%s %s %v is left over and not named by %s\n", table, uuid, r.IDs(), said)
			}
		}
	}
	if checks := strings.Join(a.w.Health().ReadyChecks(), "\n"); left > 0 && !strings.Contains(checks, "[!]zone "+zone) {
		wrong += "not among the checks:\n" + checks
	}
	return wrong + cmp.Diff(writtenOnly(want), writtenOnly(db.Policies())), left
}

// writtenOnly drops what Rung never writes: labels, samples, and the members of DNS
// names, which others keep.
func writtenOnly(rows map[string]ovsdb.Record) map[string]ovsdb.Record {
	out := map[string]ovsdb.Record{}
	for key, r := range rows {
		r = maps.Clone(r)
		for _, column := range []string{"label", "sample_new", "sample_est", "network_function_group"} {
			delete(r, column)
		}
		if strings.Contains(key, ":"+nb.OwnerEFDNS+":") {
			delete(r, "addresses")
		}
		out[key] = r
	}
	return out
}

// marked are the rows that foreigners made.
func marked(db ovsdb.Database) string {
	var out []string
	for _, table := range []string{nb.TablePortGroup, nb.TableAddressSet} {
		for _, r := range db[table] {
			if name := r.Str("name"); len(name) == 4 && (strings.HasPrefix(name, "pgf") || strings.HasPrefix(name, "asf")) {
				text, err := json.Marshal(r)
				if err != nil {
					panic(err)
				}
				out = append(out, string(text))
				for _, uuid := range members(r["acls"]) {
					text, err := json.Marshal(db[nb.TableACL][uuid])
					if err != nil {
						panic(err)
					}
					out = append(out, string(text))
				}
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// Every column of every kind of row is damaged by hand, in every row at once: each
// time the rows are what is compiled soon after, and what is left over is named.
func TestEveryColumnIsMended(t *testing.T) {
	const zone = "n1"
	a := &attack{cluster: familyCluster(t, attackPolicies[0], tier2), r: rand.New(rand.NewPCG(1, 1)), counts: map[string]int{}, disowned: map[string]bool{}}
	a.zonesOf()
	a.w = a.writer()
	a.calm("at the start")
	want := a.compiled(zone)
	kinds := map[string]bool{}
	total := 0
	for _, table := range []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup} {
		var ways []string
		for _, column := range columnsOf[table] {
			if column == "external_ids" {
				for way := range spoils {
					ways = append(ways, fmt.Sprint(column, " ", way))
				}
				continue
			}
			ways = append(ways, column)
			if table == nb.TableACL && (column == "name" || column == "meter") {
				ways = append(ways, column+" empty") // as rows of older releases have it
			}
		}
		for _, way := range ways {
			db := ovsdb.Dump(t, a.address(zone))
			rows := owned(db, table)
			var ops []map[string]any
			column, n, _ := strings.Cut(way, " ")
			for i, row := range rows {
				kinds[table+" "+row.IDs()[nb.KeyOwnerType]] = true
				switch {
				case n == "empty":
					ops = append(ops, update(table, row.UUID(), map[string]any{column: ""}))
				case column == "(row)":
					ops = append(ops, a.damageRow(db, table, row, fmt.Sprint("twin", i))...)
				case column == "external_ids":
					ids, _ := a.spoil(int(n[0]-'0'), row.IDs(), rows[(i+1)%len(rows)].IDs())
					ops = append(ops, update(table, row.UUID(), map[string]any{column: pairs(ids)}))
					a.disowned[zone+" "+row.UUID()] = true
				default:
					ops = append(ops, update(table, row.UUID(), map[string]any{column: a.value(db, row, column)}))
				}
			}
			ovsdb.Transact(t, a.address(zone), ops...)
			total += len(rows)
			var wrong string
			for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
				wrong, _ = a.judge(zone, want)
				if wrong == "" {
					break
				}
				if time.Now().After(end) {
					t.Fatalf("%s %s: %s", table, way, wrong)
				}
			}
		}
	}
	_, left := a.judge(zone, want)
	t.Logf("%d times a row of %d kinds was damaged; %d rows are left over, and named", total, len(kinds), left)
	if len(kinds) != 17 {
		t.Errorf("kinds of rows: %v", slices.Sorted(maps.Keys(kinds)))
	}
}

package sandbox

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
)

// References: rows outside the root set go with their last reference, weak
// references with the row, and both arrive in one update.
func TestReferences(t *testing.T) {
	onBoth(t, func(t *testing.T, server string) {
		s := start(t, Config{Server: server})
		w := follow(t, s, "ovn-worker", nbdb.Config{})
		s.SetPods(cluster(pod("ns", "a", "ovn-worker", "10.244.0.5"), pod("ns", "b", "ovn-worker", "10.244.0.6")), nil)
		w.until("two ports", func(_ []model.ZoneUpdate, db *nb.DB) bool {
			return db.PortByName("ns_a") != nil && db.PortByName("ns_b") != nil
		})
		a, b := w.rows().PortByName("ns_a").UUID, w.rows().PortByName("ns_b").UUID
		n := w.mark()
		res := w.transact(aclOps("pg", []nb.Ref{{UUID: a}, {UUID: b}}, "drop", "pass")...)
		if all := w.all[n:]; len(all) != 1 || len(all[0].Changes) != 3 || all[0].Resync {
			t.Errorf("one transaction came as %+v", all)
		}
		pg := w.rows().PortGroupByName("pg")
		if len(pg.ACLs) != 2 || len(pg.Ports) != 2 || pg.UUID != res[2].UUID {
			t.Fatalf("%+v", pg)
		}
		// The pod goes, its port with it, and the group's weak reference too.
		n = w.mark()
		s.SetPods(cluster(pod("ns", "b", "ovn-worker", "10.244.0.6")), nil)
		w.until("one port", func(_ []model.ZoneUpdate, db *nb.DB) bool { return db.Port(a) == nil })
		if u := w.all[n]; len(u.Changes) != 3 || u.DB.PortGroup(pg.UUID).Ports[0] != b {
			t.Errorf("%+v", u.Changes)
		}
		// An ACL goes with its last reference.
		w.transact(nb.Op{Kind: nb.OpMutate, Table: nb.TablePortGroup, UUID: pg.UUID,
			Mutations: []nb.Mutation{{Column: "acls", Refs: []nb.Ref{{UUID: res[0].UUID}}}}})
		if db := w.rows(); db.ACL(res[0].UUID) != nil || db.ACL(res[1].UUID) == nil {
			t.Error("the ACL that nobody refers to should be gone, the other not")
		}
		if r := w.transact(nb.Op{Kind: nb.OpDelete, Table: nb.TablePortGroup, UUID: pg.UUID}); r[0].Count != 1 {
			t.Errorf("%+v", r)
		}
		if w.rows().ACL(res[1].UUID) != nil {
			t.Error("the group's ACL outlived it")
		}
		// A row that is not there is counted as such.
		gone := w.transact(nb.Op{Kind: nb.OpUpdate, Table: nb.TableACL, UUID: res[0].UUID, Row: map[string]any{"log": true}},
			nb.Op{Kind: nb.OpSelect, Table: nb.TablePortGroup, UUID: pg.UUID},
			nb.Op{Kind: nb.OpSelect, Table: nb.TablePort, UUID: b})
		if d := cmp.Diff([]nb.OpResult{{}, {}, {Count: 1}}, gone); d != "" {
			t.Error(d)
		}
	})
}

func TestRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, server string) {
		s := start(t, Config{Server: server})
		w := follow(t, s, "ovn-worker", nbdb.Config{})
		w.transact(nb.Op{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": "taken"}})
		n, rows := w.mark(), w.rows().Len()
		acl := func(column string, v any) []nb.Op {
			ops := aclOps("pg", nil, "drop")
			ops[0].Row[column] = v
			return ops
		}
		for what, ops := range map[string][]nb.Op{
			"unknown action":    acl("action", "shrug"),
			"priority too high": acl("priority", 32768),
			"tier too high":     acl("tier", 4),
			"name too long":     acl("name", strings.Repeat("x", 64)),
			"wrong type":        acl("log", "yes"),
			"unknown column":    acl("colour", "red"),
			"two names":         acl("name", []string{"a", "b"}),
			"unknown table":     {{Kind: nb.OpInsert, Table: "Router", Row: map[string]any{}}},
			"dangling": {{Kind: nb.OpInsert, Table: nb.TablePortGroup,
				Row: map[string]any{"name": "x", "acls": []nb.Ref{{UUID: "11111111-1111-1111-1111-111111111111"}}}}},
			"meter without band": {{Kind: nb.OpInsert, Table: nb.TableMeter, Row: map[string]any{"name": "m", "unit": "pktps", "bands": []nb.Ref{}}}},
			"second of a name": {{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": "fine"}},
				{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": "taken"}}},
		} {
			if _, err := w.conn.Transact(t.Context(), ops); !errors.Is(err, model.ErrRejected) {
				t.Errorf("%s: %v", what, err)
			} else if !strings.Contains(err.Error(), "ovn-worker") {
				t.Errorf("%s: %v does not name the zone", what, err)
			}
		}
		if w.mark() != n || w.rows().Len() != rows {
			t.Errorf("refused transactions left %+v", w.all[n:])
		}
	})
}

// Random transactions on a built-in and a real server give the same answers and
// the same rows, and what a connection followed equals what a fresh one reads.
func TestServersAgree(t *testing.T) {
	realServer(t)
	var ws []*watcher
	for _, server := range []string{ServerBuiltin, realServer(t)} {
		ws = append(ws, follow(t, start(t, Config{Server: server}), "ovn-worker", nbdb.Config{Coalesce: time.Millisecond}))
	}
	r := rand.New(rand.NewPCG(1, 2))
	uuids := make([]map[string][]string, 2) // per server: table → rows made, alike in both
	for i := range uuids {
		uuids[i] = map[string][]string{}
	}
	done := 0
	for round := range 150 {
		seed := r.Uint64()
		var errs [2]error
		var results [2][]nb.OpResult
		var ops [2][]nb.Op
		for i, w := range ws {
			ops[i] = randomOps(rand.New(rand.NewPCG(seed, 0)), round, uuids[i])
			results[i], errs[i] = w.conn.Transact(t.Context(), ops[i])
		}
		if (errs[0] == nil) != (errs[1] == nil) || errors.Is(errs[0], model.ErrRejected) != errors.Is(errs[1], model.ErrRejected) {
			t.Fatalf("round %d: built-in %v, real %v\n%+v", round, errs[0], errs[1], ops[0])
		}
		if errs[0] != nil {
			continue
		}
		done++
		for k := range results[0] {
			if results[0][k].Count != results[1][k].Count {
				t.Fatalf("round %d: operation %d: built-in %+v, real %+v\n%+v", round, k, results[0][k], results[1][k], ops[0][k])
			}
			for i := range ws {
				if ops[i][k].Kind == nb.OpInsert {
					uuids[i][ops[i][k].Table] = append(uuids[i][ops[i][k].Table], results[i][k].UUID)
				}
			}
		}
		if round%10 != 9 {
			continue
		}
		var dumps [2][]string
		for i, w := range ws {
			fresh, err := nbdb.Dial(nbdb.Config{Addr: w.conn.Endpoint(), AnyName: true}).Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			dumps[i] = dump(w.rows(), uuids[i])
			if d := cmp.Diff(dump(fresh, uuids[i]), dumps[i]); d != "" {
				t.Fatalf("round %d, server %d: followed and read rows differ: %s", round, i, d)
			}
		}
		if d := cmp.Diff(dumps[0], dumps[1]); d != "" {
			t.Fatalf("round %d: built-in and real rows differ: %s", round, d)
		}
	}
	t.Log(done, ws[0].rows().Len())
	if done < 50 {
		t.Errorf("only %d transactions were accepted: the test shows little", done)
	}
}

// dump prints all rows with UUIDs replaced by their number.
func dump(db *nb.DB, uuids map[string][]string) []string {
	var out []string
	var pairs []string
	for table, ids := range uuids {
		for i, id := range ids {
			pairs = append(pairs, id, fmt.Sprintf("%s#%d", table, i))
		}
	}
	for p := range db.Ports() {
		if !slices.Contains(uuids[nb.TablePort], p.UUID) {
			pairs = append(pairs, p.UUID, "seed-"+p.Name)
		}
	}
	for g := range db.PortGroups() {
		if !slices.Contains(uuids[nb.TablePortGroup], g.UUID) {
			pairs = append(pairs, g.UUID, "seed-"+g.Name)
		}
	}
	names := strings.NewReplacer(pairs...)
	add := func(r any) {
		s := names.Replace(fmt.Sprintf("%+v", r))
		// Sets of references are sorted by UUID, which differs.
		words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" []{}", r) })
		slices.Sort(words)
		out = append(out, strings.Join(words, " "))
	}
	for r := range db.ACLs() {
		add(r)
	}
	for r := range db.AddressSets() {
		add(r)
	}
	for r := range db.PortGroups() {
		add(r)
	}
	for r := range db.Ports() {
		add(r)
	}
	for r := range db.Switches() {
		r := *r
		r.UUID = ""
		add(&r)
	}
	slices.Sort(out)
	return out
}

// randomOps makes a transaction; with equal numbers it is the same but for the
// UUIDs.
func randomOps(r *rand.Rand, round int, uuids map[string][]string) []nb.Op {
	pick := func(table string) string {
		ids := uuids[table]
		if len(ids) == 0 {
			return "99999999-9999-9999-9999-999999999999"
		}
		return ids[r.IntN(len(ids))]
	}
	refs := func(table string, n int) []nb.Ref {
		out := []nb.Ref{}
		for range r.IntN(n + 1) {
			if ref := (nb.Ref{UUID: pick(table)}); !slices.Contains(out, ref) {
				out = append(out, ref)
			}
		}
		return out
	}
	ips := func() []string {
		out := []string{}
		for range r.IntN(5) {
			if ip := fmt.Sprintf("10.0.0.%d", r.IntN(8)); !slices.Contains(out, ip) {
				out = append(out, ip)
			}
		}
		return out
	}
	text := func() any {
		return []any{nil, "", "a", `b"ä`}[r.IntN(4)]
	}
	ids := func() map[string]string {
		m := map[string]string{}
		for range r.IntN(4) {
			m[string(rune('a'+r.IntN(4)))] = string(rune('x' + r.IntN(3)))
		}
		return m
	}
	aclRow := func() map[string]any {
		row := map[string]any{"action": []string{"drop", "pass", "allow"}[r.IntN(3)], "direction": nb.ToLport,
			"priority": r.IntN(33000), "match": "ip4", "log": r.IntN(2) == 0, "name": text(), "meter": text(),
			"tier": r.IntN(4), "options": ids(), "external_ids": ids()}
		row["severity"] = []any{nil, "info", "alert"}[r.IntN(3)]
		if r.IntN(2) == 0 {
			delete(row, "options")
		}
		return row
	}
	var ops []nb.Op
	for i := range 1 + r.IntN(4) {
		name := fmt.Sprintf("row%d", i)
		switch r.IntN(11) {
		case 0, 1:
			ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TableACL, UUIDName: name, Row: aclRow()},
				nb.Op{Kind: nb.OpInsert, Table: nb.TablePortGroup, Row: map[string]any{"name": fmt.Sprintf("pg%d.%d", round, i),
					"acls": append(refs(nb.TableACL, 1), nb.Ref{Name: name}), "ports": refs(nb.TablePort, 2), "external_ids": ids()}})
		case 2:
			ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TableAddressSet,
				Row: map[string]any{"name": fmt.Sprintf("as%d", r.IntN(60)), "addresses": ips(), "external_ids": ids()}})
		case 3:
			ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TablePort, UUIDName: name,
				Row: map[string]any{"name": fmt.Sprintf("port%d.%d", round, i), "addresses": ips()}},
				nb.Op{Kind: nb.OpInsert, Table: nb.TableSwitch, Row: map[string]any{"name": name, "ports": []nb.Ref{{Name: name}}}})
		case 4:
			ops = append(ops, nb.Op{Kind: nb.OpUpdate, Table: nb.TableACL, UUID: pick(nb.TableACL), Row: aclRow()})
		case 5:
			ops = append(ops, nb.Op{Kind: nb.OpMutate, Table: nb.TableAddressSet, UUID: pick(nb.TableAddressSet), Mutations: []nb.Mutation{
				{Column: "addresses", Insert: r.IntN(2) == 0, Strings: ips()}, {Column: "addresses", Insert: r.IntN(2) == 0, Strings: ips()}}})
		case 6:
			ops = append(ops, nb.Op{Kind: nb.OpMutate, Table: nb.TablePortGroup, UUID: pick(nb.TablePortGroup), Mutations: []nb.Mutation{
				{Column: "acls", Insert: r.IntN(2) == 0, Refs: refs(nb.TableACL, 2)}, {Column: "ports", Insert: r.IntN(2) == 0, Refs: refs(nb.TablePort, 3)}}})
		case 7:
			ops = append(ops, nb.Op{Kind: nb.OpUpdate, Table: nb.TablePortGroup, UUID: pick(nb.TablePortGroup),
				Row: map[string]any{"ports": refs(nb.TablePort, 4), "external_ids": ids()}})
		case 8:
			ops = append(ops, nb.Op{Kind: nb.OpDelete, Table: nb.TableSwitch, UUID: pick(nb.TableSwitch)})
		case 9:
			ops = append(ops, nb.Op{Kind: nb.OpDelete, Table: nb.TablePortGroup, UUID: pick(nb.TablePortGroup)})
		case 10:
			ops = append(ops, nb.Op{Kind: nb.OpDelete, Table: nb.TableAddressSet, UUID: pick(nb.TableAddressSet)},
				nb.Op{Kind: nb.OpUpdate, Table: nb.TableAddressSet, UUID: pick(nb.TableAddressSet), Row: map[string]any{"addresses": ips()}})
		}
	}
	// ovsdb-server 3.1 keeps a weak reference that a transaction writes to a row
	// that goes in the same transaction: there the two differ, rightly.
	deletes := func(op nb.Op) bool { return op.Kind == nb.OpDelete && op.Table == nb.TableSwitch }
	if i := slices.IndexFunc(ops, deletes); i >= 0 {
		return ops[i : i+1]
	}
	return ops
}

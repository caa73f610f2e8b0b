//go:build linux

package e2e_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rung/model/nb"
	"rung/test/install"
)

// record is a row as ovsdb-client prints it: plain values, sets as sorted
// []string, maps as map[string]string.
type record map[string]any

func (r record) str(column string) string { s, _ := r[column].(string); return s }

func (r record) uuid() string { return r.str("_uuid") }

func (r record) ids() map[string]string {
	m, _ := r["external_ids"].(map[string]string)
	return m
}

func (r record) id() string { return r.ids()[nb.KeyID] }

func (r record) priority() int { n, _ := r["priority"].(float64); return int(n) }

// policy is the name of the ANP or BANP the row carries the ids of, or the kind
// and name of another unit that has rows.
func (r record) policy() string {
	ids := r.ids()
	switch t := ids[nb.KeyOwnerType]; {
	case ids[nb.KeyOwnerController] != nb.DefaultController:
		return ""
	case t == nb.OwnerANP || t == nb.OwnerBANP:
		return ids[nb.KeyName]
	}
	for _, table := range []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup} {
		if o := nb.OwnerOf(table, ids); o.Form == nb.FormKnown {
			return o.Type + " " + o.Namespace + "/" + o.Name
		}
	}
	return ""
}

// database is what a dump shows: rows by table and UUID.
type database map[string]map[string]record

// dump reads a whole database with ovsdb-client.
func dump(t testing.TB, addr string) database {
	t.Helper()
	out := client(t, "-f", "json", "dump", addr, nb.Database)
	db := database{}
	for line := range bytes.Lines(out) {
		var table struct {
			Caption  string
			Headings []string
			Data     [][]any
		}
		if err := json.Unmarshal(line, &table); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		name := strings.TrimSuffix(table.Caption, " table")
		db[name] = map[string]record{}
		for _, values := range table.Data {
			r := record{}
			for i, v := range values {
				r[table.Headings[i]] = plain(v)
			}
			db[name][r.uuid()] = r
		}
	}
	return db
}

// plain takes OVSDB's JSON notation apart (RFC 7047 §5.1).
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

// client runs ovsdb-client.
func client(t testing.TB, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, install.Server(t, "ovsdb-client"), args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ovsdb-client %s: %v: %s", args, err, complaint.Bytes())
	}
	return out
}

// transact runs operations in one transaction and fails when one is refused.
func transact(t testing.TB, addr string, ops ...map[string]any) []map[string]any {
	t.Helper()
	params := []any{nb.Database}
	for _, op := range ops {
		params = append(params, op)
	}
	text, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	var results []map[string]any
	out := client(t, "transact", addr, string(text))
	if err := json.Unmarshal(out, &results); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, r := range results {
		if r != nil && r["error"] != nil {
			t.Fatalf("%s: %s", text, out)
		}
	}
	return results
}

// Notation of OVSDB's JSON for transactions.

func set(values ...any) []any { return []any{"set", append([]any{}, values...)} }
func ref(uuid string) []any   { return []any{"uuid", uuid} }
func named(name string) []any { return []any{"named-uuid", name} }

func pairs(m map[string]string) []any {
	kvs := []any{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		kvs = append(kvs, []any{k, m[k]})
	}
	return []any{"map", kvs}
}

func insert(table, name string, row map[string]any) map[string]any {
	op := map[string]any{"op": "insert", "table": table, "row": row}
	if name != "" {
		op["uuid-name"] = name
	}
	return op
}

func byUUID(uuid string) []any { return []any{[]any{"_uuid", "==", ref(uuid)}} }

func update(table, uuid string, row map[string]any) map[string]any {
	return map[string]any{"op": "update", "table": table, "where": byUUID(uuid), "row": row}
}

func remove(table, uuid string) map[string]any {
	return map[string]any{"op": "delete", "table": table, "where": byUUID(uuid)}
}

func mutate(table, uuid, column, mutator string, value any) map[string]any {
	return map[string]any{"op": "mutate", "table": table, "where": byUUID(uuid), "mutations": []any{[]any{column, mutator, value}}}
}

// find returns the only row of a table that fits.
func (d database) find(t testing.TB, table, what string, fits func(record) bool) record {
	t.Helper()
	var found record
	for _, r := range d[table] {
		if fits(r) {
			if found != nil {
				t.Fatalf("two rows of %s are %s", table, what)
			}
			found = r
		}
	}
	if found == nil {
		t.Fatalf("no row of %s is %s", table, what)
	}
	return found
}

// byID returns the row whose k8s.ovn.org/id ends so.
func (d database) byID(t testing.TB, table, end string) record {
	t.Helper()
	return d.find(t, table, end, func(r record) bool { return r.id() == nb.DefaultController+":"+end })
}

// of are the rows of one policy in a table, by id.
func (d database) of(table, policy string) map[string]record {
	out := map[string]record{}
	for _, r := range d[table] {
		if r.policy() == policy {
			out[r.id()] = r
		}
	}
	return out
}

// uuids are the UUIDs of a policy's rows in all tables, by table and id.
func (d database) uuids(policy string) map[string]string {
	out := map[string]string{}
	for _, table := range []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup} {
		for id, r := range d.of(table, policy) {
			out[table+" "+id] = r.uuid()
		}
	}
	return out
}

// ladder are the priorities of the policies in the rows.
func (d database) ladder() map[string][2]int {
	l := ladder{}
	for uuid, r := range d[nb.TableACL] {
		l.set(uuid, r)
	}
	return l.spans()
}

// foreign is the JSON of every row that carries no id of a policy in the
// default network, UUIDs and all. Ports of pods may be left out: they follow
// pods.
func (d database) foreign(t testing.TB, ports bool) string {
	t.Helper()
	var out []string
	for table, rows := range d {
		if table == nb.TablePort && !ports {
			continue
		}
		for _, r := range rows {
			if r.policy() != "" {
				continue
			}
			if table == nb.TableGlobal {
				// Who writes says so there.
				ids := maps.Clone(r.ids())
				delete(ids, nb.KeyWriter)
				delete(ids, nb.KeyEpoch)
				r = maps.Clone(r)
				r["external_ids"] = ids
			}
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, table+" "+string(text))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// ladder collects ACL priorities by policy.
type ladder map[string]record // ACLs of policies by UUID

func (l ladder) set(uuid string, r record) {
	if r == nil || r.policy() == "" || r.ids()[nb.KeyOwnerType] != nb.OwnerANP {
		delete(l, uuid)
	} else {
		l[uuid] = r
	}
}

// spans are the lowest and the highest ACL priority of each policy.
func (l ladder) spans() map[string][2]int {
	out := map[string][2]int{}
	for _, r := range l {
		p := r.priority()
		s, ok := out[r.policy()]
		if !ok {
			s = [2]int{p, p}
		}
		out[r.policy()] = [2]int{min(s[0], p), max(s[1], p)}
	}
	return out
}

// monitor follows the ACLs of a zone with ovsdb-client, independently of Rung.
// each is told what changed and holds the rows after every update.
type monitor struct {
	mu      sync.Mutex
	rows    ladder
	updates int
	failed  error
}

// acls follows ACLs; check judges every state and returns what is wrong.
func acls(t testing.TB, addr string, check func(changed []change, now ladder) error) *monitor {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, install.Server(t, "ovsdb-client"), "-f", "json", "monitor", addr, nb.Database, nb.TableACL, "priority,external_ids,action,match")
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	m := &monitor{rows: ladder{}}
	done, first := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		m.read(pipe, check, sync.OnceFunc(func() { close(first) }))
		_ = cmd.Wait()
	}()
	t.Cleanup(func() { cancel(); <-done })
	select {
	case <-first:
	case <-done:
		t.Fatalf("the monitor of %s ended", addr)
	case <-time.After(10 * time.Second):
		t.Fatalf("the monitor of %s does not start", addr)
	}
	return m
}

// change is one row of an update.
type change struct{ kind, id string } // "initial", "insert", "new" (a new version), "delete"

func (m *monitor) read(r io.Reader, check func([]change, ladder) error, begun func()) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var u struct{ Data [][]any }
		err := json.Unmarshal(lines.Bytes(), &u)
		m.mu.Lock()
		var changed []change
		uuid := ""
		for _, v := range u.Data {
			if s, _ := v[0].(string); s != "" {
				uuid = s
			}
			row := record{"priority": v[2], "external_ids": plain(v[3])}
			switch kind := v[1].(string); kind {
			case "delete":
				m.rows.set(uuid, nil)
				changed = append(changed, change{kind, row.id()})
			case "initial", "insert", "new":
				m.rows.set(uuid, row)
				changed = append(changed, change{kind, row.id()})
			}
		}
		m.updates++
		if err == nil {
			err = check(changed, m.rows)
		}
		if m.failed == nil {
			m.failed = err
		}
		m.mu.Unlock()
		begun()
	}
}

func (m *monitor) state() (updates int, spans map[string][2]int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.updates, m.rows.spans(), m.failed
}

// process is a running program.
type process struct {
	pid     int
	command string
}

// serversIn are the ovsdb-servers whose command line names a folder.
func serversIn(t testing.TB, dir string) (out []process) {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue // gone meanwhile
		}
		p := process{command: string(bytes.ReplaceAll(raw, []byte{0}, []byte{' '}))}
		if _, err := fmt.Sscanf(name, "/proc/%d/", &p.pid); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(p.command, "ovsdb-server") && strings.Contains(p.command, dir+"/") && p.pid != os.Getpid() {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b process) int { return cmp.Compare(a.pid, b.pid) })
	return out
}

// signal sends a signal to the server of one zone of a sandbox of this test.
func signal(t testing.TB, dir, zone string, s syscall.Signal) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		for _, p := range serversIn(t, dir) {
			if strings.Contains(p.command, "/"+zone+".sock ") {
				if err := syscall.Kill(p.pid, s); err != nil {
					t.Fatal(err)
				}
				return
			}
		}
	}
	t.Fatalf("no server of zone %s", zone)
}

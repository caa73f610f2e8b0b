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

	"rung/model/ovn/nb"
	"rung/test/install"
	"rung/test/ovsdb"
)

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
func find(t testing.TB, d ovsdb.Database, table, what string, fits func(ovsdb.Record) bool) ovsdb.Record {
	t.Helper()
	var found ovsdb.Record
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
func byID(t testing.TB, d ovsdb.Database, table, end string) ovsdb.Record {
	t.Helper()
	return find(t, d, table, end, func(r ovsdb.Record) bool { return r.ID() == nb.DefaultController+":"+end })
}

// rowsOf are the rows of one policy in a table, by id.
func rowsOf(d ovsdb.Database, table, policy string) map[string]ovsdb.Record {
	out := map[string]ovsdb.Record{}
	for _, r := range d[table] {
		if r.Policy() == policy {
			out[r.ID()] = r
		}
	}
	return out
}

// uuids are the UUIDs of a policy's rows in all tables, by table and id.
func uuids(d ovsdb.Database, policy string) map[string]string {
	out := map[string]string{}
	for _, table := range []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup} {
		for id, r := range rowsOf(d, table, policy) {
			out[table+" "+id] = r.UUID()
		}
	}
	return out
}

// ladderOf are the priorities of the policies in the rows.
func ladderOf(d ovsdb.Database) map[string][2]int {
	l := ladder{}
	for uuid, r := range d[nb.TableACL] {
		l.set(uuid, r)
	}
	return l.spans()
}

// foreign is the JSON of every row that carries no id of a policy in the
// default network, UUIDs and all. Ports of pods may be left out: they follow
// pods.
func foreign(t testing.TB, d ovsdb.Database, ports bool) string {
	t.Helper()
	var out []string
	for table, rows := range d {
		if table == nb.TablePort && !ports {
			continue
		}
		for _, r := range rows {
			if r.Policy() != "" {
				continue
			}
			if table == nb.TableGlobal {
				// Who writes says so there.
				ids := maps.Clone(r.IDs())
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
type ladder map[string]ovsdb.Record // ACLs of policies by UUID

func (l ladder) set(uuid string, r ovsdb.Record) {
	if r == nil || r.Policy() == "" || r.IDs()[nb.KeyOwnerType] != nb.OwnerANP {
		delete(l, uuid)
	} else {
		l[uuid] = r
	}
}

// spans are the lowest and the highest ACL priority of each policy.
func (l ladder) spans() map[string][2]int {
	out := map[string][2]int{}
	for _, r := range l {
		p := r.Priority()
		s, ok := out[r.Policy()]
		if !ok {
			s = [2]int{p, p}
		}
		out[r.Policy()] = [2]int{min(s[0], p), max(s[1], p)}
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
func acls(t testing.TB, addr string, check func(changed []rowEvent, now ladder) error) *monitor {
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
	case <-time.After(patience):
		t.Fatalf("the monitor of %s does not start", addr)
	}
	return m
}

// change is one row of an update.
type rowEvent struct{ kind, id string } // "initial", "insert", "new" (a new version), "delete"

func (m *monitor) read(r io.Reader, check func([]rowEvent, ladder) error, begun func()) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var u struct{ Data [][]any }
		err := json.Unmarshal(lines.Bytes(), &u)
		m.mu.Lock()
		var changed []rowEvent
		uuid := ""
		for _, v := range u.Data {
			if s, _ := v[0].(string); s != "" {
				uuid = s
			}
			row := ovsdb.Record{"priority": v[2], "external_ids": ovsdb.Plain(v[3])}
			switch kind := v[1].(string); kind {
			case "delete":
				m.rows.set(uuid, nil)
				changed = append(changed, rowEvent{kind, row.ID()})
			case "initial", "insert", "new":
				m.rows.set(uuid, row)
				changed = append(changed, rowEvent{kind, row.ID()})
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
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
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

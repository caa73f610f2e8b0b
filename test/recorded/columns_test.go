package recorded

import (
	"bytes"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/cli"
	"rung/model/ovn/nb"
	"rung/test/install"
	"rung/test/ovsdb"
	"rung/test/wait"
)

// Settings of the process that wrote the databases which a file of objects does not tell.
var settings = []string{"--multicast", "on", "--netpol-defaults", "on"}

var subnets = map[string]string{
	"examples": "10.244.0.0/16", "random": "10.244.0.0/16", "networks": "10.244.0.0/16,fd00:10:244::/48",
	"networks-random": "10.244.0.0/16,fd00:10:244::/48", "dual-stack": "10.244.0.0/16,fd00:10:244::/48",
}

// readDatabase returns the rows of a database file.
func readDatabase(t *testing.T, file string) ovsdb.Database {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	db := ovsdb.Database{}
	for line := range bytes.Lines(text) {
		var r record
		if json.Unmarshal(line, &r) != nil || r["tables"] != nil {
			continue
		}
		for table, raw := range r {
			var rows map[string]map[string]any
			if table[0] == '_' || json.Unmarshal(raw, &rows) != nil {
				continue
			}
			if db[table] == nil {
				db[table] = map[string]ovsdb.Record{}
			}
			for uuid, columns := range rows {
				if columns == nil {
					delete(db[table], uuid)
					continue
				}
				if db[table][uuid] == nil {
					db[table][uuid] = ovsdb.Record{"_uuid": uuid}
				}
				for name, v := range columns {
					db[table][uuid][name] = ovsdb.Plain(v)
				}
			}
		}
	}
	return db
}

// isCompiled reports whether a row is of an owner that Rung compiles rows of. The addresses of DNS names come from
// a nameserver.
func isCompiled(r ovsdb.Record) bool {
	owner := r.IDs()[nb.KeyOwnerType]
	return owner != "" && !slices.Contains([]string{nb.OwnerUDNIsolation, "UDNEnabledService", nb.OwnerNamespace, nb.OwnerCluster, nb.OwnerEFDNS}, owner)
}

// columnsOf returns all columns of the rows that count, by table and id. ACLs stand for themselves in
// port groups and switches by their ids, ports by their names. Columns with nothing in them are left out.
func columnsOf(db ovsdb.Database, counts func(ovsdb.Record) bool) map[string]map[string]string {
	out := map[string]map[string]string{}
	names := func(table string, column any, name func(ovsdb.Record) string) any {
		uuids, _ := column.([]string)
		if one, is := column.(string); is {
			uuids = []string{one}
		}
		var list []string
		for _, u := range uuids {
			list = append(list, name(db[table][u]))
		}
		return ovsdb.Column(list)
	}
	for _, table := range []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup, nb.TableSwitch} {
		for _, r := range db[table] {
			key := table + " " + r.ID()
			if table == nb.TableSwitch {
				key += r.Str("name")
			} else if !counts(r) {
				continue
			}
			columns := map[string]string{}
			for name, v := range r {
				switch {
				case name == "_uuid" || name == "_version", table == nb.TableSwitch && name != "acls":
					continue
				case name == "acls" && table != nb.TableACL:
					v = names(nb.TableACL, v, ovsdb.Record.ID)
				case name == "ports":
					v = names(nb.TablePort, v, func(r ovsdb.Record) string { return r.Str("name") })
				}
				columns[name] = fmt.Sprint(v)
			}
			maps.DeleteFunc(columns, isEmpty)
			if table != nb.TableSwitch || len(columns) > 0 {
				out[key] = columns
			}
		}
	}
	return out
}

// Compiled rows are those that OVN-Kubernetes wrote, in all columns.
func TestCompiledColumns(t *testing.T) {
	for name, subnets := range subnets {
		t.Run(name, func(t *testing.T) {
			objects, databases := cluster(t, name)
			for node, file := range databases {
				args := append([]string{"compile", "-f", objects, "--zone", node, "-o", "json", "--state-dir", t.TempDir(), "--cluster-subnets", subnets}, settings...)
				var stdout, stderr bytes.Buffer
				if code := cli.Main(args, strings.NewReader(""), &stdout, &stderr, nil); code != 0 {
					t.Fatalf("exit code %d: %s", code, &stderr)
				}
				rows, err := ovsdb.Compiled(stdout.Bytes())
				if err != nil {
					t.Fatal(err)
				}
				got := ovsdb.Database{}
				for key, row := range rows {
					table, _, _ := strings.Cut(key, " ")
					if got[table] == nil {
						got[table] = map[string]ovsdb.Record{}
					}
					got[table][key] = row
				}
				db := readDatabase(t, file)
				want := columnsOf(db, isCompiled)
				ports := map[string]bool{}
				for _, p := range db[nb.TablePort] {
					ports[p.Str("name")] = true
				}
				have := map[string]map[string]string{}
				for table, rows := range got {
					for _, r := range rows {
						if isCompiled(r) {
							// The process had not made the ports of all pods.
							all := strings.Fields(strings.Trim(fmt.Sprint(r["ports"]), "[]"))
							r["ports"] = ovsdb.Column(slices.DeleteFunc(all, func(p string) bool { return !ports[p] }))
							have[table+" "+r.ID()] = texts(r)
						}
					}
				}
				for key := range want {
					if strings.HasPrefix(key, nb.TableSwitch) {
						delete(want, key)
					}
				}
				if diff := cmp.Diff(want, have); diff != "" {
					t.Errorf("%s: (-OVN-Kubernetes +Rung)\n%s", node, diff)
				}
				break // a node of each cluster, which one is for the map to say
			}
		})
	}
}

// texts returns the columns of a row that have something in them.
func texts(r ovsdb.Record) map[string]string {
	out := map[string]string{}
	for name, v := range r {
		out[name] = fmt.Sprint(v)
	}
	maps.DeleteFunc(out, isEmpty)
	return out
}

// isEmpty reports whether a column has its default value, or is absent.
func isEmpty(_, text string) bool {
	return slices.Contains([]string{"[]", "", "map[]", "<nil>", "false", "0"}, text)
}

// withoutRows copies a database file without the rows that count.
func withoutRows(t *testing.T, file string, counts func(ovsdb.Record) bool) string {
	t.Helper()
	db := readDatabase(t, file)
	change := map[string]map[string]any{}
	put := func(table, uuid string, row any) {
		if change[table] == nil {
			change[table] = map[string]any{}
		}
		change[table][uuid] = row
	}
	none := map[string]any{"acls": []any{"set", []any{}}}
	for uuid := range db[nb.TableACL] {
		put(nb.TableACL, uuid, nil)
	}
	for uuid, r := range db[nb.TablePortGroup] {
		if counts(r) {
			put(nb.TablePortGroup, uuid, nil)
		} else {
			put(nb.TablePortGroup, uuid, none)
		}
	}
	for uuid, r := range db[nb.TableAddressSet] {
		if counts(r) {
			put(nb.TableAddressSet, uuid, nil)
		}
	}
	for uuid := range db[nb.TableSwitch] {
		put(nb.TableSwitch, uuid, none)
	}
	line, err := json.Marshal(change)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	line = append(line, '\n')
	out := filepath.Join(t.TempDir(), "nb.db")
	if err := os.WriteFile(out, fmt.Appendf(text, "OVSDB JSON %d %x\n%s", len(line), sha1.Sum(line), line), 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

// rung reconcile, told nothing of multicast, hairpin rows and masquerade subnets, writes the rows that
// OVN-Kubernetes wrote, into a database that has lost them.
func TestReconcileWritesTheSameRows(t *testing.T) {
	server := install.Server(t, "ovsdb-server")
	install.Server(t, "ovsdb-client")
	for name, subnets := range subnets {
		t.Run(name, func(t *testing.T) {
			objects, databases := cluster(t, name)
			node := "ovn-worker"
			if databases[node] == "" {
				node = "ovn-worker2"
			}
			ours := func(r ovsdb.Record) bool { return isCompiled(r) || r.IDs()[nb.KeyOwnerType] == nb.OwnerEFDNS }
			want, file := columnsOf(readDatabase(t, databases[node]), isCompiled), withoutRows(t, databases[node], ours)
			sock := filepath.Join(t.TempDir(), "s")
			start(t, exec.Command(server, "--remote=punix:"+sock, "--log-file=/dev/null", "--unixctl="+sock+".ctl", "-voff", file))
			wait.Socket(t, sock)
			args := []string{"reconcile", "-f", objects, "--nb", node + "=unix:" + sock, "--cluster-subnets", subnets,
				"--state-dir", t.TempDir(), "--metrics-address", "", "--i-know-that-nobody-else-writes-these-rows"}
			var said bytes.Buffer
			run := exec.Command(install.Binary(t), args...)
			run.Stderr = &said
			stop := start(t, run)
			diff := "nothing was read"
			for end := time.Now().Add(time.Minute); diff != "" && time.Now().Before(end); {
				db := ovsdb.Dump(t, "unix:"+sock)
				diff = cmp.Diff(want, columnsOf(db, isCompiled))
			}
			stop()
			if diff == "" { // also once it has ended
				diff = cmp.Diff(want, columnsOf(ovsdb.Dump(t, "unix:"+sock), isCompiled))
			}
			if diff != "" {
				t.Errorf("(-OVN-Kubernetes +Rung)\n%s\n%s", diff, &said)
			}
		})
	}
}

// rung reconcile, told nothing of the settings that OVN-Kubernetes ran with, changes no row of a
// database that is as OVN-Kubernetes wrote it, besides its own name in NB_Global.
func TestReconcileChangesNoRow(t *testing.T) {
	server := install.Server(t, "ovsdb-server")
	install.Server(t, "ovsdb-client")
	for name, subnets := range subnets {
		t.Run(name, func(t *testing.T) {
			objects, databases := cluster(t, name)
			node := slices.Sorted(maps.Keys(databases))[0]
			sock := filepath.Join(t.TempDir(), "s")
			start(t, exec.Command(server, "--remote=punix:"+sock, "--log-file=/dev/null", "--unixctl="+sock+".ctl", "-voff", databases[node]))
			wait.Socket(t, sock)
			// A database with rows that names no writer is watched for a minute first.
			ovsdb.Transact(t, "unix:"+sock, map[string]any{"op": "mutate", "table": "NB_Global", "where": []any{},
				"mutations": []any{[]any{"external_ids", "insert", []any{"map", []any{[]any{nb.KeyWriter, "ended"}, []any{nb.KeyEpoch, "1"}}}}}})
			before := ovsdb.Dump(t, "unix:"+sock)
			run := exec.Command(install.Binary(t), "reconcile", "-f", objects, "--nb", node+"=unix:"+sock, "--cluster-subnets", subnets,
				"--state-dir", t.TempDir(), "--metrics-address", "127.0.0.1:0", "--i-know-that-nobody-else-writes-these-rows")
			log := filepath.Join(t.TempDir(), "log")
			said, err := os.Create(log)
			if err != nil {
				t.Fatal(err)
			}
			defer said.Close()
			run.Stderr = said
			stop := start(t, run)
			text := func() string {
				out, err := os.ReadFile(log)
				if err != nil {
					t.Fatal(err)
				}
				return string(out)
			}
			ready := awaitReady(t, text)
			after := ovsdb.Dump(t, "unix:"+sock)
			stop()
			if !ready {
				t.Errorf("not ready within %v", wait.Patience)
			}
			if !strings.Contains(text(), "held=true") {
				t.Errorf("it did not take the zone")
			}
			delete(before, "NB_Global")
			delete(after, "NB_Global")
			if diff := cmp.Diff(before, after); diff != "" || t.Failed() {
				t.Errorf("(-before +after)\n%s\n%s", diff, text())
			}
		})
	}
}

// awaitReady waits until the address in a log answers /readyz with 200.
func awaitReady(t *testing.T, log func() string) bool {
	t.Helper()
	return wait.Poll(wait.Patience, func() bool {
		_, address, served := strings.Cut(log(), "msg=serving address=")
		address, _, whole := strings.Cut(address, "\n")
		if !served || !whole {
			return false
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/readyz", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
}

// start starts a program that the end of the test stops, or the function that is returned.
func start(t *testing.T, cmd *exec.Cmd) (stop func()) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
		}
	}
	t.Cleanup(stop)
	return stop
}

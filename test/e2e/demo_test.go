//go:build linux

package e2e_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model/ovn/nb"
	"rung/test/install"
	"rung/test/ovsdb"
	"rung/test/term"
	"rung/test/wait"
)

// The demo as it is run: OVS's own client shows the rows that `rung compile`
// prints; no server outlives a SIGKILL, and the next start cleans up.
func TestDemo(t *testing.T) {
	t.Parallel()
	install.Server(t, "ovsdb-server")
	install.Server(t, "ovsdb-client")
	home := memory(t)
	base := filepath.Join(home, "run", "rung")
	demo := func() (*term.Driver, string) {
		t.Helper()
		d := term.Start(t, term.Options{Path: install.Binary(t), Args: []string{"demo", "--lag", "0", "--sandbox-ovn", "off"}, Home: home})
		return d, filepath.Join(base, strconv.Itoa(d.Pid()))
	}
	first, dir := demo()
	root, err := install.Root()
	if err != nil {
		t.Fatal(err)
	}
	// What the demo's cluster is configured with (docs/configuration.md).
	dns := filepath.Join(t.TempDir(), "dns.yaml")
	if err := os.WriteFile(dns, []byte("mirror.example.com: [192.0.2.80, 198.51.100.80]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, zone := range []string{"ovn-control-plane", "ovn-worker", "ovn-worker2"} {
		addr := "unix:" + filepath.Join(dir, zone+".sock")
		want := compiled(t, filepath.Join(root, "examples"), zone, "--cluster-subnets", "10.244.0.0/16", "--dns-addresses", dns)
		var diff string
		end := time.Now().Add(patience)
		for {
			diff = "no socket"
			if _, err := os.Stat(strings.TrimPrefix(addr, "unix:")); err == nil {
				diff = cmp.Diff(want, ovsdb.Dump(t, addr).Policies())
				if diff == "" {
					break
				}
			}
			if time.Now().After(end) {
				t.Fatalf("%s: (-rung compile +ovsdb-client dump)\n%s\n%s", zone, diff, first.Screen())
			}
			time.Sleep(20 * time.Millisecond)
		}
		// The command of the issue, as people type it.
		if out := string(ovsdb.Client(t, "dump", addr, nb.Database, nb.TableACL)); !strings.Contains(out, "ANP:cluster-control:Ingress:4") {
			t.Errorf("%s: %s", zone, out)
		}
		t.Logf("%s: %d rows as compiled", zone, len(want))
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info.Mode(), err)
	}
	if n := len(serversIn(t, dir)); n != 3 {
		t.Fatalf("%d servers", n)
	}
	if err := first.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	took := wait.Within(t, patience, "the servers end with Rung", func() bool { return len(serversIn(t, dir)) == 0 })
	t.Logf("no server %v after SIGKILL", took.Round(time.Millisecond))
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("nothing is left to clean: %v", err)
	}
	second, dir2 := demo()
	wait.Within(t, patience, "the second demo has its servers", func() bool { return len(serversIn(t, dir2)) == 3 })
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder of the dead one is still there: %v", err)
	}
	second.WaitFor("cluster-control")
	second.Press("q")
	if _, err := second.Wait(time.Second); err != nil {
		second.Press("y") // it asks first
	}
	second.WaitExit(0)
	if left := serversIn(t, dir2); len(left) > 0 {
		t.Errorf("left after quitting: %v", left)
	}
	if _, err := os.Stat(dir2); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

// compiled are the rows that `rung compile` prints for a zone, in the form of a
// dump.
func compiled(t testing.TB, path, zone string, more ...string) map[string]ovsdb.Record {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), install.Binary(t), "compile", "-f", path, "--zone", zone, "-o", "json", "--state-dir", t.TempDir())
	cmd.Args = append(cmd.Args, more...)
	text, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && (!errors.As(err, &ended) || ended.ExitCode() != 2) { // 2: the demo has a refused policy, which stderr says
		t.Fatalf("%v\n%s", err, text)
	}
	var rows struct {
		ACLs        []map[string]any `json:"acls"`
		AddressSets []map[string]any `json:"address_sets"`
		PortGroups  []map[string]any `json:"port_groups"`
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows.ACLs) == 0 || len(rows.AddressSets) == 0 || len(rows.PortGroups) == 0 {
		t.Fatalf("%s", text)
	}
	out := map[string]ovsdb.Record{}
	for table, list := range map[string][]map[string]any{nb.TableACL: rows.ACLs, nb.TableAddressSet: rows.AddressSets, nb.TablePortGroup: rows.PortGroups} {
		for _, row := range list {
			id := row["id"].(string)
			delete(row, "id")
			r := ovsdb.Record{}
			for name, v := range row {
				switch v := v.(type) {
				case nil:
					r[name] = []string{}
				case []any:
					list := []string{}
					for _, m := range v {
						list = append(list, m.(string))
					}
					r[name] = ovsdb.Column(list)
				case map[string]any:
					m := map[string]string{}
					for k, s := range v {
						m[k] = s.(string)
					}
					r[name] = m
				default:
					r[name] = v
				}
			}
			out[table+" "+id] = r
		}
	}
	return out
}

package nbdb

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/wait"
)

const schemaFile = "../sandbox/ovn-nb.ovsschema"

// tool runs one of OVS's own programs; a test that needs one ends without it, or
// fails where RUNG_REQUIRE_SERVERS says that it has to be there.
func tool(t testing.TB, name string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("RUNG_REQUIRE_SERVERS") == "1" {
			t.Fatalf("no %s on PATH", name)
		}
		t.Skipf("no %s on PATH", name)
	}
	cmd := exec.Command(path, append([]string{"--timeout=20"}, args...)...)
	if name == "ovsdb-tool" {
		cmd.Args = append(cmd.Args[:1], args...) // which knows no time limit
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, args, err, stderr.String())
	}
	return string(out)
}

// server is a real ovsdb-server on a file, and a client that changes rows.
type server struct {
	t    testing.TB
	file string
	addr string
	ctl  string
	conn *Conn
	rand *rand.Rand

	sets, acls []string // UUIDs
	group      string
	n          int
}

// serve starts a server on a new file.
func serve(t testing.TB, clustered bool) *server {
	t.Helper()
	// Sockets have short paths; memory spares waiting for the disk.
	dir, err := os.MkdirTemp("/dev/shm", "rung")
	if err != nil {
		if dir, err = os.MkdirTemp("", "rung"); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &server{t: t, file: filepath.Join(dir, "nb.db"), addr: "unix:" + filepath.Join(dir, "nb.sock"),
		ctl: filepath.Join(dir, "nb.ctl"), rand: rand.New(rand.NewPCG(1, 2))}
	if clustered {
		tool(t, "ovsdb-tool", "create-cluster", s.file, schemaFile, "tcp:127.0.0.1:"+freePort(t))
	} else {
		tool(t, "ovsdb-tool", "create", s.file, schemaFile)
	}
	cmd := exec.Command("ovsdb-server", "--no-chdir", "--unixctl="+s.ctl, "--log-file="+filepath.Join(dir, "log"), "-vconsole:off",
		"--remote=p"+s.addr, s.file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	ctx, cancel := context.WithCancel(t.Context())
	s.conn = Dial(Config{Name: "node-1", Addr: s.addr})
	up, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		told := false
		s.conn.Run(ctx, func(u model.ZoneUpdate) {
			if u.Conn == model.ConnSynced && !told {
				told = true
				close(up)
			}
		})
	}()
	t.Cleanup(func() { cancel(); <-done })
	select {
	case <-up:
	case <-time.After(wait.Patience):
		t.Fatal("the server does not come up")
	}
	return s
}

func freePort(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func (s *server) transact(ops ...nb.Op) []nb.OpResult {
	s.t.Helper()
	res, err := s.conn.Transact(s.t.Context(), ops)
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

// begin makes a few rows of every table.
func (s *server) begin() {
	ids := map[string]string{"k8s.ovn.org/id": "x:y", "k8s.ovn.org/owner-type": "AdminNetworkPolicy"}
	res := s.transact(
		nb.Op{Kind: nb.OpInsert, Table: nb.TableGlobal, Row: map[string]any{"name": "node-1", "external_ids": map[string]string{"a": "b"}}},
		nb.Op{Kind: nb.OpInsert, Table: nb.TableMeterBand, UUIDName: "band", Row: map[string]any{"action": "drop", "rate": 20}},
		nb.Op{Kind: nb.OpInsert, Table: nb.TableMeter, Row: map[string]any{"name": "acl-logging", "unit": "pktps", "fair": true, "bands": []nb.Ref{{Name: "band"}}}},
		nb.Op{Kind: nb.OpInsert, Table: nb.TablePort, UUIDName: "port", Row: map[string]any{"name": "ns_pod", "addresses": []string{"0a:58 10.0.0.1", "x"}}},
		nb.Op{Kind: nb.OpInsert, Table: nb.TableSwitch, Row: map[string]any{"name": "node-1", "ports": []nb.Ref{{Name: "port"}}}},
		nb.Op{Kind: nb.OpInsert, Table: nb.TablePortGroup, Row: map[string]any{"name": "pg", "external_ids": ids, "ports": []nb.Ref{{Name: "port"}}}},
	)
	s.group = res[5].UUID
}

// churn makes n random transactions of every kind of change.
func (s *server) churn(n int) {
	for range n {
		s.n++
		switch k := s.rand.IntN(10); {
		case k == 0 || len(s.sets) == 0:
			res := s.transact(nb.Op{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{
				"name": fmt.Sprintf("a%d", s.n), "addresses": s.addresses(20), "external_ids": map[string]string{"n": fmt.Sprint(s.n)}}})
			s.sets = append(s.sets, res[0].UUID)
		case k == 1 || len(s.acls) == 0:
			res := s.transact(
				nb.Op{Kind: nb.OpInsert, Table: nb.TableACL, UUIDName: "acl", Row: map[string]any{"name": fmt.Sprintf("ACL \"%d\" ü", s.n), "priority": s.n % 30000,
					"direction": "to-lport", "action": "drop", "match": `ip4.src == $a && "\\"`, "meter": "acl-logging", "severity": "alert", "log": true, "tier": 1,
					"external_ids": map[string]string{"k8s.ovn.org/id": fmt.Sprint("id:", s.n)}, "options": map[string]string{"apply-after-lb": "true"}}},
				nb.Op{Kind: nb.OpMutate, Table: nb.TablePortGroup, UUID: s.group, Mutations: []nb.Mutation{{Column: "acls", Insert: true, Refs: []nb.Ref{{Name: "acl"}}}}})
			s.acls = append(s.acls, res[0].UUID)
		case k == 2 && len(s.acls) > 3: // goes because nobody names it any more
			i := s.rand.IntN(len(s.acls))
			s.transact(nb.Op{Kind: nb.OpMutate, Table: nb.TablePortGroup, UUID: s.group, Mutations: []nb.Mutation{{Column: "acls", Refs: []nb.Ref{{UUID: s.acls[i]}}}}})
			s.acls = slices.Delete(s.acls, i, i+1)
		case k == 3 && len(s.sets) > 3:
			i := s.rand.IntN(len(s.sets))
			s.transact(nb.Op{Kind: nb.OpDelete, Table: nb.TableAddressSet, UUID: s.sets[i]})
			s.sets = slices.Delete(s.sets, i, i+1)
		case k <= 5: // columns back to their defaults and away from them
			i := s.acls[s.rand.IntN(len(s.acls))]
			s.transact(nb.Op{Kind: nb.OpUpdate, Table: nb.TableACL, UUID: i, Row: []map[string]any{
				{"meter": nil, "severity": nil, "log": false, "name": nil}, {"options": map[string]string{}, "priority": 0},
				{"options": map[string]string{"apply-after-lb": "false", "x": fmt.Sprint(s.n)}}, {"tier": 3, "label": s.n, "meter": "m"},
				{"external_ids": map[string]string{"k8s.ovn.org/id": fmt.Sprint("id:", s.n)}}}[s.rand.IntN(5)]})
		default:
			i := s.sets[s.rand.IntN(len(s.sets))]
			s.transact(nb.Op{Kind: nb.OpMutate, Table: nb.TableAddressSet, UUID: i, Mutations: []nb.Mutation{
				{Column: "addresses", Insert: true, Strings: s.addresses(3)}, {Column: "addresses", Strings: s.addresses(10)}}})
		}
	}
}

// addresses is a random set of up to n.
func (s *server) addresses(n int) []string {
	set := map[string]bool{}
	for range s.rand.IntN(n + 1) {
		set[fmt.Sprintf("10.0.0.%d", s.rand.IntN(40))] = true
	}
	return slices.Sorted(maps.Keys(set))
}

func (s *server) compact() { tool(s.t, "ovs-appctl", "-t", s.ctl, "ovsdb-server/compact") }

// live reads the server's rows.
func (s *server) live() *nb.DB {
	s.t.Helper()
	db, err := Dial(Config{Addr: s.addr, AnyName: true}).Read(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return db
}

package libovsdb_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"rung/bench/workload"
	"rung/change/write"
	"rung/engine"
	"rung/engine/lab"
	"rung/engine/zones"
	"rung/model"
	"rung/revision"
	"rung/sources/kube"
	libovsdb "rung/sources/nbdb/second"
	"rung/test/install"
	"rung/test/ovsdb"
	"rung/test/wait"
)

// secondName is the argument by which a process of this test is a second reader.
const secondName = "second-reader"

// What Rung writes into zones, libovsdb reads as Rung does: the demo, and clusters of
// 1,000 and 10,000 pods, on both servers.
func TestSecondReader(t *testing.T) {
	for _, size := range []string{"demo", "W1", "W2"} {
		t.Run(size, func(t *testing.T) {
			path := filepath.Join("..", "given", "troubled")
			if size != "demo" {
				if size == "W2" {
					install.Soak(t)
				}
				path = filepath.Join(t.TempDir(), "cluster.yaml")
				f, err := os.Create(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(workload.Write(f, workload.Named[size]), f.Close()); err != nil {
					t.Fatal(err)
				}
			}
			for _, server := range []string{"builtin", "ovsdb-server"} {
				t.Run(server, func(t *testing.T) {
					program := server
					if server != "builtin" {
						program = install.Server(t, server)
					}
					e := sandboxed(t, path, program, filepath.Join(memory(t), "s"))
					var names []string
					for _, z := range e.Revision().Zones {
						names = append(names, z.Name)
					}
					for _, r := range zones.ReadZones(t.Context(), e.Zones(), names, secondName) {
						if r.Err != nil || len(r.Differences) > 0 || r.More > 0 {
							t.Errorf("%s: %+v, %v", r.Zone, r.Result, r.Err)
							continue
						}
						if has := e.Revision().Zone(r.Zone).DB.Len(); r.Rows != has || has < 100 {
							t.Errorf("%s: libovsdb read %d rows, Rung %d", r.Zone, r.Rows, has)
						}
						t.Logf("%s: %d rows", r.Zone, r.Rows)
					}
				})
			}
		})
	}
}

// sandboxed is an engine on manifests whose zones show every policy.
func sandboxed(t *testing.T, path, program, sockets string) *engine.Engine {
	t.Helper()
	e, err := engine.New(context.Background(), engine.Config{
		Mode:    revision.Mode{Name: "files", Title: path, Sandbox: true, Reconciles: true},
		Sources: []kube.Source{write.NewFiles(write.FileOptions{Paths: []string{path}})},
		Sandbox: lab.New(lab.Config{Server: program, Dir: sockets, Foreign: true}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	wait.Within(t, 10*wait.Patience, "the zones are written", func() bool {
		r := e.Revision()
		for _, z := range r.Zones {
			if z.Conn != model.ConnSynced || z.Policies == nil || z.Pending > 0 {
				return false
			}
			for _, in := range z.Policies {
				if in.None == nil && (!in.InSync || in.Waiting > 0) {
					return false
				}
			}
		}
		return r.Loaded && len(r.Zones) > 0
	})
	return e
}

// The command names what somebody alters between libovsdb and the server, row by row with
// both values, and exits with 1; with 2 where libovsdb cannot read.
func TestSecondReaderCommand(t *testing.T) {
	binary := install.Binary(t)
	dir := memory(t)
	e := sandboxed(t, filepath.Join("..", "given", "troubled"), "builtin", filepath.Join(dir, "s"))
	z := e.Revision().Zone("ovn-worker")
	var mu sync.Mutex
	altered := map[string]string{} // priority as it is, by table and UUID
	for name, way := range map[string]func(c net.Conn) net.Conn{
		"altered": func(c net.Conn) net.Conn {
			return ovsdb.Alter(c, func(table, uuid string, row map[string]any) map[string]any {
				mu.Lock()
				defer mu.Unlock()
				if table == "ACL" && row["priority"] != nil {
					altered[uuid] = fmt.Sprint(row["priority"])
					row["priority"] = 777
				}
				return row
			})
		},
		"hung up": func(c net.Conn) net.Conn { _ = c.Close(); return c },
		"panics": func(c net.Conn) net.Conn {
			return saying{c, io.MultiReader(strings.NewReader(`{"error":null,"result":{}}`), c)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, strings.Fields(name)[0])
			inTheMiddle(t, path, strings.TrimPrefix(z.Endpoint, "unix:"), way)
			demo := []string{"-f", "../given/troubled", "--allow-unjudged=refused"} // which has a policy that is refused
			for _, args := range [][]string{{"rows"}, append([]string{"drift"}, demo...), append([]string{"zones", "--check"}, demo...)} {
				cmd := exec.CommandContext(t.Context(), binary, append(args, "--nb", "ovn-worker=unix:"+path, "--second-reader", "-o", "json")...)
				var complaint strings.Builder
				cmd.Stderr = &complaint
				out, err := cmd.Output()
				var exit *exec.ExitError
				if !errors.As(err, &exit) {
					t.Fatalf("%v: %v\n%s", args, err, out)
				}
				var got struct {
					Second []struct {
						Zone, Error string
						Differences []struct {
							Table, UUID, Column string
							Rung, Libovsdb      []string
						}
					} `json:"second_reader"`
				}
				if err := json.Unmarshal(out, &got); err != nil || len(got.Second) != 1 || got.Second[0].Zone != "ovn-worker" {
					t.Fatalf("%v: %v\n%s%s", args, err, out, complaint.String())
				}
				if name != "altered" {
					said := "rung: second reader: zone ovn-worker: " + map[string]string{"hung up": "libovsdb: ", "panics": "libovsdb panicked: "}[name]
					if exit.ExitCode() != 2 || !strings.Contains(complaint.String(), said) || got.Second[0].Error == "" {
						t.Errorf("%v: exit %d, %s", args, exit.ExitCode(), complaint.String())
					}
					continue
				}
				// What the command is no longer connected to may still be on its way.
				mu.Lock()
				want := maps.Clone(altered)
				mu.Unlock()
				if n := len(got.Second[0].Differences); exit.ExitCode() != 1 || n != len(want) || n < 50 {
					t.Errorf("%v: exit %d, %d of %d differences\n%s", args, exit.ExitCode(), n, len(want), complaint.String())
				}
				for _, d := range got.Second[0].Differences {
					if d.Table != "ACL" || d.Column != "priority" || strings.Join(d.Libovsdb, " ") != "777" || strings.Join(d.Rung, " ") != want[d.UUID] {
						t.Errorf("%v: %+v, want priority %s", args, d, want[d.UUID])
					}
				}
			}
		})
	}
}

// A zone that Rung has never read is not waited for, and does not hide the others.
func TestSecondReaderOfSome(t *testing.T) {
	dir := memory(t)
	e := sandboxed(t, filepath.Join("..", "given", "troubled"), "builtin", filepath.Join(dir, "s"))
	// Within the time that one read may take, with which it used to wait for this zone.
	ctx, cancel := context.WithTimeout(t.Context(), libovsdb.DefaultWithin)
	defer cancel()
	out, err := exec.CommandContext(ctx, install.Binary(t), "rows", "--nb", "ovn-worker="+e.Revision().Zone("ovn-worker").Endpoint,
		"--nb", "gone=unix:"+filepath.Join(dir, "none"), "--second-reader").Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("%v", err)
	}
	for _, want := range []string{"second reader: zone gone not read: not readable by Rung's own client\n",
		fmt.Sprintf("second reader: libovsdb reads the same %d rows in 1 other zone\n", e.Revision().Zone("ovn-worker").DB.Len())} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// saying is a connection on which something else is read.
type saying struct {
	net.Conn
	r io.Reader
}

func (s saying) Read(p []byte) (int, error) { return s.r.Read(p) }

// inTheMiddle listens at a path for clients of a server. libovsdb, which asks for the
// names of the databases first, is led through a way; everybody else goes straight.
func inTheMiddle(t *testing.T, path, to string, way func(net.Conn) net.Conn) {
	t.Helper()
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	t.Cleanup(func() { _ = ln.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return // closed
			}
			wg.Go(func() {
				defer c.Close()
				first := make([]byte, 64<<10)
				n, err := c.Read(first)
				if err != nil {
					return
				}
				s, err := net.Dial("unix", to)
				if err != nil {
					return
				}
				if strings.Contains(string(first[:n]), "list_dbs") {
					s = way(s)
				}
				defer s.Close()
				if _, err := s.Write(first[:n]); err == nil {
					join(c, s)
				}
			})
		}
	})
}

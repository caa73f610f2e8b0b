package reconciler

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/install"
	"rung/test/servers"
	"rung/test/wait"
)

// onServers runs a test with a sandbox on each kind of server.
func onServers(t *testing.T, f func(t *testing.T, sb *sandbox.Sandbox)) {
	for _, kind := range []string{"builtin", "real"} {
		t.Run(kind, func(t *testing.T) {
			program := sandbox.ServerBuiltin
			if kind == "real" {
				program = install.Server(t, "ovsdb-server")
			}
			f(t, startSandbox(t, program))
		})
	}
}

func startSandbox(t *testing.T, program string) *sandbox.Sandbox {
	t.Helper()
	base := ""
	if fi, err := os.Stat("/dev/shm"); err == nil && fi.IsDir() {
		base = "/dev/shm" // no disk is waited for
	}
	dir, err := os.MkdirTemp(base, "rung-test-") // short: it holds sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	sb, err := sandbox.Start(t.Context(), sandbox.Config{Zones: []string{"n1"}, Dir: filepath.Join(dir, "s"), Server: program, ForeignRows: true,
		Listen: servers.Listen})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sb.Close)
	return sb
}

func read(t *testing.T, sb *sandbox.Sandbox) *nb.DB {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
	defer cancel()
	for {
		db, err := nbdb.Dial(nbdb.Config{Addr: sb.Endpoints()["n1"], AnyName: true}).Read(ctx)
		if err == nil {
			return db
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// foreignRows are all rows that carry no owner type of ours, without ports and
// their switches, which follow the pods.
func foreignRows(db *nb.DB) map[string]string {
	out := map[string]string{}
	note := func(r nb.Row) {
		if OwnerOfRow(r).Form == Foreign {
			out[r.RowUUID()] = nb.TableName(r)
		}
	}
	for r := range db.ACLs() {
		note(r)
	}
	for r := range db.AddressSets() {
		note(r)
	}
	for r := range db.PortGroups() {
		note(r)
	}
	for r := range db.Meters() {
		note(r)
	}
	return out
}

// A burst of changes while the server is killed, connections drop and rows are
// tampered with: the rows are a fresh compile in the end, foreign ones as
// before.
func TestConvergesOnServers(t *testing.T) {
	onServers(t, func(t *testing.T, sb *sandbox.Sandbox) {
		before := foreignRows(read(t, sb))
		if len(before) == 0 {
			t.Fatal("no foreign rows to leave alone")
		}
		w := newWorld(11)
		dial := func() *nbdb.Conn {
			return nbdb.Dial(nbdb.Config{Name: "n1", Addr: sb.Endpoints()["n1"], BackoffMin: 20 * time.Millisecond, BackoffMax: 100 * time.Millisecond})
		}
		var activities atomic.Int64
		r := NewZone(Config{Zone: dial(), Mode: Write, OnActivity: func(model.Activity) { activities.Add(1) }})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{}, 2)
		go func() { r.Run(ctx); done <- struct{}{} }()
		other := dial()
		go func() { other.Run(ctx, func(model.ZoneUpdate) {}); done <- struct{}{} }()
		defer func() { cancel(); <-done; <-done }()

		for i := range 150 {
			delta := w.step()
			sb.SetPods(w.cluster, w.changes)
			r.SetDesired(w.d, delta, true)
			if i%5 == 0 {
				tamper(w, r.State().DB, other)
			}
			if i == 50 || i == 100 {
				if servers.Drop(sb.Endpoints()["n1"]) != nil { // a real server; it may be dead since the first kill
					if err := servers.Kill(sb.Endpoints()["n1"]); err != nil {
						t.Fatal(err)
					}
				}
			}
			time.Sleep(4 * time.Millisecond)
		}
		calm := func() bool {
			z := r.State()
			return z.Conn == model.ConnSynced && z.Pending == 0 && diffZone(t, w.cluster, "n1", z.DB) == ""
		}
		// The server says the same to somebody who asks for the first time. The
		// sandbox may still be making ports, for which there is more to write.
		var db *nb.DB
		said := func() bool {
			db = read(t, sb)
			return diffZone(t, w.cluster, "n1", db) == ""
		}
		if !wait.Poll(wait.Patience, func() bool { return calm() && said() }) {
			z := r.State()
			t.Fatalf("%s, pending %d, paused %q\n%s\nthe server (-desired +live):\n%s", z.Conn, z.Pending, z.Paused,
				diffZone(t, w.cluster, "n1", z.DB), diffZone(t, w.cluster, "n1", read(t, sb)))
		}
		after := foreignRows(db)
		for uuid, table := range before {
			if after[uuid] != table {
				t.Errorf("the foreign row %s %s is gone", table, uuid)
			}
		}
		if activities.Load() == 0 {
			t.Error("no activity was reported")
		}
	})
}

// tamper alters, removes or empties a row of ours as another client would.
// Whether it still finds the row is not its concern.
func tamper(w *world, db *nb.DB, c *nbdb.Conn) {
	var op nb.Op
	ours := func(r nb.Row) bool { return OwnerOfRow(r).Form == Ours }
	switch w.r.IntN(4) {
	case 0:
		for a := range db.ACLs() {
			if ours(a) {
				op = nb.Op{Kind: nb.OpUpdate, Table: nb.TableACL, UUID: a.UUID, Row: map[string]any{"priority": 7, "log": true, "severity": "info"}}
			}
		}
	case 1:
		for s := range db.AddressSets() {
			if ours(s) {
				op = nb.Op{Kind: nb.OpDelete, Table: nb.TableAddressSet, UUID: s.UUID}
			}
		}
	case 2:
		for s := range db.AddressSets() {
			if ours(s) {
				op = nb.Op{Kind: nb.OpUpdate, Table: nb.TableAddressSet, UUID: s.UUID, Row: map[string]any{"addresses": []string{"10.7.7.7"}}}
			}
		}
	case 3:
		for g := range db.PortGroups() {
			if ours(g) && len(g.ACLs) > 0 {
				op = nb.Op{Kind: nb.OpUpdate, Table: nb.TablePortGroup, UUID: g.UUID, Row: map[string]any{"acls": []nb.Ref{}, "ports": []nb.Ref{}}}
			}
		}
	}
	if op.Kind != "" {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, _ = c.Transact(ctx, []nb.Op{op})
	}
}

// The commands of the activity log do what was done: given to ovn-nbctl instead
// of the operations, they make the same rows.
func TestCommandsOnAServer(t *testing.T) {
	nbctl := install.Server(t, "ovn-nbctl")
	sb := startSandbox(t, install.Server(t, "ovsdb-server"))
	conn := nbdb.Dial(nbdb.Config{Name: "n1", Addr: sb.Endpoints()["n1"]})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { conn.Run(ctx, func(model.ZoneUpdate) {}); close(done) }()
	defer func() { cancel(); <-done }()
	// Debian's ovn-nbctl is older than Pass and than the column tier.
	isolate := func(prio int32) *model.Policy {
		p := isolate(prio)
		p.Egress[0].Action = model.Deny
		return p
	}
	w := newWorld(5)
	steps := [][]model.Object{
		{namespace("a", "t=1"), namespace("b", "t=2"), pod("a/p0", "", "n1", "10.0.0.1"), pod("a/p1", "", "n1", "10.0.0.2"), pod("b/p0", "", "n1", "10.0.0.3"),
			anp("many", 3, "t=1", slices.Repeat([]model.Rule{rule(model.Egress, model.Deny, nil)}, aclsPerLine+1)...)},
		{isolate(34)},
		{isolate(36)},
		{func() *model.Policy {
			p := isolate(36)
			p.HasLogging, p.Logging = true, `{"deny":"alert"}`
			p.Ingress = p.Ingress[:1]
			p.Ingress[0].Ports = []model.Port{{Protocol: "UDP", Start: 53, End: 53}}
			return p
		}()},
		{isolate(36), pod("a/p2", "", "n1", "10.0.0.4"), pod("b/p1", "", "n2", "10.0.0.5")},
		{pod("a/p1", "", "n1", "10.0.0.9"), namespace("b", "t=1")},
	}
	apply := func(what string) {
		t.Helper()
		for end := time.Now().Add(wait.Patience); ; time.Sleep(5 * time.Millisecond) {
			db := read(t, sb)
			ready := true
			for p := range w.cluster.Pods() {
				ready = ready && (p.NodeName != "n1" || db.PortByName(nb.PortName(p.Namespace, p.Name)) != nil)
			}
			if ready {
				break
			}
			if time.Now().After(end) {
				t.Fatal("the ports do not come")
			}
		}
		tr := fresh("n1", w.d, read(t, sb))
		b := tr.NewOps()
		for _, k := range slices.SortedFunc(maps.Keys(tr.Tracks), model.Key.Compare) {
			for _, line := range commandLines(b.PolicyOps(k)) {
				rest, ok := strings.CutPrefix(line, "ovn-nbctl ")
				if !ok {
					t.Fatalf("%s: %s", what, line)
				}
				rest = strings.ReplaceAll(rest, " tier=1", "")
				out, err := exec.Command("sh", "-c", nbctl+" --db="+sb.Endpoints()["n1"]+" "+rest).CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %s: %v\n%s", what, line, err, out)
				}
			}
		}
		var tiers []nb.Op
		for a := range read(t, sb).ACLs() {
			if OwnerOfRow(a).Form == Ours {
				tiers = append(tiers, nb.Op{Kind: nb.OpUpdate, Table: nb.TableACL, UUID: a.UUID, Row: map[string]any{"tier": 1}})
			}
		}
		if _, err := conn.Transact(ctx, tiers); err != nil {
			t.Fatal(err)
		}
		if diff := diffZone(t, w.cluster, "n1", read(t, sb)); diff != "" {
			t.Fatalf("%s: (-desired +live)\n%s", what, diff)
		}
	}
	for i, objects := range steps {
		w.add(objects...)
		sb.SetPods(w.cluster, w.changes)
		apply("step " + string(rune('0'+i)))
	}
	w.set(nil, keyOf("isolate"))
	apply("delete")
}

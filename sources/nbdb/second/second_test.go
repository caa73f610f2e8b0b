package second

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/install"
	"rung/test/ovsdb"
	"rung/test/wait"
)

// childVar says what a process of this test does instead of testing.
const childVar = "RUNG_SECOND_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childVar) {
	case "":
		goleak.VerifyTestMain(m)
	case "read":
		if err := RunChild(context.Background(), os.Stdin, os.Args[1], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "rung:", err)
			os.Exit(2)
		}
	case "write": // a reader that is none
		c, err := net.Dial("unix", os.Args[1])
		if err == nil {
			_, err = io.WriteString(c, `{"id":1,"method":"transact","params":["OVN_Northbound",{"op":"delete","table":"ACL","where":[]}]}`)
		}
		if err == nil {
			_, err = io.ReadAll(c)
		}
		fmt.Fprintln(os.Stderr, "rung:", err)
		os.Exit(2)
	}
}

// child is this test as a child of that kind.
func child(kind string) func(context.Context, string) (*exec.Cmd, error) {
	self := SelfCommand()
	return func(ctx context.Context, socket string) (*exec.Cmd, error) {
		cmd, err := self(ctx, socket)
		if err == nil {
			cmd.Env = append(os.Environ(), childVar+"="+kind)
		}
		return cmd, err
	}
}

// zone is a database with rows, and Rung's client that follows it.
type zone struct {
	*nbdb.Conn
	t  *testing.T
	mu sync.Mutex
	db *nb.DB
	// news is closed and made anew with every version.
	news chan struct{}
}

// onServers runs a test on both servers.
func onServers(t *testing.T, test func(t *testing.T, z *zone)) {
	for _, name := range []string{"builtin", "ovsdb-server"} {
		t.Run(name, func(t *testing.T) {
			program := name
			if name != "builtin" {
				program = install.Server(t, name)
			}
			test(t, start(t, program))
		})
	}
}

// count is how many of each start makes.
const count = 150

// start starts a server with address sets, port groups and ACLs, beside the rows of
// others that the sandbox has.
func start(t *testing.T, program string) *zone {
	t.Helper()
	dir, err := os.MkdirTemp("", "rs") // short: it holds sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	sb, err := sandbox.Start(context.Background(), sandbox.Config{Zones: []string{"z"}, Dir: dir, Server: program, ForeignRows: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sb.Close)
	z := &zone{t: t, Conn: nbdb.Dial(nbdb.Config{Name: "z", Addr: sb.Endpoints()["z"]}), news: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		z.Run(ctx, func(u model.ZoneUpdate) {
			if u.DB == nil {
				return
			}
			z.mu.Lock()
			defer z.mu.Unlock()
			z.db = u.DB
			close(z.news)
			z.news = make(chan struct{})
		})
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	wait.Within(t, wait.Patience, "Rung has the rows", func() bool { db, _ := z.now(); return db != nil })
	var ops []nb.Op
	insert := func(table, name string, row map[string]any) {
		ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: table, UUIDName: name, Row: row})
	}
	for n := range count {
		acl := map[string]any{"action": nb.ActionDrop, "direction": nb.ToLport, "priority": n + 1, "tier": 1, "log": n%2 == 0,
			"match": fmt.Sprintf("ip4.src == $a%d && \"ä<&>\x1b\" == \"\"", n), "severity": "info", "options": map[string]string{"log-related": "true"},
			"external_ids": map[string]string{nb.KeyID: fmt.Sprint("acl:", n), "say": `"x=y"`}}
		if n%3 > 0 {
			acl["name"] = []string{"", "", fmt.Sprint("acl ", n)}[n%3]
		}
		insert(nb.TableACL, fmt.Sprint("row", n), acl)
		insert(nb.TablePortGroup, "", map[string]any{"name": fmt.Sprint("g", n), "acls": []nb.Ref{{Name: fmt.Sprint("row", n)}}})
		insert(nb.TableAddressSet, "", map[string]any{"name": fmt.Sprint("a", n), "addresses": []string{"10.0.0.1", fmt.Sprint("10.1.0.", n)}})
	}
	z.write(ops...)
	return z
}

func (z *zone) write(ops ...nb.Op) {
	z.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait.Patience)
	defer cancel()
	if _, err := z.Transact(ctx, ops); err != nil {
		z.t.Fatal(err)
	}
}

func (z *zone) now() (*nb.DB, <-chan struct{}) {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.db, z.news
}

func (z *zone) follow(ctx context.Context, take func(*nb.DB)) error {
	for {
		db, news := z.now()
		take(db)
		select {
		case <-news:
		case <-ctx.Done():
			return nil
		}
	}
}

// compare reads through a way that is given, or straight.
func (z *zone) compare(connect func(context.Context) (net.Conn, error)) (*Result, error) {
	if connect == nil {
		connect = z.Connect
	}
	return Config{Connect: connect, Command: child("read"), Within: wait.Patience}.CompareRows(context.Background(), z.follow)
}

// altering is a way on which rows are altered.
func (z *zone) altering(alter func(table, uuid string, row map[string]any) map[string]any) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		server, err := z.Connect(ctx)
		if err != nil {
			return nil, err
		}
		return ovsdb.Alter(server, alter), nil
	}
}

// Both read the same.
func TestAgree(t *testing.T) {
	onServers(t, func(t *testing.T, z *zone) {
		r, err := z.compare(nil)
		if err != nil || len(r.Differences) > 0 || r.More > 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		if db, _ := z.now(); r.Rows != db.Len() || r.Rows < 3*count {
			t.Errorf("libovsdb read %d rows, Rung %d", r.Rows, db.Len())
		}
	})
}

// A server of an older OVN has no samples: the rows are compared without them.
func TestOlderSchema(t *testing.T) {
	z := start(t, "builtin")
	way := z.altering(func(_, _ string, row map[string]any) map[string]any {
		delete(row, "sample_new")
		delete(row, "sample_est")
		return row
	})
	r, err := z.compare(func(ctx context.Context) (net.Conn, error) {
		c, err := way(ctx)
		return replacing{c, c}, err
	})
	if err != nil || len(r.Differences) > 0 || r.Rows < 3*count {
		t.Errorf("%+v, %v", r, err)
	}
}

// replacing hides the columns of samples in the schema.
type replacing struct {
	net.Conn
	r io.Reader
}

func (r replacing) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	return copy(p, strings.NewReplacer(`"sample_new"`, `"samplX_new"`, `"sample_est"`, `"samplX_est"`).Replace(string(p[:n]))), err
}

// Each of 100 rows that are altered on the way is named, with both values, and no other.
func TestAltered(t *testing.T) {
	onServers(t, func(t *testing.T, z *zone) {
		type want struct{ column, rung, libovsdb string }
		wants := map[string]want{}
		r, err := z.compare(z.altering(func(table, uuid string, row map[string]any) map[string]any {
			w := want{"name", fmt.Sprint(row["name"]), "other " + uuid}
			switch n := len(wants); {
			case n >= 100 || table != nb.TableACL && table != nb.TableAddressSet && table != nb.TablePortGroup:
				return row
			case table == nb.TableAddressSet && row["addresses"] == nil: // of others
				return row
			case n%10 == 0:
				wants[table+" "+uuid] = want{}
				return nil
			case table == nb.TableACL && n%3 == 0:
				w = want{"priority", fmt.Sprint(row["priority"]), "777"}
				row["priority"] = 777
			case table == nb.TableACL && n%3 == 1:
				w = want{"action", fmt.Sprint(row["action"]), nb.ActionReject}
				row["action"] = nb.ActionReject
			case table == nb.TableACL:
				w = want{"external_ids", "", `more=""`}
				ids := row["external_ids"].([]any)
				ids[1] = append(ids[1].([]any), []any{"more", ""})
			case table == nb.TableAddressSet && n%2 == 0:
				w = want{"addresses", "", "10.9.9.9"}
				row["addresses"] = []any{"set", append(ovsdb.Elements(row["addresses"]), "10.9.9.9")}
			case table == nb.TableAddressSet:
				all := ovsdb.Elements(row["addresses"])
				w = want{"addresses", fmt.Sprint(all[0]), ""}
				row["addresses"] = []any{"set", all[1:]}
			default:
				row["name"] = w.libovsdb
			}
			wants[table+" "+uuid] = w
			return row
		}))
		if err != nil {
			t.Fatal(err)
		}
		if len(wants) != 100 || len(r.Differences) != 100 || r.More > 0 {
			for _, d := range r.Differences {
				delete(wants, d.Table+" "+d.UUID)
			}
			t.Fatalf("%d differences are told and %d more; not %+v", len(r.Differences), r.More, wants)
		}
		for _, d := range r.Differences {
			w, altered := wants[d.Table+" "+d.UUID]
			switch {
			case !altered:
				t.Errorf("%+v was not altered", d)
			case w.column == "" && (d.Column != "" || len(d.Rung) == 0 || len(d.Libovsdb) > 0):
				t.Errorf("%+v, want no row of libovsdb", d)
			case w.column != "" && (d.Column != w.column || strings.Join(d.Rung, " ") != w.rung || strings.Join(d.Libovsdb, " ") != w.libovsdb):
				t.Errorf("%+v, want %+v", d, w)
			}
		}
	})
}

package libovsdb_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ovn-kubernetes/libovsdb/client"
	"github.com/ovn-kubernetes/libovsdb/ovsdb"

	"rung/model/ovn/nb"
	"rung/sources/nbdb/second"
	"rung/sources/sandbox"
	"rung/test/install"
	"rung/test/wait"
)

// followed is a database with a client that follows it over a connection that can
// be cut, and rows that have nothing but a name.
type followed struct {
	table          string
	client         client.Client
	told           *events
	insert, remove func(name string)
	leave, back    func()
}

// What goes while the connection is down is never told, and what stayed is told as
// new (docs/libovsdb.md#deletes-while-disconnected).
func TestDeletesWhileDisconnected(t *testing.T) {
	t.Parallel()
	for name, follow := range map[string]func(t *testing.T) *followed{
		"a server that knows monitor_cond alone": followFake,
		"ovsdb-server":                           followReal,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := follow(t)
			tells := func(event, name string) {
				t.Helper()
				event += " " + f.table + " " + name
				wait.Within(t, wait.Patience, event, func() bool { return f.told.count(event) == 1 })
			}
			// While the connection stands, everything is told.
			for _, name := range []string{"stays", "goes", "short"} {
				f.insert(name)
				tells("add", name)
			}
			f.remove("short")
			tells("delete", "short")
			f.told.take()

			f.leave()
			wait.Within(t, wait.Patience, "the client has noticed", func() bool { return !connected(f.client) })
			f.remove("goes")
			f.insert("comes")
			f.back()
			wait.Within(t, wait.Patience, "it is connected again", func() bool { return connected(f.client) })
			f.insert("last")
			tells("add", "last")
			told := slices.DeleteFunc(f.told.take(), func(event string) bool { return !strings.Contains(event, " "+f.table+" ") })
			slices.Sort(told)
			var want []string
			for _, name := range []string{"comes", "last", "stays"} {
				want = append(want, "add "+f.table+" "+name)
			}
			if !slices.Equal(told, want) {
				fixed(t, "after the connection was gone %v is told, it was %v", told, want)
			}
			// The cache itself is right.
			var rows []string
			for _, m := range f.client.Cache().Table(f.table).RowsShallow() {
				rows = append(rows, nameOf(m))
			}
			slices.Sort(rows)
			if !slices.Equal(rows, []string{"comes", "last", "stays"}) {
				t.Errorf("the cache has %v", rows)
			}
		})
	}
}

// Connected says so while there is no connection
// (docs/libovsdb.md#connected-while-there-is-no-connection).
func TestConnectedWhileDisconnected(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	c := dial(t, s.path, nil, patient())
	s.leave()
	wait.Within(t, wait.Patience, "the client has noticed", func() bool { return !connected(c) })
	says := c.Connected()
	s.back("{}")
	if !says {
		fixed(t, "a client that is connecting again does not say that it is connected")
	}
}

// A client that is closed while it connects again goes on, and connects
// (docs/libovsdb.md#close-while-it-reconnects).
func TestCloseWhileReconnecting(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	c := dial(t, s.path, nil, patient())
	s.leave()
	wait.Within(t, wait.Patience, "the client has noticed", func() bool { return !connected(c) })
	c.Close()
	s.back("{}")
	if !wait.Poll(patience, func() bool { return connected(c) }) {
		fixed(t, "a closed client does not connect again")
	}
}

func followFake(t *testing.T) *followed {
	s := serve(t, nil)
	f := &followed{table: "Group", told: &events{}}
	rows, made, away := map[string]string{}, 0, false
	row := func(name string) string { return fmt.Sprintf("%q:%s", rows[name], `{"insert":{"name":"`+name+`"}}`) }
	f.insert = func(name string) {
		made++
		rows[name] = uuid(made)
		if !away {
			s.newest().update(`{"Group":{` + row(name) + `}}`)
		}
	}
	f.remove = func(name string) {
		if !away {
			s.newest().update(`{"Group":{"` + rows[name] + `":{"delete":null}}}`)
		}
		delete(rows, name)
	}
	f.leave = func() { s.leave(); away = true }
	f.back = func() {
		var all []string
		for name := range maps.Keys(rows) {
			all = append(all, strings.Replace(row(name), "insert", "initial", 1))
		}
		s.back(`{"Group":{` + strings.Join(all, ",") + `}}`)
		away = false
	}
	f.client = dial(t, s.path, f.told, patient())
	return f
}

func followReal(t *testing.T) *followed {
	dir := memory(t)
	// The context of the test ends before what it cleans up.
	sb, err := sandbox.Start(context.Background(), sandbox.Config{Zones: []string{"z"}, Dir: filepath.Join(dir, "s"), Server: install.Server(t, "ovsdb-server")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sb.Close)
	addr := sb.Endpoints()["z"]
	r := newRelay(t, filepath.Join(dir, "r"), strings.TrimPrefix(addr, "unix:"))
	f := &followed{table: nb.TableAddressSet, told: &events{}, leave: r.cut, back: r.mend}
	open := func(addr string, options ...client.Option) client.Client {
		ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
		defer cancel()
		c, err := second.Dial(ctx, addr, options...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.mend(); shut(t, c) })
		return c
	}
	writer := open(addr)
	transact := func(op ovsdb.Operation) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
		defer cancel()
		op.Table = f.table
		if results, err := writer.Transact(ctx, op); err != nil || results[0].Error != "" {
			t.Fatal(results, err)
		}
	}
	f.insert = func(name string) {
		transact(ovsdb.Operation{Op: ovsdb.OperationInsert, Row: ovsdb.Row{"name": name}})
	}
	f.remove = func(name string) {
		transact(ovsdb.Operation{Op: ovsdb.OperationDelete, Where: []ovsdb.Condition{ovsdb.NewCondition("name", ovsdb.ConditionEqual, name)}})
	}
	f.client = open("unix:"+filepath.Join(dir, "r"), patient())
	f.client.Cache().AddEventHandler(f.told.handler())
	return f
}

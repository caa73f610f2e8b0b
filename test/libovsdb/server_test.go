package libovsdb_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	googleuuid "github.com/google/uuid"
	"github.com/ovn-kubernetes/libovsdb/database"
	"github.com/ovn-kubernetes/libovsdb/database/inmemory"
	"github.com/ovn-kubernetes/libovsdb/model"
	"github.com/ovn-kubernetes/libovsdb/ovsdb"
	libserver "github.com/ovn-kubernetes/libovsdb/server"

	"rung/test/wait"
)

// newDatabase is libovsdb's database, empty.
func newDatabase(t testing.TB) (database.Database, model.DatabaseModel) {
	t.Helper()
	var s ovsdb.DatabaseSchema
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatal(err)
	}
	m, errs := model.NewDatabaseModel(s, clientModel())
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return inmemory.NewDatabase(map[string]model.ClientDBModel{databaseName: clientModel()}, nil), m
}

// serveLibovsdb starts libovsdb's server on a database and returns its socket.
func serveLibovsdb(t testing.TB, db database.Database, m model.DatabaseModel) string {
	t.Helper()
	s, err := libserver.NewOvsdbServer(db, nil, m)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "lo")
	if err != nil {
		t.Fatal(err)
	}
	path, ended := filepath.Join(dir, "s"), make(chan error, 1)
	go func() { ended <- s.Serve("unix", path) }()
	t.Cleanup(func() {
		s.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		_ = os.RemoveAll(dir)
	})
	wait.Within(t, wait.Patience, "the server listens", s.Ready)
	return path
}

// bare is a client that does nothing by itself.
type bare struct {
	t testing.TB
	c net.Conn
	d *json.Decoder
}

func dialBare(t testing.TB, path string) *bare {
	t.Helper()
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(wait.Patience)); err != nil {
		t.Fatal(err)
	}
	return &bare{t, c, json.NewDecoder(c)}
}

func (b *bare) send(message string) {
	b.t.Helper()
	if _, err := b.c.Write([]byte(message)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bare) read() (m request) {
	b.t.Helper()
	if err := b.d.Decode(&m); err != nil {
		b.t.Fatal(err)
	}
	return m
}

// An update is sent as a request, where RFC 7047 §4.1.6 has a notification, and the
// transaction waits for the answer of every monitor: a client that gives none stops
// everybody's (docs/libovsdb.md#the-server-waits-for-its-clients).
func TestServerWaitsForItsClients(t *testing.T) {
	t.Parallel()
	db, m := newDatabase(t)
	path := serveLibovsdb(t, db, m)
	mute := dialBare(t, path)
	mute.send(`{"id":1,"method":"monitor_cond","params":["Test","mine",{"Group":{"columns":["name"],` +
		`"select":{"initial":true,"insert":true,"delete":true,"modify":true}}}]}`)
	if m := mute.read(); string(m.ID) != "1" {
		t.Fatalf("%+v", m)
	}
	c := connect(t, path)
	transact := func(op ovsdb.Operation) func() {
		return func() {
			ctx, cancel := context.WithTimeout(context.Background(), wait.Patience)
			defer cancel()
			if _, err := c.Transact(ctx, op); err != nil {
				t.Error(err)
			}
		}
	}
	returned, first := within(patience, transact(insert("a")))
	update := mute.read()
	if update.Method != "update2" {
		t.Fatalf("%+v", update)
	}
	if len(update.ID) == 0 || string(update.ID) == "null" {
		<-first
		fixed(t, "an update is a notification")
	}
	if returned {
		fixed(t, "a transaction does not wait for the answer of a monitor")
	}
	// What is in no table that anybody monitors waits as well.
	returned, second := within(soon, transact(ovsdb.Operation{Op: ovsdb.OperationInsert, Table: "Item", Row: ovsdb.Row{"name": "i"}}))
	if returned {
		fixed(t, "another transaction is not held up")
	}
	mute.send(fmt.Sprintf(`{"id":%s,"result":[],"error":null}`, update.ID))
	returns(t, "the transaction", first)
	returns(t, "the other transaction", second)
}

// A monitor as RFC 7047 §4.1.5 writes it, with a list of requests for each table, is
// refused; ovsdb-client sends it so, and shows nothing
// (docs/libovsdb.md#monitors-of-other-clients).
func TestMonitorsOfOtherClients(t *testing.T) {
	t.Parallel()
	db, m := newDatabase(t)
	other := dialBare(t, serveLibovsdb(t, db, m))
	other.send(`{"id":1,"method":"monitor","params":["Test",null,{"Group":[{"columns":["name"]}]}]}`)
	if reply := other.read(); reply.Error == nil {
		fixed(t, "a monitor with a list of requests is taken")
	} else if text := fmt.Sprint(reply.Error); !strings.Contains(text, "cannot unmarshal array") {
		t.Errorf("the monitor is refused: %s", text)
	}
}

// The database takes numbers that the schema rules out, and panics at a division by
// zero (docs/libovsdb.md#values-that-the-schema-rules-out).
func TestValuesThatTheSchemaRulesOut(t *testing.T) {
	t.Parallel()
	for _, rank := range []any{10, -1, 1.5} {
		db := madeDatabase(t)
		if err := transact(t, db, item(ovsdb.Row{"rank": rank}), group(2, "g")); err != "" {
			fixed(t, "a rank of %v is refused: %s", rank, err)
		}
	}
	db := madeDatabase(t)
	if err := transact(t, db, item(nil), group(2, "g")); err != "" {
		t.Fatal(err)
	}
	panics := func() (what any) {
		defer func() { what = recover() }()
		transact(t, db, ovsdb.Operation{Op: ovsdb.OperationMutate, Table: "Item",
			Mutations: []ovsdb.Mutation{{Column: "rank", Mutator: ovsdb.MutateOperationDivide, Value: 0}}})
		return nil
	}
	if panics() == nil {
		fixed(t, "a division by zero does not panic")
	}
}

// slow is a database that holds a commit up, once, when it is told to.
type slow struct {
	database.Database
	begun, goOn chan struct{}
}

func (s *slow) Commit(name string, id googleuuid.UUID, update database.Update) error {
	select {
	case <-s.goOn:
	default:
		close(s.begun)
		<-s.goOn
	}
	return s.Database.Commit(name, id, update)
}

// Monitors are told before the commit. One that begins in between reads the rows
// of before and is never told (docs/libovsdb.md#a-monitor-that-begins-during-a-commit).
func TestMonitorDuringCommit(t *testing.T) {
	t.Parallel()
	db, m := newDatabase(t)
	held := &slow{db, make(chan struct{}), make(chan struct{})}
	path := serveLibovsdb(t, held, m)
	writer := connect(t, path)
	done := make(chan error, 1)
	go func() {
		_, err := writer.Transact(t.Context(), insert("missed"))
		done <- err
	}()
	<-held.begun
	told := &events{}
	late := dial(t, path, told)
	close(held.goOn)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Transact(t.Context(), insert("seen")); err != nil {
		t.Fatal(err)
	}
	wait.Within(t, wait.Patience, "the next row is told", func() bool { return told.count("add Group seen") == 1 })
	if n := dial(t, path, nil).Cache().Table("Group").Len(); n != 2 {
		t.Fatalf("the database has %d rows", n)
	}
	if n := late.Cache().Table("Group").Len(); n != 1 {
		fixed(t, "the late monitor has %d rows", n)
	}
}

// transact runs a transaction on libovsdb's database as its server does, and
// returns the first error.
func transact(t testing.TB, db database.Database, ops ...ovsdb.Operation) string {
	t.Helper()
	results, update := db.NewTransaction(databaseName).Transact(ops...)
	for _, r := range results {
		if r != nil && r.Error != "" {
			return r.Error
		}
	}
	if err := db.Commit(databaseName, googleuuid.New(), update); err != nil {
		t.Fatal(err)
	}
	return ""
}

// madeDatabase is libovsdb's database without a server.
func madeDatabase(t testing.TB) database.Database {
	t.Helper()
	db, m := newDatabase(t)
	if err := db.CreateDatabase(databaseName, m.Schema); err != nil {
		t.Fatal(err)
	}
	return db
}

// item makes the item that groups refer to, and group such a group.
func item(row ovsdb.Row) ovsdb.Operation {
	return ovsdb.Operation{Op: ovsdb.OperationInsert, Table: "Item", UUID: uuid(1), Row: row}
}

func group(n int, name string) ovsdb.Operation {
	return ovsdb.Operation{Op: ovsdb.OperationInsert, Table: "Group", UUID: uuid(n),
		Row: ovsdb.Row{"name": name, "items": ovsdb.OvsSet{GoSet: []any{ovsdb.UUID{GoUUID: uuid(1)}}}}}
}

// A transaction that is refused changes what the database knows of references: an
// item then outlives the last group that refers to it. In OVN the groups are port
// groups, the items ACLs (docs/libovsdb.md#a-refused-transaction-leaves-its-mark).
func TestRefusedTransactionLeavesItsMark(t *testing.T) {
	t.Parallel()
	remove := func(n int) ovsdb.Operation {
		return ovsdb.Operation{Op: ovsdb.OperationDelete, Table: "Group",
			Where: []ovsdb.Condition{ovsdb.NewCondition("_uuid", ovsdb.ConditionEqual, ovsdb.UUID{GoUUID: uuid(n)})}}
	}
	items := func(refused bool) int {
		db := madeDatabase(t)
		works := func(ops ...ovsdb.Operation) {
			t.Helper()
			if err := transact(t, db, ops...); err != "" {
				t.Fatal(err)
			}
		}
		works(item(nil), group(2, "first"))
		works(group(3, "second"))
		if refused {
			// The name is taken, so nothing of this may happen.
			if err := transact(t, db, remove(2), insert("second")); err != "constraint violation" {
				t.Fatalf("a second group of a name: %q", err)
			}
		}
		works(remove(2))
		works(remove(3))
		left, err := db.List(databaseName, "Item")
		if err != nil {
			t.Fatal(err)
		}
		return len(left)
	}
	if n := items(false); n != 0 {
		t.Fatalf("%d items are left without a refused transaction", n)
	}
	if n := items(true); n == 0 {
		fixed(t, "no item outlives its groups")
	}
}

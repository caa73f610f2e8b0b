package libovsdb_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/ovn-kubernetes/libovsdb/cache"
	"github.com/ovn-kubernetes/libovsdb/client"
	"github.com/ovn-kubernetes/libovsdb/model"

	"rung/sources/nbdb/second"
	"rung/test/wait"
)

// The reproductions need a server that does what it is told, so they bring their
// own. Nothing of Rung is in them but helpers of tests: each is a program that can
// be sent to somebody who never heard of Rung.

const databaseName = "Test"

// schema has a root table, and one whose rows live as long as they are referred to.
// An item's rank is at most 9.
const schema = `{"name":"Test","version":"1.0.0","tables":{
"Group":{"isRoot":true,"indexes":[["name"]],"columns":{"name":{"type":"string"},
  "items":{"type":{"key":{"type":"uuid","refTable":"Item"},"min":0,"max":"unlimited"}}}},
"Item":{"columns":{"name":{"type":"string"},"rank":{"type":{"key":{"type":"integer","minInteger":0,"maxInteger":9}}}}}}}`

// Group is a row of table Group.
type Group struct {
	UUID  string   `ovsdb:"_uuid"`
	Name  string   `ovsdb:"name"`
	Items []string `ovsdb:"items"`
}

// Item is a row of table Item.
type Item struct {
	UUID string `ovsdb:"_uuid"`
	Name string `ovsdb:"name"`
	Rank int    `ovsdb:"rank"`
}

func clientModel() model.ClientDBModel {
	m, err := model.NewClientDBModel(databaseName, map[string]model.Model{"Group": &Group{}, "Item": &Item{}})
	if err != nil {
		panic(err) // the types above
	}
	return m
}

// uuid is one of many.
func uuid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// request is what a client sent, or the reply to what a test sent.
type request struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
	Error  any               `json:"error"`
}

// server answers clients on a socket.
type server struct {
	path string
	// handle may deal with a request instead of the usual answer; it says whether
	// it did.
	handle func(c *conn, r request) bool
	ln     net.Listener
	wg     sync.WaitGroup

	mu    sync.Mutex
	rows  string // <table-updates2> of every snapshot
	conns []*conn
	away  bool // connections are closed at once
}

// conn is a client's connection.
type conn struct {
	c    net.Conn
	gone chan struct{} // closed when it is

	mu     sync.Mutex
	cookie json.RawMessage // of its monitor

	writing sync.Mutex
}

// serve starts a server; it ends with the test.
func serve(t testing.TB, handle func(c *conn, r request) bool) *server {
	t.Helper()
	s, err := newServer(handle)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

func newServer(handle func(c *conn, r request) bool) (*server, error) {
	dir, err := os.MkdirTemp("", "lo") // short: it holds a socket
	if err != nil {
		return nil, err
	}
	s := &server{path: filepath.Join(dir, "s"), handle: handle, rows: "{}"}
	if s.ln, err = net.Listen("unix", s.path); err != nil {
		return nil, err
	}
	s.wg.Go(func() {
		for {
			c, err := s.ln.Accept()
			if err != nil {
				return // closed
			}
			s.accept(c)
		}
	})
	return s, nil
}

func (s *server) accept(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		_ = c.Close()
		return
	}
	k := &conn{c: c, gone: make(chan struct{})}
	s.conns = append(s.conns, k)
	s.wg.Go(func() { s.read(k) })
}

func (s *server) close() {
	_ = s.ln.Close()
	s.leave()
	s.wg.Wait()
	_ = os.RemoveAll(filepath.Dir(s.path))
}

// leave hangs up on everybody, until the server is back.
func (s *server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = true
	for _, k := range s.conns {
		k.hangUp()
	}
	s.conns = nil
}

// back takes connections again; rows are those of snapshots from now on.
func (s *server) back(rows string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away, s.rows = false, rows
}

// newest is the connection made last.
func (s *server) newest() *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns[len(s.conns)-1]
}

func (s *server) read(k *conn) {
	defer s.forget(k)
	d := json.NewDecoder(k.c)
	for {
		var r request
		if d.Decode(&r) != nil {
			return
		}
		if s.handle != nil && s.handle(k, r) {
			continue
		}
		s.answer(k, r)
	}
}

// forget hangs up.
func (s *server) forget(k *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k.hangUp()
	s.conns = slices.DeleteFunc(s.conns, func(o *conn) bool { return o == k })
}

// answer gives the usual one.
func (s *server) answer(k *conn, r request) {
	switch r.Method {
	case "list_dbs":
		k.reply(r, `["`+databaseName+`"]`)
	case "get_schema":
		k.reply(r, schema)
	case "monitor_cond":
		s.mu.Lock()
		rows := s.rows
		s.mu.Unlock()
		k.mu.Lock()
		k.cookie = r.Params[1]
		k.mu.Unlock()
		k.reply(r, rows)
	case "echo":
		k.reply(r, `["libovsdb echo"]`)
	case "transact":
		k.reply(r, `[{}]`)
	case "": // a reply
	default:
		k.send(fmt.Sprintf(`{"id":%s,"result":null,"error":"unknown method"}`, r.ID))
	}
}

// deaf reads nothing more until the connection is closed.
func (k *conn) deaf() { <-k.gone }

func (k *conn) hangUp() {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-k.gone:
	default:
		close(k.gone)
		_ = k.c.Close()
	}
}

func (k *conn) reply(r request, result string) {
	k.send(fmt.Sprintf(`{"id":%s,"error":null,"result":%s}`, r.ID, result))
}

// update sends <table-updates2> as a notification.
func (k *conn) update(rows string) {
	k.mu.Lock()
	cookie := k.cookie
	k.mu.Unlock()
	k.send(fmt.Sprintf(`{"id":null,"method":"update2","params":[%s,%s]}`, cookie, rows))
}

// send sends a message. One that cannot be sent is missed by whoever waits for
// what it brings.
func (k *conn) send(message string) {
	k.writing.Lock()
	defer k.writing.Unlock()
	_, _ = k.c.Write([]byte(message))
}

// events are what a client's cache told, each as "add Group a".
type events struct {
	mu   sync.Mutex
	list []string
}

func (e *events) note(what, table string, m model.Model) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, what+" "+table+" "+nameOf(m))
}

func nameOf(m model.Model) string {
	switch m := m.(type) {
	case *Group:
		return m.Name
	case *Item:
		return m.Name
	case *second.AddressSet:
		return m.Name
	}
	return ""
}

func (e *events) handler() cache.EventHandler {
	return &cache.EventHandlerFuncs{
		AddFunc:    func(table string, m model.Model) { e.note("add", table, m) },
		UpdateFunc: func(table string, _, m model.Model) { e.note("update", table, m) },
		DeleteFunc: func(table string, m model.Model) { e.note("delete", table, m) },
	}
}

// take returns what was told since the last time.
func (e *events) take() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := e.list
	e.list = nil
	return out
}

// count is how often an event was told.
func (e *events) count(event string) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.list {
		if s == event {
			n++
		}
	}
	return n
}

// dial connects a client and follows everything; told, where given, gets its events
// from the first row on.
func dial(t testing.TB, path string, told *events, options ...client.Option) client.Client {
	t.Helper()
	c := connect(t, path, options...)
	if told != nil {
		c.Cache().AddEventHandler(told.handler())
	}
	if _, err := c.MonitorAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// connect is dial without a monitor. The client ends with the test.
func connect(t testing.TB, path string, options ...client.Option) client.Client {
	t.Helper()
	c, err := client.NewOVSDBClient(clientModel(), append(options, client.WithEndpoint("unix:"+path))...)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shut(t, c) })
	return c
}

// connected says whether a client is. It does not ask the client, which goes on
// saying so (TestConnectedWhileDisconnected).
func connected(c client.Client) bool { return c.CurrentEndpoint() != "" }

// shut closes a client until it is: one that is just connecting again does not
// notice (TestCloseWhileReconnecting). Its cache goes last.
func shut(t testing.TB, c client.Client) {
	t.Helper()
	if !wait.Poll(wait.Patience, func() bool { c.Close(); return c.Cache() == nil }) {
		t.Error("the client cannot be closed")
	}
}

// endless is a back-off that never ends.
func endless() backoff.BackOff { return backoff.NewConstantBackOff(10 * time.Millisecond) }

// patient is a client that connects again and again. An attempt has all the time it
// wants: libovsdb decodes an answer that comes too late into what the caller, which
// has gone, is still reading, and the race detector sees it.
func patient() client.Option { return client.WithReconnect(wait.Patience, endless()) }

// fixed fails a test whose defect is gone.
func fixed(t testing.TB, what string, args ...any) {
	t.Helper()
	t.Fatalf("fixed: see docs/libovsdb.md: %s", fmt.Sprintf(what, args...))
}

// within says whether f returned within d; it goes on meanwhile.
func within(d time.Duration, f func()) (returned bool, done <-chan struct{}) {
	ch := make(chan struct{})
	go func() { defer close(ch); f() }()
	select {
	case <-ch:
		return true, ch
	case <-time.After(d):
		return false, ch
	}
}

// returns fails the test when something that hung goes on hanging.
func returns(t testing.TB, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(wait.Patience):
		t.Fatalf("%s still hangs", what)
	}
}

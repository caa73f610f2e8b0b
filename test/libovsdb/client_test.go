package libovsdb_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/ovn-kubernetes/libovsdb/cache"
	"github.com/ovn-kubernetes/libovsdb/client"
	"github.com/ovn-kubernetes/libovsdb/model"
	"github.com/ovn-kubernetes/libovsdb/ovsdb"
	"go.uber.org/goleak"

	"rung/engine/zones"
	"rung/test/wait"
)

func TestMain(m *testing.M) {
	if crash := crashes[os.Getenv(crashVar)]; crash != nil {
		crash()
		os.Exit(0)
	}
	if len(os.Args) == 3 && os.Args[1] == secondName {
		if err := zones.Reader(context.Background(), os.Stdin, os.Args[2], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// insert makes a group; its name may be long.
func insert(name string) ovsdb.Operation {
	return ovsdb.Operation{Op: ovsdb.OperationInsert, Table: "Group", Row: ovsdb.Row{"name": name}}
}

// soon is the time limit that calls are given, and patience how long something is
// watched that should have ended then.
const (
	soon     = 200 * time.Millisecond
	patience = 10 * soon
)

// A call to a server that has stopped reading has a context that ends, and an
// inactivity check that should notice; neither is looked at while the client
// writes (docs/libovsdb.md#a-server-that-stops-reading).
func TestServerStopsReading(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]client.Option{
		"plain":            nil,
		"inactivity check": {client.WithInactivityCheck(patience/4, patience/8, endless())},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stopped atomic.Bool
			s := serve(t, func(k *conn, r request) bool {
				if r.Method != "transact" || stopped.Swap(true) {
					return false
				}
				k.reply(r, `[{"uuid":["uuid","`+uuid(1)+`"]}]`)
				k.deaf()
				return true
			})
			c := connect(t, s.path, options...)
			if _, err := c.Transact(t.Context(), insert("small")); err != nil {
				t.Fatal(err)
			}
			deaf := s.newest()
			defer deaf.hangUp() // or the client could not be closed
			var err error
			returned, transact := within(patience, func() {
				ctx, cancel := context.WithTimeout(context.Background(), soon)
				defer cancel()
				_, err = c.Transact(ctx, insert(strings.Repeat("x", 4<<20))) // more than a socket holds
			})
			if returned {
				fixed(t, "Transact returned: %v", err)
			}
			hung := map[string]<-chan struct{}{"Transact": transact}
			for _, call := range []struct {
				name string
				call func()
			}{
				{"Disconnect", c.Disconnect},
				{"Close", c.Close},
				{"Connected", func() { c.Connected() }},
				{"CurrentEndpoint", func() { c.CurrentEndpoint() }},
			} {
				returned, hung[call.name] = within(soon, call.call)
				if returned {
					fixed(t, "%s returned", call.name)
				}
			}
			deaf.hangUp()
			for name, done := range hung {
				returns(t, name, done)
			}
			if err == nil {
				t.Error("the transaction was answered")
			}
		})
	}
}

// Whoever follows events cannot know where a transaction ends: two transactions
// are told as one is, and a row before the one it refers to
// (docs/libovsdb.md#no-boundaries-of-transactions).
func TestNoBoundariesOfTransactions(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	told := &events{}
	dial(t, s.path, told)
	k := s.newest()
	group := func(n int) string {
		return fmt.Sprintf(`{"insert":{"name":"g","items":["uuid",%q]}}`, uuid(n))
	}
	const item = `{"insert":{"name":"i"}}`
	both := []string{"add Group g", "add Item i"}
	next := func(what string) (got []string) {
		wait.Within(t, wait.Patience, what, func() bool { got = append(got, told.take()...); return len(got) >= 2 })
		return got
	}
	k.update(fmt.Sprintf(`{"Item":{%q:%s}}`, uuid(1), item))
	k.update(fmt.Sprintf(`{"Group":{%q:%s}}`, uuid(2), group(1)))
	if got := next("two transactions"); !slices.Equal(got, []string{both[1], both[0]}) {
		fixed(t, "two transactions are told as %v", got)
	}
	var orders [][]string
	for n := 10; n < 110; n += 2 {
		k.update(fmt.Sprintf(`{"Item":{%q:%s},"Group":{%q:%s}}`, uuid(n), item, uuid(n+1), group(n)))
		got := next("one transaction")
		if sorted := slices.Sorted(slices.Values(got)); !slices.Equal(sorted, both) {
			fixed(t, "one transaction is told as %v", got)
		}
		orders = append(orders, got)
	}
	if !slices.ContainsFunc(orders, func(o []string) bool { return o[0] == both[0] }) {
		fixed(t, "in %d transactions no group was told before its item", len(orders))
	}
	if n := reflect.TypeFor[cache.EventHandler]().NumMethod(); n != 3 {
		fixed(t, "an event handler has %d methods", n)
	}
}

// Transactions go out as they are asked for, however many are unanswered, and one
// that got no answer in time changes nothing: the connection goes on, and nobody
// learns that its outcome is not known (docs/libovsdb.md#no-bound-on-transactions).
func TestNoBoundOnTransactions(t *testing.T) {
	t.Parallel()
	const all = 500
	var came atomic.Int64
	s := serve(t, func(_ *conn, r request) bool {
		if r.Method != "transact" {
			return false
		}
		came.Add(1)
		return true
	})
	c := connect(t, s.path)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var timeouts atomic.Int64
	for i := range all {
		wg.Go(func() {
			if _, err := c.Transact(ctx, insert(fmt.Sprint(i))); errors.Is(err, context.Canceled) {
				timeouts.Add(1)
			}
		})
	}
	if !wait.Poll(wait.Patience, func() bool { return came.Load() == all }) {
		cancel()
		wg.Wait()
		fixed(t, "%d transactions are under way at most", came.Load())
	}
	cancel()
	wg.Wait()
	if timeouts.Load() != all {
		t.Fatalf("%d of %d calls ended with their context", timeouts.Load(), all)
	}
	if !c.Connected() {
		fixed(t, "a transaction whose outcome is unknown ends the connection")
	}
}

// many are so many new items. The cache takes them from its reader in this form;
// to decode them would take most of the time of this test.
type many int

func (many) GetUpdatedTables() []string { return []string{"Item"} }

func (n many) ForEachModelUpdate(_ string, do func(uuid string, old, newModel model.Model) error) error {
	for i := range int(n) {
		id := strconv.Itoa(i) // a cache does not look at it
		if err := do(id, nil, &Item{UUID: id, Name: "i"}); err != nil {
			return err
		}
	}
	return nil
}

// An event that finds the queue full is dropped, and the receiver is never told
// (docs/libovsdb.md#the-queue-of-events).
func TestEventsAreDropped(t *testing.T) {
	t.Parallel()
	const queue, more = 65536, 100
	free, last := make(chan struct{}), make(chan struct{})
	var told atomic.Int64
	s := serve(t, nil)
	c := connect(t, s.path)
	c.Cache().AddEventHandler(&cache.EventHandlerFuncs{AddFunc: func(_ string, m model.Model) {
		<-free // it is busy while the rows come
		told.Add(1)
		if m.(*Item).Name == "last" {
			close(last)
		}
	}})
	if _, err := c.MonitorAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := c.Cache().ApplyCacheUpdate(many(queue + more))
	close(free)
	if err != nil {
		t.Fatal(err)
	}
	// There is room in the queue for one more.
	wait.Within(t, wait.Patience, "most of the rows are told", func() bool { return told.Load() >= queue })
	s.newest().update(fmt.Sprintf(`{"Item":{%q:{"insert":{"name":"last"}}}}`, uuid(queue+more)))
	returns(t, "the last event", last)
	got := told.Load() - 1
	if got == queue+more {
		fixed(t, "all %d rows are told", got)
	}
	t.Logf("%d of %d rows were told", got, queue+more)
}

// There is no option for a connection that somebody else makes
// (docs/libovsdb.md#no-dialler-of-ones-own).
func TestNoDialler(t *testing.T) {
	t.Parallel()
	options := reflect.TypeFor[client.Option]().In(0).Elem()
	for i := range options.NumField() {
		f := options.Field(i)
		_, dials := f.Type.MethodByName("DialContext")
		if f.Type.Kind() == reflect.Func || dials {
			fixed(t, "there is an option %s %s", f.Name, f.Type)
		}
	}
	if options.NumField() == 0 {
		t.Fatal("no options found")
	}
	c, err := client.NewOVSDBClient(clientModel(), client.WithEndpoint("exec:pod"))
	if err != nil {
		fixed(t, "another scheme is refused at once: %v", err)
	}
	if err := c.Connect(t.Context()); err == nil || !strings.Contains(err.Error(), "unknown network protocol exec") {
		fixed(t, "connecting by another scheme: %v", err)
	}
}

// A reply whose error is an object, as RFC 7047 §4.1.3 has it and ovsdb-server
// sends it, ends the connection (docs/libovsdb.md#errors-that-are-objects).
func TestErrorsThatAreObjects(t *testing.T) {
	t.Parallel()
	s := serve(t, func(k *conn, r request) bool {
		if r.Method != "transact" {
			return false
		}
		k.send(fmt.Sprintf(`{"id":%s,"result":null,"error":{"error":"unknown database","details":"no database named Test"}}`, r.ID))
		return true
	})
	c := connect(t, s.path)
	_, err := c.Transact(t.Context(), insert("a"))
	if err == nil || strings.Contains(err.Error(), "unknown database: ") || !strings.Contains(err.Error(), "invalid error") {
		fixed(t, "the error of a transaction is %v", err)
	}
	if !wait.Poll(patience, func() bool { return !connected(c) }) {
		fixed(t, "the connection stands after an error")
	}
}

// crashes are programs that end with a panic of libovsdb's, in a goroutine of its
// own, so that nobody can recover it. TestPanics runs each in a process.
var crashes = map[string]func(){
	// docs/libovsdb.md#a-back-off-that-ends
	"a back-off that ends": func() {
		crash("", client.WithReconnect(time.Second, backoff.WithMaxRetries(endless(), 2)))
	},
	// docs/libovsdb.md#panics-on-what-a-server-sends
	"a reply without an id": func() { crash(`{"result":[],"error":null}`) },
	"an update without parameters": func() {
		crash(`{"id":null,"method":"update2","params":[]}`)
	},
	"an empty array as a value": func() {
		crash(`{"id":null,"method":"update2","params":[{"databaseName":"Test"},{"Item":{"` + uuid(1) + `":{"insert":{"name":[]}}}}]}`)
	},
}

// crashVar names the crash that a child process is to run.
const crashVar = "RUNG_LIBOVSDB_CRASH"

// crash connects a client, sends it a message, or hangs up for good when that is
// empty, and waits.
func crash(message string, options ...client.Option) {
	s, err := newServer(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := client.NewOVSDBClient(clientModel(), append(options, client.WithEndpoint("unix:"+s.path))...)
	if err == nil {
		err = c.Connect(context.Background())
	}
	if err == nil {
		_, err = c.MonitorAll(context.Background())
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("connected")
	if message == "" {
		s.close()
	} else {
		s.newest().send(message)
	}
	time.Sleep(patience)
}

// These end the process that libovsdb's client runs in.
func TestPanics(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name := range crashes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
			defer cancel()
			cmd := exec.CommandContext(ctx, self)
			dir, err := os.MkdirTemp("", "lo") // for the socket it cannot remove
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			cmd.Env = append(os.Environ(), crashVar+"="+name, "TMPDIR="+dir)
			var said bytes.Buffer
			cmd.Stderr = &said
			out, err := cmd.Output()
			if string(out) != "connected\n" {
				t.Fatalf("%s %s %v", out, said.Bytes(), err)
			}
			var exit *exec.ExitError
			if !errors.As(err, &exit) || !bytes.Contains(said.Bytes(), []byte("panic: ")) {
				fixed(t, "no panic: %v %s", err, said.Bytes())
			}
			first, _, _ := strings.Cut(said.String()[strings.Index(said.String(), "panic: "):], "\n")
			t.Log(first)
		})
	}
}

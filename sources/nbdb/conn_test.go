package nbdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"rung/model"
	"rung/model/ovn/nb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is the other end of a connection, as much server as the tests need.
type fake struct {
	t    *testing.T
	name string // NB_Global.name
	rows string // more of the snapshot

	mu       sync.Mutex
	up       bool
	conns    []*RPCConn
	dials    []time.Time
	mute     map[string]bool // methods that get no answer
	transact func(params string) string
}

func (f *fake) dial(ctx context.Context) (net.Conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dials = append(f.dials, time.Now())
	if !f.up {
		return nil, errors.New("connection refused")
	}
	a, b := net.Pipe()
	c := NewRPCConn(b, time.Second)
	f.conns = append(f.conns, c)
	go f.serve(c)
	return a, nil
}

func (f *fake) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// push sends an update2 on the newest connection.
func (f *fake) push(updates string) {
	f.mu.Lock()
	c := f.conns[len(f.conns)-1]
	f.mu.Unlock()
	if err := c.Write(NotificationText("update2", []byte(`["rung",`+updates+`]`))); err != nil {
		f.t.Error(err)
	}
}

func (f *fake) hangUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		_ = c.Close()
	}
}

func (f *fake) serve(c *RPCConn) {
	defer c.Close()
	for {
		m, err := c.Read()
		if err != nil {
			return
		}
		f.mu.Lock()
		mute, transact := f.mute[m.Method], f.transact
		f.mu.Unlock()
		if mute {
			continue
		}
		result := string(m.Params)
		switch m.Method {
		case "get_schema":
			result = `{"name":"OVN_Northbound","version":"7.3.0","tables":{`
			for i, w := range watched {
				if i > 0 {
					result += ","
				}
				result += `"` + w.table + `":{"columns":{"` + strings.Join(w.columns, `":{},"`) + `":{}}}`
			}
			result += "}}"
		case "monitor_cond":
			result = `{"NB_Global":{"` + u1 + `":{"initial":{"name":"` + f.name + `"}}}` + f.rows + `}`
		case "transact":
			if transact == nil {
				f.t.Errorf("a transaction nobody expected: %s", result)
				return
			}
			result = transact(result)
		}
		if err := c.Write(ReplyText(m.ID, []byte(result))); err != nil {
			return
		}
	}
}

// run starts a Conn in the bubble and returns its updates so far.
func run(t *testing.T, f *fake, cfg Config) (c *Conn, updates func() []model.ZoneUpdate) {
	cfg.Name, cfg.Addr, cfg.Dial = "ovn-worker", "unix:/fake", f.dial
	c = Dial(cfg)
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	var all []model.ZoneUpdate
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Run(ctx, func(u model.ZoneUpdate) {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, u)
		})
	}()
	t.Cleanup(func() { cancel(); <-done; f.hangUp() })
	return c, func() []model.ZoneUpdate {
		mu.Lock()
		defer mu.Unlock()
		return append([]model.ZoneUpdate(nil), all...)
	}
}

func last(us []model.ZoneUpdate) model.ZoneUpdate { return us[len(us)-1] }

// inBubble runs a test in fake time; its clean-up belongs to the bubble.
func inBubble(t *testing.T, test func(t *testing.T)) { synctest.Test(t, test) }

// 20 minutes without a server: the attempts go on, never more than 5 s apart,
// and the first that works brings the rows.
func TestEndlessBackoff(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := &fake{t: t, name: "ovn-worker"}
		_, updates := run(t, f, Config{})
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		u := last(updates())
		if u.Conn != model.ConnDialling || u.Attempts < 240 || u.Attempts > 480 || !strings.Contains(u.Error, "connection refused") {
			t.Errorf("after 20 minutes: %+v", u)
		}
		f.set(func() {
			for i := 1; i < len(f.dials); i++ {
				gap := f.dials[i].Sub(f.dials[i-1])
				if low := min(time.Duration(50<<(i-1))*time.Millisecond, 2500*time.Millisecond); i < 40 && gap < low || gap > 5*time.Second {
					t.Errorf("attempt %d came %v after the one before", i, gap)
				}
			}
			f.up = true
		})
		time.Sleep(5 * time.Second)
		synctest.Wait()
		u = last(updates())
		if u.Conn != model.ConnSynced || !u.Resync || u.DB.Global() == nil || u.Attempts != 0 || u.Server != "OVN_Northbound 7.3.0" {
			t.Errorf("with a server: %+v", u)
		}
	})
}

// A server that takes connections and loses them at once is not hammered.
func TestBackoffHoldsForShortSessions(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := &fake{t: t, name: "ovn-worker", up: true}
		_, updates := run(t, f, Config{})
		for range 600 {
			time.Sleep(100 * time.Millisecond)
			f.hangUp()
		}
		synctest.Wait()
		f.set(func() {
			if n := len(f.dials); n > 30 {
				t.Errorf("%d connections in a minute", n)
			}
		})
		if u := last(updates()); u.Conn != model.ConnLost {
			t.Errorf("%+v", u)
		}
	})
}

func TestChangesAndBursts(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := &fake{t: t, name: "ovn-worker", up: true, rows: `,"Address_Set":{"` + u2 + `":{"initial":{"name":"a"}}}`}
		_, updates := run(t, f, Config{})
		time.Sleep(time.Second)
		n := len(updates())
		f.push(`{"Address_Set":{"` + u2 + `":{"modify":{"addresses":"10.0.0.1"}}},"ACL":{"` + u3 + `":{"insert":{"priority":1}}}}`)
		synctest.Wait()
		us := updates()
		if len(us) != n+1 || len(last(us).Changes) != 2 || last(us).Resync || last(us).DB.Len() != 3 {
			t.Fatalf("one transaction came as %+v", us[n:])
		}
		// A burst: what comes within 20 ms comes together, no update is lost.
		for i := range 50 {
			f.push(fmt.Sprintf(`{"ACL":{"%s":{"modify":{"priority":%d}}}}`, u3, i+2))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
		us = updates()
		if got := len(us) - n - 1; got < 2 || got > 6 {
			t.Errorf("50 updates in 50 ms came as %d", got)
		}
		if p := last(us).DB.ACL(u3).Priority; p != 51 {
			t.Errorf("priority %d", p)
		}
		for _, u := range us[n+1:] {
			if len(u.Changes) != 1 || u.Changes[0].New.(*nb.ACL) != u.DB.ACL(u3) {
				t.Errorf("%+v", u.Changes)
			}
		}
		f.push(`{"ACL":{"` + u3 + `":{"delete":null}}}`)
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
		if u := last(updates()); len(u.Changes) != 1 || u.Changes[0].New != nil || u.DB.ACL(u3) != nil {
			t.Errorf("%+v", u)
		}
	})
}

// An update that does not fit is not passed over: everything is read again.
func TestMisfitResyncs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := &fake{t: t, name: "ovn-worker", up: true}
		c, updates := run(t, f, Config{})
		time.Sleep(time.Second)
		f.push(`{"ACL":{"` + u3 + `":{"modify":{"priority":1}}}}`)
		time.Sleep(time.Second)
		synctest.Wait()
		us := updates()
		if u := last(us); !u.Resync {
			t.Errorf("%+v", u)
		}
		if u := us[len(us)-2]; u.Conn != model.ConnLost || !strings.Contains(u.Error, "does not fit") {
			t.Errorf("%+v", u)
		}
		n := len(us)
		c.Resync()
		time.Sleep(time.Millisecond)
		synctest.Wait()
		us = updates()
		if len(us) != n+2 || !last(us).Resync {
			t.Errorf("%+v", us[n:])
		}
	})
}

func TestSilentServer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := &fake{t: t, name: "ovn-worker", up: true}
		_, updates := run(t, f, Config{})
		time.Sleep(time.Minute)
		if us := updates(); len(us) != 2 {
			t.Fatalf("a quiet minute: %+v", us)
		}
		all := map[string]bool{"echo": true, "get_schema": true, "monitor_cond": true}
		f.set(func() { f.mute = all })
		time.Sleep(7600 * time.Millisecond)
		synctest.Wait()
		if u := last(updates()); u.Conn != model.ConnLost || !strings.Contains(u.Error, "not answering for 5") {
			t.Errorf("%+v", u)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if u := last(updates()); u.Conn != model.ConnLost || u.Attempts < 5 || !strings.Contains(u.Error, "not answering for 5s") {
			t.Errorf("%+v", u)
		}
		f.set(func() { f.mute = nil })
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if u := last(updates()); !u.Resync {
			t.Errorf("%+v", u)
		}
	})
}

// trickling answers monitor_cond with a byte a second, for ever.
type trickling struct{ net.Conn }

// SetWriteDeadline does nothing: it goes on trickling.
func (c trickling) SetWriteDeadline(time.Time) error { return nil }

func (c trickling) Write(b []byte) (int, error) {
	if !bytes.Contains(b, []byte(`"NB_Global":{"`)) || bytes.Contains(b, []byte("columns")) {
		return c.Conn.Write(b)
	}
	for {
		if _, err := c.Conn.Write([]byte(" ")); err != nil {
			return 0, err
		}
		time.Sleep(time.Second)
	}
}

// TestTricklingServer: a server that sends its rows byte by byte gives its place
// among those that connect free.
func TestTricklingServer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := &fake{t: t, name: "ovn-worker"}
		limit := NewLimiter(1)
		dial := func(context.Context) (net.Conn, error) {
			a, b := net.Pipe()
			go f.serve(NewRPCConn(trickling{b}, time.Second))
			return a, nil
		}
		c := Dial(Config{Name: "ovn-worker", Addr: "unix:/fake", Dial: dial, Limit: limit})
		began := time.Now()
		if _, err := c.Read(t.Context()); !errors.Is(err, ErrSilent) || !strings.Contains(err.Error(), "the rows did not arrive within 10m0s") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took > 11*time.Minute {
			t.Errorf("it kept its place for %v", took)
		}
		time.Sleep(2 * time.Second) // the server notices
		if release, err := limit.TakeSlot(t.Context()); err != nil {
			t.Error(err)
		} else {
			release()
		}
	})
}

func TestTransact(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := &fake{t: t, name: "ovn-worker"}
		c, updates := run(t, f, Config{})
		ops := []nb.Op{{Kind: nb.OpDelete, Table: nb.TableAddressSet, UUID: u2}}
		if _, err := c.Transact(t.Context(), ops); !errors.Is(err, ErrNotConnected) {
			t.Error(err)
		}
		f.set(func() { f.up = true })
		time.Sleep(time.Second)
		if _, err := c.Transact(t.Context(), []nb.Op{{Kind: nb.OpDelete, Table: nb.TableACL}}); err == nil {
			t.Error("a delete of a whole table was sent")
		}

		// The caller sees its own writes.
		f.set(func() {
			f.transact = func(string) string {
				f.push(`{"Address_Set":{"` + u2 + `":{"insert":{"name":"mine"}}}}`)
				return `[{"count":1}]`
			}
		})
		res, err := c.Transact(t.Context(), ops)
		if err != nil || len(res) != 1 || res[0].Count != 1 {
			t.Errorf("%+v, %v", res, err)
		}
		if last(updates()).DB.AddressSetByName("mine") == nil {
			t.Error("Transact came back before the rows")
		}

		// A refusal leaves the connection alone.
		n := len(updates())
		f.set(func() {
			f.transact = func(string) string { return `[{"error":"constraint violation","details":"why"}]` }
		})
		if _, err = c.Transact(t.Context(), ops); !errors.Is(err, model.ErrRejected) || !strings.Contains(err.Error(), "ovn-worker") {
			t.Error(err)
		}
		if len(updates()) != n {
			t.Error("a refusal made an update")
		}

		// No answer: unknown, so all is read again.
		f.set(func() { f.mute = map[string]bool{"transact": true} })
		began := time.Now()
		_, err = c.Transact(t.Context(), ops)
		if !errors.Is(err, ErrSilent) || errors.Is(err, model.ErrRejected) || time.Since(began) != 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		us := updates()
		if len(us) != n+2 || us[n].Conn != model.ConnLost || !strings.Contains(us[n].Error, "unknown") || !us[n+1].Resync {
			t.Errorf("%+v", us[n:])
		}
		// So does a caller that goes away.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err = c.Transact(ctx, ops); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		us = updates()
		if len(us) != n+4 || !last(us).Resync {
			t.Errorf("%+v", us[n:])
		}
	})
}

// An answer that came in time counts, however long the process takes to look at
// it.
func TestAnswerWaitsForItsSlot(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := &fake{t: t, name: "ovn-worker", up: true}
		var busy atomic.Int64
		c, updates := run(t, f, Config{Slot: func() func() {
			time.Sleep(time.Duration(busy.Load()))
			return func() {}
		}})
		time.Sleep(time.Second)
		n := len(updates())
		f.set(func() { f.transact = func(string) string { return `[{"count":1}]` } })
		busy.Store(int64(8 * time.Second)) // more than a transaction may take
		ops := []nb.Op{{Kind: nb.OpDelete, Table: nb.TableAddressSet, UUID: u2}}
		if res, err := c.Transact(t.Context(), ops); err != nil || len(res) != 1 || res[0].Count != 1 {
			t.Errorf("%+v, %v", res, err)
		}
		busy.Store(0)
		time.Sleep(time.Minute)
		if us := updates(); len(us) != n {
			t.Errorf("the connection was given up: %+v", us[n:])
		}
	})
}

// A server that stopped reading cannot hold a transaction, however big.
func TestTransactToDeafServer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := &fake{t: t, name: "ovn-worker", up: true}
		c, updates := run(t, f, Config{Probe: time.Minute})
		time.Sleep(time.Second)
		block := make(chan struct{})
		f.set(func() { f.transact = func(string) string { <-block; return "[]" } })
		ops := []nb.Op{{Kind: nb.OpDelete, Table: nb.TableAddressSet, UUID: u2}}
		go c.Transact(t.Context(), ops) // the fake hangs in this one
		time.Sleep(time.Second)
		began := time.Now()
		_, err := c.Transact(t.Context(), ops)
		if err == nil || time.Since(began) > 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		close(block)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if u := last(updates()); u.Conn != model.ConnSynced {
			t.Errorf("%+v", u)
		}
	})
}

// refusing is a connection whose server is gone: a write notices at once. What the
// server said before stands for the end of the stream.
type refusing struct {
	net.Conn
	said error
}

func (r refusing) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func (r refusing) Read(b []byte) (int, error) {
	n, err := r.Conn.Read(b)
	if errors.Is(err, io.EOF) {
		err = r.said
	}
	return n, err
}

// What the server said before it hung up is the reason, though a write has noticed
// first that it did. Where it said nothing, it is the write's error, soon.
func TestLastWords(t *testing.T) {
	for name, says := range map[string]bool{"says why": true, "says nothing": false} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				said := errors.New("certificate required")
				ours, theirs := net.Pipe()
				defer theirs.Close()
				want := error(syscall.EPIPE)
				if says {
					want = said
					time.AfterFunc(100*time.Millisecond, func() { _ = theirs.Close() })
				}
				began := time.Now()
				_, err := Dial(Config{Addr: "unix:/fake", Dial: func(context.Context) (net.Conn, error) {
					return refusing{ours, said}, nil
				}}).Read(t.Context())
				if took := time.Since(began); !errors.Is(err, want) || took > 2*time.Second {
					t.Errorf("%v after %v, want %v", err, took, want)
				}
			})
		})
	}
}

func TestWrongZoneAndPermission(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := &fake{t: t, name: "ovn-worker2", up: true}
		_, updates := run(t, f, Config{})
		time.Sleep(time.Second)
		if u := last(updates()); u.Conn != model.ConnDialling || !strings.Contains(u.Error, `NB_Global is named "ovn-worker2", not "ovn-worker"`) {
			t.Errorf("%+v", u)
		}
		f.set(func() { f.name = "" }) // never set: no objection
		time.Sleep(10 * time.Second)
		if u := last(updates()); u.Conn != model.ConnSynced {
			t.Errorf("%+v", u)
		}
		f.push(`{"NB_Global":{"` + u1 + `":{"modify":{"name":"other"}}}}`)
		synctest.Wait()
		if u := last(updates()); u.Conn != model.ConnLost || !strings.Contains(u.Error, "other") {
			t.Errorf("%+v", u)
		}
	})
	inBubble(t, func(t *testing.T) {
		c := Dial(Config{Addr: "unix:/x", Dial: func(context.Context) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: fs.ErrPermission}
		}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var u model.ZoneUpdate
		c.Run(ctx, func(x model.ZoneUpdate) { u = x })
		if u.Conn != model.ConnDenied {
			t.Errorf("%+v", u)
		}
	})
}

func TestParseAddr(t *testing.T) {
	for in, want := range map[string]string{
		"unix:/run/x.sock": "unix /run/x.sock", "tcp:10.0.0.1:6641": "tcp 10.0.0.1:6641", "tcp:[::1]:6641": "tcp [::1]:6641",
		"unix:": "", "/run/x.sock": "", "tcp:host": "", "ssl:h:1": "ssl h:1", "ssl:h": "", "": "",
	} {
		network, address, err := ParseAddr(in)
		if got := strings.TrimSpace(network + " " + address); (err == nil) != (want != "") || (err == nil && got != want) {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
	if _, err := Dial(Config{Addr: "nonsense", AnyName: true}).Read(t.Context()); err == nil {
		t.Error("read from nonsense")
	}
	if _, err := Dial(Config{Addr: "unix:/nonexistent/socket", AnyName: true}).Read(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

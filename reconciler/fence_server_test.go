package reconciler

import (
	"context"
	"errors"
	"testing"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/wait"
)

// stopped is a connection whose process can be stopped between two looks at the
// rows and still has transactions to send.
type stopped struct {
	*nbdb.Conn
	deaf chan struct{} // closed: hears nothing any more
}

func (s *stopped) Run(ctx context.Context, sink func(model.ZoneUpdate)) {
	s.Conn.Run(ctx, func(u model.ZoneUpdate) {
		select {
		case <-s.deaf:
		default:
			sink(u)
		}
	})
}

// Two writers on one server: the first takes over, the second takes over from
// it, and what the first sends afterwards changes nothing.
func TestFenceOnServers(t *testing.T) {
	onServers(t, func(t *testing.T, sb *sandbox.Sandbox) {
		w := newWorld(3)
		w.add(namespace("a", "t=1"), namespace("b", "t=2"), pod("a/p0", "", "n1", "10.0.0.1"), pod("b/p0", "", "n1", "10.0.0.2"), isolate(34))
		sb.SetPods(w.cluster, w.changes)
		start := func(writer string, mode Mode) (*Reconciler, *stopped, chan Transaction, func()) {
			txs := make(chan Transaction, 1000)
			z := &stopped{nbdb.Dial(nbdb.Config{Name: "n1", Addr: sb.Endpoints()["n1"]}), make(chan struct{})}
			r := NewZone(Config{Zone: z, Mode: mode, Fence: &ZoneFence{Writer: writer, Quiet: 100 * time.Millisecond},
				OnTransaction: func(x Transaction) { txs <- x }})
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); r.Run(ctx) }()
			r.SetDesired(w.d, nil, true)
			return r, z, txs, func() { cancel(); <-done }
		}
		until := func(what string, holds func() bool) {
			t.Helper()
			for end := time.Now().Add(wait.Patience); !holds(); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal(what)
				}
			}
		}
		first, zone, txs, stop := start("w1", Write)
		defer stop()
		until("the first does not write", func() bool { return diffZone(t, w.cluster, "n1", read(t, sb)) == "" })
		until("the first does not say that it holds the zone", func() bool { z := first.State(); return z.Epoch == 1 && z.RowsHeld })
		second, _, _, stop2 := start("w2", Observe)
		defer stop2()
		until("the second does not read", func() bool { return second.State().DB != nil })
		close(zone.deaf) // what it knows is old from now on
		second.SetMode(Write)
		until("the second does not take over", func() bool { return second.State().RowsHeld })

		// The first still believes that it holds the zone.
		for len(txs) > 0 {
			<-txs
		}
		before := read(t, sb)
		old := w.d
		first.SetDesired(newWorldOf(isolate(35)), nil, true)
		select {
		case x := <-txs:
			if x.Result != ResultFenced {
				t.Errorf("the transaction of the first ended %q", x.Result)
			}
		case <-time.After(wait.Patience):
			t.Fatal("the first sent nothing")
		}
		time.Sleep(300 * time.Millisecond)
		if len(txs) != 0 {
			t.Errorf("the first sent %d more transactions", len(txs))
		}
		if diff := diffZone(t, w.cluster, "n1", read(t, sb)); diff != "" || read(t, sb).Global().ExternalIDs[nb.KeyEpoch] != "2" {
			t.Errorf("the rows changed: %s\n%v", diff, before.Global())
		}
		if z := first.State(); z.RowsHeld || z.Paused == "" {
			t.Errorf("held %v, paused %q", z.RowsHeld, z.Paused)
		}
		first.SetDesired(old, nil, true)
		second.SetDesired(w.d, nil, true)
		until("the second does not write", func() bool { return second.State().Pending == 0 })
	})
}

func newWorldOf(p *model.Policy) *compiler.Desired {
	w := newWorld(3)
	w.add(namespace("a", "t=1"), namespace("b", "t=2"), pod("a/p0", "", "n1", "10.0.0.1"), pod("b/p0", "", "n1", "10.0.0.2"), p)
	return w.d
}

// A wait that is not met is told apart from every other refusal, and leaves the
// connection as it was.
func TestWaitOnServers(t *testing.T) {
	onServers(t, func(t *testing.T, sb *sandbox.Sandbox) {
		conn := nbdb.Dial(nbdb.Config{Name: "n1", Addr: sb.Endpoints()["n1"]})
		ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
		done := make(chan struct{})
		syncs := 0
		synced := make(chan struct{}, 100)
		go func() {
			conn.Run(ctx, func(u model.ZoneUpdate) {
				if u.Resync {
					syncs++
					synced <- struct{}{}
				}
			})
			close(done)
		}()
		<-synced
		g := read(t, sb).Global()
		set := func(v string) []nb.Op {
			return []nb.Op{{Kind: nb.OpMutate, Table: nb.TableGlobal, UUID: g.UUID, Mutations: []nb.Mutation{
				{Column: "external_ids", Strings: []string{"k", "nobody has it"}},
				{Column: "external_ids", Insert: true, Pairs: map[string]string{"k": v}}}}}
		}
		has := func(v string) nb.Op {
			return nb.Op{Kind: nb.OpWait, Table: nb.TableGlobal, UUID: g.UUID, Has: map[string]map[string]string{"external_ids": {"k": v}}}
		}
		is := func(m map[string]string) nb.Op {
			return nb.Op{Kind: nb.OpWait, Table: nb.TableGlobal, UUID: g.UUID, Row: map[string]any{"external_ids": m}}
		}
		for i, c := range []struct {
			wait nb.Op
			set  string
			met  bool
		}{
			{is(g.ExternalIDs), "1", true}, {is(g.ExternalIDs), "2", false}, {has("1"), "3", true}, {has("1"), "4", false},
			{has("3"), "5", true}, {nb.Op{Kind: nb.OpWait, Table: nb.TableGlobal, UUID: "00000000-0000-4000-8000-000000000000",
				Has: map[string]map[string]string{"external_ids": {"k": "5"}}}, "6", false},
		} {
			_, err := conn.Transact(ctx, append([]nb.Op{c.wait}, set(c.set)...))
			if c.met != (err == nil) || (err != nil && !errors.Is(err, model.ErrWait)) {
				t.Errorf("case %d: %v", i, err)
			}
		}
		if got := read(t, sb).Global().ExternalIDs["k"]; got != "5" {
			t.Errorf("the key is %q in the end, want 5", got)
		}
		_, err := conn.Transact(ctx, []nb.Op{{Kind: nb.OpInsert, Table: nb.TableACL, Row: map[string]any{"priority": -1}}})
		if !errors.Is(err, model.ErrRejected) || errors.Is(err, model.ErrWait) {
			t.Errorf("a real refusal: %v", err)
		}
		cancel()
		<-done
		if syncs != 1 {
			t.Errorf("%d reads of all rows, want 1: an unmet wait is no trouble of the connection", syncs)
		}
	})
}

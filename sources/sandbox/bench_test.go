package sandbox

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
)

// connect follows a zone without keeping the updates.
func connect(b *testing.B, s *Sandbox) *nbdb.Conn {
	c := nbdb.Dial(nbdb.Config{Name: "ovn-worker", Addr: s.Endpoints()["ovn-worker"], Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	ctx, cancel := context.WithCancel(context.Background())
	done, synced := make(chan struct{}), make(chan struct{}, 1)
	go func() {
		defer close(done)
		c.Run(ctx, func(u model.ZoneUpdate) {
			if u.Resync {
				synced <- struct{}{}
			}
		})
	}()
	<-synced
	b.Cleanup(func() { cancel(); <-done })
	return c
}

// One pod joins 80 address sets of 1,000 members in one transaction: from the
// call until the sink knows.
func BenchmarkMutate80Sets(b *testing.B) {
	for _, server := range []string{ServerBuiltin, ServerAuto} {
		b.Run(server, func(b *testing.B) {
			s := start(b, Config{Server: server})
			c := connect(b, s)
			var ops []nb.Op
			for i := range 80 {
				var members []string
				for k := range 1000 {
					members = append(members, fmt.Sprintf("10.%d.%d.1", k>>8, k&255))
				}
				ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": fmt.Sprint("a", i), "addresses": members}})
			}
			res, err := c.Transact(context.Background(), ops)
			if err != nil {
				b.Fatal(err)
			}
			for n := 0; b.Loop(); n++ {
				ops = ops[:0]
				for _, r := range res {
					ops = append(ops, nb.Op{Kind: nb.OpMutate, Table: nb.TableAddressSet, UUID: r.UUID,
						Mutations: []nb.Mutation{{Column: "addresses", Insert: n%2 == 0, Strings: []string{"10.99.0.1"}}}})
				}
				if _, err := c.Transact(context.Background(), ops); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A snapshot of 10,000 ACLs and 1,600 sets of 500 members.
func BenchmarkSnapshot(b *testing.B) {
	s := start(b, Config{Server: ServerAuto})
	c := connect(b, s)
	for i := range 100 {
		var ops []nb.Op
		var refs []nb.Ref
		for k := range 100 {
			id := fmt.Sprintf("acl%d", k)
			ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TableACL, UUIDName: id, Row: map[string]any{
				"action": "drop", "direction": nb.ToLport, "priority": 20000 + k, "tier": 1, "log": false, "meter": nb.LoggingMeter,
				"name": fmt.Sprintf("ANP:policy-%d:Ingress:%d", i, k), "match": fmt.Sprintf("outport == @a%d && ((ip4.src == $a%d))", i, i*100+k),
				"external_ids": nb.IDs(nb.DefaultController, nb.OwnerANP, nb.IDPair{Key: nb.KeyName, Value: fmt.Sprint("policy-", i)},
					nb.IDPair{Key: nb.KeyDirection, Value: "Ingress"}, nb.IDPair{Key: nb.KeyGressIndex, Value: fmt.Sprint(k)}, nb.IDPair{Key: nb.KeyProtocol, Value: "None"})}})
			refs = append(refs, nb.Ref{Name: id})
		}
		for k := range 16 {
			var members []string
			for m := range 500 {
				n := (i*16+k)*7 + m
				members = append(members, fmt.Sprintf("10.%d.%d.%d", n>>16, n>>8&255, n&255))
			}
			ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": fmt.Sprintf("a%d.%d", i, k), "addresses": members}})
		}
		ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TablePortGroup, Row: map[string]any{"name": fmt.Sprint("pg", i), "acls": refs}})
		if _, err := c.Transact(context.Background(), ops); err != nil {
			b.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var db *nb.DB
	began := time.Now()
	for b.Loop() {
		var err error
		if db, err = nbdb.Dial(nbdb.Config{Addr: s.Endpoints()["ovn-worker"], AnyName: true}).Read(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("%d rows in %v", db.Len(), time.Since(began)/time.Duration(b.N))
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MB-kept")
	runtime.KeepAlive(db)
}

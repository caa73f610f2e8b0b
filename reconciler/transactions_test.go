package reconciler

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
)

// inSmallParts has few operations go into a transaction.
func inSmallParts(c *Config) { c.MaxBatch = 40 }

// many are policies that do not fit into one transaction, or two.
func many(b *bench, n int) (names []string) {
	b.t.Helper()
	var objects []model.Object
	for i := range n {
		name := fmt.Sprintf("p%02d", i)
		names = append(names, name)
		objects = append(objects, anp(name, int32(i), "t=1", rule(model.Ingress, model.Deny, nil, nsPeer("t=2")), rule(model.Egress, model.Allow, nil, nsPeer("t=2"))))
	}
	b.have(objects...)
	return names
}

// policiesOf are the policies of a transaction, in its order.
func policiesOf(ops []nb.Op) (out []string) {
	for _, op := range ops {
		if op.Policy != "" && !slices.Contains(out, op.Policy) {
			out = append(out, op.Policy)
		}
	}
	return out
}

// Where more is to be written than fits into one transaction, the next is with the
// server while it works on the one before; never more than that, in order, and no
// policy is split. A change that fits in is not followed by another before its answer.
func TestNextIsThereWhenTheServerIsThrough(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.calm(time.Second)
		b.z.do(func() { b.z.takes, b.z.writing = 100*time.Millisecond, 30*time.Millisecond })
		began := time.Now()
		names := many(b, 20)
		b.calm(150 * time.Millisecond)
		b.z.do(func() {
			if len(b.z.sent) != 2 {
				t.Errorf("%d transactions under way, want one that is worked on and one that waits", len(b.z.sent))
			}
		})
		b.calm(10 * time.Second)
		b.converged()
		txs := b.z.taken()
		var order []string
		for _, ops := range txs {
			for _, p := range policiesOf(ops) {
				if slices.Contains(order, p) {
					t.Errorf("%s is split over transactions, or written twice", p)
				}
				order = append(order, p)
			}
		}
		var want []string
		for _, n := range names {
			want = append(want, keyOf(n).String())
		}
		if !slices.Equal(order, want) {
			t.Errorf("written in the order %v", order)
		}
		if len(txs) < 5 || b.z.most != 2 {
			t.Errorf("%d transactions, %d at a time", len(txs), b.z.most)
		}
		var last time.Time
		for _, a := range b.takeActs() {
			if end := a.At.Add(a.Took); end.After(last) {
				last = end
			}
		}
		if took, server := last.Sub(began), time.Duration(len(txs))*100*time.Millisecond; took > server+40*time.Millisecond {
			t.Errorf("%v for what takes the server %v", took, server)
		}

		b.z.do(func() { b.z.most = 0 })
		for i := range 50 {
			b.have(anp(names[i%20], int32(i), "t=1"))
			b.calm(30 * time.Millisecond)
		}
		if b.z.most != 1 {
			t.Errorf("%d transactions at a time for changes that fit into one", b.z.most)
		}
		b.calm(5 * time.Second)
		b.converged()
	}, inSmallParts)
}

// When nobody knows what became of a transaction, nobody knows it of the one behind
// it either, whether the server had got that or not: nothing is written before a fresh
// read, no row is made twice, and it counts as one break.
func TestUnknownOutcomeIsThatOfBoth(t *testing.T) {
	for _, kind := range []fault{lostBefore, lostAfter, hangs} {
		for _, buffered := range []bool{false, true} {
			t.Run(fmt.Sprint(kind, buffered), func(t *testing.T) {
				run(t, Write, func(b *bench) {
					tenants(b)
					b.calm(time.Second)
					breaks := 0
					b.z.do(func() {
						b.z.takes, b.z.buffered = 20*time.Millisecond, buffered
						b.z.fault = func([]nb.Op) fault {
							if (len(b.z.sent) > 1 || breaks > 0) && breaks < manyUnknowns-1 {
								breaks++
								return kind
							}
							return works
						}
					})
					many(b, 20)
					for i := range manyUnknowns - 1 {
						for range 400 { // an answer that does not come is waited for
							if strings.Contains(b.r.State().Paused, "connection") {
								break
							}
							b.calm(100 * time.Millisecond)
						}
						b.paused("connection")
						b.z.taken()
						b.calm(time.Second)
						if n := len(b.z.taken()); n != 0 {
							t.Fatalf("break %d: %d transactions before the rows were read again", i, n)
						}
						b.z.connect()
						b.calm(60 * time.Millisecond) // what is known is published
					}
					b.calm(time.Minute)
					if breaks != manyUnknowns-1 {
						t.Fatalf("%d breaks, the first with two under way", breaks)
					}
					b.converged()
					if n := len(policiesOf(b.z.taken()[0])); n < 2 {
						t.Errorf("policies go one by one after %d breaks", breaks)
					}
				}, inSmallParts)
			})
		}
	}
}

// When another takes the zone over while two transactions are under way, neither is
// done, and nothing follows.
func TestFenceHoldsBoth(t *testing.T) {
	run(t, Write, func(b *bench) {
		b.z.global(nil)
		tenants(b)
		b.calm(time.Second)
		b.z.do(func() { b.z.takes = 100 * time.Millisecond })
		many(b, 20)
		b.calm(150 * time.Millisecond)
		b.z.do(func() {
			if len(b.z.sent) != 2 {
				t.Fatalf("%d transactions under way", len(b.z.sent))
			}
			b.z.delay = time.Minute // nor is it heard of
		})
		b.z.global(map[string]string{nb.KeyWriter: "w2", nb.KeyEpoch: "99"})
		before := b.z.db()
		b.z.taken()
		b.calm(2 * time.Minute)
		if b.z.db() != before {
			t.Error("rows were written after the zone was lost")
		}
		if n := len(b.z.taken()); n != 2 {
			t.Errorf("%d transactions after the zone was lost, want the two that were under way", n)
		}
		b.paused("another writer holds the zone: w2, epoch 99")
		lost := 0
		for _, a := range b.takeActs() {
			if strings.Contains(a.Summary, "writing stopped") {
				lost++
			}
		}
		if lost != 1 {
			t.Errorf("that the zone is lost is told %d times", lost)
		}
	}, fenced, inSmallParts)
}

// What two transactions under way change is nobody else's hand; what neither does is.
func TestBothAreExplained(t *testing.T) {
	run(t, Write, func(b *bench) {
		b.z.global(nil)
		tenants(b)
		b.calm(time.Second)
		b.z.do(func() { b.z.takes = 100 * time.Millisecond })
		slow := func(d time.Duration) { b.mu.Lock(); b.slow = d; b.mu.Unlock() }
		many(b, 20)
		b.calm(60 * time.Millisecond) // two are sent
		slow(300 * time.Millisecond)  // what comes of both is looked at together
		b.r.SetGuard(ZoneGuard{Notice: "a state to take in"})
		b.calm(time.Second)
		slow(0)
		b.calm(5 * time.Second)
		b.converged()
		for i := range 20 { // ACLs are collected with their groups
			b.give(b.world.set(nil, keyOf(fmt.Sprintf("p%02d", i))))
		}
		b.calm(5 * time.Second)
		b.converged()
		if z := b.r.State(); z.Foreign != "" || b.z.most != 2 {
			t.Fatalf("foreign %q, %d at a time", z.Foreign, b.z.most)
		}
		b.z.do(func() { b.z.takes = time.Second })
		many(b, 20)
		b.calm(1500 * time.Millisecond)
		var victim *nb.ACL
		for a := range b.z.db().ACLs() {
			victim = a
		}
		b.z.put(nb.RowChange{Old: victim, New: func() *nb.ACL { a := *victim; a.Priority = 7; return &a }()})
		b.calm(20 * time.Second)
		b.paused("another writer changed ACL " + victim.ID())
		b.calm(2 * time.Minute)
		b.converged()
	}, fenced, inSmallParts)
}

// A policy that is refused in one transaction keeps nothing of the one behind it back.
func TestRefusedBeforeAnother(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.calm(time.Second)
		b.z.do(func() {
			b.z.takes = 20 * time.Millisecond
			b.z.fault = func(ops []nb.Op) fault {
				if about(ops, "p00") {
					return isRefused
				}
				return works
			}
		})
		many(b, 20)
		b.calm(2 * time.Second)
		for k, p := range b.r.State().Policies {
			if p.InSync == (k == keyOf("p00")) {
				t.Errorf("%s: in sync %v: %s", k, p.InSync, p.Error)
			}
		}
		b.z.do(func() { b.z.fault = func([]nb.Op) fault { return works } })
		b.calm(time.Minute)
		b.converged()
	}, inSmallParts)
}

// A transaction that waits for the one before it to be on its way is not sent any more
// when writing is stopped meanwhile. What it was to write is as it was, is not told as
// done or doubtful, and is written when writing goes on.
func TestStopHoldsTheSecondBack(t *testing.T) {
	hold := ZoneGuard{WhyHeld: "somebody else runs"}
	for name, c := range map[string]struct {
		set      []func(*Config)
		stop, on func(b *bench)
	}{
		"observe": {nil, func(b *bench) { b.r.SetMode(Observe) }, func(b *bench) { b.r.SetMode(Write) }},
		"guard":   {[]func(*Config){fenced}, func(b *bench) { b.r.SetGuard(hold) }, func(b *bench) { b.r.SetGuard(ZoneGuard{}) }},
		"end":     {nil, func(b *bench) { b.end() }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var results []string
			run(t, Write, func(b *bench) {
				b.z.global(nil)
				tenants(b)
				b.calm(time.Second)
				b.z.do(func() { b.z.takes, b.z.writing = 50*time.Millisecond, 200*time.Millisecond })
				b.z.taken()
				b.takeActs()
				b.z.do(func() { b.z.most, results = 0, nil })
				many(b, 10)
				b.calm(100 * time.Millisecond)
				c.stop(b)
				b.calm(300 * time.Millisecond) // the first is through, and a second would be
				if most, _ := b.z.seen(); most != 1 {
					t.Errorf("%d transactions at a time", most)
				}
				if c.on == nil {
					return
				}
				if txs := b.z.taken(); len(txs) != 1 || !slices.Equal(results, []string{ResultOK}) {
					t.Errorf("%d transactions, told as %q, want the one that was being sent", len(txs), results)
				}
				for _, a := range b.takeActs() {
					if a.Error != "" {
						t.Errorf("told: %+v", a)
					}
				}
				c.on(b)
				b.calm(10 * time.Second)
				b.converged()
				if _, resyncs := b.z.seen(); resyncs != 0 {
					t.Error("the rows were read again")
				}
			}, append(c.set, inSmallParts, func(cfg *Config) {
				cfg.OnTransaction = func(tx Transaction) { results = append(results, tx.Result) }
			})...)
		})
	}
}

// The time of a transaction is that which the server had for it, not for the one
// before it; nor is that taken from its own patience.
func TestTimeOfTheSecondIsItsOwn(t *testing.T) {
	var took []time.Duration
	run(t, Write, func(b *bench) {
		tenants(b)
		b.calm(time.Second)
		b.z.do(func() { b.z.takes = 20 * time.Second }) // 30 s are a transaction's patience
		began := time.Now()
		many(b, 10)
		b.calm(5 * time.Minute)
		b.converged()
		if most, resyncs := b.z.seen(); len(took) < 3 || most != 2 || resyncs != 0 {
			t.Fatalf("%d transactions, %d at a time, %d reads", len(took), most, resyncs)
		}
		for i, d := range took {
			if d != 20*time.Second {
				t.Errorf("transaction %d took %v", i, d)
			}
		}
		for i, a := range b.takeActs() {
			if n := a.At.Sub(began); a.Took != 20*time.Second || n%(20*time.Second) > time.Second {
				t.Errorf("activity %d began after %v and took %v", i, n, a.Took)
			}
		}
	}, inSmallParts, func(c *Config) {
		c.OnTransaction = func(tx Transaction) { took = append(took, tx.Took) }
	})
}

// Rows that are to be read again while two transactions are under way are asked for
// when both have landed: asking drops the connection, and with it what becomes of the
// second.
func TestFreshReadWaitsForTheSecond(t *testing.T) {
	var results []string
	run(t, Write, func(b *bench) {
		tenants(b)
		many(b, 20)
		b.calm(5 * time.Second)
		b.converged()
		results = nil
		b.z.do(func() {
			b.z.takes, b.z.delay = 100*time.Millisecond, 10*time.Second // nothing is heard of rows
			for g := range b.z.f.db.PortGroups() {                      // one goes, which the first is to write
				if g.ExternalIDs[nb.KeyName] == "p00" {
					b.z.f.put(nb.RowChange{Old: g})
				}
			}
		})
		var objects []model.Object
		for i := range 20 {
			objects = append(objects, anp(fmt.Sprintf("p%02d", i), int32(i), "t=2", rule(model.Ingress, model.Deny, nil, nsPeer("t=2"))))
		}
		b.have(objects...)
		b.calm(150 * time.Millisecond)
		b.z.do(func() {
			if len(b.z.sent) != 1 || b.z.resyncs != 0 {
				t.Errorf("%d under way, %d fresh reads asked for when the first has landed", len(b.z.sent), b.z.resyncs)
			}
		})
		b.calm(100 * time.Millisecond)
		if _, n := b.z.seen(); n != 1 {
			t.Errorf("%d fresh reads asked for when both have landed", n)
		}
		b.z.do(func() { b.z.delay = 0 })
		b.calm(time.Minute)
		b.converged()
		if slices.Contains(results, ResultUnknown) {
			t.Errorf("outcomes %q", results)
		}
	}, func(c *Config) {
		c.MaxBatch = 25
		c.OnTransaction = func(tx Transaction) { results = append(results, tx.Result) }
	})
}

// A server in trouble that commits, or refuses, what was sent behind a transaction of
// unknown outcome is in trouble all the same: what comes next goes one at a time until
// one has come through by itself.
func TestResultBehindLostSaysNothing(t *testing.T) {
	for _, kind := range []fault{works, isRefused} {
		run(t, Write, func(b *bench) {
			tenants(b)
			b.calm(time.Second)
			n := 0
			b.z.do(func() {
				b.z.takes = 100 * time.Millisecond
				b.z.fault = func([]nb.Op) fault {
					switch n++; n {
					case 1:
						return trouble
					case 2:
						return kind
					}
					return works
				}
			})
			many(b, 40)
			b.calm(210 * time.Millisecond)
			if txs := b.z.taken(); len(txs) != 2 {
				t.Fatalf("%d transactions, want two before a fresh read", len(txs))
			}
			b.paused("outcome of the last write unknown")
			b.z.do(func() { b.z.most = 0 })
			for range 200 { // until a fresh read is asked for
				b.calm(50 * time.Millisecond)
				if most, _ := b.z.seen(); most > 0 {
					break
				}
			}
			if most, _ := b.z.seen(); most != 1 {
				t.Errorf("outcome %v behind a lost one: %d transactions at a time", kind, most)
			}
			b.calm(time.Minute)
			b.converged()
			if most, _ := b.z.seen(); most != 2 {
				t.Errorf("%d transactions at a time when the trouble is over", most)
			}
		}, inSmallParts)
	}
}

// What a transaction of unknown outcome does after all, when nobody waits for it any
// more, is nobody else's hand; what it was not to do is.
func TestLostIsExplained(t *testing.T) {
	run(t, Write, func(b *bench) {
		b.z.global(nil)
		tenants(b)
		b.have(isolate(34))
		b.calm(time.Second)
		b.converged()
		b.z.do(func() { b.z.fault = func([]nb.Op) fault { return lostBefore } })
		b.have(isolate(35))
		b.calm(time.Millisecond)
		b.z.do(func() { b.z.fault = func([]nb.Op) fault { return works } })
		lost := b.z.taken()
		b.z.connect()
		b.calm(time.Millisecond)                    // it would soon be written again
		b.z.meddle(func(f *fakeDB) []nb.RowChange { // it was on its way for long
			_, changes, err := f.transact(lost[len(lost)-1])
			if err != nil || len(changes) == 0 {
				t.Errorf("%d changes, %v", len(changes), err)
			}
			return changes
		})
		b.calm(time.Second)
		b.converged()
		if n := len(b.z.taken()); n != 0 {
			t.Errorf("%d transactions to write what is there", n)
		}
		if z := b.r.State(); z.Foreign != "" {
			t.Errorf("one's own is taken for that of others: %q", z.Foreign)
		}
		var victim *nb.AddressSet
		for s := range b.z.db().AddressSets() {
			victim = s
		}
		b.z.put(nb.RowChange{Old: victim})
		b.calm(time.Second)
		if z := b.r.State(); !strings.Contains(z.Foreign, "removed Address_Set") {
			t.Errorf("foreign %q", z.Foreign)
		}
	}, fenced)
}

// A change that is soon written makes one state, of the rows after it; when it takes
// long, the difference is published meanwhile.
func TestStateBeforeTheOutcome(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.have(isolate(34))
		b.calm(time.Second)
		states := func() int {
			b.mu.Lock()
			defer b.mu.Unlock()
			n := b.states
			b.states = 0
			return n
		}
		states()
		b.z.do(func() { b.z.takes = 10 * time.Millisecond })
		b.have(isolate(35))
		b.calm(30 * time.Millisecond)
		if n := states(); n != 1 || !b.in("isolate").InSync || b.in("isolate").LivePriority != 35 {
			t.Errorf("%d states, the last of %+v", n, b.in("isolate"))
		}
		b.calm(time.Second)
		states()
		b.z.do(func() { b.z.takes = 200 * time.Millisecond })
		b.have(isolate(36))
		b.calm(60 * time.Millisecond)
		if n := states(); n != 1 || b.in("isolate").InSync {
			t.Errorf("%d states while it is written, the last of %+v", n, b.in("isolate"))
		}
	})
}

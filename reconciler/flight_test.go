package reconciler

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/nb"
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
						b.calm(10 * time.Millisecond)
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
		b.r.SetGuard(Guard{Note: "a state to take in"})
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
		b.paused("another hand changed ACL " + victim.ID())
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

package reconciler

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/install"
)

// about says whether some operation is on behalf of the policy.
func about(ops []nb.Op, name string) bool {
	for _, op := range ops {
		if op.Policy == keyOf(name).String() {
			return true
		}
	}
	return false
}

// A refused transaction falls back to one per policy; the culprit backs off by
// itself, without end, and the others are not held up.
func TestRefusedPolicyBacksOffAlone(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.z.fault = func(ops []nb.Op) fault {
			if about(ops, "bad") {
				return isRefused
			}
			return works
		}
		b.calm(time.Second)
		b.have(anp("bad", 1, "t=1", rule(model.Ingress, model.Deny, nil, nsPeer(""))), isolate(2), anp("other", 3, "t=2"))
		b.calm(20 * time.Millisecond)
		txs := b.z.taken()
		if len(txs) < 4 {
			t.Fatalf("%d transactions, want one for all and one for each", len(txs))
		}
		if !about(txs[0], "bad") || !about(txs[0], "isolate") || !about(txs[0], "other") {
			t.Error("the first transaction was not for all")
		}
		b.calm(100 * time.Millisecond)
		if !b.in("isolate").InSync || !b.in("other").InSync {
			t.Error("the other policies wait for the refused one")
		}
		p := b.in("bad")
		if p.InSync || p.Tries == 0 || !strings.Contains(p.Error, "constraint violation: as told") {
			t.Errorf("%+v", p)
		}
		if got, want := b.takeConds()[0], "bad Ready-In-Zone-n1 False SetupFailed failed to create ANP bad: "; !strings.HasPrefix(got, want) {
			t.Errorf("condition %q, want %q…", got, want)
		}
		// An hour later it is still tried, at most every 30 s.
		b.calm(time.Hour)
		b.z.taken()
		b.calm(10 * time.Minute)
		if n := len(b.z.taken()); n < 19 || n > 21 {
			t.Errorf("%d tries in 10 minutes, want 20", n)
		}
		// Others change meanwhile, together and without it.
		b.have(pod("b/p9", "", "n2", "10.0.0.9"))
		b.calm(time.Millisecond)
		for _, tx := range b.z.taken() {
			if about(tx, "bad") {
				t.Error("the refused policy was sent before its time")
			}
		}
		// A new version of it is tried at once.
		b.have(anp("bad", 1, "t=2", rule(model.Ingress, model.Deny, nil, nsPeer(""))))
		b.calm(60 * time.Millisecond) // it comes right after another transaction
		if n := len(b.z.taken()); n != 1 {
			t.Errorf("%d transactions for the new version, want 1", n)
		}
		b.z.do(func() { b.z.fault = func([]nb.Op) fault { return works } })
		b.calm(31 * time.Second)
		b.converged()
		if p := b.in("bad"); p.Error != "" || p.Tries != 0 {
			t.Errorf("the error stays: %+v", p)
		}
	})
}

// Whatever happens to the connection around a transaction, the rows converge
// and none is made twice.
func TestConnectionBreaksAroundAWrite(t *testing.T) {
	for _, kind := range []fault{lostBefore, lostAfter, hangs} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			run(t, Write, func(b *bench) {
				tenants(b)
				b.calm(time.Second)
				n := 0
				b.z.fault = func([]nb.Op) fault {
					n++
					if n <= 5 {
						return kind
					}
					return works
				}
				b.have(isolate(1), anp("other", 3, "t=2"))
				b.calm(time.Second)
				if kind == hangs {
					b.calm(31 * time.Second)
				}
				if p := b.r.State().Paused; p == "" {
					t.Error("nothing says that writing is paused")
				}
				before := len(b.z.taken())
				b.calm(time.Second)
				if got := len(b.z.taken()); got != 0 || before != 1 {
					t.Errorf("%d and %d transactions without a connection", before, got)
				}
				for range 6 {
					b.z.connect()
					b.calm(time.Minute)
				}
				b.converged()
				if p := b.r.State().Paused; p != "" {
					t.Errorf("paused: %s", p)
				}
			})
		})
	}
}

// A set that is not made as it was written is seen to be another, whatever the
// difference, and mended.
func TestAlteredWritesAreNoticed(t *testing.T) {
	for name, alter := range map[string]func(*nb.AddressSet){
		"a value":         func(s *nb.AddressSet) { s.Addresses = append(slices.Clone(s.Addresses[1:]), "10.99.0.1") },
		"one less":        func(s *nb.AddressSet) { s.Addresses = s.Addresses[1:] },
		"one more":        func(s *nb.AddressSet) { s.Addresses = append(slices.Clone(s.Addresses), "10.99.0.1") },
		"no members":      func(s *nb.AddressSet) { s.Addresses = nil },
		"no external_ids": func(s *nb.AddressSet) { s.ExternalIDs = nil },
		"order":           func(s *nb.AddressSet) { s.Addresses = slices.Clone(s.Addresses); slices.Reverse(s.Addresses) },
		"nothing":         func(*nb.AddressSet) {},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, Write, func(b *bench) {
				tenants(b)
				b.calm(time.Second)
				altered := 0
				b.z.do(func() {
					b.z.alter = func(s *nb.AddressSet) {
						if len(s.Addresses) > 1 {
							altered++
							alter(s)
						}
					}
				})
				b.have(isolate(1), pod("b/p8", "", "n2", "10.0.0.8"), pod("b/p9", "", "n2", "10.0.0.9"))
				b.calm(time.Minute)
				if altered == 0 {
					t.Fatal("no set with two members was made")
				}
				again := 0
				for _, ops := range b.z.taken() {
					for _, op := range ops {
						if op.Table == nb.TableAddressSet && op.Kind != nb.OpInsert {
							again++
						}
					}
				}
				if mends := name != "order" && name != "nothing"; (again >= altered) != mends || (again > 0) != mends {
					t.Errorf("%d operations mend %d sets", again, altered)
				}
				for s := range b.z.db().AddressSets() { // in what order is the server's affair
					sorted := *s
					sorted.Addresses = slices.Sorted(slices.Values(s.Addresses))
					b.z.do(func() { b.z.f.db = b.z.f.db.Apply([]nb.RowChange{{Old: s, New: &sorted}}) })
				}
				b.converged()
			})
		})
	}
}

// A row that is gone when it is written to means that what was read is old.
func TestMissingRowMeansResync(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.have(isolate(1))
		b.calm(time.Second)
		// A set goes, and the news of it is lost.
		b.z.do(func() {
			for s := range b.z.f.db.AddressSets() {
				b.z.f.put(nb.RowChange{Old: s})
			}
		})
		b.have(pod("b/p9", "", "n2", "10.0.0.9"))
		b.calm(time.Second)
		if b.z.resyncs != 1 {
			t.Errorf("%d resyncs, want 1", b.z.resyncs)
		}
		b.converged()
	})
}

// What was written and is not seen yet is not written again.
func TestNothingIsSentTwice(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.calm(time.Second)
		b.z.do(func() { b.z.delay = 300 * time.Millisecond })
		b.have(isolate(1))
		b.calm(10 * time.Millisecond)
		b.have(pod("b/p9", "", "n2", "10.0.0.9"))
		b.calm(2 * time.Second)
		txs := b.z.taken()
		wantOps(t, txs[1:], []string{"mutate Address_Set +addresses*", "mutate Address_Set +addresses*", "mutate Address_Set +addresses*"})
		if b.z.resyncs != 0 {
			t.Errorf("%d resyncs", b.z.resyncs)
		}
		b.converged()
	})
}

// Inserts that do not show in time are not made again before all rows were
// read.
func TestLateInsertsAreReadFirst(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.calm(time.Second)
		b.z.do(func() { b.z.delay = 5 * time.Second })
		b.have(isolate(1))
		b.calm(time.Minute)
		if n := len(b.z.taken()); n != 1 {
			t.Errorf("%d transactions, want 1", n)
		}
		if b.z.resyncs == 0 {
			t.Error("no resync")
		}
		b.converged()
	})
}

// A reference to a port that has just gone vanishes without an error.
func TestPortVanishesWhileItIsAdded(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.have(anp("all", 1, "t=1"))
		b.z.port("a_p5")
		b.calm(time.Second)
		b.z.do(func() { b.z.delay = 200 * time.Millisecond })
		b.z.meddle(func(f *fakeDB) []nb.RowChange { return f.put(nb.RowChange{Old: f.db.PortByName("a_p5")}) })
		b.have(pod("a/p5", "", "n1", "10.0.0.5"))
		b.calm(5 * time.Second)
		if p := b.in("all"); !p.InSync || p.Waiting != 1 {
			t.Errorf("%+v", p)
		}
		b.z.port("a_p5")
		b.calm(5 * time.Second)
		b.converged()
		if p := b.in("all"); p.Waiting != 0 {
			t.Errorf("%+v", p)
		}
	})
}

// Rows are altered, removed and added behind the reconciler's back.
func TestTamperedRowsAreRestored(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.have(isolate(1))
		b.calm(time.Second)
		b.z.taken()
		b.z.meddle(func(f *fakeDB) []nb.RowChange {
			g := f.db.PortGroupByName(b.d.Policy(keyOf("isolate")).GroupName)
			group, gone := *g, ""
			var changes []nb.RowChange
			for a := range f.db.ACLs() {
				switch row := *a; {
				case strings.HasSuffix(a.ID(), "Ingress:0:tcp"):
					row.Priority, row.Label = 1, 7
					changes = append(changes, nb.RowChange{Old: a, New: &row})
				case strings.HasSuffix(a.ID(), "Ingress:1:None"):
					gone = a.UUID
				}
			}
			group.ACLs = []string{"added"}
			for _, u := range g.ACLs {
				if u != gone {
					group.ACLs = append(group.ACLs, u)
				}
			}
			changes = append(changes, nb.RowChange{Old: g, New: &group}, nb.RowChange{New: &nb.ACL{UUID: "added", Match: "1"}})
			return f.put(changes...)
		})
		b.calm(time.Millisecond)
		wantOps(t, b.z.taken(), []string{"insert ACL", "mutate Port_Group -acls* +acls*", "update ACL priority"})
		b.calm(time.Second)
		for a := range b.z.db().ACLs() {
			// The label is not Rung's to write.
			if altered := strings.HasSuffix(a.ID(), "Ingress:0:tcp"); altered != (a.Label == 7) {
				t.Errorf("%s has label %d", a.ID(), a.Label)
			}
		}
		if !b.in("isolate").InSync {
			t.Error("not in sync")
		}
	})
}

// Nothing is written before every source has delivered; then the rows of
// policies that do not exist go.
func TestStartUpRepair(t *testing.T) {
	run(t, Write, func(b *bench) {
		gone := nb.IDs(nb.DefaultController, nb.OwnerANP, nb.IDPair{Key: nb.KeyName, Value: "gone"})
		set := nb.IDs(nb.DefaultController, nb.OwnerBANP, nb.IDPair{Key: nb.KeyName, Value: "default"}, nb.IDPair{Key: nb.KeyDirection, Value: "Egress"},
			nb.IDPair{Key: nb.KeyGressIndex, Value: "0"}, nb.IDPair{Key: nb.KeyIPFamily, Value: "v4"})
		b.z.put(nb.RowChange{New: &nb.PortGroup{UUID: "g", Name: nb.HashedName(gone[nb.KeyID]), ExternalIDs: gone}},
			nb.RowChange{New: &nb.AddressSet{UUID: "s", Name: nb.HashedName(set[nb.KeyID]), ExternalIDs: set}})
		b.r.SetDesired(b.d, nil, false)
		b.calm(time.Hour)
		wantOps(t, b.z.taken())
		if n := len(b.r.State().Policies); n != 0 {
			t.Errorf("%d policies called extra before the objects are known", n)
		}
		if b.r.State().Paused == "" {
			t.Error("nothing says what is waited for")
		}
		b.have(anp("here", 1, "t=1"))
		b.calm(time.Second)
		wantOps(t, b.z.taken(), []string{"delete Address_Set", "delete Port_Group", "insert Port_Group"})
		b.converged()
	})
}

// Observing writes and reports nothing; the mode changes at run time.
func TestObserveThenWrite(t *testing.T) {
	run(t, Observe, func(b *bench) {
		tenants(b)
		b.have(isolate(1), anp("high", 200, "t=1"))
		b.calm(time.Minute)
		wantOps(t, b.z.taken())
		p := b.in("isolate")
		if p.Missing != 7 || p.InSync || b.r.State().Writes || b.r.State().Pending != 0 {
			t.Errorf("%+v", p)
		}
		if s := p.StateAt(b.r.State(), time.Now()); s != model.StateBehind {
			t.Errorf("state %s", s)
		}
		if c, e, a := b.takeConds(), b.takeEvents(), b.takeActs(); len(c)+len(e)+len(a) > 0 {
			t.Errorf("reported %v %v %v", c, e, a)
		}
		b.r.SetMode(Write)
		b.calm(time.Second)
		b.converged()
		if n := len(b.z.taken()); n != 1 || !b.r.State().Writes {
			t.Errorf("%d transactions, writes %v", n, b.r.State().Writes)
		}
		b.r.SetMode(Observe)
		b.have(anp("late", 7, "t=1"))
		b.calm(time.Minute)
		wantOps(t, b.z.taken())
		if b.in("late").InSync {
			t.Error("in sync without a write")
		}
	})
}

// Random clusters, meddling and faults at once: in the end the rows are a fresh
// compile, whatever happened.
func TestRandomlyConverges(t *testing.T) {
	rounds := 25
	if os.Getenv(install.SoakVar) == "1" {
		rounds = 1000
	}
	together := 0
	for seed := range rounds {
		run(t, Write, func(b *bench) {
			b.world = newWorld(uint64(seed))
			r := rand.New(rand.NewPCG(uint64(seed), 3))
			if seed%2 == 1 { // so that two transactions are under way
				b.z.takes, b.z.buffered = time.Duration(r.IntN(30))*time.Millisecond, r.IntN(2) == 0
			}
			b.z.fault = func([]nb.Op) fault {
				switch r.IntN(12) {
				case 0:
					return isRefused
				case 1:
					return lostBefore
				case 2:
					return lostAfter
				}
				return works
			}
			for range 80 {
				switch b.r2(10) {
				case 0:
					b.z.disconnect()
				case 1, 2:
					b.z.connect()
				case 3, 4, 5:
					b.z.meddle(b.world.meddle)
				case 6:
					b.r.SetMode(Mode(b.r2(2)))
				default:
					b.give(b.step())
				}
				b.calm(time.Duration(b.r2(60)) * time.Millisecond)
			}
			b.z.do(func() { b.z.fault = func([]nb.Op) fault { return works } })
			b.r.SetMode(Write)
			b.z.connect()
			b.calm(time.Minute)
			if diff := diffZone(t, b.cluster, "n1", b.z.db()); diff != "" {
				t.Fatalf("seed %d: (-desired +live)\n%s", seed, diff)
			}
			for k, p := range b.r.State().Policies {
				for _, d := range p.Diffs {
					if p.None == nil && d.Waiting == "" {
						t.Errorf("seed %d: %s: %s", seed, k, diffText([]model.RowDiff{d}))
					}
				}
			}
			together += b.z.most
		}, func(c *Config) {
			if seed%2 == 1 {
				c.MaxBatch = 15
			}
		})
	}
	if together <= rounds {
		t.Error("there never were two transactions under way")
	}
}

func (b *bench) r2(n int) int { return b.world.r.IntN(n) }

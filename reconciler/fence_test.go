package reconciler

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
)

const globalUUID = "00000000-0000-4000-8000-00000000aaaa"

// global sets NB_Global.external_ids as another client would.
func (z *fakeZone) global(ids map[string]string) {
	z.put(nb.RowChange{Old: z.db().Row(nb.TableGlobal, globalUUID), New: &nb.Global{UUID: globalUUID, Name: "n1", ExternalIDs: maps.Clone(ids)}})
}

func fenced(c *Config) { c.Fence = &ZoneFence{Writer: "w1"} }

func (b *bench) paused(want string) {
	b.t.Helper()
	if got := b.r.State().Paused; !strings.Contains(got, want) || (want == "" && got != "") {
		b.t.Fatalf("paused %q, want %q", got, want)
	}
}

// A writer takes over by epoch, leaves other keys alone, and every transaction
// waits for its epoch; when another takes over, it writes nothing more, until it is
// told anew that the zone is its own.
func TestFence(t *testing.T) {
	run(t, Observe, func(b *bench) {
		tenants(b)
		b.have(isolate(34))
		b.calm(time.Second)
		b.r.SetMode(Write)
		b.calm(time.Second)
		b.paused("no NB_Global row")
		b.z.global(map[string]string{"other": "1", nb.KeyWriter: "w0", nb.KeyEpoch: "7"})
		b.calm(time.Second)
		b.converged()
		want := map[string]string{"other": "1", nb.KeyWriter: "w1", nb.KeyEpoch: "8"}
		if diff := cmp.Diff(want, b.z.db().Global().ExternalIDs); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
		if z := b.r.State(); !z.RowsHeld || z.Epoch != 8 || z.Writer != "w1" {
			t.Errorf("held %v, epoch %d of %s", z.RowsHeld, z.Epoch, z.Writer)
		}
		txs := b.z.taken()
		for i, tx := range txs[1:] {
			if op := tx[0]; op.Kind != nb.OpWait || op.Has["external_ids"][nb.KeyWriter] != "w1" || op.Has["external_ids"][nb.KeyEpoch] != "8" {
				t.Errorf("transaction %d begins with %+v", i+1, op)
			}
		}

		// Another takes over while this one is deaf: its next transaction fails and
		// nothing follows, for however long.
		b.z.do(func() { b.z.delay = time.Minute })
		b.z.global(map[string]string{nb.KeyWriter: "w2", nb.KeyEpoch: "9"})
		before := b.z.db()
		b.have(isolate(35))
		b.calm(time.Hour)
		if b.z.db() != before {
			t.Error("rows were written after the zone was lost")
		}
		if n := len(b.z.taken()); n != 1 {
			t.Errorf("%d transactions after the zone was lost, want the one that failed", n)
		}
		b.paused("another writer holds the zone: w2, epoch 9")
		b.z.do(func() { b.z.delay = 0 })

		b.r.SetMode(Observe)
		b.calm(time.Second)
		b.r.SetMode(Write)
		b.calm(time.Second)
		b.converged()
		if z := b.r.State(); !z.RowsHeld || z.Epoch != 10 || z.Paused != "" {
			t.Errorf("held %v, epoch %d, paused %q", z.RowsHeld, z.Epoch, z.Paused)
		}

		// One that hears of it stops without trying.
		b.z.taken()
		b.z.global(map[string]string{nb.KeyWriter: "w2", nb.KeyEpoch: "11"})
		b.calm(time.Second)
		b.have(isolate(36))
		b.calm(time.Minute)
		if n := len(b.z.taken()); n != 0 {
			t.Errorf("%d transactions although the zone is known to be lost", n)
		}

		// A database made anew knows no writer: the epoch grows all the same.
		b.z.global(nil)
		b.r.SetMode(Observe)
		b.calm(time.Second)
		b.r.SetMode(Write)
		b.calm(time.Second)
		b.converged()
		if z := b.r.State(); z.Epoch != 11 {
			t.Errorf("epoch %d, want one above the newest this process had", z.Epoch)
		}
		b.z.global(nil)
		b.calm(time.Second)
		if z := b.r.State(); !z.RowsHeld || z.Epoch != 12 {
			t.Errorf("held %v, epoch %d after the keys went", z.RowsHeld, z.Epoch)
		}
	}, fenced)
}

// A claim whose outcome is unknown counts as not made, and its epoch is never
// used again; one that comes too late is made again on what is there then.
func TestClaimFails(t *testing.T) {
	run(t, Write, func(b *bench) {
		faults := []fault{lostAfter, lostBefore}
		b.z.do(func() {
			b.z.fault = func([]nb.Op) fault {
				if len(faults) == 0 {
					return works
				}
				f := faults[0]
				faults = faults[1:]
				return f
			}
		})
		b.z.global(nil)
		tenants(b)
		b.have(isolate(34))
		for range 3 {
			b.calm(time.Second)
			b.z.connect()
		}
		b.calm(time.Second)
		b.converged()
		if z := b.r.State(); !z.RowsHeld || z.Epoch != 3 {
			t.Errorf("held %v, epoch %d, want 3: two claims ended unknown", z.RowsHeld, z.Epoch)
		}
		b.r.SetMode(Observe)
		b.calm(time.Second)

		b.z.do(func() { b.z.delay = 2 * time.Second })
		b.z.global(map[string]string{nb.KeyWriter: "w3", nb.KeyEpoch: "20"})
		b.r.SetMode(Write)
		b.calm(time.Second)
		if b.r.State().RowsHeld {
			t.Error("the zone was claimed on old rows")
		}
		b.z.do(func() { b.z.delay = 0 })
		b.calm(time.Minute)
		if z := b.r.State(); !z.RowsHeld || z.Epoch != 21 {
			t.Errorf("held %v, epoch %d", z.RowsHeld, z.Epoch)
		}
	}, fenced)
}

// While a guard holds, not even the zone is taken over.
func TestGuardHolds(t *testing.T) {
	run(t, Write, func(b *bench) {
		b.z.global(nil)
		tenants(b)
		b.have(isolate(34))
		b.calm(time.Minute)
		b.paused("ovnkube-controller runs")
		if n := len(b.z.taken()); n != 0 {
			t.Errorf("%d transactions", n)
		}
		b.r.SetGuard(ZoneGuard{Notice: "told to write all the same"})
		b.calm(time.Second)
		b.converged()
		if z := b.r.State(); z.Note != "told to write all the same" || z.Paused != "" {
			t.Errorf("note %q, paused %q", z.Note, z.Paused)
		}
	}, func(c *Config) {
		c.Fence = &ZoneFence{Writer: "w1", Guard: ZoneGuard{WhyHeld: "ovnkube-controller runs"}}
	})
}

// Changes by another writer stop writing for a minute; one's own do not, nor what
// the server does by itself.
func TestForeignChanges(t *testing.T) {
	run(t, Write, func(b *bench) {
		b.z.global(nil)
		tenants(b)
		b.have(isolate(34))
		b.calm(time.Second)
		b.converged()
		for i, p := range []int32{35, 36} { // ACLs are collected, groups emptied
			q := isolate(p)
			q.Ingress = q.Ingress[:1-i]
			b.have(q)
			b.calm(time.Second)
		}
		b.give(b.world.set(nil, keyOf("isolate")))
		b.calm(time.Second)
		b.have(isolate(34))
		b.calm(time.Second)
		// A port goes and leaves its group by itself.
		b.z.put(nb.RowChange{Old: b.z.db().PortByName("a_p1")})
		b.calm(time.Second)
		if z := b.r.State(); z.Foreign != "" || z.Paused != "" {
			t.Fatalf("foreign %q, paused %q", z.Foreign, z.Paused)
		}
		b.z.port("a_p1")
		b.calm(time.Second)
		b.converged()
		b.z.taken()

		var victim *nb.ACL
		for a := range b.z.db().ACLs() {
			victim = a
		}
		again := *victim
		again.Priority = 7
		b.z.put(nb.RowChange{Old: victim, New: &again})
		b.calm(30 * time.Second)
		b.paused("another writer changed ACL " + victim.ID())
		if n := len(b.z.taken()); n != 0 {
			t.Errorf("%d transactions in the minute of quiet", n)
		}
		b.calm(31 * time.Second)
		b.paused("")
		b.converged()

		// Nobody has written, but somebody else does: seen while observing too.
		b.r.SetMode(Observe)
		b.z.global(nil)
		b.calm(time.Second)
		for a := range b.z.db().AddressSets() {
			b.z.put(nb.RowChange{Old: a})
			break
		}
		b.calm(time.Second)
		b.r.SetMode(Write)
		b.calm(time.Second)
		b.paused("another writer removed Address_Set")
		b.calm(time.Minute)
		b.converged()
	}, fenced)
}

// Rows that nobody knows the writer of are watched before the first write; those
// of a Rung before are not.
func TestRowsOfUnknownWriter(t *testing.T) {
	for _, c := range []struct {
		name   string
		ids    map[string]string
		paused string
	}{
		{"unknown", nil, "1 row of policies, but NB_Global names no writer: writing paused for 1m0s, until "},
		{"rung", map[string]string{nb.KeyWriter: "w0", nb.KeyEpoch: "1"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var first *model.ZoneState // that has rows
			run(t, Write, func(b *bench) {
				tenants(b)
				b.have(isolate(34))
				b.calm(time.Second)
				b.paused(c.paused)
				// The first state that has rows says it already, and that it is no step of every start.
				if !strings.Contains(first.Paused, c.paused) || c.paused != "" && first.Starting {
					t.Errorf("at first: paused %q, starting %v", first.Paused, first.Starting)
				}
				b.calm(time.Minute)
				b.paused("")
				b.converged()
			}, func(cfg *Config) {
				fenced(cfg)
				z := cfg.Zone.(*fakeZone) // not connected yet
				z.global(c.ids)
				cfg.OnState = func(z *model.ZoneState) {
					if first == nil && z.DB != nil {
						first = z
					}
				}
				z.put(nb.RowChange{New: &nb.AddressSet{UUID: "x", Name: "a1", ExternalIDs: map[string]string{
					nb.KeyOwnerController: nb.DefaultController, nb.KeyOwnerType: nb.OwnerANP, nb.KeyName: "gone", nb.KeyDirection: "Egress",
					nb.KeyGressIndex: "0", nb.KeyIPFamily: "v4", nb.KeyID: nb.DefaultController + ":AdminNetworkPolicy:gone:Egress:0:v4"}}})
			})
		})
	}
}

// What a start has to wait for is a step of it: objects, settings, the first read of the database,
// the look for other controllers, and taking the zone over.
func TestPausesOfAStart(t *testing.T) {
	var paused []string
	run(t, Write, func(b *bench) {
		b.r.SetGuard(ZoneGuard{WhyHeld: "looking for other controllers", Starting: true})
		tenants(b)
		b.have(isolate(34))
		b.calm(time.Second)
		b.r.SetGuard(ZoneGuard{})
		b.calm(time.Second)
		b.paused("")
		b.converged()
		if len(paused) < 2 {
			t.Errorf("a start waited for %q alone", paused)
		}
		b.r.SetGuard(ZoneGuard{WhyHeld: "OVN-Kubernetes' controller runs"})
		b.calm(time.Second)
		if b.r.State().Starting {
			t.Error("another controller is no step of a start")
		}
	}, func(cfg *Config) {
		fenced(cfg)
		cfg.Zone.(*fakeZone).global(nil)
		cfg.OnState = func(z *model.ZoneState) {
			if z.Paused == "" || z.Paused == "OVN-Kubernetes' controller runs" {
				return
			}
			paused = append(paused, z.Paused)
			if !z.Starting {
				t.Errorf("%q is said to be no step of a start", z.Paused)
			}
		}
	})
}

// Rows and conditions of a kind that is switched off are left alone.
func TestLeave(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.have(isolate(34), anp("bad", 120, "t=1"))
		b.calm(time.Minute)
		if n := len(b.z.taken()); n != 0 {
			t.Errorf("%d transactions", n)
		}
		if got := append(b.takeConds(), b.takeEvents()...); len(got) != 0 {
			t.Errorf("reported %q", got)
		}
		if n := b.r.State().Pending; n != 0 {
			t.Errorf("%d pending", n)
		}
	}, func(c *Config) { c.LeftAloneKinds = map[model.Kind]bool{model.KindANP: true} })
}

// Being told to stop and to go on again while the loop is busy is no news of the
// mode, but a zone that was taken off is told anew whether it is its own.
func TestStoppedInBetween(t *testing.T) {
	run(t, Write, func(b *bench) {
		b.z.global(nil)
		tenants(b)
		b.have(isolate(34))
		b.calm(time.Second)
		b.converged()
		b.z.global(map[string]string{nb.KeyWriter: "w2", nb.KeyEpoch: "9"})
		b.calm(time.Second)
		b.paused("another writer holds the zone: w2, epoch 9")
		b.r.box.addMail(func(m *mailItems) { m.addMode(Observe); m.addMode(Write) })
		b.calm(time.Second)
		b.paused("")
		if z := b.r.State(); !z.RowsHeld || z.Epoch != 10 || z.Writer != "w1" {
			t.Errorf("held %v, epoch %d of %s", z.RowsHeld, z.Epoch, z.Writer)
		}
	}, fenced)
}

// What another said of a policy while this replica stood by is corrected once it
// writes again.
func TestConditionsAfterStandby(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		p := isolate(34)
		b.have(p)
		b.calm(time.Second)
		b.converged()
		if got := b.takeConds(); len(got) != 1 {
			t.Fatalf("reported %q", got)
		}
		b.r.SetMode(Observe)
		b.calm(time.Second)
		other := *p
		other.Conditions = []model.Condition{{Type: "Ready-In-Zone-n1", Status: "False", Reason: "SetupFailed", Message: "no", Changed: model.Stamp{Time: b.r.cfg.Clock()}}}
		b.have(&other)
		b.calm(time.Second)
		if got := b.takeConds(); len(got) != 0 {
			t.Errorf("a replica that stands by reports %q", got)
		}
		b.r.SetMode(Write)
		b.calm(time.Second)
		if got := b.takeConds(); len(got) != 1 {
			t.Errorf("reported %q", got)
		}
	})
}

// A database that was put back, or made anew, behind the writer's back is taken over
// again, also when the transaction that fails comes before the news; when another
// writer was there in between it is not.
func TestFenceOfADatabasePutBack(t *testing.T) {
	older := map[string]string{nb.KeyWriter: "w1", nb.KeyEpoch: "3"}
	for _, deaf := range []bool{false, true} {
		for name, ids := range map[string]map[string]string{"older": older, "empty": nil} {
			run(t, Write, func(b *bench) {
				b.z.global(map[string]string{nb.KeyWriter: "w0", nb.KeyEpoch: "7"})
				tenants(b)
				b.have(isolate(34))
				b.calm(time.Second)
				b.converged()
				if deaf {
					b.z.do(func() { b.z.delay = 5 * time.Second })
				}
				b.z.global(ids)
				b.have(isolate(35))
				b.calm(time.Minute)
				b.z.do(func() { b.z.delay = 0 })
				b.calm(time.Minute)
				b.converged()
				if z := b.r.State(); !z.RowsHeld || z.Epoch != 9 || z.Paused != "" {
					t.Errorf("%s, deaf %v: held %v, epoch %d, paused %q", name, deaf, z.RowsHeld, z.Epoch, z.Paused)
				}
				b.z.global(map[string]string{nb.KeyWriter: "w2", nb.KeyEpoch: "12"})
				b.calm(time.Second)
				b.z.global(ids)
				b.have(isolate(36))
				b.calm(time.Minute)
				b.paused("another writer holds the zone")
			}, fenced)
		}
	}
}

// A database that was replaced by an empty one has no writer, though another writer held the one before.
func TestEmptyDatabaseHasNoWriter(t *testing.T) {
	run(t, Write, func(b *bench) {
		b.z.global(map[string]string{nb.KeyWriter: "w0", nb.KeyEpoch: "7"})
		tenants(b)
		b.have(isolate(34))
		b.calm(time.Second)
		b.converged()
		b.z.global(map[string]string{nb.KeyWriter: "w2", nb.KeyEpoch: "12"})
		b.calm(time.Minute)
		b.paused("another writer holds the zone: w2, epoch 12")
		db := b.z.db()
		empty := []nb.RowChange{{Old: db.Global(), New: &nb.Global{UUID: globalUUID, Name: "n1"}}}
		for r := range db.OwnedRows() {
			empty = append(empty, nb.RowChange{Old: r})
		}
		b.z.put(empty...)
		b.calm(2 * time.Minute)
		b.paused("")
		b.converged()
		if z := b.r.State(); !z.RowsHeld || z.Epoch != 9 || z.Writer != "w1" {
			t.Errorf("held %v, epoch %d of %s", z.RowsHeld, z.Epoch, z.Writer)
		}
	}, fenced)
}

// Who only observes a zone says whom NB_Global names as its writer.
func TestObserverNamesTheWriter(t *testing.T) {
	run(t, Observe, func(b *bench) {
		tenants(b)
		b.have(isolate(34))
		b.calm(time.Second)
		if z := b.r.State(); z.Writer != "w0" || z.Epoch != 7 || z.Writes || z.RowsHeld {
			t.Errorf("writer %q, epoch %d, writes %v, held %v", z.Writer, z.Epoch, z.Writes, z.RowsHeld)
		}
	}, func(c *Config) {
		c.Zone.(*fakeZone).global(map[string]string{nb.KeyWriter: "w0", nb.KeyEpoch: "7"})
	})
}

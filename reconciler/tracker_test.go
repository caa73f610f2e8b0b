package reconciler

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/install"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// joins are the differences of all policies, without times.
func joins(tr *Tracker) map[model.PolicyKey]*model.PolicyInZone {
	out := map[model.PolicyKey]*model.PolicyInZone{}
	for k := range tr.Tracks {
		p := *tr.JoinPolicy(k)
		p.Touched, p.DiffSince = time.Time{}, time.Time{}
		out[k] = &p
	}
	return out
}

// fresh compares the last states from nothing.
func fresh(zone string, d *compiler.Desired, db *nb.DB) *Tracker {
	t := NewTracker(zone)
	if db != nil {
		t.ApplyLive(model.ZoneUpdate{At: start, DB: db, Resync: true})
	}
	t.ApplyDesired(d, nil, start)
	return t
}

// After any sequence of steps the differences are those of a comparison from
// nothing, and the operations mend all of them.
func TestTrackerIncrementalEqualsFull(t *testing.T) {
	rounds, steps := 40, 60
	if os.Getenv(install.SoakVar) == "1" {
		rounds = 1000
	}
	for seed := range rounds {
		w := newWorld(uint64(seed))
		f := &fakeDB{db: (*nb.DB)(nil).Apply(nil)}
		tr := NewTracker("n1")
		for step := range steps {
			at := start.Add(time.Duration(step) * time.Second)
			what := "desired"
			switch w.r.IntN(8) {
			case 0, 1, 2:
				// Several steps at once, as after a busy moment.
				merged := w.step()
				for range w.r.IntN(3) {
					merged = MergeDeltas(merged, w.step())
				}
				tr.ApplyDesired(w.d, merged, at)
			case 3, 4, 5:
				what = "live"
				var changes []nb.RowChange
				for range 1 + w.r.IntN(3) {
					changes = append(changes, w.meddle(f)...)
				}
				tr.ApplyLive(model.ZoneUpdate{At: at, DB: f.db, Changes: changes})
			case 6:
				what = "resync"
				w.meddle(f)
				tr.ApplyLive(model.ZoneUpdate{At: at, DB: f.db, Resync: true})
			case 7:
				what = "mend"
				b := tr.NewOps()
				var ops []nb.Op
				for _, k := range slices.SortedFunc(maps.Keys(tr.Tracks), model.Key.Compare) {
					if w.r.IntN(2) == 0 {
						ops = append(ops, b.PolicyOps(k)...)
					}
				}
				_, changes, err := f.transact(ops)
				if err != nil {
					t.Fatalf("seed %d step %d: %v", seed, step, err)
				}
				tr.ApplyLive(model.ZoneUpdate{At: at, DB: f.db, Changes: changes})
			}
			if tr.Desired == nil || tr.DB == nil {
				continue
			}
			want := joins(fresh(tr.Zone, w.d, f.db))
			if diff := cmp.Diff(want, joins(tr), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("seed %d step %d after %s: (-full +incremental)\n%s", seed, step, what, diff)
			}
		}
		converge(t, fmt.Sprint("seed ", seed), w, f, tr)
	}
}

// Two changes of one set that are taken in together are not one.
func TestSetChangedTwice(t *testing.T) {
	w := newWorld(1)
	w.add(namespace("a", "t=1"), pod("a/p0", "", "n1", "10.0.0.1"), isolate(34))
	f := &fakeDB{db: (*nb.DB)(nil).Apply(nil)}
	tr := NewTracker("n1")
	converge(t, "at first", w, f, tr)
	for s := range f.db.AddressSets() {
		var changes []nb.RowChange
		for i, addresses := range [][]string{{"10.0.0.7", "10.0.0.8"}, {"10.0.0.8"}} {
			next := *f.db.AddressSet(s.UUID)
			next.Addresses = addresses
			ch := f.put(nb.RowChange{Old: f.db.AddressSet(s.UUID), New: &next})
			if len(ch) != 1 || ch[0].Step == nil {
				t.Fatalf("change %d of %s: %+v", i, s.Name, ch)
			}
			changes = append(changes, ch...)
		}
		tr.ApplyLive(model.ZoneUpdate{At: start, DB: f.db, Changes: changes})
	}
	if diff := cmp.Diff(joins(fresh("n1", w.d, f.db)), joins(tr), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-full +incremental)\n%s", diff)
	}
}

// converge sends the operations of all policies until none are left.
func converge(t *testing.T, what string, w *world, f *fakeDB, tr *Tracker) {
	t.Helper()
	for _, h := range holders() {
		f.hold(h)
	}
	tr.ApplyDesired(w.d, nil, start)
	tr.ApplyLive(model.ZoneUpdate{At: start, DB: f.db, Resync: true})
	for round := 0; ; round++ {
		b := tr.NewOps()
		var ops []nb.Op
		for _, k := range slices.SortedFunc(maps.Keys(tr.Tracks), model.Key.Compare) {
			ops = append(ops, b.PolicyOps(k)...)
		}
		if len(ops) == 0 {
			break
		}
		if round == 3 {
			t.Fatalf("%s: still operations after %d rounds: %+v", what, round, ops)
		}
		_, changes, err := f.transact(ops)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		tr.ApplyLive(model.ZoneUpdate{At: start, DB: f.db, Changes: changes})
	}
	if diff := diffZone(t, w.cluster, tr.Zone, f.db); diff != "" {
		t.Fatalf("%s: (-desired +live)\n%s", what, diff)
	}
	for k, p := range joins(tr) {
		stray := len(tr.Tracks[k].ACLs.Stray)
		if p.Missing+p.Different > 0 || p.Extra > stray {
			t.Errorf("%s: %s is not in sync:\n%s", what, k, diffText(p.Diffs))
		}
	}
}

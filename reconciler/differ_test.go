package reconciler

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// published is what a reconciler that observes publishes, without times.
func published(tr *Tracker) map[model.PolicyKey]*model.PolicyInZone {
	out := map[model.PolicyKey]*model.PolicyInZone{}
	for k := range tr.Tracks {
		if p := tr.JoinPolicy(k); p != nil {
			out[k] = timeless(p)
		}
	}
	return out
}

func timeless(p *model.PolicyInZone) *model.PolicyInZone {
	q := *p
	q.Touched, q.DiffSince = time.Time{}, time.Time{}
	return &q
}

// What a Differ finds in a zone is what a reconciler that followed every step of it
// publishes, whatever the Differ took over from earlier ones.
func TestLookEqualsFollowing(t *testing.T) {
	for seed := range 25 {
		w := newWorld(uint64(1000 + seed))
		f := &fakeDB{db: (*nb.DB)(nil).Apply(nil)}
		tr := NewTracker("n1")
		tr.Observing = true
		latest := NewZoneDiffer(w.d)
		tr.ApplyDesired(w.d, nil, start)
		tr.ApplyLive(model.ZoneUpdate{At: start, DB: f.db, Resync: true})
		differ := false
		for step := range 50 {
			at := start.Add(time.Duration(step) * time.Second)
			switch w.r.IntN(4) {
			case 0, 1:
				delta := w.step()
				for range w.r.IntN(3) {
					delta = MergeDeltas(delta, w.step())
				}
				tr.ApplyDesired(w.d, delta, at)
				latest = latest.WithDesired(w.d, delta)
			case 2:
				tr.ApplyLive(model.ZoneUpdate{At: at, DB: f.db, Changes: w.meddle(f)})
			case 3:
				b := tr.NewOps()
				var ops []nb.Op
				for _, k := range slices.SortedFunc(maps.Keys(tr.Tracks), model.Key.Compare) {
					ops = append(ops, b.PolicyOps(k)...)
				}
				_, changes, err := f.transact(ops)
				if err != nil {
					t.Fatalf("seed %d step %d: %v", seed, step, err)
				}
				tr.ApplyLive(model.ZoneUpdate{At: at, DB: f.db, Changes: changes})
			}
			got := latest.JudgeZone(ZoneRead{Zone: "n1", DB: f.db, At: at})
			for k, p := range got {
				differ = differ || !p.InSync
				got[k] = timeless(p)
			}
			if diff := cmp.Diff(published(tr), got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("seed %d step %d: (-followed +read)\n%s", seed, step, diff)
			}
		}
		if !differ {
			t.Errorf("seed %d: nothing ever differed", seed)
		}
	}
}

// A difference keeps its age from look to look as long as a row differs; when its
// desired rows changed is what the caller says.
func TestLookAges(t *testing.T) {
	w := newWorld(1)
	w.add(namespace("a", "t=1"), anp("one", 5, "", rule(model.Ingress, model.Deny, nil, nsPeer("t=1"))))
	empty := (*nb.DB)(nil).Apply(nil)
	l := NewZoneDiffer(w.d)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	changed := func(model.PolicyKey) time.Time { return at(-30) }
	first := l.JudgeZone(ZoneRead{Zone: "n1", DB: empty, At: at(0), Changed: changed})
	p := first[keyOf("one")]
	if p == nil || p.InSync || !p.DiffSince.Equal(at(0)) || !p.Touched.Equal(at(-30)) {
		t.Fatalf("at first: %+v", p)
	}
	z := &model.ZoneState{Conn: model.ConnSwept, SyncedAt: at(0)}
	if got := p.StateAt(z, at(0)); got != model.StateBehind {
		t.Errorf("half a minute after the change the policy is %s", got)
	}
	again := l.JudgeZone(ZoneRead{Zone: "n1", DB: empty, At: at(60), Before: first, Changed: changed})[keyOf("one")]
	if !again.DiffSince.Equal(at(0)) {
		t.Errorf("the difference is of %v, it has been there since %v", again.DiffSince, at(0))
	}
	young := l.JudgeZone(ZoneRead{Zone: "n1", DB: empty, At: at(0), Changed: func(model.PolicyKey) time.Time { return at(-2) }})[keyOf("one")]
	if got := young.StateAt(z, at(100)); got != model.StateSettling {
		t.Errorf("read two seconds after the change the policy is %s, however long ago that was", got)
	}
}

// What desired rows do not say is digested: alike for the same rows in other
// zones, whatever their UUIDs, and otherwise for others.
func TestDigest(t *testing.T) {
	w := newWorld(1)
	p := anp("one", 5, "", rule(model.Ingress, model.Deny, nil, nsPeer("t=1")))
	w.add(namespace("a", "t=1"), p)
	zone := func() *fakeDB {
		f := &fakeDB{db: (*nb.DB)(nil).Apply(nil)}
		converge(t, "digest", w, f, NewTracker("n1"))
		return f
	}
	a, b := zone(), zone()
	for range 5 {
		b.uuid()
	}
	c := zone()
	for row := range c.db.ACLs() {
		other := *row
		other.Match += " && ip4"
		c.put(nb.RowChange{Old: row, New: &other})
		break
	}
	q := *p
	q.HasLogging, q.Logging = true, `{"deny":"LOUD"}`
	w.add(&q) // without desired rows now
	digest := func(f *fakeDB) *model.UnitDigest {
		got := NewZoneDiffer(w.d).JudgeZone(ZoneRead{Zone: "n1", DB: f.db, At: start})[p.Key]
		if got == nil || got.None == nil || got.Rows == nil {
			t.Fatalf("no digest: %+v", got)
		}
		return got.Rows
	}
	if diff := cmp.Diff(digest(a), digest(b)); diff != "" {
		t.Errorf("equal rows: %s", diff)
	}
	if digest(a).Sum == digest(c).Sum {
		t.Error("a changed match gives the same digest")
	}
}

// BenchmarkDiff compares one zone of a cluster of 10,000 pods.
func BenchmarkDiff(b *testing.B) {
	w := manyPods(40)
	f := &fakeDB{db: (*nb.DB)(nil).Apply(nil)}
	tr := NewTracker("n1")
	tr.ApplyDesired(w.d, nil, start)
	tr.ApplyLive(model.ZoneUpdate{DB: f.db, Resync: true, At: start})
	build := tr.NewOps()
	var ops []nb.Op
	for k := range tr.Tracks {
		ops = append(ops, build.PolicyOps(k)...)
	}
	if _, _, err := f.transact(ops); err != nil {
		b.Fatal(err)
	}
	l := NewZoneDiffer(w.d)
	look := func(l *ZoneDiffer) { l.JudgeZone(ZoneRead{Zone: "n1", DB: f.db, At: start}) }
	look(l)
	b.ReportAllocs()
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			look(l)
		}
	})
	b.Run("after-a-pod", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			delta := w.add(pod("ns1/new", "", "n2", fmt.Sprintf("10.200.%d.%d", i/250%250, i%250)))
			l = l.WithDesired(w.d, delta)
			if len(l.Listed) == 0 && l.Desired.Policy(keyOf("p1")) == (*compiler.CompiledUnit)(nil) {
				b.Fatal("nothing is desired")
			}
			look(l)
		}
	})
}

package engine

import (
	"sync"
	"testing"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/sources/manifests"
)

// changing is a small cluster whose revisions are made by hand, without an engine.
type changing struct {
	t  testing.TB
	mu sync.Mutex
	// rev is the newest revision; zones are put into every one.
	rev     *Revision
	cluster *model.Cluster
	zones   []*model.ZoneState
	writes  bool
	ticks   map[chan struct{}]bool
	plan    *PlanState
	now     time.Time
}

// newChanging is the cluster of given with policies, of which none may be broken.
func newChanging(t testing.TB, policies ...string) *changing {
	t.Helper()
	w := &changing{t: t, writes: true, ticks: map[chan struct{}]bool{}, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	w.cluster = givenCluster(t, policies...)
	w.publish()
	return w
}

// publish makes the next revision. The caller holds mu or is alone.
func (w *changing) publish() {
	n := uint64(1)
	if w.rev != nil {
		n = w.rev.Number + 1
	}
	w.rev = NewRevision(Facts{Number: n, At: w.now, Mode: Mode{Name: "files", Title: "policies/", Writes: w.writes, WhyNot: "read-only"},
		Cluster: w.cluster, Zones: w.zones, Plan: w.plan, Loaded: true,
		Desired: compiler.Compile(w.cluster, compiler.Options{IPv4: true})}, w.rev)
	for ch := range w.ticks {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

func (w *changing) current() *Revision {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rev
}

func (w *changing) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *changing) subscribe() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ticks[ch] = true
	return ch, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.ticks, ch)
	}
}

// edit changes the world behind the gate's back.
func (w *changing) edit(yaml string, remove ...model.Key) {
	w.t.Helper()
	res := manifests.Parse("edit.yaml", []byte(yaml), manifests.Options{})
	if len(res.Broken) > 0 {
		w.t.Fatal(res.Broken[0])
	}
	w.apply(res.Objects, remove)
}

func (w *changing) setWrites(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes = on
	w.publish()
}

func (w *changing) priority(name string) int32 {
	p := w.current().Cluster.Policy(anpKey(name))
	if p == nil {
		return -1
	}
	return p.Priority
}

// apply puts objects into the cluster and takes others out.
func (w *changing) apply(upsert []model.Object, remove []model.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cluster, _ = w.cluster.Upsert(upsert, remove)
	w.publish()
}

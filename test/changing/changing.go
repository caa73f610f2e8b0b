package changing

import (
	"sync"
	"testing"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/revision"
	"rung/sources/manifests"
	"rung/system"
	"rung/test/given"
)

// World is a small cluster whose revisions are made by hand, without an engine.
type World struct {
	T  testing.TB
	Mu sync.Mutex
	// Rev is the newest revision; zones are put into every one.
	Rev     *revision.Revision
	Cluster *model.Cluster
	Zones   []*model.ZoneState
	Writes  bool
	ticks   map[chan struct{}]bool
	Plan    *revision.PlanState
	Now     time.Time
	// Options are the compiler's options of every revision, System whose precedence holds; nil is
	// OVN-Kubernetes'.
	Options compiler.Options
	System  *system.System
}

// New is the cluster of given with policies, of which none may be broken.
func New(t testing.TB, policies ...string) *World {
	t.Helper()
	w := &World{T: t, Writes: true, ticks: map[chan struct{}]bool{}, Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Options: compiler.Options{IPv4: true}}
	w.Cluster = given.Cluster(t, policies...)
	w.Publish()
	return w
}

// Publish makes the next revision. The caller holds mu or is alone.
func (w *World) Publish() {
	n := uint64(1)
	if w.Rev != nil {
		n = w.Rev.Number + 1
	}
	w.Rev = revision.New(revision.Facts{Number: n, At: w.Now, Mode: revision.Mode{Name: "files", Title: "policies/", Writes: w.Writes, WhyNot: "read-only"},
		System: w.System, Cluster: w.Cluster, Zones: w.Zones, Plan: w.Plan, Loaded: true,
		Desired: compiler.Compile(w.Cluster, w.Options)}, w.Rev)
	for ch := range w.ticks {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

func (w *World) Current() *revision.Revision {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.Rev
}

func (w *World) Clock() time.Time {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.Now
}

func (w *World) Subscribe() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.ticks[ch] = true
	return ch, func() {
		w.Mu.Lock()
		defer w.Mu.Unlock()
		delete(w.ticks, ch)
	}
}

// Edit changes the world behind the gate's back.
func (w *World) Edit(yaml string, remove ...model.Key) {
	w.T.Helper()
	res := manifests.Parse("edit.yaml", []byte(yaml), manifests.Options{})
	if len(res.Broken) > 0 {
		w.T.Fatal(res.Broken[0])
	}
	w.Apply(res.Objects, remove)
}

func (w *World) SetWrites(on bool) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Writes = on
	w.Publish()
}

func (w *World) Priority(name string) int32 {
	p := w.Current().Cluster.Policy(given.ANPKey(name))
	if p == nil {
		return -1
	}
	return p.Priority
}

// Apply puts objects into the cluster and takes others out.
func (w *World) Apply(upsert []model.Object, remove []model.Key) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Cluster, _ = w.Cluster.Upsert(upsert, remove)
	w.Publish()
}

// Wait moves the clock on.
func (w *World) Wait(d time.Duration) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Now = w.Now.Add(d)
}

// Expect fails the test where an AdminNetworkPolicy has another priority; -1 is none.
func (w *World) Expect(name string, priority int32, when string) {
	w.T.Helper()
	if got := w.Priority(name); got != priority {
		w.T.Fatalf("%s: %s is at %d, want %d", when, name, got, priority)
	}
}

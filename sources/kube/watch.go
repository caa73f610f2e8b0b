package kube

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"rung/model"
	"rung/sources/retry"
)

// watchTimes are the times and limits of a watch; tests change them.
type watchTimes struct {
	gather     time.Duration // pause between two updates, to combine changes
	hold       time.Duration // how long objects wait for other resources at the start
	answer     time.Duration // for a page of a list
	firstRetry time.Duration // first wait after a failure, doubled up to againMax
	// againMax bounds the wait after a failure. refused is the wait after "not served" and "no permission",
	// refusedOptional the longest after "no permission" to an optional resource.
	againMax, refused, refusedOptional time.Duration
	// lasting is how long a formerly allowed resource may be refused before it counts as denied.
	lasting time.Duration
	reopen  time.Duration // between two reads of the kubeconfig, after a 401
	// probe is the time between two probes, probeLost while the server is lost, probeAnswer for an answer.
	probe, probeLost, probeAnswer time.Duration
	page                          int64 // objects in a page of a list
	events                        int   // events kept per kind of object
}

var defaultTiming = watchTimes{gather: 30 * time.Millisecond, hold: 2 * time.Second, answer: 30 * time.Second,
	firstRetry: 250 * time.Millisecond, againMax: 5 * time.Second, refused: 30 * time.Second, refusedOptional: 5 * time.Minute,
	lasting: 2 * time.Second, reopen: 2 * time.Second,
	probe: 5 * time.Second, probeLost: 500 * time.Millisecond, probeAnswer: 5 * time.Second,
	page: 500, events: 1000}

// watcher combines the deliveries of all feeds.
type watcher struct {
	c     *Cluster
	t     watchTimes
	feeds []*feed
	wake  chan struct{} // of capacity 1: an update is due
	// feedLost, of capacity 1, triggers a probe: a feed lost the server.
	feedLost chan struct{}

	mu sync.Mutex
	// pending holds the undelivered objects, or nil for a deleted one.
	pending      map[model.Key]model.Object
	oldestChange time.Time // when the oldest pending change came
	broken       map[model.Key][]model.Broken
	brokenNew    bool
	loaded       bool
	reopened     time.Time
	unanswered   bool          // the last probe got no answer
	back         chan struct{} // closed and replaced when the server answers again
}

func newWatcher(c *Cluster, t watchTimes) *watcher {
	w := &watcher{c: c, t: t, wake: make(chan struct{}, 1), feedLost: make(chan struct{}, 1), back: make(chan struct{}),
		pending: map[model.Key]model.Object{},
		broken:  map[model.Key][]model.Broken{}, brokenNew: true}
	w.feeds = newFeeds(w)
	return w
}

func (w *watcher) deliverUpdates(ctx context.Context, sink func(SourceUpdate)) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, f := range w.feeds {
		wg.Go(func() { f.runFeed(ctx) })
	}
	wg.Go(func() { w.probeServer(ctx) })
	held := time.NewTimer(0)
	defer held.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		case <-held.C:
		}
		u, wait := w.nextUpdate(time.Now())
		if wait > 0 {
			held.Reset(wait)
		}
		u.State = clusterState(w.c.Context(), w.c.Server(), u.State.Resources)
		sink(u)
		if !retry.Sleep(ctx, w.t.gather) {
			return
		}
	}
}

// markChanged notes that an update is due.
func (w *watcher) markChanged() { retry.Wake(w.wake) }

// nextUpdate returns the changes to deliver now. During the first reading, objects are held back for a moment:
// pods without their namespaces would be computed twice. wait is the rest of that moment.
func (w *watcher) nextUpdate(now time.Time) (u SourceUpdate, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.loaded = w.loaded || w.isSettled()
	u.Loaded = w.loaded
	for _, f := range w.feeds {
		// Most clusters have no Antrea, and many no other networks: lines saying so would not help.
		if !f.resource.quiet || f.listed && !f.notServed || f.res.Conn == model.ConnDenied && !f.refusedLogin {
			u.State.Resources = append(u.State.Resources, f.res)
		}
	}
	if w.brokenNew {
		u.Broken, u.HasBroken, w.brokenNew = w.brokenObjects(), true, false
	}
	if len(w.pending) == 0 {
		return u, 0
	}
	if held := now.Sub(w.oldestChange); !w.loaded && held < w.t.hold {
		return u, w.t.hold - held
	}
	for _, k := range slices.SortedFunc(maps.Keys(w.pending), model.Key.Compare) {
		if o := w.pending[k]; o != nil {
			u.Upsert = append(u.Upsert, o)
		} else {
			u.Remove = append(u.Remove, k)
		}
	}
	w.pending = map[model.Key]model.Object{}
	return u, 0
}

// isSettled reports whether every resource was read once or cannot be read, and the server answered for at
// least one: a server that never answers has delivered nothing.
func (w *watcher) isSettled() bool {
	answered := false
	for _, f := range w.feeds {
		if !f.listed && !f.needNotWait() {
			return false
		}
		answered = answered || f.listed || f.isKnownAbsent()
	}
	return answered
}

// maxBroken bounds the entries of one source.
const maxBroken = 500

// brokenObjects returns the problems of objects and of required resources.
func (w *watcher) brokenObjects() []model.Broken {
	var out []model.Broken
	for _, f := range w.feeds {
		if b, ok := f.brokenEntry(); ok {
			out = append(out, b)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(w.broken), model.Key.Compare) {
		out = append(out, w.broken[k]...)
		if len(out) > maxBroken {
			return append(out[:maxBroken], model.Broken{Severity: model.SeverityWarning, Origin: w.clusterOrigin(), Code: CodeMore,
				Message: "and more entries like these"})
		}
	}
	return out
}

func (w *watcher) clusterOrigin() model.Origin { return model.Origin{Source: w.c.Context(), Item: -1} }

// reopenCredentials reads the kubeconfig for new credentials after a 401, once for all resources.
func (w *watcher) reopenCredentials() {
	w.mu.Lock()
	soon := time.Since(w.reopened) < w.t.reopen/2
	if !soon {
		w.reopened = time.Now()
	}
	w.mu.Unlock()
	if soon {
		return
	}
	// On failure the 401 stays on screen, and this is retried.
	_, _ = w.c.Reopen()
}

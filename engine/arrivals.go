package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"rung/change"
	"rung/change/gate"
	"rung/change/guard"
	"rung/engine/zones"
	"rung/model"
	"rung/sources/retry"
)

// sourceArrivals collects policy changes that sources brought after loading and that were not made here. They
// are judged outside the loop, so rows do not wait for them.
type sourceArrivals struct {
	news chan struct{}

	mu      sync.Mutex
	waiting map[model.PolicyKey]change.ObjectChange // Old is the policy before the first waiting change
}

// noteArrived records the policy changes of a source, once everything was read.
func (s *loopState) noteArrived(changes []model.Change) {
	if !s.engine.cfg.judgesArrivals() {
		return
	}
	var came []change.ObjectChange
	for i := range changes {
		old, _ := changes[i].Old.(*model.Policy)
		now, _ := changes[i].New.(*model.Policy)
		if c := (change.ObjectChange{Old: old, New: now}); decidesOtherwise(&c) {
			c.Key = cmp.Or(now, old).Key
			came = append(came, c)
		}
	}
	if len(came) > 0 {
		s.AfterRevision(func() { s.engine.arrivals.add(came) })
	}
}

// judgesArrivals reports whether changes of the sources are judged: changes that Rung compiles and writes by
// itself, and changes of files shown on a screen. A cluster's changes passed its API server and are the
// concern of whoever made them.
func (c *Config) judgesArrivals() bool { return c.Reconcile || c.Screen && c.Kube == nil }

func (a *sourceArrivals) add(came []change.ObjectChange) {
	a.mu.Lock()
	for _, c := range came {
		if was, waits := a.waiting[c.Key]; waits {
			c.Old = was.Old
		}
		a.waiting[c.Key] = c
	}
	a.mu.Unlock()
	retry.Wake(a.news)
}

// dropMade drops a change made here that its source delivered first: Rung itself wrote the file.
func (a *sourceArrivals) dropMade(k model.PolicyKey, now *model.Policy) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c, waits := a.waiting[k]; waits && model.SameContent(c.New, now) {
		delete(a.waiting, k)
	}
}

// takeWaiting returns the waiting changes, sorted, and clears them. It skips changes that were undone
// meanwhile.
func (a *sourceArrivals) takeWaiting() (out []change.ObjectChange) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, k := range slices.SortedFunc(maps.Keys(a.waiting), model.PolicyKey.Compare) {
		if c := a.waiting[k]; decidesOtherwise(&c) {
			out = append(out, c)
		}
	}
	clear(a.waiting)
	return out
}

// decidesOtherwise reports whether a change changes what policies decide.
func decidesOtherwise(c *change.ObjectChange) bool {
	if c.Old == nil || c.New == nil {
		return c.Old != c.New
	}
	return !guard.SameDecisions(c.Old, c.New)
}

// judgeArrivals judges the changes of sources batch by batch and calls met for each guard rail hit. Changes
// that arrive meanwhile form the next batch.
func (a *sourceArrivals) judgeArrivals(l *zones.Loop, g *gate.Gate, met func(code string)) {
	for retry.Await(l.Context(), a.news) {
		g.WaitIdle(l.Context())
		came := a.takeWaiting()
		if len(came) == 0 {
			continue
		}
		for _, w := range g.GuardsOfArrived(l.Context(), l.Revision(), came) {
			met(w.Code)
			from := &came[max(0, slices.IndexFunc(came, func(c change.ObjectChange) bool { return c.Key == w.Policy }))]
			l.RecordActivity(model.Activity{Policy: w.Policy, By: from.Source(), Rail: w.Code,
				Summary: fmt.Sprintf("%s changed: %s: guard rail %s: %s", from.Place(), w.Policy.Label(), w.Code, w.Message)})
		}
	}
}

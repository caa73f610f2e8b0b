package engine

import (
	"maps"
	"slices"
	"time"

	"rung/model"
	"rung/model/clean"
	"rung/model/dialect"
	"rung/model/nb"
)

// Times of reading dialects.
const (
	configEvery  = 5 * time.Minute  // the cluster's configuration
	configRetry  = 30 * time.Second // after a failure
	dialectPause = time.Second      // between two looks at what changed
	dialectSoon  = 3 * time.Second  // where something differs
	dialectLate  = time.Minute      // where nothing does
	dialectShare = 200              // a look takes at most one part in so many of the time
)

// infer reads the dialect of a zone's rows.
func (e *Engine) infer(db *nb.DB) *dialect.Dialect {
	c := e.Revision().Cluster
	d := dialect.Infer(db, dialect.Hints{Stateless: func(ns, name string) bool { return asksStateless(c, ns, name) }})
	return &d
}

// firstDialect reads the dialect once, from the first rows of a followed zone, so
// that they are never judged without it. It is called by one goroutine.
func (e *Engine) firstDialect(write bool) func(*model.ZoneState) *dialect.Dialect {
	done := write || !e.cfg.readsDialects()
	return func(st *model.ZoneState) *dialect.Dialect {
		if done || st.DB == nil {
			return nil
		}
		done = true
		return e.infer(st.DB)
	}
}

// dialectGlance is when a followed zone's rows were looked at.
type dialectGlance struct {
	db   *nb.DB
	at   time.Time
	took time.Duration
}

// runDialects looks again at the rows of followed zones that changed: soon where
// something differs from the desired rows, and seldom where nothing does.
func (e *Engine) runDialects() {
	ticks, stop := e.Subscribe()
	defer stop()
	var rested alarm
	defer rested.stop()
	seen := map[string]dialectGlance{}
	for {
		zones := e.Revision().Zones
		due, next := dialectsDue(zones, seen, time.Now())
		for _, z := range due {
			e.turns.take(func() {
				at := time.Now()
				found := e.infer(z.DB)
				seen[z.Name] = dialectGlance{z.DB, at, time.Since(at)}
				e.send(func(s *state) { s.dialectOf(z.Name, found) })
			})
		}
		maps.DeleteFunc(seen, func(name string, _ dialectGlance) bool {
			return !slices.ContainsFunc(zones, func(z *model.ZoneState) bool { return z.Name == name })
		})
		if rested.stop(); !next.IsZero() {
			rested.set(time.Until(next))
		}
		if sleep(e.ctx, dialectPause); e.ctx.Err() != nil {
			return
		}
		select {
		case <-e.ctx.Done():
			return
		case <-ticks:
		case <-rested.rings():
		}
	}
}

// dialectsDue are the followed zones whose rows changed since they were looked at and
// have rested, and when the first of the others that changed will have; zero for none.
func dialectsDue(zones []*model.ZoneState, seen map[string]dialectGlance, now time.Time) (due []*model.ZoneState, next time.Time) {
	for _, z := range zones {
		g := seen[z.Name]
		if z.DB == nil || z.Writes || z.DB == g.db {
			continue
		}
		at := g.at.Add(glanceAfter(z, g.took))
		switch {
		case !at.After(now):
			due = append(due, z)
		case next.IsZero() || at.Before(next):
			next = at
		}
	}
	return due, next
}

// glanceAfter is how long a zone's rows rest.
func glanceAfter(z *model.ZoneState, took time.Duration) time.Duration {
	for _, p := range z.Policies {
		if !p.InSync {
			return max(dialectSoon, dialectShare*took)
		}
	}
	return max(dialectLate, dialectShare*took)
}

// runDialectConfig reads the configuration of the cluster's OVN-Kubernetes now and
// then. That it may not be read is said where the settings are shown.
func (e *Engine) runDialectConfig() {
	for {
		found, err := e.cfg.Kube.OVNKube(e.ctx, e.ovnNamespaces())
		wait, problem := configEvery, ""
		if err != nil {
			wait, problem = configRetry, clean.Text(err.Error())
		}
		if !e.send(func(s *state) { s.dialectConfig(found, problem) }) {
			return
		}
		if sleep(e.ctx, wait); e.ctx.Err() != nil {
			return
		}
	}
}

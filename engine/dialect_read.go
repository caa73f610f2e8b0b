package engine

import (
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
	dialectLook  = time.Second      // whether a zone's rows have to be looked at again
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
	tick := time.NewTicker(dialectLook)
	defer tick.Stop()
	seen := map[string]dialectGlance{}
	for {
		select {
		case <-e.ctx.Done():
			return
		case <-tick.C:
		}
		here := map[string]bool{}
		for _, z := range e.Revision().Zones {
			here[z.Name] = true
			if g := seen[z.Name]; z.DB == nil || z.Writes || z.DB == g.db || time.Since(g.at) < glanceAfter(z, g.took) {
				continue
			}
			e.turns.take(func() {
				at := time.Now()
				found := e.infer(z.DB)
				seen[z.Name] = dialectGlance{z.DB, at, time.Since(at)}
				e.send(func(s *state) { s.dialectOf(z.Name, found) })
			})
		}
		for name := range seen {
			if !here[name] {
				delete(seen, name)
			}
		}
	}
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

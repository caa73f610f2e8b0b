package zones

import (
	"errors"
	"io/fs"
	"maps"
	"time"

	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/sources/retry"
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

// InferDialect reads the dialect of a zone's rows.
func (d *Dialects) InferDialect(db *nb.DB) *dialect.Dialect {
	c := d.Revision().Cluster
	found := dialect.InferDialect(db, dialect.ObjectHints{Stateless: func(ns, name string) bool { return asksStateless(c, ns, name) }})
	return &found
}

// firstDialect reads the dialect once, from the first rows of a followed zone, so
// that they are never judged, nor written, without it. It is called by one goroutine.
func (d *Dialects) firstDialect() func(*model.ZoneState) *dialect.Dialect {
	done := !d.cfg.Reads
	return func(st *model.ZoneState) *dialect.Dialect {
		if done || st.DB == nil {
			return nil
		}
		done = true
		return d.InferDialect(st.DB)
	}
}

// dialectGlance is when a followed zone's rows were looked at.
type dialectGlance struct {
	db   *nb.DB
	at   time.Time
	took time.Duration
}

// watchRows looks again at the rows of followed zones that changed: soon where
// something differs from the desired rows, and seldom where nothing does.
func (d *Dialects) watchRows() {
	ticks, stop := d.Subscribe()
	defer stop()
	var next Timer
	defer next.Stop()
	seen := rowGlances{}
	for {
		due, in := seen.dueZones(d.Revision().Zones, time.Now())
		for _, z := range due {
			release := d.cfg.Slots.TakeSlot()
			at := time.Now()
			found := d.InferDialect(z.DB)
			seen[z.Name] = dialectGlance{z.DB, at, time.Since(at)}
			release()
			d.Send(func() { d.takeDialect(z.Name, found) })
		}
		next.Stop()
		if in > 0 {
			next.Set(in)
		}
		if !retry.Sleep(d.Context(), dialectPause) {
			return
		}
		select {
		case <-d.Context().Done():
			return
		case <-ticks:
		case <-next.RingChannel():
		}
	}
}

// rowGlances are the looks at the rows of followed zones, by name.
type rowGlances map[string]dialectGlance

// dueZones are the zones to look at now, and in how long the next one is; 0 where none will
// be before something changes. The first rows of a zone were looked at when they came
// (First), so that one seen for the first time rests; those that are gone are
// forgotten.
func (g rowGlances) dueZones(zones []*model.ZoneState, now time.Time) (out []*model.ZoneState, in time.Duration) {
	here := map[string]bool{}
	for _, z := range zones {
		here[z.Name] = true
		was, known := g[z.Name]
		if z.DB == nil || z.Writes || z.DB == was.db {
			continue
		}
		if !known {
			was.at = now
			g[z.Name] = was
		}
		switch wait := was.at.Add(nextGlance(z, was.took)).Sub(now); {
		case wait <= 0:
			out = append(out, z)
		case in == 0 || wait < in:
			in = wait
		}
	}
	maps.DeleteFunc(g, func(name string, _ dialectGlance) bool { return !here[name] })
	return out, in
}

// nextGlance is how long a zone's rows rest.
func nextGlance(z *model.ZoneState, took time.Duration) time.Duration {
	for _, p := range z.Policies {
		if !p.InSync {
			return max(dialectSoon, dialectShare*took)
		}
	}
	return max(dialectLate, dialectShare*took)
}

// runConfig reads the configuration of the cluster's OVN-Kubernetes now and
// then. That it may not be read is said where the settings are shown.
func (d *Dialects) runConfig() {
	for refusals := 0; ; {
		found, err := d.cfg.Kube.OVNKube(d.Context(), d.cfg.Namespaces)
		wait, problem := configEvery, ""
		if err != nil {
			wait, problem = configRetry, words.CleanText(err.Error())
		}
		if errors.Is(err, fs.ErrPermission) {
			refusals++
		} else {
			refusals = 0
		}
		if refusals > 1 { // a permission given meanwhile is noticed in minutes
			wait = configEvery
		}
		if !d.Send(func() { d.takeConfig(found, problem) }) {
			return
		}
		if !retry.Sleep(d.Context(), wait) {
			return
		}
	}
}

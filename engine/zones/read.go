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

// Times for reading dialects.
const (
	configEvery  = 5 * time.Minute  // the cluster's configuration
	configRetry  = 30 * time.Second // after a failure
	dialectPause = time.Second      // between two looks at changes
	dialectSoon  = 3 * time.Second  // if something differs
	dialectLate  = time.Minute      // if nothing differs
	dialectShare = 200              // looks take at most 1/200 of the time
)

// InferDialect infers the dialect of a zone's rows.
func (d *Dialects) InferDialect(db *nb.DB) *dialect.Dialect {
	c := d.Revision().Cluster
	found := dialect.InferDialect(db, dialect.ObjectHints{Stateless: func(ns, name string) bool { return asksStateless(c, ns, name) }})
	return &found
}

// firstDialect returns a function that infers the dialect once, from the first rows of a followed zone, so
// that they are never judged or written without it. One goroutine calls it.
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

// dialectLook records a look at a followed zone's rows.
type dialectLook struct {
	db   *nb.DB
	at   time.Time
	took time.Duration
}

// watchRows looks again at changed rows of followed zones: soon if some differ from the desired rows, seldom
// if none does.
func (d *Dialects) watchRows() {
	ticks, stop := d.Subscribe()
	defer stop()
	next := stoppedTimer()
	defer next.Stop()
	seen := rowLooks{}
	for {
		due, in := seen.dueZones(d.Revision().Zones, time.Now())
		for _, z := range due {
			release := d.cfg.Slots.TakeSlot()
			at := time.Now()
			found := d.InferDialect(z.DB)
			seen[z.Name] = dialectLook{z.DB, at, time.Since(at)}
			release()
			d.Send(func() { d.takeDialect(z.Name, found) })
		}
		next.Stop()
		if in > 0 {
			next.Reset(in)
		}
		if !retry.Sleep(d.Context(), dialectPause) {
			return
		}
		select {
		case <-d.Context().Done():
			return
		case <-ticks:
		case <-next.C:
		}
	}
}

// rowLooks holds the looks at rows of followed zones, by zone.
type rowLooks map[string]dialectLook

// dueZones returns the zones to look at now, and the time until the next; 0 if none is due before a change. A
// zone seen for the first time waits, since firstDialect read its first rows. It forgets deleted zones.
func (g rowLooks) dueZones(zones []*model.ZoneState, now time.Time) (out []*model.ZoneState, in time.Duration) {
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
		switch wait := was.at.Add(lookPause(z, was.took)).Sub(now); {
		case wait <= 0:
			out = append(out, z)
		case in == 0 || wait < in:
			in = wait
		}
	}
	maps.DeleteFunc(g, func(name string, _ dialectLook) bool { return !here[name] })
	return out, in
}

// lookPause returns the pause before the next look at a zone's rows.
func lookPause(z *model.ZoneState, took time.Duration) time.Duration {
	pause := dialectLate
	for _, p := range z.Policies {
		if !p.InSync {
			pause = dialectSoon
		}
	}
	return max(pause, dialectShare*took)
}

// runConfig reads the configuration of the cluster's OVN-Kubernetes now and then. If it may not, the settings
// page shows that.
func (d *Dialects) runConfig() {
	for wasRefused, wait := false, time.Duration(0); retry.Sleep(d.Context(), wait); {
		found, err := d.cfg.Kube.OVNKube(d.Context(), d.cfg.Namespaces)
		problem, refused := "", errors.Is(err, fs.ErrPermission)
		wait = configEvery // also when refused again: a later permission is noticed within minutes
		if err != nil {
			problem = words.CleanText(err.Error())
			if !refused || !wasRefused {
				wait = configRetry
			}
		}
		wasRefused = refused
		d.Send(func() {
			d.view = d.view.WithConfig(found, problem)
			if d.configRead.IsZero() {
				d.configRead = time.Now()
			}
			d.decideOptions()
		})
	}
}

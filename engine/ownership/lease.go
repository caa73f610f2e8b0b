package ownership

import (
	"context"
	"time"

	"rung/model"
	"rung/reconciler"
	"rung/sources/kube"
	"rung/sources/retry"
)

// standDown is how long a replica that was taken off a zone does not campaign for
// it: whoever took it over may hold no Lease.
const standDown = time.Minute

// campaign lets the reconciler write while this replica holds the zone's Lease.
func (w *Zone) campaign(ctx context.Context) {
	cfg := &w.o.cfg
	w.say("standby: no leader yet")
	for ctx.Err() == nil {
		term, resign := context.WithCancel(ctx)
		off := false
		err := cfg.Kube.Lead(term, w.zone, *cfg.Lease, leaseCalls(w, func(lead context.Context) {
			off = w.lead(lead)
			if off {
				resign()
			}
		}))
		resign()
		wait := time.Duration(0)
		switch {
		case err != nil:
			w.say("standby: " + err.Error())
			wait = standDown
		case off:
			w.say("standby: another writer took the zone over")
			wait = standDown
		}
		retry.Sleep(ctx, wait)
	}
}

// lead writes until the Lease is lost, or the zone itself: then it says so.
func (w *Zone) lead(ctx context.Context) (takenOff bool) {
	w.say("")
	w.note("leads the zone")
	w.term(true)
	defer w.term(false)
	w.r.SetMode(reconciler.Write)
	defer w.note("no longer leads the zone")
	defer w.say("standby")
	defer w.r.SetMode(reconciler.Observe)
	// Every state of the reconciler comes with a revision, after it is there.
	ticks, stop := w.o.Subscribe()
	defer stop()
	began := false
	for {
		st := w.r.State()
		began = began || (st.Writes && !st.TakenOff)
		if began && st.TakenOff {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-ticks:
		}
	}
}

func leaseCalls(w *Zone, lead func(context.Context)) kube.LeaseCalls {
	last := "" // Trouble is called from one goroutine, again at every try
	return kube.LeaseCalls{
		Lead:  lead,
		Other: func(id string) { w.say("standby: " + id + " leads") },
		Trouble: func(err error) {
			if err.Error() == last {
				return
			}
			last = err.Error()
			w.say("standby: " + last)
			w.o.Record(model.Activity{Zone: w.zone, By: "lease", Summary: "keep the zone's Lease",
				Error: err.Error()})
		},
	}
}

func (w *Zone) say(lease string) { w.set(func() { w.lease = lease }) }

func (w *Zone) note(what string) {
	w.o.Record(model.Activity{Zone: w.zone, By: "lease", Summary: w.o.cfg.Writer + " " + what})
}

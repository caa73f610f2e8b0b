package zones

import (
	"context"
	"errors"
	"time"

	"rung/model"
	"rung/reconciler"
	"rung/sources/kube"
	"rung/sources/retry"
)

// campaignPause is how long a replica that was removed from a zone does not campaign for it: whoever took the zone
// may hold no Lease.
const campaignPause = time.Minute

// campaign lets the reconciler write while this replica holds the zone's Lease.
func (w *OwnedZone) campaign(ctx context.Context) {
	cfg := &w.owners.cfg
	w.publishLease("standby: no leader yet")
	for ctx.Err() == nil {
		term, resign := context.WithCancel(ctx)
		off := false
		err := cfg.Kube.CampaignForZone(term, w.zone, *cfg.Lease, leaseCalls(w, func(lead context.Context) {
			off = w.writeAsLeader(lead)
			if off {
				resign()
			}
		}))
		resign()
		if err == nil && off {
			err = errors.New("another writer took the zone over")
		}
		if err != nil {
			w.publishLease("standby: " + err.Error())
			retry.Sleep(ctx, campaignPause)
		}
	}
}

// writeAsLeader writes until the Lease or the zone itself is lost; takenOff reports that the zone was lost.
func (w *OwnedZone) writeAsLeader(ctx context.Context) (takenOff bool) {
	w.publishLease("")
	w.noteActivity("leads the zone")
	w.setTerm(true)
	defer w.setTerm(false)
	w.reconciler.SetMode(reconciler.Write)
	defer w.noteActivity("no longer leads the zone")
	defer w.publishLease("standby")
	defer w.reconciler.SetMode(reconciler.Observe)
	// Each state of the reconciler appears before the revision that shows it.
	ticks, stop := w.owners.Subscribe()
	defer stop()
	began := false
	for ok := true; ok; ok = retry.Await(ctx, ticks) {
		st := w.reconciler.State()
		began = began || (st.Writes && !st.TakenOff)
		if began && st.TakenOff {
			return true
		}
	}
	return false
}

func leaseCalls(w *OwnedZone, lead func(context.Context)) kube.LeaseCalls {
	last := "" // Trouble is called by one goroutine, at every attempt
	return kube.LeaseCalls{
		Lead:  lead,
		Other: func(id string) { w.publishLease("standby: " + id + " leads") },
		Trouble: func(err error) {
			if err.Error() == last {
				return
			}
			last = err.Error()
			w.publishLease("standby: " + last)
			w.owners.RecordActivity(model.Activity{Zone: w.zone, By: "lease", Summary: "keep the zone's Lease",
				Error: err.Error()})
		},
	}
}

func (w *OwnedZone) publishLease(lease string) { w.updateGuard(func() { w.lease = lease }) }

func (w *OwnedZone) noteActivity(what string) {
	w.owners.RecordActivity(model.Activity{Zone: w.zone, By: "lease", Summary: w.owners.cfg.Writer + " " + what})
}

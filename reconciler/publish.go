package reconciler

import (
	"maps"
	"time"

	"rung/model"
)

// publish hands out the next state when there is news and its time has come, or
// at once.
func (w *worker) publish(now bool) {
	if !w.stateNews && len(w.unshown) == 0 {
		return
	}
	if w.newsAt.IsZero() {
		w.newsAt = time.Now()
	}
	if !now && time.Now().Before(w.publishable()) {
		return
	}
	w.newsAt, w.publishAt = time.Time{}, time.Now().Add(w.cfg.Publish)
	if len(w.unshown) > 0 {
		w.zone.Policies = w.joined()
	}
	w.stateNews = false
	clear(w.unshown)
	w.zone.Endpoint = w.cfg.Zone.Endpoint() // a pod that came anew has another
	w.zone.Writes = w.mode == Write
	w.zone.Paused = w.paused()
	w.zone.Note, w.zone.Held, w.zone.TakenOff = w.fence.guard.Note, w.fence.epoch != 0, w.fence.lost
	if w.fence.Fence != nil {
		w.zone.Writer, w.zone.Epoch = holderIn(w.zone.DB)
	}
	w.zone.Disowned = w.t.RowsDisowned()
	w.zone.Pending, w.standing = 0, 0
	for _, p := range w.zone.Policies {
		if w.stands(p) {
			w.standing++
		}
		if w.mode == Write && p.Missing+p.Extra+p.Different > p.Blocked && p.None == nil && !p.NotComparable &&
			!w.leaves(p.Policy) {
			w.zone.Pending++
		}
	}
	w.zone.Settles = w.zone.NextBehind(w.now())
	z := w.zone
	w.state.Store(&z)
	w.cfg.OnState(&z)
}

// publishable is when news may be published. While something is written and not seen yet
// they wait for the rows, but no longer than Config.Publish: nobody has time to see the
// state before, and to make that state would take time from writing.
func (w *worker) publishable() time.Time {
	if at := w.newsAt.Add(w.cfg.Publish); !w.newsAt.IsZero() && len(w.busy) > 0 && at.After(w.publishAt) {
		return at
	}
	return w.publishAt
}

// stands says whether a unit's rows differ and are not written for a reason that
// is theirs alone.
func (w *worker) stands(p *model.PolicyInZone) bool {
	return w.mode == Write && (p.NotComparable || p.Blocked > 0) && !w.leaves(p.Policy)
}

// lookAgain compares what stands once more, now and then: it costs little, and
// nothing stays as it is because a change was missed.
func (w *worker) lookAgain() {
	now := time.Now()
	if w.standing == 0 || now.Before(w.againAt) {
		return
	}
	w.againAt = now.Add(w.cfg.Again)
	for k, p := range w.zone.Policies {
		if w.stands(p) {
			w.t.CompareAgain(k)
		}
	}
	w.takeDirty()
}

// joined is the next map of policies; what did not change is shared.
func (w *worker) joined() map[model.PolicyKey]*model.PolicyInZone {
	out := make(map[model.PolicyKey]*model.PolicyInZone, len(w.zone.Policies)+len(w.unshown))
	maps.Copy(out, w.zone.Policies)
	for k := range w.unshown {
		p := w.t.Join(k)
		// Before everything is loaded a policy that is not there may yet come.
		if p == nil || (w.t.Compiled(k) == nil && !w.loaded) {
			delete(out, k)
			continue
		}
		if f := w.fails[k]; f != nil {
			p.Error, p.ErrorAt, p.Tries = f.text, f.at, f.tries
		}
		out[k] = p
	}
	return out
}

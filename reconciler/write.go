package reconciler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rung/model"
	"rung/model/clean"
	"rung/model/ovn/nb"
	"rung/sources/retry"
)

// manyUnknowns is how many transactions in a row may end unknown before
// policies go one by one: one of them may be what the server stumbles over.
const manyUnknowns = 3

// write sends what is ready as one transaction, when nothing speaks against it.
// Policies whose last write was refused go alone, after the others.
func (w *worker) write(ctx context.Context) {
	if w.mayClaim() && !time.Now().Before(w.notBefore) {
		f := &flight{reads: w.reads}
		f.ops, f.claim = w.fence.claimOps(w.zone.DB)
		w.start(ctx, f)
		return
	}
	under := len(w.flights.under)
	may := func() bool {
		return w.mode == Write && w.room() && len(w.ready) > 0 && w.paused() == "" && !time.Now().Before(w.notBefore)
	}
	for len(w.flights.under) == under && may() {
		var together, alone []model.PolicyKey
		w.held = 0
		for k := range w.ready {
			if w.heldBack(k) {
				w.held++
				continue
			}
			_, single := w.alone[k]
			if single || w.fails[k] != nil || w.unknowns >= manyUnknowns {
				alone = append(alone, k)
			} else {
				together = append(together, k)
			}
		}
		if under > 0 {
			w.held += len(alone)
			alone = nil
		}
		if len(together)+len(alone) == 0 {
			return
		}
		if len(together) == 0 {
			slices.SortFunc(alone, w.order)
			together = alone[:1]
		}
		slices.SortFunc(together, w.order)
		w.send(ctx, together)
	}
}

// A transaction takes at most one part in gatherShare of the time, as long as it
// holds what follows up for no more than gatherMost times Config.Gather.
const (
	gatherShare = 4
	gatherMost  = 5
)

// gather puts the next transaction off.
func (w *worker) gather(d time.Duration) {
	if t := time.Now().Add(d); t.After(w.notBefore) {
		w.notBefore = t
	}
}

// order sorts units that are gone before others, so that what they held is free
// again (a priority), then as rank has it, then by key.
func (q *queue) order(a, b model.PolicyKey) int {
	ga, gb := q.t.Compiled(a) == nil, q.t.Compiled(b) == nil
	if ga != gb {
		if ga {
			return -1
		}
		return 1
	}
	if ra, rb := rank(a.Kind), rank(b.Kind); ra != rb && ga {
		return cmp.Compare(rb, ra)
	} else if ra != rb {
		return cmp.Compare(ra, rb)
	}
	return a.Compare(b)
}

// rank is when a unit is written, where not all fit into one transaction: the sets
// that matches name, then policies, and what denies the rest last, as
// OVN-Kubernetes does (ovn-kubernetes.md#isolation-groups). Units go the other way
// round.
func rank(k model.Kind) int {
	switch k {
	case model.KindPodSelector, model.KindEFDNS:
		return 0
	case model.KindNetpolNamespace:
		return 2
	}
	return 1
}

// heldBack says whether a unit has to wait for others whose writes are not
// through: what denies the rest of a namespace for the NetworkPolicies that allow
// something there, and a set that nobody wants any more for the policies whose
// live rows may still name it, or do so for good.
func (q *queue) heldBack(k model.PolicyKey) bool {
	switch {
	case rank(k.Kind) == 2:
		return q.unfinished(func(o model.PolicyKey) bool { return o.Kind == model.KindNP && o.Namespace == k.Namespace })
	case rank(k.Kind) == 0 && q.t.Compiled(k) == nil:
		return q.t.NamedByFrozenRows(k) ||
			q.unfinished(func(o model.PolicyKey) bool { return !o.Kind.IsAdmin() && rank(o.Kind) == 1 })
	}
	return false
}

// unfinished says whether such a unit was written and is not seen yet, could not
// be written, or is to be tried alone.
func (q *queue) unfinished(such func(model.PolicyKey) bool) bool {
	return anyKey(q.alone, such) || anyKey(q.busy, such) || anyKey(q.fails, such)
}

func anyKey[V any](m map[model.PolicyKey]V, such func(model.PolicyKey) bool) bool {
	for k := range m {
		if such(k) {
			return true
		}
	}
	return false
}

// send takes the policies off the ready list and starts their transaction. Policies
// without operations are done; policies that do not fit in stay.
func (w *worker) send(ctx context.Context, keys []model.PolicyKey) {
	f := &flight{reads: w.reads, ops: w.fence.guards(w.zone.DB)}
	b := w.t.NewOps()
	size := 0
	for _, k := range keys {
		ops := b.Policy(k)
		if len(ops) == 0 {
			delete(w.ready, k)
			w.settled(k)
			continue
		}
		n := weight(ops)
		if len(f.parts) > 0 && size+n > w.cfg.MaxBatch {
			f.full = size <= w.cfg.MaxBatch
			break
		}
		size += n
		delete(w.ready, k)
		w.busy[k] = nil
		f.parts = append(f.parts, part{key: k, c: w.t.Compiled(k), from: len(f.ops), to: len(f.ops) + len(ops)})
		f.ops = append(f.ops, ops...)
	}
	if len(f.parts) == 0 {
		return
	}
	f.all = len(w.ready) == 0
	if f.all {
		w.gather(w.cfg.Gather)
	}
	w.start(ctx, f)
}

// settled books a policy whose live rows are as desired, as far as they are to
// be written.
func (w *worker) settled(k model.PolicyKey) {
	w.forgive(k)
	delete(w.alone, k)
	delete(w.late, k)
	c := w.t.Compiled(k)
	switch {
	case c == nil:
		w.reports.gone(k)
	case !k.Kind.IsAdmin(): // others have no conditions of a zone
	case c.None != nil:
		w.reports.none(c.Policy, c.None)
	default:
		w.reports.success(c.Policy)
	}
}

// forgive forgets the failures of a policy.
func (w *worker) forgive(k model.PolicyKey) {
	if w.fails[k] != nil {
		delete(w.fails, k)
		w.retries.Forget(k)
		w.unshown[k] = struct{}{}
	}
}

// finished takes in what became of the transaction under way.
func (w *worker) finished(o outcome) {
	f := o.flight
	w.flights.under = slices.DeleteFunc(w.flights.under, func(o *flight) bool { return o == f })
	f.began = f.began.Add(o.waited)
	result := ResultUnknown
	switch {
	case errors.Is(o.err, errNotSent):
		result = ""
		w.unwritten(f)
	case f.claim != 0:
		result = claimResult(o)
		w.claimed(f, o)
	case errors.Is(o.err, model.ErrWait):
		w.heard(f)
		result = ResultFenced
		w.unwritten(f) // somebody else has taken the zone over: nothing was done
		w.loseFence(f.ops, f.began, o.took)
	case o.err == nil:
		w.heard(f)
		result = ResultOK
		if slices.ContainsFunc(o.results, func(r nb.OpResult) bool { return r.Error != "" }) {
			result = ResultRefused
		}
		if f.all {
			w.gather(min(gatherShare*o.took, gatherMost*w.cfg.Gather) - o.took)
		}
		w.succeeded(f, o)
	case errors.Is(o.err, model.ErrRefused):
		w.heard(f)
		result = ResultRefused
		w.refused(f, o)
	default:
		w.lost(f, o)
	}
	f.behind = nil
	if w.reread && len(w.flights.under) == 0 {
		w.askResync()
	}
	if result != "" {
		w.cfg.OnTransaction(Transaction{Result: result, Took: o.took})
	}
	w.takeDirty()
}

// unwritten has the policies of a transaction written anew, if they still are to be:
// nothing was done for them.
func (w *worker) unwritten(f *flight) {
	for _, p := range f.parts {
		delete(w.busy, p.key)
		if w.mode == Write {
			w.ready[p.key] = struct{}{}
		}
	}
}

// heard ends a row of unknown outcomes. The outcome of a transaction sent behind one
// whose outcome is unknown says nothing about the next: a server in trouble may refuse
// to commit the one and commit the other.
func (w *worker) heard(f *flight) {
	if !f.behindLost() {
		w.unknowns = 0
	}
}

// succeeded holds the policies until the rows show what was written.
func (w *worker) succeeded(f *flight, o outcome) {
	lacking := false
	for _, p := range f.parts {
		ops, res := f.ops[p.from:p.to], o.results[p.from:p.to]
		w.cfg.OnActivity(w.activity(p.key, ops, f.began, o.took, ""))
		if i := slices.IndexFunc(res, func(r nb.OpResult) bool { return r.Error != "" }); i >= 0 {
			w.fail(p, res[i].Error)
			continue
		}
		w.forgive(p.key)
		delete(w.alone, p.key)
		gone := false
		for i := range ops {
			gone = gone || (ops[i].Kind != nb.OpInsert && res[i].Count == 0)
		}
		if gone {
			// A row is not where it was read: what we know is old.
			lacking = true
		} else if p.c == nil {
			w.reports.gone(p.key)
		} else if p.key.Kind.IsAdmin() {
			w.reports.success(p.c.Policy)
		}
		w.busy[p.key] = &hold{ops: slices.Clone(ops), results: slices.Clone(res), until: time.Now().Add(w.cfg.Confirm)}
	}
	if lacking {
		w.doubt("a row had changed since it was read: reading all rows again")
		w.askResync()
	}
	w.seen()
}

// refused tries the policies one by one when there were several, so that only
// the culprit has to wait.
func (w *worker) refused(f *flight, o outcome) {
	text := clean.Text(o.err.Error())
	if len(f.parts) == 1 {
		p := f.parts[0]
		w.fail(p, text)
		w.cfg.OnActivity(w.activity(p.key, f.ops[p.from:], f.began, o.took, text))
		return
	}
	a := w.activity(model.PolicyKey{}, f.ops, f.began, o.took, text)
	a.Summary = fmt.Sprintf("%d policies refused together: trying them one by one", len(f.parts))
	w.cfg.OnActivity(a)
	if !f.behindLost() {
		w.notBefore = time.Time{} // nothing was written
	}
	for _, p := range f.parts {
		delete(w.busy, p.key)
		w.alone[p.key] = struct{}{}
		w.ready[p.key] = struct{}{}
	}
}

// fail books a refused write of one policy and lets it back off by itself.
func (w *worker) fail(p part, text string) {
	delete(w.busy, p.key)
	delete(w.alone, p.key)
	w.unshown[p.key] = struct{}{}
	if w.mode != Write {
		return
	}
	w.retries.AddRateLimited(p.key)
	w.fails[p.key] = &failure{text: text, at: w.now(), tries: w.retries.NumRequeues(p.key), c: p.c}
	if p.c != nil && p.key.Kind.IsAdmin() {
		w.reports.failed(p.c.Policy, text)
	}
	w.enqueue(p.key) // in case it changed meanwhile
}

// lost books a transaction nobody knows the outcome of: it may have happened.
// Nothing is written before all rows were read again.
func (w *worker) lost(f *flight, o outcome) {
	f.lost = true
	if !f.behindLost() { // else it is the same break
		w.unknowns++
	}
	if w.cfg.Fence != nil {
		w.fading = append(w.fading, fading{f.ops, w.now().Add(w.fence.Quiet)})
	}
	w.notBefore = time.Now().Add(retry.After(w.unknowns, w.cfg.BackoffMin, w.cfg.BackoffMax))
	text := clean.Text(o.err.Error())
	w.unwritten(f)
	for _, p := range f.parts {
		w.cfg.OnActivity(w.activity(p.key, f.ops[p.from:p.to], f.began, o.took, "outcome unknown: "+text))
	}
	if f.reads == w.reads {
		w.doubt("outcome of the last write unknown (" + text + "): waiting for a fresh read")
	}
}

// weight is the size of a transaction: operations and what they carry.
func weight(ops []nb.Op) int {
	n := len(ops)
	for i := range ops {
		for _, m := range ops[i].Mutations {
			n += len(m.Strings) + len(m.Refs)
		}
		for _, v := range ops[i].Row {
			n += length(v)
		}
	}
	return n
}

package reconciler

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/sources/retry"
)

// manyUnknowns is the number of unknown outcomes in a row after which policies go one by one: one of them may
// cause the trouble.
const manyUnknowns = 3

// writeReady sends the ready policies as one transaction, if allowed. Policies whose last write was rejected
// go alone, after the others.
func (w *worker) writeReady(ctx context.Context) {
	if w.mayClaim() && !time.Now().Before(w.notBefore) {
		f := &flight{reads: w.reads}
		f.ops, f.claim = w.fence.claimOps(w.zone.DB)
		w.startTransaction(ctx, f)
		return
	}
	under := len(w.flights.underWay)
	may := func() bool {
		return w.mode == Write && w.maySend() && len(w.readyPolicies) > 0 && w.whyPaused() == "" && !time.Now().Before(w.notBefore)
	}
	for len(w.flights.underWay) == under && may() {
		var together, alone []model.PolicyKey
		w.waitingCount = 0
		for k := range w.readyPolicies {
			if w.isHeldBack(k) {
				w.waitingCount++
				continue
			}
			_, single := w.oneByOne[k]
			if single || w.failures[k] != nil || w.unknowns >= manyUnknowns {
				alone = append(alone, k)
			} else {
				together = append(together, k)
			}
		}
		if under > 0 {
			w.waitingCount += len(alone)
			alone = nil
		}
		if len(together)+len(alone) == 0 {
			return
		}
		if len(together) == 0 {
			slices.SortFunc(alone, w.comparePolicies)
			together = alone[:1]
		}
		slices.SortFunc(together, w.comparePolicies)
		w.sendPolicies(ctx, together)
	}
}

// Transactions take at most one part in gatherShare of the time. But changes wait no longer than gatherMost
// times Config.Gather.
const (
	gatherShare = 4
	gatherMost  = 5
)

// putOffWriting delays the next transaction.
func (w *worker) putOffWriting(d time.Duration) {
	if t := time.Now().Add(d); t.After(w.notBefore) {
		w.notBefore = t
	}
}

// comparePolicies sorts removed units first, to free what they hold, such as a priority; then by writeRank,
// then by key.
func (q *writeQueue) comparePolicies(a, b model.PolicyKey) int {
	rank := func(k model.PolicyKey) int {
		if q.tracker.CompiledUnit(k) == nil {
			return -1 - writeRank(k.Kind)
		}
		return writeRank(k.Kind)
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), a.Compare(b))
}

// writeRank orders units that do not fit into one transaction: first the sets that matches name, then
// policies, last the default denies, as OVN-Kubernetes does (ovn-kubernetes.md#isolation-groups). Removed
// units go in reverse.
func writeRank(k model.Kind) int {
	switch k {
	case model.KindPodSelector, model.KindEFDNS:
		return 0
	case model.KindNetpolNamespace:
		return 2
	}
	return 1
}

// isHeldBack reports whether a unit has to wait for other writes. A namespace's default deny waits for its
// NetworkPolicies, which allow traffic. A removed set waits for the policies whose live rows may still name
// it; with frozen rows it waits for good.
func (q *writeQueue) isHeldBack(k model.PolicyKey) bool {
	switch {
	case writeRank(k.Kind) == 2:
		return q.hasUnfinished(func(o model.PolicyKey) bool { return o.Kind == model.KindNP && o.Namespace == k.Namespace })
	case writeRank(k.Kind) == 0 && q.tracker.CompiledUnit(k) == nil:
		return q.tracker.NamedByFrozenRows(k) ||
			q.hasUnfinished(func(o model.PolicyKey) bool { return !o.Kind.IsAdmin() && writeRank(o.Kind) == 1 })
	}
	return false
}

// hasUnfinished reports whether such a unit is written but not seen, has failed, or waits to be tried alone.
func (q *writeQueue) hasUnfinished(such func(model.PolicyKey) bool) bool {
	return hasKeyWhere(q.oneByOne, such) || hasKeyWhere(q.unconfirmed, such) || hasKeyWhere(q.failures, such)
}

func hasKeyWhere[V any](m map[model.PolicyKey]V, such func(model.PolicyKey) bool) bool {
	for k := range m {
		if such(k) {
			return true
		}
	}
	return false
}

// sendPolicies takes policies off the ready list and starts their transaction. Policies without operations are
// done. Policies without room stay on the list.
func (w *worker) sendPolicies(ctx context.Context, keys []model.PolicyKey) {
	f := &flight{reads: w.reads, ops: w.fence.guardOps(w.zone.DB)}
	b := w.tracker.NewOps()
	size := 0
	for _, k := range keys {
		ops := b.PolicyOps(k)
		if len(ops) == 0 {
			delete(w.readyPolicies, k)
			w.settlePolicy(k)
			continue
		}
		n := transactionSize(ops)
		if len(f.parts) > 0 && size+n > w.cfg.MaxBatch {
			f.isFull = size <= w.cfg.MaxBatch
			break
		}
		size += n
		delete(w.readyPolicies, k)
		w.unconfirmed[k] = nil
		f.parts = append(f.parts, policyShare{key: k, unit: w.tracker.CompiledUnit(k), firstOp: len(f.ops), endOp: len(f.ops) + len(ops)})
		f.ops = append(f.ops, ops...)
	}
	if len(f.parts) == 0 {
		return
	}
	f.takesAll = len(w.readyPolicies) == 0
	if f.takesAll {
		w.putOffWriting(w.cfg.Gather)
	}
	w.startTransaction(ctx, f)
}

// settlePolicy records a policy with nothing left to write.
func (w *worker) settlePolicy(k model.PolicyKey) {
	w.forgetFailures(k)
	delete(w.oneByOne, k)
	delete(w.unseenCount, k)
	c := w.tracker.CompiledUnit(k)
	switch {
	case c == nil:
		w.reports.forgetPolicy(k)
	case !k.Kind.IsAdmin(): // only admin policies have conditions per zone
	case c.WhyNoRows != nil:
		w.reports.reportNoRows(c.Policy, c.WhyNoRows)
	default:
		w.reports.reportSuccess(c.Policy)
	}
}

// forgetFailures forgets the failures of a policy.
func (w *worker) forgetFailures(k model.PolicyKey) {
	if w.failures[k] != nil {
		delete(w.failures, k)
		w.unpublished[k] = struct{}{}
	}
}

// finishTransaction processes the outcome of a transaction.
func (w *worker) finishTransaction(o flightOutcome) {
	f := o.flight
	w.flights.underWay = slices.DeleteFunc(w.flights.underWay, func(o *flight) bool { return o == f })
	f.began = f.began.Add(o.waited)
	result := o.result()
	if f.claim == 0 && result != "" && result != ResultUnknown && !f.followsUnknown() {
		// A transaction behind an unknown one proves nothing: a server in trouble may commit only the second.
		w.unknowns = 0
	}
	switch {
	case result == "":
		w.requeuePolicies(f)
	case f.claim != 0:
		w.finishClaim(f, o)
	case result == ResultFenced:
		w.requeuePolicies(f) // another writer has the zone: nothing was written
		w.loseFence(f.ops, f.began, o.took)
	case o.err == nil:
		if f.takesAll {
			w.putOffWriting(min(gatherShare*o.took, gatherMost*w.cfg.Gather) - o.took)
		}
		w.holdUntilSeen(f, o)
	case result == ResultRefused:
		w.retryOneByOne(f, o)
	default:
		w.bookUnknown(f, o)
	}
	f.before = nil
	if w.rereadWanted && len(w.flights.underWay) == 0 {
		w.askResync()
	}
	if result != "" {
		w.cfg.OnTransaction(Transaction{Result: result, Took: o.took})
	}
	w.takeDirty()
}

// requeuePolicies queues a transaction's policies again, if the mode is Write.
func (w *worker) requeuePolicies(f *flight) {
	for _, p := range f.parts {
		delete(w.unconfirmed, p.key)
		if w.mode == Write {
			w.readyPolicies[p.key] = struct{}{}
		}
	}
}

// holdUntilSeen holds policies back until their rows are seen.
func (w *worker) holdUntilSeen(f *flight, o flightOutcome) {
	lacking := false
	for _, p := range f.parts {
		ops, res := f.ops[p.firstOp:p.endOp], o.results[p.firstOp:p.endOp]
		w.cfg.OnActivity(w.newActivity(p.key, ops, f.began, o.took, ""))
		if i := slices.IndexFunc(res, func(r nb.OpResult) bool { return r.Error != "" }); i >= 0 {
			w.bookFailure(p, res[i].Error)
			continue
		}
		w.forgetFailures(p.key)
		delete(w.oneByOne, p.key)
		gone := false
		for i := range ops {
			gone = gone || (ops[i].Kind != nb.OpInsert && res[i].Count == 0)
		}
		if gone {
			// The row is gone, so the known rows are outdated.
			lacking = true
		} else if p.unit == nil {
			w.reports.forgetPolicy(p.key)
		} else if p.key.Kind.IsAdmin() {
			w.reports.reportSuccess(p.unit.Policy)
		}
		w.unconfirmed[p.key] = &writtenHold{ops: slices.Clone(ops), results: slices.Clone(res), until: time.Now().Add(w.cfg.Confirm)}
	}
	if lacking {
		w.stopUntilReread("a row had changed since it was read: reading all rows again")
		w.askResync()
	}
	w.releaseSeen()
}

// retryOneByOne retries the policies of a rejected transaction one by one, so that only the faulty one waits.
// A single policy has failed.
func (w *worker) retryOneByOne(f *flight, o flightOutcome) {
	text := words.CleanText(o.err.Error())
	if len(f.parts) == 1 {
		p := f.parts[0]
		w.bookFailure(p, text)
		w.cfg.OnActivity(w.newActivity(p.key, f.ops[p.firstOp:], f.began, o.took, text))
		return
	}
	a := w.newActivity(model.PolicyKey{}, f.ops, f.began, o.took, text)
	a.Summary = fmt.Sprintf("%d policies rejected together: retrying one by one", len(f.parts))
	w.cfg.OnActivity(a)
	if !f.followsUnknown() {
		w.notBefore = time.Time{} // nothing was written
	}
	for _, p := range f.parts {
		delete(w.unconfirmed, p.key)
		w.oneByOne[p.key] = struct{}{}
		w.readyPolicies[p.key] = struct{}{}
	}
}

// bookFailure records a policy's rejected write and starts its back-off.
func (w *worker) bookFailure(p policyShare, text string) {
	delete(w.unconfirmed, p.key)
	delete(w.oneByOne, p.key)
	w.unpublished[p.key] = struct{}{}
	if w.mode != Write {
		return
	}
	tries := 1
	if f := w.failures[p.key]; f != nil {
		tries += f.tries
	}
	w.failures[p.key] = &writeFailure{text: text, failedAt: w.now(), tries: tries, unit: p.unit,
		retryAt: time.Now().Add(min(w.cfg.BackoffMin<<min(tries-1, 20), w.cfg.BackoffMax))}
	if p.unit != nil && p.key.Kind.IsAdmin() {
		w.reports.reportFailure(p.unit.Policy, text)
	}
	w.enqueue(p.key) // it may have changed meanwhile
}

// bookUnknown records a transaction with an unknown outcome, which may have been committed. Nothing is written
// before all rows have been read again.
func (w *worker) bookUnknown(f *flight, o flightOutcome) {
	f.outcomeLost = true
	if !f.followsUnknown() { // else the same failure caused both
		w.unknowns++
	}
	if w.cfg.Fence != nil {
		w.unknownOutcomes = append(w.unknownOutcomes, unknownTransaction{f.ops, w.now().Add(w.fence.Quiet)})
	}
	w.notBefore = time.Now().Add(retry.WaitAfter(w.unknowns, w.cfg.BackoffMin, w.cfg.BackoffMax))
	text := words.CleanText(o.err.Error())
	w.requeuePolicies(f)
	for _, p := range f.parts {
		w.cfg.OnActivity(w.newActivity(p.key, f.ops[p.firstOp:p.endOp], f.began, o.took, "outcome unknown: "+text))
	}
	if f.reads == w.reads {
		w.stopUntilReread("outcome of the last write unknown (" + text + "): waiting for a fresh read")
	}
}

// transactionSize counts the operations and members of a transaction.
func transactionSize(ops []nb.Op) int {
	n := len(ops)
	for i := range ops {
		for _, m := range ops[i].Mutations {
			n += len(m.Strings) + len(m.Refs)
		}
		for _, v := range ops[i].Row {
			n += memberCount(v)
		}
	}
	return n
}

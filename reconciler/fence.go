package reconciler

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/sources/retry"
)

// ZoneFence is for a zone that others may write as well. Two keys in
// NB_Global.external_ids say who writes and since which epoch. A writer takes over
// by setting its own name and the next epoch, on the condition that they are what
// it read; from then on each of its transactions begins with a wait on them. So a
// writer that was stopped, or cut off from its Lease, cannot write any more
// once somebody else has taken over, whatever it believes itself.
//
// Losing the zone ends writing until SetMode has been through Observe: whoever
// calls it knows whether the zone is this process's again.
type ZoneFence struct {
	// Writer names this process. No other, nor a later start of it, has this name.
	Writer string
	// Quiet is how long nothing is written after another writer changed a row of
	// Rung's owner types (60 s when 0). OVSDB knows no times: a zone that holds
	// such rows and no writer's name is watched for as long before the first write.
	Quiet time.Duration
	// Guard to begin with.
	Guard ZoneGuard
}

// ZoneGuard is the knowledge that the owner of a reconciler has of other writers of the
// zone.
type ZoneGuard struct {
	// WhyHeld says why nothing may be written; empty when it may.
	WhyHeld string
	// Starting reports whether WhyHeld ends by itself once everything was read.
	Starting bool
	// Notice is to be seen although it keeps nothing from being written.
	Notice string
}

const defaultQuiet = 60 * time.Second

// fenceState is the fence of one zone's loop.
type fenceState struct {
	*ZoneFence // nil: the zone is Rung's own
	guard      ZoneGuard
	// epoch is the one held, 0 without; newest the highest this process claimed.
	epoch, newest int64
	// epochLost says that the epoch was taken away and must not be retaken; had is the one
	// that was, and rival that another writer has been seen since.
	epochLost, rivalSeen bool
	lostEpoch            int64
	// tries counts claims in a row that failed, failure says how the last did.
	tries   int
	failure string
	// foreign is the newest change by another writer, at its time.
	foreign   string
	foreignAt time.Time // zero: none, or long ago
	rowsRead  bool      // the rows were read once
}

// HolderIn returns the writer and the epoch that NB_Global names; empty and 0 if it names none.
func HolderIn(db *nb.DB) (writer string, epoch int64) {
	g := db.Global()
	if g == nil {
		return "", 0
	}
	epoch, _ = strconv.ParseInt(g.ExternalIDs[nb.KeyEpoch], 10, 64)
	return g.ExternalIDs[nb.KeyWriter], max(epoch, 0)
}

// whyFenced says why a fenced zone is not written, apart from not having been taken
// over yet.
func (f *fenceState) whyFenced(db *nb.DB) string {
	switch {
	case f.ZoneFence == nil:
		return ""
	case f.guard.WhyHeld != "" && (!f.guard.Starting || f.foreignAt.IsZero()):
		return f.guard.WhyHeld
	case f.epochLost:
		writer, epoch := HolderIn(db)
		return fmt.Sprintf("another writer holds the zone: %s, epoch %d", writer, epoch)
	case db.Global() == nil:
		return "the database has no NB_Global row: writers cannot be kept apart there"
	case !f.foreignAt.IsZero():
		return fmt.Sprintf("%s: waiting %s, until %s, for other writers", f.foreign, f.Quiet, f.foreignAt.Add(f.Quiet).Format(time.TimeOnly))
	}
	return ""
}

// whyNotYet says why a zone that may be written is not yet.
func (f *fenceState) whyNotYet() string {
	switch {
	case f.ZoneFence == nil || f.epoch != 0:
		return ""
	case f.failure != "":
		return "taking the zone over: " + f.failure
	}
	return "taking the zone over"
}

// guardOps returns the operations that begin a transaction: the wait that fails unless
// this writer still holds the zone's epoch. It is nil for a zone without a fence.
func (f *fenceState) guardOps(db *nb.DB) []nb.Op {
	if f.ZoneFence == nil {
		return nil
	}
	return []nb.Op{{Kind: nb.OpWait, Table: nb.TableGlobal, UUID: db.Global().UUID,
		Has: map[string]map[string]string{"external_ids": f.fenceKeys(f.epoch)}}}
}

func (f *fenceState) fenceKeys(epoch int64) map[string]string {
	return map[string]string{nb.KeyWriter: f.Writer, nb.KeyEpoch: strconv.FormatInt(epoch, 10)}
}

// mayClaim says whether the zone is to be taken over and nothing speaks against it.
func (w *worker) mayClaim() bool {
	return w.mode == Write && w.flights.newest() == nil && w.whyBlocked() == "" && w.fence.whyNotYet() != ""
}

// claimOps takes the zone over if it is still held as the rows say. Where a key
// is missing the whole column is waited for: an absence cannot be.
func (f *fenceState) claimOps(db *nb.DB) (ops []nb.Op, epoch int64) {
	g := db.Global()
	wait := nb.Op{Kind: nb.OpWait, Table: nb.TableGlobal, UUID: g.UUID}
	writer, hasWriter := g.ExternalIDs[nb.KeyWriter]
	was, hasEpoch := g.ExternalIDs[nb.KeyEpoch]
	if hasWriter && hasEpoch {
		wait.Has = map[string]map[string]string{"external_ids": {nb.KeyWriter: writer, nb.KeyEpoch: was}}
	} else {
		wait.Row = map[string]any{"external_ids": g.ExternalIDs}
	}
	_, epoch = HolderIn(db)
	epoch = max(epoch, f.newest) + 1
	return []nb.Op{wait, {Kind: nb.OpMutate, Table: nb.TableGlobal, UUID: g.UUID, Mutations: []nb.Mutation{
		{Column: "external_ids", Strings: []string{nb.KeyWriter, nb.KeyEpoch}},
		{Column: "external_ids", Insert: true, Pairs: f.fenceKeys(epoch)},
	}}}, epoch
}

// finishClaim takes in what became of a claim.
func (w *worker) finishClaim(f *flight, o flightOutcome) {
	w.stateNews = true
	fe := &w.fence
	was, _ := HolderIn(w.zone.DB)
	a := w.activityOf(model.PolicyKey{}, f.ops, f.began, o.took, "")
	a.Summary = fmt.Sprintf("zone taken over as %s, epoch %d", fe.Writer, f.claim)
	if was != "" && was != fe.Writer {
		a.Summary += "; " + was + " held it"
	}
	if o.err == nil {
		fe.tries, fe.failure, fe.newest = 0, "", f.claim
		if w.mode == Write { // else the epoch is nobody's
			fe.epoch = f.claim
			w.notBefore = time.Time{}
		}
		w.cfg.OnActivity(a)
		return
	}
	if !errors.Is(o.err, model.ErrWait) && !errors.Is(o.err, model.ErrRefused) {
		fe.newest = f.claim // it may have happened
		w.bookUnknown(f, o)
		return
	}
	fe.tries++
	fe.failure = words.CleanText(o.err.Error())
	w.notBefore = time.Now().Add(retry.WaitAfter(fe.tries, w.cfg.BackoffMin, w.cfg.BackoffMax))
	a.Summary, a.Error = "take the zone over", fe.failure
	w.cfg.OnActivity(a)
}

func (w *worker) loseFence(ops []nb.Op, began time.Time, took time.Duration) {
	fe := &w.fence
	had := fe.epoch
	fe.epoch, w.stateNews = 0, true
	if had == 0 {
		return // it was given up meanwhile
	}
	writer, epoch := HolderIn(w.zone.DB)
	fe.lostEpoch, fe.rivalSeen = had, false
	fe.epochLost = !w.putKeysBack(w.zone.DB)
	a := w.activityOf(model.PolicyKey{}, ops, began, took, fmt.Sprintf("epoch %d is over", had))
	a.Summary = "writing stopped: no writer holds the zone now"
	if fe.epochLost {
		a.Summary = fmt.Sprintf("writing stopped: another writer holds the zone: %s, epoch %d", writer, epoch)
	}
	w.cfg.OnActivity(a)
}

// putKeysBack says whether nobody took the zone over although its epoch is not the one
// that was held: a database that knows no writer was made anew, and one in which this
// process holds an earlier epoch was put back. It can be had again, unless another
// writer was there in between: that one knows better. A database without a writer and without
// rows of ours is empty: whoever wrote the one before has lost it, too.
func (w *worker) putKeysBack(db *nb.DB) bool {
	f := &w.fence
	writer, epoch := HolderIn(db)
	switch {
	case writer != "" && writer != f.Writer:
		f.rivalSeen = true
	case writer == "" && w.countOwnRows(db) == 0:
		f.rivalSeen = false
	}
	return !f.rivalSeen && (writer == "" || epoch < f.lostEpoch)
}

// checkFence looks whether the rows say that somebody else took over, or that nobody
// did. Rows that are older than the claim say nothing.
func (w *worker) checkFence() {
	fe := &w.fence
	if fe.epoch == 0 {
		if fe.epochLost && w.putKeysBack(w.zone.DB) { // what was known when it was lost was old
			fe.epochLost, w.stateNews = false, true
		}
		return
	}
	writer, epoch := HolderIn(w.zone.DB)
	if epoch > fe.epoch || (epoch == fe.epoch && writer != fe.Writer) || writer == "" {
		w.loseFence(nil, w.now(), 0)
	}
}

// claimResult is the result of a claim as Transaction has it.
func claimResult(o flightOutcome) string {
	switch {
	case o.err == nil:
		return ResultOK
	case errors.Is(o.err, model.ErrWait):
		return ResultFenced
	case errors.Is(o.err, model.ErrRefused):
		return ResultRefused
	}
	return ResultUnknown
}

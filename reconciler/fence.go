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

// ZoneFence protects a zone that others may write too. Two keys in NB_Global.external_ids name the writer and
// its epoch. A writer takes over by setting its name and the next epoch, if both are still as it read them.
// From then on each of its transactions begins with a wait for these values. So a writer that was stopped, or
// lost its Lease, cannot write once another has taken over.
//
// After losing the zone, nothing is written until SetMode has been Observe: its caller knows whether this
// process may have the zone again.
type ZoneFence struct {
	// Writer names this process, uniquely: a later start has another name.
	Writer string
	// Quiet is the pause after another writer changed a row of Rung's owner types (60 s when 0). OVSDB has no
	// timestamps: a zone with such rows but no writer's name is watched for Quiet before the first write.
	Quiet time.Duration
	// Guard is the initial guard.
	Guard ZoneGuard
}

// ZoneGuard says what the reconciler's owner knows about other writers of the zone.
type ZoneGuard struct {
	// WhyHeld is why nothing may be written, empty if writing is allowed.
	WhyHeld string
	// Starting reports whether WhyHeld ends by itself once everything has been read.
	Starting bool
	// Notice is a warning that does not stop writing.
	Notice string
}

const defaultQuiet = 60 * time.Second

// fenceState is the fence's state in one zone's loop.
type fenceState struct {
	*ZoneFence // nil: the zone is Rung's own
	guard      ZoneGuard
	// epoch is the held epoch, or 0; newest the highest this process claimed.
	epoch, newest int64
	// epochLost is set after lostEpoch was taken away and must not be claimed again. otherWriterSeen is set if
	// another writer was seen since.
	epochLost, otherWriterSeen bool
	lostEpoch                  int64
	// tries counts failed claims in a row; failure is the last error.
	tries   int
	failure string
	// foreign is the last change by another writer, foreignAt its time.
	foreign   string
	foreignAt time.Time // zero: none within Quiet
	rowsRead  bool      // the rows were read at least once
}

// HolderIn returns the writer and epoch that NB_Global names, empty and 0 if none.
func HolderIn(db *nb.DB) (writer string, epoch int64) {
	g := db.Global()
	if g == nil {
		return "", 0
	}
	epoch, _ = strconv.ParseInt(g.ExternalIDs[nb.KeyEpoch], 10, 64)
	return g.ExternalIDs[nb.KeyWriter], max(epoch, 0)
}

// whyFenced returns why a fenced zone is not written, "" if only the takeover is missing.
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
		return "the database has no NB_Global row, which is needed to exclude other writers"
	case !f.foreignAt.IsZero():
		return fmt.Sprintf("%s: writing paused for %s, until %s", f.foreign, f.Quiet, f.foreignAt.Add(f.Quiet).Format(time.TimeOnly))
	}
	return ""
}

// whyNotYet returns why the takeover is not done, "" if it is or none is needed.
func (f *fenceState) whyNotYet() string {
	switch {
	case f.ZoneFence == nil || f.epoch != 0:
		return ""
	case f.failure != "":
		return "taking over the zone: " + f.failure
	}
	return "taking over the zone"
}

// guardOps returns the operations that begin a transaction: a wait that fails unless this writer still holds
// the epoch. It returns nil for a zone without a fence.
func (f *fenceState) guardOps(db *nb.DB) []nb.Op {
	if f.ZoneFence == nil {
		return nil
	}
	return []nb.Op{{Kind: nb.OpWait, Table: nb.TableGlobal, UUID: db.Global().UUID, Has: map[string]map[string]string{
		"external_ids": f.fenceKeys(f.epoch)}}}
}

func (f *fenceState) fenceKeys(epoch int64) map[string]string {
	return map[string]string{nb.KeyWriter: f.Writer, nb.KeyEpoch: strconv.FormatInt(epoch, 10)}
}

// mayClaim reports whether the zone should be taken over and may be.
func (w *worker) mayClaim() bool {
	return w.mode == Write && w.flights.newest() == nil && w.whyBlocked() == "" && w.fence.whyNotYet() != ""
}

// claimOps returns operations that take the zone over if the keys are still as read. Without a key they wait
// for the whole column, since a wait cannot require absence.
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

// finishClaim processes the outcome of a claim.
func (w *worker) finishClaim(f *flight, o flightOutcome) {
	w.stateNews = true
	fe := &w.fence
	was, _ := HolderIn(w.zone.DB)
	a := w.newActivity(model.PolicyKey{}, f.ops, f.began, o.took, "")
	a.Summary = fmt.Sprintf("zone taken over as %s, epoch %d", fe.Writer, f.claim)
	if was != "" && was != fe.Writer {
		a.Summary += "; " + was + " held it"
	}
	if o.err == nil {
		fe.tries, fe.failure, fe.newest = 0, "", f.claim
		if w.mode == Write { // else no process uses the epoch
			fe.epoch = f.claim
			w.notBefore = time.Time{}
		}
		w.cfg.OnActivity(a)
		return
	}
	if !errors.Is(o.err, model.ErrWait) && !errors.Is(o.err, model.ErrRejected) {
		fe.newest = f.claim // the claim may have succeeded
		w.bookUnknown(f, o)
		return
	}
	fe.tries++
	fe.failure = words.CleanText(o.err.Error())
	w.notBefore = time.Now().Add(retry.WaitAfter(fe.tries, w.cfg.BackoffMin, w.cfg.BackoffMax))
	a.Summary, a.Error = "take over the zone", fe.failure
	w.cfg.OnActivity(a)
}

func (w *worker) loseFence(ops []nb.Op, began time.Time, took time.Duration) {
	fe := &w.fence
	had := fe.epoch
	fe.epoch, w.stateNews = 0, true
	if had == 0 {
		return // it was given up in the meantime
	}
	writer, epoch := HolderIn(w.zone.DB)
	fe.lostEpoch, fe.otherWriterSeen = had, false
	fe.epochLost = !w.mayReclaim(w.zone.DB)
	a := w.newActivity(model.PolicyKey{}, ops, began, took, fmt.Sprintf("epoch %d has ended", had))
	a.Summary = "writing stopped: no writer holds the zone now"
	if fe.epochLost {
		a.Summary = fmt.Sprintf("writing stopped: another writer holds the zone: %s, epoch %d", writer, epoch)
	}
	w.cfg.OnActivity(a)
}

// mayReclaim reports whether the zone may be claimed again after its epoch changed, because no other writer
// took it over. That is so if the database was recreated and names no writer, or was restored and names an
// earlier epoch of this process. If another writer was seen in between, that writer decides. But an empty
// database, without a writer or our rows, means that the other writer lost it too.
func (w *worker) mayReclaim(db *nb.DB) bool {
	f := &w.fence
	writer, epoch := HolderIn(db)
	switch {
	case writer != "" && writer != f.Writer:
		f.otherWriterSeen = true
	case writer == "" && w.countOwnRows(db) == 0:
		f.otherWriterSeen = false
	}
	return !f.otherWriterSeen && (writer == "" || epoch < f.lostEpoch)
}

// checkFence compares the epoch with the rows, to notice a takeover or a restored database. Rows older than
// the claim prove nothing.
func (w *worker) checkFence() {
	fe := &w.fence
	if fe.epoch == 0 {
		if fe.epochLost && w.mayReclaim(w.zone.DB) { // the rows known at the loss were old
			fe.epochLost, w.stateNews = false, true
		}
		return
	}
	writer, epoch := HolderIn(w.zone.DB)
	if epoch > fe.epoch || (epoch == fe.epoch && writer != fe.Writer) || writer == "" {
		w.loseFence(nil, w.now(), 0)
	}
}

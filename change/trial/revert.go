package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/history"
	"rung/model/words"
	"rung/revision"
)

// unconfirmed is the author of the revert of an unconfirmed change, in history and audit.
const unconfirmed = "unconfirmed"

// TrialEntry returns the change on trial as a history entry, without objects if none is on trial.
func (r *Trials) TrialEntry() history.Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := r.job
	if j == nil {
		return history.Entry{}
	}
	return history.Entry{ID: j.Entry, At: j.At, Title: j.Title, By: j.By, Objects: j.Objects, Files: j.Files, Undoes: j.Undoes, Trial: j.ID}
}

// putBack tries to revert the change on trial, and records the outcome.
func (r *Trials) putBack(ctx context.Context) {
	if !r.markTrying() {
		return
	}
	p, res, err := r.putBackOnce(ctx)
	for n := 0; n < putBackTries && res == nil && errors.Is(err, change.ErrStale); n++ {
		p, res, err = r.putBackOnce(ctx) // others are changing policies
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.job == nil {
		return
	}
	if err != nil && res == nil {
		r.postpone(err)
		return
	}
	resumed := err == nil && res == nil && len(p.LeftAlone) == 0 && r.resumed
	if resumed {
		err = r.recordEarlier()
	}
	if ferr := r.work.RemoveRecord(); ferr != nil {
		r.postpone(fmt.Errorf("reverted, but the record file cannot be removed: %w", ferr))
		return
	}
	what, kept := "reverted: not confirmed within "+revision.ConfirmTimeText(r.job.Within), false
	if r.isLeaving {
		what = "reverted: Rung ended before it was confirmed"
	}
	if n := len(p.LeftAlone); n > 0 {
		what, kept = "not reverted: "+changedByOthersText(p), true
		if res != nil {
			what = "reverted but for " + changedByOthersText(p)
		}
		if res == nil {
			err = r.gate.AuditRejected(p, unconfirmed, errors.New(changedByOthersText(p)))
		}
	} else if res == nil && !resumed {
		what = "not made, or undone meanwhile: nothing to revert"
	}
	if err != nil {
		what += " (" + words.CleanText(err.Error()) + ")"
	}
	r.publishEnd(what, kept)
}

func changedByOthersText(p *gate.Preview) string {
	var names []string
	for _, k := range p.LeftAlone {
		names = append(names, k.Label())
	}
	if len(names) == 1 {
		return names[0] + " was changed meanwhile and is left alone"
	}
	return words.ListSome(names, 3) + " were changed meanwhile and are kept"
}

// putBackTries is how often a revert is tried again if others change the policies meanwhile.
const putBackTries = 3

// putBackOnce works out what to revert, and reverts it. The Result is nil with an error, and if there was
// nothing to do.
func (r *Trials) putBackOnce(ctx context.Context) (*gate.Preview, *gate.Result, error) {
	p := r.gate.PreviewRest(ctx, change.OpRevert)
	if p.Undoes == 0 && len(p.Objects) > 0 {
		r.mu.Lock()
		err := r.recordEntry()
		r.mu.Unlock()
		if err != nil {
			return p, nil, err
		}
		p = r.gate.PreviewRest(ctx, change.OpRevert)
	}
	if p.IsNoChange() || len(p.Objects) == 0 && len(p.LeftAlone) > 0 {
		return p, nil, nil
	}
	if p.Blocked != "" {
		return p, nil, change.Blocked("%s", p.Blocked)
	}
	res, err := r.gate.CommitRest(ctx, p, unconfirmed)
	return p, res, err
}

// recordEntry finds the history entry to revert. If a process was killed before writing it, it is added, so
// that the reverted change is recorded too. The caller holds mu.
func (r *Trials) recordEntry() error {
	j := r.job
	if j == nil || j.Entry != 0 {
		return nil
	}
	h := r.gate.Config.History
	if e, ok := h.EntryOfID(j.ID); ok {
		j.Entry, j.Files = e.ID, e.Files
		return nil
	}
	id, err := h.Push(history.Entry{At: j.At, Title: j.Title, By: j.By, Undoes: j.Undoes, Objects: j.Objects, Trial: j.ID})
	if err != nil {
		return err
	}
	j.Entry = id
	return nil
}

// recordEarlier records the revert of an earlier process that was killed before it could do so. The caller
// holds mu.
func (r *Trials) recordEarlier() error {
	g := r.gate
	e, ok := g.Config.History.EntryOfID(r.job.ID)
	if !ok || e.Undone {
		return nil
	}
	back := history.Entry{At: g.Config.Now(), Title: e.UndoTitle(), By: unconfirmed, Undoes: e.ID}
	for _, o := range e.Objects {
		back.Objects = append(back.Objects, history.Object{Key: o.Key, Before: o.After, After: o.Before})
	}
	_, err := g.Config.History.Push(back)
	g.PublishUndoTitles()
	return err
}

// markTrying marks the stored change as being reverted, so that it can no longer be confirmed. It returns
// false if it was confirmed before.
func (r *Trials) markTrying() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	unlock, err := r.work.Lock(editLock)
	if err != nil {
		r.postpone(err)
		return false
	}
	defer unlock()
	if err := r.refresh(); err != nil || r.job == nil || !r.holdsLock {
		return false
	}
	r.resumed, r.job.Trying = r.job.Trying, true
	// A full disk does not prevent the revert. The change has expired, so nobody can confirm it any more.
	_ = r.work.SaveRecord(r.job)
	r.publishState()
	return true
}

// postpone delays the next attempt. The caller holds mu.
func (r *Trials) postpone(err error) {
	r.failures++
	pause := min(time.Second<<min(r.failures-1, 10), revertPause)
	r.retryAt = r.gate.Config.Now().Add(pause)
	r.job.Trying, r.job.Why = false, words.CleanText(err.Error())
	_ = r.work.SaveRecord(r.job) // the stored record still says what to revert
	r.publishState()
}

package gate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/change"
	"rung/change/history"
	"rung/change/rewrite"
	"rung/model"
	"rung/model/words"
	"rung/revision"
)

// HistoryEntry returns the change that an undo or redo takes back; why is the reason if there is none to take
// back.
func (g *Gate) HistoryEntry(rev *revision.Revision, m change.Mutation) (e history.Entry, why string) {
	ok, none := false, "nothing to undo"
	switch {
	case m.Undo == 0 && m.Op == change.OpRedo:
		none = "nothing to redo"
		e, ok = g.Config.History.FindRedo()
	default:
		e, ok = g.Config.History.FindEntry(m.Undo)
	}
	if m.Undo != 0 && !ok {
		return e, "the change is no longer in the history"
	}
	// Changes made since an open plan began can be undone, since one of them may block the plan. Older changes
	// have to wait.
	if m.Undo == 0 && rev.Plan.IsOpen() {
		began, known := uint64(0), false
		if g.plans != nil {
			began, known = g.plans.EntryAtBegin()
		}
		if !ok || !known || e.ID <= began {
			return history.Entry{}, PlanFirstReason(rev.Plan)
		}
	}
	switch {
	case !ok:
		return e, none
	case e.Ends:
		return e, "the end of a logging session cannot be undone: switch logging on again"
	case e.Undone && e.Undoes != 0:
		return e, fmt.Sprintf("%q was already redone", e.Title)
	case e.Undone:
		return e, fmt.Sprintf("%q was already undone", e.Title)
	case m.Op == change.OpRedo && e.Undoes == 0:
		return e, fmt.Sprintf("%q was not undone", e.Title)
	}
	return e, ""
}

// PlanFirstReason returns why nothing can be undone before the plan has ended.
func PlanFirstReason(p *revision.PlanState) string {
	if p.State == revision.PlanStopped {
		return fmt.Sprintf("a plan stopped at %s: first continue it, roll it back or end it", p.PlaceText())
	}
	return fmt.Sprintf("a plan is under way, %s", p)
}

// undoChange reverses a change of the history. The plan runner undoes a plan.
func (r *mutationResolver) undoChange() {
	p := r.preview
	p.Title = "Undo"
	if p.Mutation.Op == change.OpRedo {
		p.Title = "Redo"
	}
	e, why := r.gate.HistoryEntry(r.rev, p.Mutation)
	if why != "" {
		r.block("%s", why)
		return
	}
	// From here on the mutation means this change, even if a newer one is made meanwhile.
	p.Mutation.Undo, p.Undoes = e.ID, e.ID
	p.Title = e.UndoTitle()
	if e.Plan != nil {
		r.block("it is a plan: it is undone step by step")
		return
	}
	p.Notes = append(p.Notes, r.gate.UndoNotes(p.Mutation.Op, e.ID)...)
	for _, o := range e.Objects {
		r.undoObject(o, e.Files)
	}
	if p.Conflict != nil && p.Mutation.Op == change.OpUndo {
		p.Blocked += r.olderUndo()
	}
	r.blockIfUndone(e)
	r.notePlaces()
}

// blockIfUndone blocks an undo or redo if somebody else already put every object back as it would leave it.
func (r *mutationResolver) blockIfUndone(e history.Entry) {
	p := r.preview
	if len(p.Objects) > 0 || p.Blocked != "" || len(p.Errors) > 0 || len(e.Objects) == 0 {
		return
	}
	var names []string
	for _, o := range e.Objects {
		names = append(names, o.Key.Label())
	}
	what, when := "undo", "before"
	if strings.HasPrefix(p.Title, "Redo") {
		what, when = "redo", "after"
	}
	p.AlreadyUndone = true
	r.block("nothing to %s: %s %s already as %s the change", what, words.ListSome(names, 3), words.OneOrMany(len(names), "is", "are"), when)
}

// UndoNotes tells when, and by whom, the change to undo was made. It also notes a plan that was rolled back
// since, which left nothing to undo.
func (g *Gate) UndoNotes(op change.Op, id uint64) (notes []string) {
	e, ok := g.Config.History.FindEntry(id)
	if op == change.OpMove || id == 0 || !ok || e.At.IsZero() {
		return nil
	}
	does := "undoes the change of"
	if op == change.OpRedo {
		does = "re-applies the change undone at"
	}
	text := fmt.Sprintf("%s %s", does, e.At.Local().Format(time.DateTime))
	if e.By != "" {
		text += " (" + e.By + ")"
	}
	if g.plans != nil && op == change.OpUndo {
		if plan := g.plans.RolledBackTitle(id); plan != "" {
			notes = append(notes, fmt.Sprintf("%q was rolled back and left nothing to undo: this is the change before it", plan))
		}
	}
	return append([]string{text}, notes...)
}

// notePlaces notes which files will hold the objects that are created or come back.
func (r *mutationResolver) notePlaces() {
	w, ok := r.gate.Config.Writer.(restorePlaces)
	if !ok || r.preview.Blocked != "" || len(r.preview.Objects) == 0 {
		return
	}
	notes, err := w.RestoreNotes(r.preview.Objects)
	if err != nil {
		r.block("%v", err)
	}
	r.preview.Notes = append(r.preview.Notes, notes...)
}

func (r *mutationResolver) undoObject(o history.Object, files []change.FileChange) {
	now := r.rev.Cluster.Changeable(o.Key)
	parse := func(text string, must bool) *model.Policy {
		if text == "" {
			return nil
		}
		q, broken := rewrite.TextAsObject(o.Key, text, r.gate.judgingOptions())
		if must {
			r.preview.Errors = append(r.preview.Errors, broken...)
			if q == nil && !slices.ContainsFunc(broken, model.Broken.IsError) {
				r.block("the former text of %s can no longer be read", o.Key.Label())
			}
		}
		return q
	}
	left, target := parse(o.After, false), parse(o.Before, true)
	isTarget := o.Before == "" && now == nil || target != nil && model.SameContent(now, target)
	isLeft := o.After == "" && now == nil || now != nil && (model.SameContent(now, left) || now.YAML == o.After)
	if !isLeft && !isTarget {
		if to := rewrite.GraftLogging(now, left, target, r.gate.judgingOptions()); to != nil {
			isLeft, target = true, to
		}
	}
	if !isLeft && !isTarget {
		if op := r.preview.Mutation.Op; op == change.OpRevert || op == change.OpFinish {
			r.preview.LeftAlone = append(r.preview.LeftAlone, o.Key)
			r.preview.Notes = append(r.preview.Notes, o.Key.Label()+" was changed meanwhile and is left alone")
			return
		}
		r.blockConflict(left, now, rewrite.Conflict{Key: o.Key, Base: o.After, Now: change.PolicyText(now), Wanted: o.Before})
	}
	if isTarget || o.Before != "" && target == nil {
		return
	}
	n := len(r.preview.Objects)
	r.addChange(now, target)
	if len(r.preview.Objects) == n {
		return
	}
	c := &r.preview.Objects[n]
	// A document unchanged since the change gets its exact former text back, comments included.
	c.ByHand = now != nil && target != nil && now.YAML == o.After
	for i := range files {
		if slices.Contains(files[i].Keys, o.Key) {
			c.UndoneFile = &files[i]
		}
	}
}

// olderUndo tells how to undo the change before the conflicting one; empty if there is none.
func (r *mutationResolver) olderUndo() string {
	for _, e := range r.gate.Config.History.Entries() {
		if e.ID < r.preview.Undoes && !e.Undone && e.Undoes == 0 && !e.Ends {
			return fmt.Sprintf("; the change before it: rung undo %d (%s)", e.ID, e.Title)
		}
	}
	return ""
}

// resolveRest reverts the change on trial, except for objects that others changed meanwhile. With finish it
// instead completes a killed change, whose remaining objects are still as before.
func (r *mutationResolver) resolveRest(finish bool) {
	e := r.gate.trials.TrialEntry()
	what := "confirmed"
	r.preview.Title = e.UndoTitle()
	if finish {
		what, r.preview.Title = "finished", "Finish: "+e.Title
	}
	if len(e.Objects) == 0 {
		r.block("no change waits to be %s", what)
		return
	}
	for _, o := range e.Objects {
		if finish {
			r.undoObject(history.Object{Key: o.Key, Before: o.After, After: o.Before}, nil)
		} else {
			r.undoObject(o, e.Files)
		}
	}
	if !finish {
		r.preview.Undoes = e.ID
	}
	r.notePlaces()
}

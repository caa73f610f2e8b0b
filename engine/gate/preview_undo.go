package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rung/engine/revision"
	"rung/model"
	"rung/sources/manifests"
)

// entryOf is the change that an undo or a redo takes back; why says that there is none.
func (g *Gate) entryOf(rev *revision.Revision, m Mutation) (e HistoryEntry, why string) {
	ok := false
	switch {
	case m.Undo != 0:
		if e, ok = g.cfg.History.Find(m.Undo); !ok {
			return e, "the change is no longer in the history"
		}
	case rev.Plan.Open():
		return e, openPlan(rev.Plan)
	case m.Op == OpRedo:
		if e, ok = g.cfg.History.FindRedo(); !ok {
			return e, "nothing to redo"
		}
	default:
		if e, ok = g.cfg.History.Find(0); !ok {
			return e, "nothing to undo"
		}
	}
	switch {
	case e.Undone && e.Undoes != 0:
		return e, fmt.Sprintf("%q was made again already", e.Title)
	case e.Undone:
		return e, fmt.Sprintf("%q was undone already", e.Title)
	case m.Op == OpRedo && e.Undoes == 0:
		return e, fmt.Sprintf("%q was not undone", e.Title)
	}
	return e, ""
}

// openPlan says why nothing is undone while a plan is not at its end.
func openPlan(p *revision.PlanState) string {
	if p.State == PlanStopped {
		return fmt.Sprintf("a plan stopped at %d of %d: continue it, roll it back or keep it as is first", p.Done, p.Total)
	}
	return fmt.Sprintf("a plan is under way, %s", p)
}

// titleOfUndo is what taking an entry back is called.
func titleOfUndo(e HistoryEntry) string {
	switch title, undo := strings.CutPrefix(e.Title, "Undo: "); {
	case e.Undoes == 0:
		return "Undo: " + e.Title
	case undo:
		return "Redo: " + title
	}
	return "Undo: " + strings.TrimPrefix(e.Title, "Redo: ")
}

// undo turns a change of the history round. That of a plan is another plan
// (Gate.undoPlan).
func (r *resolver) undo() {
	p := r.p
	p.Title = "Undo"
	if p.Mutation.Op == OpRedo {
		p.Title = "Redo"
	}
	e, why := r.g.entryOf(r.rev, p.Mutation)
	if why != "" {
		r.block("%s", why)
		return
	}
	// From here on it is this change, also when another one comes meanwhile.
	p.Mutation.Undo, p.undoes = e.ID, e.ID
	p.Title = titleOfUndo(e)
	if e.Plan != nil {
		r.block("it is a plan: it is undone step by step")
		return
	}
	for _, o := range e.Objects {
		r.undoObject(o, e.Files)
	}
	r.where()
}

// undoPlan is the preview of an undo or a redo of a plan, which is a plan itself: the
// same steps the other way round. ok is false for other changes.
func (g *Gate) undoPlan(ctx context.Context, rev *revision.Revision, m Mutation) (p *Preview, ok bool, err error) {
	if g.plans == nil || m.Op != OpUndo && m.Op != OpRedo {
		return nil, false, nil
	}
	e, why := g.entryOf(rev, m)
	if why != "" || e.Plan == nil {
		return nil, false, nil
	}
	p, err = g.plans.undoPreview(ctx, m.Op, e)
	return p, true, err
}

// Restores says whether what is created by the change was there before: it is an undo.
func (p *Preview) Restores() bool { return p.undoes != 0 }

// where notes where the files' writer puts what comes back.
func (r *resolver) where() {
	w, ok := r.g.cfg.Writer.(placer)
	if !ok || r.p.Blocked != "" || len(r.p.Objects) == 0 {
		return
	}
	notes, err := w.Where(r.p.Objects)
	if err != nil {
		r.block("%v", err)
	}
	r.p.Notes = append(r.p.Notes, notes...)
}

func (r *resolver) undoObject(o HistoryObject, files []HistoryFile) {
	now := r.rev.Cluster.Policy(o.Key)
	parse := func(text string, must bool) *model.Policy {
		if text == "" {
			return nil
		}
		q, broken := manifests.ParsePolicy([]byte(text))
		if must {
			r.p.Errors = append(r.p.Errors, broken...)
			if q == nil && !slices.ContainsFunc(broken, model.Broken.IsError) {
				r.block("what %s was before can no longer be read", o.Key.Label())
			}
		}
		return q
	}
	left, target := parse(o.After, false), parse(o.Before, true)
	isTarget := o.Before == "" && now == nil || target != nil && model.SameContent(now, target)
	isLeft := o.After == "" && now == nil || now != nil && (model.SameContent(now, left) || now.YAML == o.After)
	if !isLeft && !isTarget {
		r.conflict(Conflict{Key: o.Key, Base: o.After, Now: textOf(now), Wanted: o.Before})
	}
	if isTarget || o.Before != "" && target == nil {
		return
	}
	n := len(r.p.Objects)
	r.change(now, target)
	if len(r.p.Objects) == n {
		return
	}
	c := &r.p.Objects[n]
	// A document that is as it was left gets its very text back, comments and all.
	c.ByHand = now != nil && target != nil && now.YAML == o.After
	for i := range files {
		if slices.Contains(files[i].Keys, o.Key) {
			c.back = &files[i]
		}
	}
}

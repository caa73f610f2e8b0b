package gate

import (
	"slices"
	"strings"

	"rung/model"
	"rung/sources/manifests"
)

// undo turns a change of the history round.
func (r *resolver) undo() {
	p := r.p
	p.Title = "Undo"
	e, ok := r.g.cfg.History.Find(p.Mutation.Undo)
	switch {
	case !ok && p.Mutation.Undo == 0:
		r.block("nothing to undo")
		return
	case !ok:
		r.block("the change is not in the history any more")
		return
	case e.Undone:
		r.block("%q was undone already", e.Title)
		return
	}
	// From here on it is this change, also when another one comes meanwhile.
	p.Mutation.Undo, p.undoes = e.ID, e.ID
	switch title, undo := strings.CutPrefix(e.Title, "Undo: "); {
	case e.Undoes == 0:
		p.Title = "Undo: " + e.Title
	case undo:
		p.Title = "Redo: " + title
	default:
		p.Title = "Undo: " + strings.TrimPrefix(e.Title, "Redo: ")
	}
	for _, o := range e.Objects {
		r.undoObject(o, e.Files)
	}
	r.where()
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
				r.block("what %s was before cannot be read any more", o.Key.Label())
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

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
		r.undoObject(o)
	}
}

func (r *resolver) undoObject(o HistoryObject) {
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
	r.change(now, target)
}

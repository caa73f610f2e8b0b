package gate

import (
	"rung/change/history"
)

// revert turns the change on trial round, but for what others changed meanwhile.
func (r *resolver) revert() {
	e := r.g.trials.Entry()
	r.p.Title = e.UndoTitle()
	if len(e.Objects) == 0 {
		r.block("no change waits to be confirmed")
		return
	}
	r.p.Undoes = e.ID
	for _, o := range e.Objects {
		r.undoObject(o, e.Files)
	}
	r.where()
}

// finishRest resolves what is left of a change that was killed: objects that stand as they were.
func (r *resolver) finishRest() {
	e := r.g.trials.Entry()
	r.p.Title = "Finish: " + e.Title
	if len(e.Objects) == 0 {
		r.block("no change waits to be finished")
		return
	}
	for _, o := range e.Objects {
		r.undoObject(history.Object{Key: o.Key, Before: o.After, After: o.Before}, nil)
	}
	r.where()
}

package history

import (
	"rung/change"
	"rung/model"
	"rung/model/plan"
	"strings"
	"time"
)

// Entry is one change that can be taken back.
type Entry struct {
	ID      uint64
	At      time.Time
	Title   string // "Move ANP cluster-control from 34 to 36"
	By      string
	Objects []Object
	Undone  bool
	// Undoes is the entry that this change took back, 0 for other changes. Undo
	// without a number passes over such entries; redo takes them back.
	Undoes uint64
	// Plan is set where the change is a plan; Objects are then the policies it moves,
	// without texts.
	Plan *Plan `json:",omitempty"`
	// Files are the changes made to files, so that an undo gives them back the very text.
	Files []change.FileChange `json:",omitempty"`
	// Trial is the id of the pending revert of a change that was made on trial.
	Trial string `json:",omitempty"`
	// Session is the logging session that the change began, Ended those it ended. Ends says
	// that this is all it did: then it takes back the begin, and is not undone itself.
	Session string                  `json:",omitempty"`
	Ended   []model.EndedLogSession `json:",omitempty"`
	Ends    bool                    `json:",omitempty"`
}

// Plan is a plan that was run, from so many of its steps done to so many: the undo
// of a plan of three steps from 3 to 0.
type Plan struct {
	ID       string // of this run
	Plan     plan.Plan
	From, To int
}

// Object is one object of a change, as text: empty Before was created,
// empty After was deleted.
type Object struct {
	Key           model.PolicyKey
	Before, After string
}

// Verb is "create", "update" or "delete".
func (o *Object) Verb() string {
	switch {
	case o.Before == "" && o.After != "":
		return "create"
	case o.Before != "" && o.After == "":
		return "delete"
	}
	return "update"
}

func ObjectsOf(changes []change.ObjectChange) (out []Object) {
	for _, c := range changes {
		out = append(out, Object{Key: c.Key, Before: change.PolicyText(c.Old), After: change.PolicyText(c.New)})
	}
	return out
}

// UndoTitle returns the title of the change that takes the entry back.
func (e *Entry) UndoTitle() string {
	switch title, undo := strings.CutPrefix(e.Title, "Undo: "); {
	case e.Undoes == 0:
		return "Undo: " + e.Title
	case undo:
		return "Redo: " + title
	}
	return "Undo: " + strings.TrimPrefix(e.Title, "Redo: ")
}

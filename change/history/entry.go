package history

import (
	"rung/change"
	"rung/model"
	"rung/model/plan"
	"strings"
	"time"
)

// Entry describes a change that can be undone.
type Entry struct {
	ID      uint64
	At      time.Time
	Title   string // "Move ANP cluster-control from 34 to 36"
	By      string
	Objects []Object
	Undone  bool
	// Entry that this change took back, or 0. Undo without a number skips such entries; redo takes them back.
	Undoes uint64
	// Set if the change is a plan; Objects are then the policies it moves, without texts.
	Plan *Plan `json:",omitempty"`
	// Changes of files, so that an undo restores their very text.
	Files []change.FileChange `json:",omitempty"`
	// Id of the pending revert of a change on trial.
	Trial string `json:",omitempty"`
	// Session is the logging session that the change began, Ended those it ended. Ends is set if it did
	// nothing else: it then takes back the begin, and cannot be undone itself.
	Session string                  `json:",omitempty"`
	Ended   []model.EndedLogSession `json:",omitempty"`
	Ends    bool                    `json:",omitempty"`
}

// Plan is a run of a plan, from From steps done to To. The undo of a plan of three steps runs from 3 to 0.
type Plan struct {
	ID       string // of this run
	Plan     plan.Plan
	From, To int
}

// Object is an object of a change, as text before and after it. An empty Before means created, an empty After
// deleted.
type Object struct {
	Key           model.PolicyKey
	Before, After string
}

// Verb returns "create", "update" or "delete".
func (o *Object) Verb() string {
	switch {
	case o.Before == "" && o.After != "":
		return "create"
	case o.Before != "" && o.After == "":
		return "delete"
	}
	return "update"
}

func NewObjects(changes []change.ObjectChange) (out []Object) {
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

package gate

import (
	"context"
	"time"

	"rung/model"
	"rung/model/plan"
	"rung/revision"
	"rung/sources/manifests/edit"
)

// Result is what a committed change did.
type Result struct {
	Written []model.PolicyKey
	Undo    uint64 // history entry that takes it back
	Took    time.Duration
	// Plan says that the change is a plan, which was started and is under way now
	// (revision.Facts.Plan): nothing else is set then.
	Plan bool
	// Trial is the change as it waits to be confirmed; nil for one that was made for good.
	Trial *revision.Unconfirmed
}

// Writer makes a change to policies real. The demo and plain files keep them in
// memory; with write-back the files are edited as well. All changes are made or
// none: a writer that fails half way puts back what it had done and says so. It
// may put what is stored now in the place of a change's New.
// One that writes files notes what it did to them, and says beforehand where.
type Writer interface {
	Write(ctx context.Context, changes []ObjectChange) error
}

// placer is a Writer that can say beforehand where it puts what comes back, or why it
// cannot be written.
type placer interface {
	Where(changes []ObjectChange) (notes []string, err error)
}

// HistoryEntry is one change that can be taken back.
type HistoryEntry struct {
	ID      uint64
	At      time.Time
	Title   string // "Move ANP cluster-control from 34 to 36"
	By      string
	Objects []HistoryObject
	Undone  bool
	// Undoes is the entry that this change took back, 0 for other changes. Undo
	// without a number passes over such entries; redo takes them back.
	Undoes uint64
	// Plan is set where the change is a plan; Objects are then the policies it moves,
	// without texts.
	Plan *HistoryPlan `json:",omitempty"`
	// Files are what the change did to files, so that they get the very text back.
	Files []HistoryFile `json:",omitempty"`
	// Trial is the id of the pending revert of a change that was made on trial.
	Trial string `json:",omitempty"`
	// Session is the logging session that the change began, Ended those it ended. Ends says
	// that this is all it did: then it takes back the begin, and is not undone itself.
	Session string                  `json:",omitempty"`
	Ended   []model.EndedLogSession `json:",omitempty"`
	Ends    bool                    `json:",omitempty"`
}

// HistoryPlan is a plan that was run, from so many of its steps done to so many: the undo
// of a plan of three steps from 3 to 0.
type HistoryPlan struct {
	ID       string // of this run
	Plan     plan.Plan
	From, To int
}

// HistoryFile is what a change did to one file, and which of its objects that was
// about.
type HistoryFile struct {
	edit.Change
	Keys []model.PolicyKey
}

// HistoryObject is one object of a change, as text: empty Before was created,
// empty After was deleted.
type HistoryObject struct {
	Key           model.PolicyKey
	Before, After string
}

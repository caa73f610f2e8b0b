package activity

import (
	"slices"
	"strings"
	"time"

	"rung/change/history"
	"rung/model"
	"rung/revision"
)

// After a change, rows of its policies count as its result for rowsWithin. For a zone that has written none
// yet they count for rowsLate.
const (
	rowsWithin = 10 * time.Second
	rowsLate   = time.Minute
)

// ListEntries returns users' changes, also failed and rejected ones, and Rung's actions, oldest first. Rows are
// linked to the change that caused them, and changes to the change that undid them.
func ListEntries(changes []history.Change, done []model.Activity, now time.Time) []*Entry {
	var out []*Entry
	byNumber := map[uint64]*Entry{}
	for i := range changes {
		e := entryOfChange(&changes[i], now)
		out = append(out, e)
		if e.Number != 0 {
			byNumber[e.Number] = e
		}
	}
	for _, e := range out {
		first := byNumber[e.Undoes]
		if e.Undoes == 0 || first == nil {
			continue
		}
		e.Original, first.UndoneBy = first, e
		if first.Result == "undone" && e.By == "reverted" {
			first.Result = "reverted"
		}
	}
	made := out[:len(out):len(out)]
	for _, a := range done {
		e := NewEntry(a, now)
		if isInChange(made, e) {
			continue
		}
		if c := findCause(made, &a); c != nil {
			c.Rows, e.CausedBy, e.Change = append(c.Rows, e), c, c.At
			c.Ops += e.Ops
		}
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b *Entry) int { return a.At.Compare(b.At.Time) })
	return out
}

func entryOfChange(c *history.Change, now time.Time) *Entry {
	e := &Entry{At: model.Stamp{Time: c.Time}, By: c.OriginText(), Summary: c.Title, Took: c.Milliseconds,
		Commands: append([]string{}, c.Commands...),
		Error:    c.Error, User: c.User, Mode: c.Mode, Context: c.Context, Op: string(c.Op), Result: c.Result, Guards: c.Guards, Number: c.Undo,
		Undoes: c.Undoes, Now: now, isPlan: c.IsPlan, id: "change " + c.Time.Format(time.RFC3339Nano) + " " + string(c.Op)}
	if c.Undone {
		e.Result = "undone"
	}
	for _, o := range c.Objects {
		e.Objects = append(e.Objects, Object{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, Change: o.Change})
	}
	if len(e.Objects) == 1 {
		e.Policy = e.Objects[0].key().String()
	}
	return e
}

// findCause returns the newest change that may have caused rows, nil if none: a recent change of their policy,
// or of its namespace's logging.
func findCause(changes []*Entry, a *model.Activity) *Entry {
	if a.Zone == "" || a.Policy.Name == "" {
		return nil
	}
	for _, c := range slices.Backward(changes) {
		after := a.At.Sub(c.At.Time)
		switch {
		case after < 0 || c.Result == history.Refused:
			continue
		case after > rowsLate:
			return nil
		}
		if !slices.ContainsFunc(c.Objects, func(o Object) bool { return o.concerns(a.Policy) }) {
			continue
		}
		if after > rowsWithin && slices.ContainsFunc(c.Rows, func(r *Entry) bool { return r.Zone == a.Zone && r.Done.Policy == a.Policy }) {
			return nil // another cause: pods come and go
		}
		return c
	}
	return nil
}

// opConfirm is the audit's name for confirming a change on trial.
const opConfirm = "confirm"

// concerns reports whether the object affects the rows of a policy.
func (o *Object) concerns(k model.PolicyKey) bool {
	return o.key() == k || o.Kind == model.KindNamespace && k.Namespace == o.Name
}

// isInChange reports whether a change already says what e says: the end of a trial or of a plan. A plan's
// entry takes the commands of e.
func isInChange(changes []*Entry, e *Entry) bool {
	for _, c := range slices.Backward(changes) {
		switch {
		case e.By == "user" && c.By == "reverted" && c.Original != nil && strings.HasPrefix(e.Summary, c.Original.Summary+": reverted"):
			return true
		case e.By == "user" && c.Op == opConfirm && e.Summary == strings.TrimPrefix(c.Summary, "Confirm: ")+": "+revision.TrialConfirmed:
			return true
		case e.By == "plan" && c.isPlan && strings.HasPrefix(e.Summary, c.Summary+": ") && len(c.Commands) == 0 && e.Error == "":
			c.Commands, c.Took = e.Commands, e.Took
			return true
		}
	}
	return false
}

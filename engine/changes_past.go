package engine

import (
	"slices"

	"rung/change/gate"
	"rung/change/history"
	"rung/engine/zones"
)

// pastChanges lists the changes recorded in the gate's history and audit.
type pastChanges struct {
	gate      *gate.Gate
	identity  string // of the cluster or files, in the state folder
	areShared bool   // other processes make changes too
	published *zones.PublishedState
}

// History lists the changes that can be undone, newest first.
func (p *pastChanges) History() []history.Entry { return p.gate.Config.History.Entries() }

// Changes lists the made, failed and refused changes of policies and settings, oldest first. It includes other
// processes' changes if changes persist, at most a second old. It reads no file.
func (p *pastChanges) Changes() []history.Change {
	h := p.gate.Config.History.KnownEntries()
	byID := map[uint64]*history.Entry{}
	for i := range h {
		byID[h[i].ID] = &h[i]
	}
	var out []history.Change
	for _, r := range p.gate.Config.Audit.PastRecords(p.identity) {
		c := history.Change{AuditRecord: r}
		if x := byID[r.Undo]; x != nil && x.Title == r.Title && x.At.Equal(r.Time) {
			joinHistory(&c, x)
			delete(byID, r.Undo)
		}
		out = append(out, c)
	}
	for i := range h {
		// Only the history has a plan as a whole, and changes that an older Rung audited.
		if x := &h[i]; byID[x.ID] != nil {
			c := history.Change{AuditRecord: history.AuditRecord{Time: x.At.UTC(), By: x.By, Mode: p.published.Revision().Mode.ChangedName(),
				Title: x.Title, Result: history.OK, Undo: x.ID}}
			joinHistory(&c, x)
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b history.Change) int { return a.Time.Compare(b.Time) })
	return out
}

// joinHistory adds what the history knows of a change.
func joinHistory(c *history.Change, x *history.Entry) {
	c.Undone, c.Undoes, c.OnTrial, c.Session, c.HasEnded, c.IsPlan = x.Undone, x.Undoes, x.Trial != "", x.Session, len(x.Ended) > 0,
		x.Plan != nil
	if len(c.Objects) > 0 {
		return
	}
	for _, o := range x.Objects {
		c.Objects = append(c.Objects, history.AuditObject{Kind: o.Key.Kind, Namespace: o.Key.Namespace, Name: o.Key.Name, Change: o.Verb()})
	}
}

// ReadChanges reads audit records of other processes.
func (p *pastChanges) ReadChanges() error {
	if !p.areShared {
		return nil // changes end with this process
	}
	return p.gate.Config.Audit.Refresh()
}

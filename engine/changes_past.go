package engine

import (
	"slices"

	"rung/change/gate"
	"rung/change/history"
	"rung/engine/zones"
)

// pastChanges are the changes that were made, as the gate's history and audit have them.
type pastChanges struct {
	gate      *gate.Gate
	identity  string // of what is changed, in the state folder
	areShared bool   // other processes make changes too
	published *zones.PublishedState
}

// History lists the changes that can be taken back, newest first.
func (p *pastChanges) History() []history.Entry { return p.gate.Config.History.Entries() }

// Changes are the changes of policies and settings that were made, failed or were refused, the oldest
// first: of this process, and where changes last also of others, as of the last second. Nothing
// is read here.
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
		// A plan as a whole is in the history alone, and so is what an older Rung audited.
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

// ReadChanges reads what other processes wrote into the audit.
func (p *pastChanges) ReadChanges() error {
	if !p.areShared {
		return nil // changes end with this process
	}
	return p.gate.Config.Audit.Refresh()
}

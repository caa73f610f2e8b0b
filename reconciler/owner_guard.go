package reconciler

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// expectedRows holds the rows that this process's transactions may still change, by table and UUID, and the
// rows they insert, by table and id.
type expectedRows struct{ rows, ids MemberSet }

// rowsOutstanding collects the rows of transactions that were sent but not seen yet.
func (w *worker) rowsOutstanding() expectedRows {
	e := expectedRows{MemberSet{}, MemberSet{}}
	for _, f := range w.flights.underWay {
		e.addOps(w.zone.DB, f.ops)
	}
	for _, h := range w.unconfirmed {
		if h != nil {
			e.addOps(w.zone.DB, h.ops)
		}
	}
	now := w.now()
	w.unknownOutcomes = slices.DeleteFunc(w.unknownOutcomes, func(l unknownTransaction) bool { return !now.Before(l.until) })
	for _, l := range w.unknownOutcomes {
		e.addOps(w.zone.DB, l.ops)
	}
	return e
}

// unknownTransaction is a transaction with an unknown outcome. Its changes may still arrive until the time
// until.
type unknownTransaction struct {
	ops   []nb.Op
	until time.Time
}

func (e expectedRows) addOps(db *nb.DB, ops []nb.Op) {
	for i := range ops {
		op := &ops[i]
		if op.Kind == nb.OpInsert {
			ids, _ := op.Row["external_ids"].(map[string]string)
			e.ids.Add(op.Table + " " + ids[nb.KeyID])
			continue
		}
		e.rows.Add(op.Table + " " + op.UUID)
		// The server also collects ACLs that lose their last reference.
		if g := db.PortGroup(op.UUID); op.Kind == nb.OpDelete && op.Table == nb.TablePortGroup && g != nil {
			for _, uuid := range g.ACLs {
				e.rows.Add(nb.TableACL + " " + uuid)
			}
		}
		for _, m := range op.Mutations {
			if m.Column != "acls" || m.Insert {
				continue
			}
			for _, r := range m.Refs {
				e.rows.Add(nb.TableACL + " " + r.UUID)
			}
		}
	}
}

// watchOthers looks for changes that other writers made to rows of Rung's owner types. db is the database
// after the changes.
func (w *worker) watchOthers(changes []nb.RowChange, db *nb.DB) {
	if writer, _ := HolderIn(db); w.fence.epoch == 0 && writer != "" {
		return // another Rung writes here: the epoch keeps us apart
	}
	var mine expectedRows
	var first string
	more := 0
	for i := range changes {
		ch := &changes[i]
		row := cmp.Or(ch.New, ch.Old)
		o := OwnerOfRow(row)
		if o.Form == Foreign && ch.Old != nil {
			o = OwnerOfRow(ch.Old) // it lost its ids
		}
		if !w.tracker.IsOurs(o) || w.cfg.LeftAloneKinds[o.Unit.Kind] || isByServer(ch, o, db) {
			continue
		}
		if mine.rows == nil {
			mine = w.rowsOutstanding()
		}
		table := nb.TableName(row)
		if mine.rows.Has(table+" "+row.RowUUID()) || ch.Old == nil && mine.ids.Has(table+" "+row.IDs()[nb.KeyID]) {
			continue
		}
		if first == "" {
			first = changeVerb(ch) + " " + table + " " + row.IDs()[nb.KeyID]
		} else {
			more++
		}
	}
	if first == "" {
		return
	}
	if more > 0 {
		first += fmt.Sprintf(" and %d more rows", more)
	}
	at := w.now()
	w.pauseForOther("another writer "+first+" at "+at.Format(time.TimeOnly), at)
}

// pauseForOther stops writing for Quiet.
func (w *worker) pauseForOther(what string, at time.Time) {
	w.fence.foreign, w.fence.foreignAt = what, at
	w.stateNews = true
	w.zone.Foreign, w.zone.ForeignAt = what, at
}

// judgeFirstRead pauses writing if a zone's first read finds rows of policies but no recorded writer.
func (w *worker) judgeFirstRead(db *nb.DB) {
	if w.fence.rowsRead {
		return
	}
	w.fence.rowsRead = true
	writer, _ := HolderIn(db)
	if n := w.countOwnRows(db); writer == "" && n > 0 {
		w.pauseForOther(words.Count(n, "row")+" of policies, but NB_Global names no writer", w.now())
	}
}

// countOwnRows counts the rows of owner types that this process writes.
func (w *worker) countOwnRows(db *nb.DB) (n int) {
	for r := range db.OwnedRows() {
		if o := OwnerOfRow(r); w.tracker.IsOurs(o) && !w.cfg.LeftAloneKinds[o.Unit.Kind] {
			n++
		}
	}
	return n
}

// isByServer reports whether the server alone can have caused the change. It removes deleted ports from groups
// and collects unreferenced ACLs. A change outside the compared columns counts, too.
func isByServer(ch *nb.RowChange, o RowOwner, db *nb.DB) bool {
	switch old := ch.Old.(type) {
	case *nb.ACL:
		now, ok := ch.New.(*nb.ACL)
		if !ok {
			return compiler.HolderForUnit(o.Unit) != (compiler.ACLHolder{})
		}
		return nb.SameACL(old, now)
	case *nb.AddressSet:
		now, ok := ch.New.(*nb.AddressSet)
		return ok && SameBooking(old, now) && slices.Equal(old.Addresses, now.Addresses)
	case *nb.PortGroup:
		now, ok := ch.New.(*nb.PortGroup)
		if !ok || !SameBooking(old, now) {
			return false
		}
		left := setOf(now.Ports)
		for _, p := range old.Ports {
			if !left.Has(p) && db.Port(p) != nil {
				return false
			}
			delete(left, p)
		}
		return len(left) == 0
	}
	return false
}

func changeVerb(ch *nb.RowChange) string {
	switch {
	case ch.Old == nil:
		return "added"
	case ch.New == nil:
		return "removed"
	}
	return "changed"
}

// isLeftAlone reports whether a unit's rows are never written.
func (w *worker) isLeftAlone(k model.PolicyKey) bool { return w.cfg.LeftAloneKinds[k.Kind] }

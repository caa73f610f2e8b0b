package reconciler

import (
	"maps"
	"slices"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
)

// releaseSeen releases the policies whose writes appear in the live rows.
func (w *worker) releaseSeen() {
	for k, h := range w.unconfirmed {
		if h == nil {
			continue
		}
		h.dropShown(w.zone.DB)
		if len(h.ops) == 0 {
			delete(w.unseenCount, k)
			w.releasePolicy(k)
		}
	}
}

// releasePolicy allows a policy to be written again, and queues it.
func (w *worker) releasePolicy(k model.PolicyKey) {
	delete(w.unconfirmed, k)
	w.enqueue(k)
}

// checkOverdue queues policies again if their writes did not appear or their retry is due. It also repeats the
// request for an overdue read.
func (w *worker) checkOverdue() {
	if at := w.fence.foreignAt; !at.IsZero() && w.now().Sub(at) >= w.fence.Quiet {
		w.fence.foreignAt, w.stateNews = time.Time{}, true
	}
	w.compareBlocked()
	now := time.Now()
	for k, f := range w.failures {
		if f.retryAt.IsZero() || now.Before(f.retryAt) {
			continue
		}
		f.retryAt = time.Time{}
		if _, busy := w.unconfirmed[k]; !busy && w.mode == Write {
			w.readyPolicies[k] = struct{}{}
		}
	}
	for k, h := range w.unconfirmed {
		if h == nil || now.Before(h.until) || w.whyUnsure != "" {
			continue
		}
		w.unseenCount[k]++
		// Repeating an update is harmless, but a second insert makes a second row. So after an insert, or a
		// second miss, all rows are read first.
		again := w.unseenCount[k] > 1 || slices.ContainsFunc(h.ops, func(o nb.Op) bool { return o.Kind == nb.OpInsert })
		if _, can := w.cfg.Zone.(Resyncer); again && can {
			delete(w.unseenCount, k)
			w.stopUntilReread("a write did not show up: reading all rows again")
			w.askResync()
			break
		}
		w.releasePolicy(k)
	}
	if w.whyUnsure != "" && !now.Before(w.unsureUntil) {
		if !w.resyncAsked && w.askResync() {
			w.unsureUntil = now.Add(freshRead)
			return
		}
		// A fresh read is not available: continue with the known rows.
		w.whyUnsure, w.stateNews = "", true
		w.releaseWritten()
	}
}

// releaseWritten releases all written policies.
func (w *worker) releaseWritten() {
	for k, h := range w.unconfirmed {
		if h != nil {
			w.releasePolicy(k)
		}
	}
}

// stopUntilReread stops writing until all rows have been read again.
func (w *worker) stopUntilReread(why string) {
	w.whyUnsure, w.unsureUntil, w.resyncAsked = why, time.Now().Add(freshRead), false
	w.stateNews = true
}

// askResync requests a fresh read, once no transaction is under way. It reports whether the zone supports
// that.
func (w *worker) askResync() bool {
	z, ok := w.cfg.Zone.(Resyncer)
	if !ok {
		return false
	}
	w.rereadWanted = len(w.flights.underWay) > 0
	if !w.rereadWanted {
		w.resyncAsked = true
		z.Resync()
	}
	return true
}

// dropShown drops the operations whose effect is in the database.
func (h *writtenHold) dropShown(db *nb.DB) {
	n := 0
	for i := range h.ops {
		if !isShown(db, &h.ops[i], h.results[i]) {
			h.ops[n], h.results[n] = h.ops[i], h.results[i]
			n++
		}
	}
	h.ops, h.results = h.ops[:n], h.results[:n]
}

// isShown reports whether the database shows the operation's effect. Without the row, every operation but its
// insert counts as shown.
func isShown(db *nb.DB, op *nb.Op, res nb.OpResult) bool {
	if op.Kind == nb.OpInsert {
		return res.UUID == "" || db.Row(op.Table, res.UUID) != nil
	}
	row := db.Row(op.Table, op.UUID)
	switch {
	case row == nil:
		return true
	case op.Kind == nb.OpDelete:
		return false
	case op.Kind == nb.OpMutate:
		return areMutationsShown(db, row, op.Mutations)
	}
	for name, v := range op.Row {
		live := WrittenValue(liveValue(row, name))
		if have, isMap := live.(map[string]string); isMap {
			want, _ := v.(map[string]string)
			if !maps.Equal(have, want) {
				return false
			}
		} else if live != v {
			return false
		}
	}
	return true
}

func areMutationsShown(db *nb.DB, row nb.Row, ms []nb.Mutation) bool {
	for i := range ms {
		m := &ms[i]
		live, _ := liveValue(row, m.Column).([]string)
		// Nearly all columns are sorted, so binary search finds a member. Many members are looked up in a set.
		has := func(s string) bool {
			_, found := slices.BinarySearch(live, s)
			return found || slices.Contains(live, s)
		}
		if len(m.Strings)+len(m.Refs) > 8 {
			has = setOf(live).Has
		}
		for _, s := range m.Strings {
			if has(s) != m.Insert {
				return false
			}
		}
		for _, r := range m.Refs {
			// A new row shows by its insert. A reference to a deleted port never shows.
			if r.UUID != "" && has(r.UUID) != m.Insert && (m.Column != "ports" || db.Port(r.UUID) != nil) {
				return false
			}
		}
	}
	return true
}

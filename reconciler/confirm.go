package reconciler

import (
	"slices"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
)

// releaseSeen releases the policies whose writes the live rows show.
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

// releasePolicy lets a policy be written again and looks at it at once.
func (w *worker) releasePolicy(k model.PolicyKey) {
	delete(w.unconfirmed, k)
	w.enqueue(k)
}

// checkOverdue looks again at policies whose writes were not seen in time, and asks
// again for a read that does not come.
func (w *worker) checkOverdue() {
	if at := w.fence.foreignAt; !at.IsZero() && w.now().Sub(at) >= w.fence.Quiet {
		w.fence.foreignAt, w.stateNews = time.Time{}, true
	}
	w.compareStanding()
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
		// Sending once more what sets a value does no harm, but a second
		// insert makes a second row: then, and when the rows stay away, they
		// are read again first.
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
		// No read is to be had: go by what is known.
		w.whyUnsure, w.stateNews = "", true
		for k, h := range w.unconfirmed {
			if h != nil {
				w.releasePolicy(k)
			}
		}
	}
}

// stopUntilReread stops writing until all rows were read again.
func (w *worker) stopUntilReread(why string) {
	w.whyUnsure, w.unsureUntil, w.resyncAsked = why, time.Now().Add(freshRead), false
	w.stateNews = true
}

// askResync says whether a fresh read could be asked for. It is when nothing is
// under way any more.
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

// dropShown drops the operations whose effect the database shows.
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

// isShown says whether the database holds what the operation did. A row that is
// gone again shows everything but its own insert.
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
		if !SameValue(WrittenIn(row, name), v) {
			return false
		}
	}
	return true
}

func areMutationsShown(db *nb.DB, row nb.Row, ms []nb.Mutation) bool {
	for i := range ms {
		m := &ms[i]
		var live []string
		switch row := row.(type) {
		case *nb.AddressSet:
			live = row.Addresses
		case *nb.LogicalSwitch:
			live = row.ACLs // all that is written there
		case *nb.PortGroup:
			live = row.ACLs
			if m.Column == "ports" {
				live = row.Ports
			}
		}
		// Nearly all columns are sorted: one member among thousands is found at once.
		// Many are looked up in a set.
		has := func(s string) bool {
			_, found := slices.BinarySearch(live, s)
			return found || slices.Contains(live, s)
		}
		if len(m.Strings)+len(m.Refs) > 8 {
			in := make(MemberSet, len(live))
			for _, s := range live {
				in.Add(s)
			}
			has = in.Has
		}
		for _, s := range m.Strings {
			if has(s) != m.Insert {
				return false
			}
		}
		for _, r := range m.Refs {
			// A new row shows by its own insert; a reference to a port that is
			// gone never does.
			if r.UUID != "" && has(r.UUID) != m.Insert && (m.Column != "ports" || db.Port(r.UUID) != nil) {
				return false
			}
		}
	}
	return true
}

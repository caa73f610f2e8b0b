package reconciler

import (
	"maps"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// publishState publishes the next state if there is news and its time has come. now skips the wait.
func (w *worker) publishState(now bool) {
	if !w.stateNews && len(w.unpublished) == 0 {
		return
	}
	if w.newsAt.IsZero() {
		w.newsAt = time.Now()
	}
	if !now && time.Now().Before(w.publishTime()) {
		return
	}
	w.newsAt, w.publishAt = time.Time{}, time.Now().Add(w.cfg.Publish)
	if len(w.unpublished) > 0 {
		w.zone.Policies = w.nextPolicies()
	}
	w.stateNews = false
	clear(w.unpublished)
	w.zone.Endpoint = w.cfg.Zone.Endpoint() // a replaced pod has a new address
	w.zone.Writes = w.mode == Write
	w.zone.Paused, w.zone.Starting = w.whyPaused(), w.isStarting()
	w.zone.Note, w.zone.RowsHeld, w.zone.TakenOff = w.fence.guard.Notice, w.fence.epoch != 0, w.fence.epochLost
	w.zone.Writer, w.zone.Epoch = HolderIn(w.zone.DB)
	w.zone.Disowned = w.tracker.RowsDisowned()
	w.zone.Pending, w.blockedUnits = 0, 0
	for _, p := range w.zone.Policies {
		if w.staysDifferent(p) {
			w.blockedUnits++
		}
		if w.mode == Write && p.Missing+p.Extra+p.Different > p.Blocked && p.None == nil && !p.NotComparable &&
			!w.isLeftAlone(p.Policy) {
			w.zone.Pending++
		}
	}
	w.zone.SettlesAt = w.zone.NextBehind(w.now())
	z := w.zone
	w.state.Store(&z)
	w.cfg.OnState(&z)
}

// publishTime returns when news may be published. While written rows are not yet seen it waits for them, at
// most Config.Publish. Making a state in between would only delay writing.
func (w *worker) publishTime() time.Time {
	if at := w.newsAt.Add(w.cfg.Publish); !w.newsAt.IsZero() && len(w.unconfirmed) > 0 && at.After(w.publishAt) {
		return at
	}
	return w.publishAt
}

// staysDifferent reports whether a unit's rows differ and cannot be written, for a reason of their own.
func (w *worker) staysDifferent(p *model.PolicyInZone) bool {
	return w.mode == Write && (p.NotComparable || p.Blocked > 0) && !w.isLeftAlone(p.Policy)
}

// compareBlocked compares lasting differences again now and then. It is cheap, and corrects a missed change.
func (w *worker) compareBlocked() {
	now := time.Now()
	if w.blockedUnits == 0 || now.Before(w.againAt) {
		return
	}
	w.againAt = now.Add(w.cfg.CompareAgain)
	for k, p := range w.zone.Policies {
		if w.staysDifferent(p) {
			w.tracker.CompareAgain(k)
		}
	}
	w.takeDirty()
}

// nextPolicies returns the next map of policies; unchanged entries are shared.
func (w *worker) nextPolicies() map[model.PolicyKey]*model.PolicyInZone {
	out := make(StatesByUnit, len(w.zone.Policies)+len(w.unpublished))
	maps.Copy(out, w.zone.Policies)
	for k := range w.unpublished {
		p := w.tracker.JoinPolicy(k)
		// Before everything is loaded, an unknown policy may still arrive.
		if p == nil || (w.tracker.CompiledUnit(k) == nil && !w.loaded) {
			out.Put(w.tracker.Desired, k, nil)
			continue
		}
		if f := w.failures[k]; f != nil {
			p.Error, p.ErrorAt, p.Tries = f.text, f.failedAt, f.tries
		}
		out.Put(w.tracker.Desired, k, p)
	}
	return out
}

// newActivity describes a transaction's operations for one policy.
func (w *worker) newActivity(k model.PolicyKey, ops []nb.Op, at time.Time, took time.Duration, failure string) model.Activity {
	return model.Activity{At: at, Took: took, Zone: w.cfg.Zone.Name(), Policy: k, Summary: opsSummary(k, ops), Ops: len(ops),
		Commands: commandLines(ops), Error: failure, By: "reconciler"}
}

// countedRows names the rows in a summary, by table.
var countedRows = map[string]string{nb.TablePortGroup: "port group", nb.TableACL: "ACL", nb.TableAddressSet: "address set"}

var opVerbs = map[nb.OpKind]string{nb.OpInsert: "added", nb.OpUpdate: "updated", nb.OpDelete: "removed"}

// opsSummary returns a text such as "cluster-control: 12 ACLs updated, 3 addresses added".
func opsSummary(k model.PolicyKey, ops []nb.Op) string {
	n := map[[2]string]int{}
	add := func(what, verb string, count int) { n[[2]string{what, verb}] += count }
	for i := range ops {
		op := &ops[i]
		if verb := opVerbs[op.Kind]; verb != "" {
			add(countedRows[op.Table], verb, 1)
			add("address", verb, memberCount(op.Row["addresses"]))
			add("port", verb, memberCount(op.Row["ports"]))
		}
		for _, m := range op.Mutations {
			verb := words.Choose(m.Insert, "added", "removed")
			switch m.Column {
			case "addresses":
				add("address", verb, len(m.Strings))
			case "ports":
				add("port", verb, len(m.Refs))
			case "acls":
				// The insert counts a new row's reference.
				for _, r := range m.Refs {
					if r.UUID != "" {
						add("ACL", verb, 1)
					}
				}
			}
		}
	}
	var parts []string
	for _, what := range []string{"port group", "ACL", "address set", "address", "port"} {
		for _, verb := range []string{"added", "updated", "removed"} {
			if count := n[[2]string{what, verb}]; count > 0 {
				parts = append(parts, words.Count(count, what)+" "+verb)
			}
		}
	}
	name := words.Choose(k.Kind != model.KindANP, k.Label(), k.Name)
	return name + ": " + strings.Join(parts, ", ")
}

// memberCount returns the number of members in a set column, or 0 for other columns.
func memberCount(v any) int {
	switch v := v.(type) {
	case []string:
		return len(v)
	case []nb.Ref:
		return len(v)
	}
	return 0
}

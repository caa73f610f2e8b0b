package zones

import (
	"rung/model"
	"rung/reconciler"
	"rung/revision"
	"rung/sources/kube"
	"slices"
	"strings"
)

// Reports holds the conditions and events of Rung's own reconcilers, for the screen. Only the loop may use it.
type Reports struct {
	*Loop
	// policy returns an existing policy, or nil.
	policy          func(model.PolicyKey) *model.Policy
	conditions      map[model.PolicyKey]map[string]model.Condition // by type
	changed         bool                                           // since shownConditions was made
	shownConditions map[model.PolicyKey][]model.Condition
	events          []*model.Event
}

// NewReports returns empty reports. policy returns an existing policy or nil; only the loop calls it.
func NewReports(l *Loop, policy func(model.PolicyKey) *model.Policy) *Reports {
	return &Reports{Loop: l, policy: policy, conditions: map[model.PolicyKey]map[string]model.Condition{}}
}

// ForZone returns the reports of a zone's reconciler, only for the screen.
func (r *Reports) ForZone(zone string) interface {
	reconciler.Status
	reconciler.Events
} {
	return zoneReports{r, zone, nil}
}

// Conditions returns the conditions of all policies, for a revision. It copies them after a change, since a
// revision is immutable.
func (r *Reports) Conditions() map[model.PolicyKey][]model.Condition {
	if r.shownConditions == nil || r.changed {
		v := make(map[model.PolicyKey][]model.Condition, len(r.conditions))
		for k, byType := range r.conditions {
			for _, c := range byType {
				v[k] = append(v[k], c)
			}
			slices.SortFunc(v[k], func(a, b model.Condition) int { return strings.Compare(a.Type, b.Type) })
		}
		r.shownConditions, r.changed = v, false
	}
	return r.shownConditions
}

// ForgetPolicies drops the reports about policies that were deleted, or replaced under the same name.
func (r *Reports) ForgetPolicies(changes []model.Change) {
	for _, ch := range changes {
		old, _ := ch.Old.(*model.Policy)
		if old == nil {
			continue
		}
		if is, _ := ch.New.(*model.Policy); is == nil || is.UID != old.UID {
			delete(r.conditions, old.Key)
			r.changed = true
		}
	}
}

// ForgetZone drops the reports of a deleted zone's controller (ovn-kubernetes.md#status-conditions).
func (r *Reports) ForgetZone(zone string) {
	t := conditionType(zone)
	for k := range r.conditions {
		delete(r.conditions[k], t)
	}
	r.changed = true
	r.MarkChanged()
}

// Events returns the current events.
func (r *Reports) Events() []*model.Event { return r.events }

// zoneReports shows a zone's reports on screen, and hands them to the API server if this replica reports for
// the zone.
type zoneReports struct {
	r    *Reports
	zone string
	w    *OwnedZone
}

// SetCondition sets one condition of a policy, keyed by type.
func (st zoneReports) SetCondition(k model.PolicyKey, c model.Condition) {
	st.w.reportToServer(func(r *kube.Reporter) { r.SetCondition(st.zone, k, c) })
	r := st.r
	r.Send(func() {
		if r.policy(k) == nil {
			return // deleted meanwhile
		}
		if r.conditions[k] == nil {
			r.conditions[k] = map[string]model.Condition{}
		}
		r.conditions[k][c.Type] = c
		r.changed = true
		r.MarkChanged()
	})
}

// eventsKept bounds the events of Rung's own reconcilers.
const eventsKept = 200

// Event adds an event, or counts up an equal one.
func (st zoneReports) Event(x model.Event) {
	st.w.reportToServer(func(r *kube.Reporter) { r.Event(x) })
	r := st.r
	r.Send(func() {
		i := slices.IndexFunc(r.events, func(o *model.Event) bool {
			return o.About == x.About && o.Reason == x.Reason && o.Message == x.Message && o.Reporter == x.Reporter
		})
		if i >= 0 {
			again := *r.events[i]
			again.Count++
			again.Last = x.Last
			r.events = append(slices.Delete(slices.Clone(r.events), i, i+1), &again)
		} else {
			x.Count = max(x.Count, 1)
			r.events = append(slices.Clone(r.events), &x)
		}
		if n := len(r.events); n > eventsKept {
			r.events = r.events[n-eventsKept:]
		}
		r.MarkChanged()
	})
}

// conditionType returns the type of a zone controller's condition.
func conditionType(zone string) string { return revision.ReadyPrefix + zone }

// reportToServer writes to the API server, if this replica reports for the zone; nil reports nothing.
func (w *OwnedZone) reportToServer(write func(*kube.Reporter)) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reports && w.owners.reporter != nil {
		write(w.owners.reporter)
	}
}

// setTerm begins or ends this replica's term as the zone's reporter. At the end it drops unwritten reports:
// the next replica reports.
func (w *OwnedZone) setTerm(begins bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reports = begins
	if !begins && w.owners.reporter != nil {
		w.owners.reporter.ForgetZone(w.zone)
	}
}

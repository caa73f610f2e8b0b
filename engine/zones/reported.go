package zones

import (
	"cmp"
	"fmt"
	"maps"
	"strings"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/words"
	"rung/reconciler"
	"rung/sources/kube"
)

// agentReports are the reports of the agents on the nodes (model.ZoneReport) and the Leases that say which of them
// still hold. A zone whose agent is alive is neither followed nor swept, unless somebody looks at its rows.
//
// Times are those of this process: of the agent's clock only differences are used.
type agentReports struct {
	*Set
	reports map[string]*model.ZoneReport // by zone
	unread  map[string]string            // why a zone's report is not used, by zone
	leases  map[string]agentLease        // by name
	// areListed and leasesListed are set after the first answers; until then no zone is read another way.
	areListed, leasesListed bool
	namespace               string // of the Leases; empty before the first report
	alarm                   *Alarm // an agent falls silent, or the ages on screen are old

	// changedAt is when units of policies in namespaces were last compiled anew. Other policies have digests.
	changedAt map[model.PolicyKey]time.Time
	digests   map[*model.Policy]string
	contents  map[string]*judgedContents // by what they are
	judged    map[string]*judgedContents // by zone
	// settingsOf are the reports of which the settings were taken, by zone.
	settingsOf map[string]*model.ZoneReport
}

// agentLease is a Lease as last seen.
type agentLease struct {
	kube.AgentLease
	seenAt time.Time     // last sign of life
	behind time.Duration // how far the clock of the agent's node is behind
}

// judgedContents are the policies as agents read them, the same for nearly all zones.
type judgedContents struct {
	policies []model.ReportedPolicy
	// newer are the policies that differ in cluster.
	cluster *model.Cluster
	newer   map[model.PolicyKey]bool
}

// clockTolerance is the difference of two clocks that is not told from the time a message takes.
const clockTolerance = 2 * time.Second

// reportedAge is how often the ages of reported zones are renewed.
const reportedAge = 2 * time.Second

// newAgentReports returns the reports of an empty set. Like other alarms its own exists before the loop runs.
func newAgentReports(z *Set) *agentReports {
	a := &agentReports{Set: z, reports: map[string]*model.ZoneReport{}, unread: map[string]string{},
		leases: map[string]agentLease{}, changedAt: map[model.PolicyKey]time.Time{}, digests: map[*model.Policy]string{},
		contents: map[string]*judgedContents{}, judged: map[string]*judgedContents{}, settingsOf: map[string]*model.ZoneReport{}}
	a.alarm = z.NewAlarm(a.renewShown)
	return a
}

// followReports takes the reports from the cluster until the loop ends.
func (a *agentReports) followReports() {
	a.cfg.Agents.FollowZoneReports(a.Context(), func(n kube.ReportNews) { a.Send(func() { a.takeReports(n) }) })
}

// takeReports takes news about reports.
func (a *agentReports) takeReports(n kube.ReportNews) {
	first := !a.areListed
	a.areListed = true
	a.noteRefused("node agents", &n)
	if n.Failed != nil {
		a.rankMembers() // the zones are read another way
		return
	}
	changed := map[string]bool{}
	if n.All {
		for zone := range a.reports {
			if n.Reports[zone] == nil {
				delete(a.reports, zone)
				changed[zone] = true
			}
		}
		a.unread = map[string]string{}
	}
	for zone, why := range n.Unread {
		delete(a.reports, zone)
		a.unread[zone] = why
		changed[zone] = true
	}
	for zone, r := range n.Reports {
		delete(a.unread, zone)
		changed[zone] = true
		if r == nil {
			delete(a.reports, zone)
			continue
		}
		a.reports[zone], a.judged[zone] = r, a.contentsOf(r)
		if a.namespace == "" && r.LeaseNamespace != "" {
			a.namespace = r.LeaseNamespace
			a.Go(func() {
				a.cfg.Agents.FollowAgentLeases(a.Context(), r.LeaseNamespace, func(n kube.ReportNews) { a.Send(func() { a.takeLeases(n) }) })
			})
		}
	}
	if a.namespace == "" {
		a.leasesListed = true // there is nobody whose life matters
	}
	for zone := range changed {
		a.showReport(zone, true)
	}
	if first || len(changed) > 0 {
		a.rankMembers()
	}
}

// noteRefused says that what agents write is there and may not be read.
func (a *agentReports) noteRefused(what string, n *kube.ReportNews) {
	if n.IsRefused() {
		a.ReportProblem(what, words.CleanText(n.Failed.Error())+"; the ClusterRole rung-observe-reader gives the right")
	} else if n.All {
		a.ClearProblem(what)
	}
}

// takeLeases takes news about Leases.
func (a *agentReports) takeLeases(n kube.ReportNews) {
	now := a.Now()
	first := !a.leasesListed
	a.leasesListed = true
	a.noteRefused("leases of node agents", &n)
	if n.Failed != nil {
		if first {
			a.rankMembers()
		}
		return
	}
	if n.All {
		maps.DeleteFunc(a.leases, func(name string, _ agentLease) bool { _, ok := n.Leases[name]; return !ok })
	}
	for name, lease := range n.Leases {
		was, known := a.leases[name]
		l := agentLease{lease, now, was.behind}
		switch {
		case n.All && known && was.RenewedAt.Equal(lease.RenewedAt):
			l.seenAt = was.seenAt
		case n.All && !lease.WrittenAt.IsZero():
			// The server knows when it was written, to the second.
			l.behind = lease.WrittenAt.Sub(lease.RenewedAt)
			if age := now.Sub(lease.WrittenAt); age > 0 {
				l.seenAt = now.Add(-age)
			}
		case !n.All:
			l.behind = now.Sub(lease.RenewedAt)
		}
		if l.behind.Abs() < clockTolerance {
			l.behind = 0
		}
		a.leases[name] = l
	}
	if first || n.All {
		for zone := range a.reports {
			a.showReport(zone, true)
		}
		a.rankMembers()
		return
	}
	if a.alarm.ringsAt.IsZero() {
		a.alarm.Set(reportedAge)
	}
}

// renewShown shows the newest ages of reported zones, and what became of agents that are silent.
func (a *agentReports) renewShown() {
	ranks := false
	for zone, r := range a.reports {
		st := a.states[zone]
		if st == nil || a.members[zone] == nil || a.members[zone].followed {
			continue
		}
		if why := a.whyNotFresh(zone); (why == "") != (st.Agent != "") {
			a.showReport(zone, true)
			ranks = true
		} else if l := a.leases[r.Lease]; why == "" && l.seenAt.After(st.SyncedAt) {
			a.showReport(zone, false)
		}
	}
	if ranks {
		a.rankMembers()
	}
	if len(a.reports) > 0 {
		a.alarm.Set(reportedAge)
	}
}

// whyNotFresh returns why the report of a zone says nothing about now, empty if it does.
func (a *agentReports) whyNotFresh(zone string) string {
	if why := a.unread[zone]; why != "" {
		return "node agent: " + why
	}
	r := a.reports[zone]
	if r == nil {
		return "no agent"
	}
	l, known := a.leases[r.Lease]
	switch {
	case !known || l.Holder == "":
		return fmt.Sprintf("node agent %s ended: nobody holds its Lease %s", r.Agent, r.Lease)
	case l.Holder != r.Agent:
		return fmt.Sprintf("the report is by %s, and the zone's agent is %s", words.CleanText(r.Agent), l.Holder)
	case a.Now().Sub(l.seenAt) > max(l.Duration, time.Second):
		return fmt.Sprintf("node agent %s is silent since %s", r.Agent, words.Clock(l.seenAt, a.Now()))
	}
	return ""
}

// isReported reports whether a living agent speaks for a zone.
func (a *agentReports) isReported(zone string) bool { return a != nil && a.whyNotFresh(zone) == "" }

// awaitsReports reports whether the first answers about reports are still to come. The wait is short.
func (a *agentReports) awaitsReports() bool {
	return a != nil && !(a.areListed && a.leasesListed) && time.Since(a.begunAt) < objectsWait
}

// showReport makes the report of a zone its state; judged means that its units may have changed. The report of a silent
// agent is not shown: the zone is read another way.
func (a *agentReports) showReport(zone string, judged bool) {
	m := a.members[zone]
	if m == nil || m.followed || !a.world().Loaded {
		return
	}
	r, why := a.reports[zone], a.whyNotFresh(zone)
	a.MarkChanged()
	if why != "" {
		if m.lastState != nil && m.lastState.Agent != "" {
			silent := a.unreadState(m)
			silent.Conn, silent.Error, silent.SyncedAt = model.ConnLost, why, m.lastState.SyncedAt
			m.lastState, m.dueAt = silent, time.Now()
			a.states[zone] = silent
		}
		return
	}
	l := a.leases[r.Lease]
	st := &model.ZoneState{Name: zone, Endpoint: "agent " + r.Agent, Server: r.Connection.Server, Conn: model.ConnSwept,
		ConnAt: r.Connection.Since.Add(l.behind), SyncedAt: l.seenAt, Partial: r.Connection.Partial, Rows: r.Rows, Agent: r.Agent,
		Steps: a.steps, Changed: a.changes}
	switch was := m.lastState; {
	case !judged && was != nil && was.Agent == r.Agent:
		st.Policies = was.Policies
	default:
		st.Policies = a.keep.sharedPolicies(a.reportedUnits(zone, r, l.behind))
	}
	if r.Connection.State != model.ConnSynced {
		// The agent lives, and cannot read the database of its node.
		st.Conn, st.Error = model.ConnLost, cmp.Or(r.Connection.Error, string(r.Connection.State))
		st.SyncedAt = st.ConnAt
	}
	st.SettlesAt = st.NextBehind(a.Now())
	m.lastState, m.fails, m.oldSince = st, 0, time.Time{}
	a.states[zone] = st
	if a.alarm.ringsAt.IsZero() {
		a.alarm.Set(reportedAge)
	}
	if a.settingsOf[zone] != r {
		a.settingsOf[zone] = r
		a.takeDialect(zone, r)
	}
}

// reportedUnits returns the units of a zone by its report.
func (a *agentReports) reportedUnits(zone string, r *model.ZoneReport, behind time.Duration) map[model.PolicyKey]*model.PolicyInZone {
	d := a.world().Desired
	out := r.UnitsInZone(func(yield func(model.PolicyKey) bool) {
		for c := range d.Policies() {
			if c.HasRowsIn(zone) && !yield(c.Key) {
				return
			}
		}
	}, behind, a.Now())
	units := make(reconciler.StatesByUnit, len(out))
	for k, p := range out {
		if c := d.Policy(k); c != nil && p.InSync {
			p.LiveACLs = len(d.ACLs(c, zone, nil))
			if o := a.world().Cluster.Policy(k); o != nil && k.Kind.HasPriority() {
				p.LivePriority = o.Priority
			}
		}
		units.Put(d, k, p)
	}
	return units
}

// takeDialect takes the settings that the agent found in the rows.
func (a *agentReports) takeDialect(zone string, r *model.ZoneReport) {
	if d, err := dialect.FromJSON(r.Settings); err == nil && d != nil {
		a.dialects.takeDialect(zone, d)
	}
}

// noteUnits records which units were compiled anew, and shows the reports by the new units.
func (a *agentReports) noteUnits(delta *compiler.Delta, first bool) {
	first = first || delta == nil || delta.Everything
	if a == nil || !first && len(delta.Policies) == 0 {
		return
	}
	now := a.Now()
	maps.DeleteFunc(a.changedAt, func(_ model.PolicyKey, at time.Time) bool { return now.Sub(at) > 2*DefaultSweepTTL })
	if !first {
		for k := range delta.Policies {
			if !k.Kind.IsAdmin() {
				a.changedAt[k] = now
			}
		}
	}
	for zone := range a.reports {
		a.showReport(zone, true)
	}
}

// withNewer returns the state of a reported zone with the units that changed since the agent judged them.
func (a *agentReports) withNewer(st *model.ZoneState) *model.ZoneState {
	newer := a.newerPolicies(a.judged[st.Name], a.world().Cluster)
	own := false
	for k, at := range a.changedAt {
		if !at.Add(time.Second).After(st.SyncedAt) {
			continue // the agent has seen the change
		}
		if !own {
			newer, own = maps.Clone(newer), true
			if newer == nil {
				newer = map[model.PolicyKey]bool{}
			}
		}
		newer[k] = true
	}
	if maps.Equal(newer, st.Newer) {
		return st
	}
	next := *st
	next.Newer = newer
	a.states[st.Name] = &next
	return &next
}

// contentsOf returns the contents of policies that a report is about, the same for reports about the same.
func (a *agentReports) contentsOf(r *model.ZoneReport) *judgedContents {
	var key strings.Builder
	for _, p := range r.Policies {
		key.WriteString(string(p.Kind) + " " + p.Name + " " + p.Digest + "\n")
	}
	j := a.contents[key.String()]
	if j == nil {
		if len(a.contents) > 16 {
			clear(a.contents)
		}
		j = &judgedContents{policies: r.Policies}
		a.contents[key.String()] = j
	}
	return j
}

// newerPolicies returns the admin policies whose content is not what an agent judged.
func (a *agentReports) newerPolicies(j *judgedContents, c *model.Cluster) map[model.PolicyKey]bool {
	if j == nil {
		return nil
	}
	if j.cluster == c {
		return j.newer
	}
	if len(a.digests) > 4000 {
		clear(a.digests)
	}
	j.cluster, j.newer = c, nil
	judged := make(map[model.PolicyKey]string, len(j.policies))
	for _, p := range j.policies {
		judged[model.PolicyKey{Kind: p.Kind, Name: p.Name}] = p.Digest
	}
	note := func(k model.PolicyKey) {
		if j.newer == nil {
			j.newer = map[model.PolicyKey]bool{}
		}
		j.newer[k] = true
	}
	for _, kind := range []model.Kind{model.KindANP, model.KindBANP, model.KindCNP} {
		for p := range c.Policies(kind) {
			digest, known := a.digests[p]
			if !known {
				digest = model.ReportDigest(p)
				a.digests[p] = digest
			}
			if judged[p.Key] != digest {
				note(p.Key)
			}
			delete(judged, p.Key)
		}
	}
	for k := range judged {
		note(k) // deleted since
	}
	return j.newer
}

package cluster

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
)

// centralZone is the only zone in OVN-Kubernetes' central mode, for all nodes.
const centralZone = "global"

// ReportStatus is the state of a policy as reported by a zone's controller.
type ReportStatus string

// The statuses, the most worrying first.
const (
	Failing ReportStatus = "not ready"
	Silent  ReportStatus = "no report" // the zone exists but has no condition
	Gone    ReportStatus = "zone gone" // a condition of a deleted node
	Yes     ReportStatus = "ready"
)

// statusRanks orders statuses, worst first.
var statusRanks = map[ReportStatus]int{Failing: 0, Silent: 2, Gone: 3, Yes: 4}

// ZoneReport is one zone's report about a policy, with the state by rows.
type ZoneReport struct {
	Zone    string       `json:"zone"`
	Status  ReportStatus `json:"status"`
	Reason  string       `json:"reason,omitempty"`
	Message string       `json:"message,omitempty"`
	// At is when the condition's status last changed; repeated equal reports do not move it. Zero without a
	// report.
	At model.Stamp `json:"at,omitzero"`
	// Rows is the policy's state by rows alone, unknown if the zone is unknown.
	Rows model.PolicyState `json:"state_by_rows"`
	// Against says how report and rows disagree, empty if they agree or the rows say nothing.
	Against string `json:"rows_disagree,omitempty"`

	policyReports *PolicyReports
}

// rank orders reports: failures, then those that the rows contradict.
func (z *ZoneReport) rank() int {
	if z.Against != "" && z.Status == Yes {
		return 1
	}
	return statusRanks[z.Status]
}

// ReportFailure is the same message from one or more zones, word for word.
type ReportFailure struct {
	Text  string   `json:"message"`
	Zones []string `json:"zones"` // by name
}

// PolicyReports is the JSON of the controllers' reports about one policy. Reports are not proof
// (command-line.md#output).
type PolicyReports struct {
	Key   model.PolicyKey `json:"-"`
	Label string          `json:"policy"`
	// Zones counts the zones that should report: Ready + Failing + Silent. Gone counts reports of deleted
	// nodes, Against the reports that the rows contradict.
	Zones   int `json:"zones"`
	Ready   int `json:"ready"`
	Failing int `json:"not_ready"`
	Silent  int `json:"no_report"`
	Gone    int `json:"gone"`
	Against int `json:"rows_disagree"`
	// Oldest and Newest are times of reports from existing zones; zero without reports.
	Oldest model.Stamp `json:"oldest,omitzero"`
	Newest model.Stamp `json:"newest,omitzero"`
	// Failures are the messages of the failing zones, most frequent first.
	Failures []ReportFailure `json:"failures"`
	// Reports covers all zones, worst first, then by name.
	Reports []*ZoneReport `json:"reports"`

	priority string    // of an AdminNetworkPolicy
	marks    page.Line // a sign for each zone if there are only a few
	now      time.Time
}

// AllReports returns the controllers' reports about every AdminNetworkPolicy and the baseline, worst first,
// then in deciding order.
func AllReports(r *revision.Revision, now time.Time) []*PolicyReports {
	out := []*PolicyReports{}
	zones := reportingZones(r)
	for _, k := range ladder.PolicyOrder(r.Cluster) {
		if k.Kind.IsAdmin() && k.Kind != model.KindCNP { // no controller reports on CNPs
			out = append(out, reportsInZones(r, k, zones, now))
		}
	}
	slices.SortStableFunc(out, func(a, b *PolicyReports) int { return cmp.Compare(a.rank(), b.rank()) })
	if !slices.ContainsFunc(out, func(p *PolicyReports) bool { return len(p.Reports) > fewZones }) {
		for _, p := range out {
			p.setZoneSigns(r.Zones)
		}
	}
	return out
}

// ZonesWithStatus returns the zones whose report has a status.
func (p *PolicyReports) ZonesWithStatus(s ReportStatus) (names []string) {
	for _, z := range p.Reports {
		if z.Status == s {
			names = append(names, z.Zone)
		}
	}
	return names
}

// ReportsOfPolicy returns the controllers' reports about one policy.
func ReportsOfPolicy(r *revision.Revision, k model.PolicyKey, now time.Time) *PolicyReports {
	return reportsInZones(r, k, reportingZones(r), now)
}

// rank orders policies, worst first.
func (p *PolicyReports) rank() int {
	switch {
	case p.Failing > 0:
		return 0
	case p.Against > 0:
		return 1
	case p.Silent > 0:
		return 2
	case p.Gone > 0:
		return 3
	}
	return 4
}

// reportingZones returns the zones whose controllers should report: every node's, and others with known
// databases. A state is nil if unknown.
func reportingZones(r *revision.Revision) map[string]*model.ZoneState {
	out := make(map[string]*model.ZoneState, len(r.Zones))
	for n := range r.Cluster.Nodes() {
		out[n.Name] = nil
	}
	for _, z := range r.Zones {
		out[z.Name] = z
	}
	return out
}

func reportsInZones(r *revision.Revision, k model.PolicyKey, zones map[string]*model.ZoneState, now time.Time) *PolicyReports {
	p := &PolicyReports{Key: k, Label: k.Label(), Failures: []ReportFailure{}, now: now}
	if of := r.Cluster.Policy(k); of != nil && k.Kind == model.KindANP {
		p.priority = strconv.Itoa(int(of.Priority))
	}
	seen := map[string]bool{}
	said := map[string][]string{}
	conditions := r.Conditions(k)
	if isCentral(conditions, zones) {
		zones = map[string]*model.ZoneState{centralZone: zones[centralZone]}
	}
	reports := make([]ZoneReport, len(conditions))
	p.Reports = make([]*ZoneReport, 0, max(len(conditions), len(zones)))
	for i := range conditions {
		zone, ok := strings.CutPrefix(conditions[i].Type, revision.ReadyPrefix)
		if !ok {
			continue
		}
		seen[zone] = true
		state, there := zones[zone]
		report := &reports[i]
		*report = newZoneReport(zone, &conditions[i], k, state, now)
		if !there {
			report.Status, report.Against = Gone, ""
		}
		p.addReport(report)
		if report.Status == Failing {
			text := cmp.Or(report.Message, report.Reason, "no message")
			said[text] = append(said[text], zone)
		}
	}
	for zone, state := range zones {
		if !seen[zone] {
			p.addReport(&ZoneReport{Zone: zone, Status: Silent, Rows: state.PolicyJoin(k).StateAt(state, now)})
		}
	}
	for text, names := range said {
		slices.Sort(names)
		p.Failures = append(p.Failures, ReportFailure{Text: text, Zones: names})
	}
	slices.SortFunc(p.Failures, func(a, b ReportFailure) int {
		return cmp.Or(cmp.Compare(len(b.Zones), len(a.Zones)), strings.Compare(a.Text, b.Text))
	})
	slices.SortFunc(p.Reports, func(a, b *ZoneReport) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), strings.Compare(a.Zone, b.Zone))
	})
	return p
}

// isCentral reports whether the reports come from one zone for all nodes.
func isCentral(conditions []model.Condition, zones map[string]*model.ZoneState) bool {
	found := false
	for i := range conditions {
		if zone, ok := strings.CutPrefix(conditions[i].Type, revision.ReadyPrefix); ok {
			if _, node := zones[zone]; node && zone != centralZone {
				return false
			}
			found = found || zone == centralZone
		}
	}
	return found
}

// newZoneReport compares a condition with the rows of its zone.
func newZoneReport(zone string, c *model.Condition, k model.PolicyKey, z *model.ZoneState, now time.Time) ZoneReport {
	out := ZoneReport{Zone: zone, Status: words.Choose(c.Status == "True", Yes, Failing), Reason: c.Reason, Message: c.Message,
		At: c.Changed, Rows: z.PolicyJoin(k).StateAt(z, now)}
	switch {
	case out.Status == Yes && (out.Rows == model.StateBehind || out.Rows == model.StateFrozen || out.Rows == model.StateNotEnforced):
		what := string(out.Rows)
		if in := z.PolicyJoin(k); out.Rows == model.StateBehind && in != nil {
			what = words.Count(revision.DifferingRows(in), "row") + " " + what
		}
		out.Against = what + " although the controller reported ready"
	case out.Status == Failing && out.Rows == model.StateInSync:
		out.Against = "in sync although the controller reported a failure"
	}
	return out
}

// addReport adds and counts a report.
func (p *PolicyReports) addReport(z *ZoneReport) {
	z.policyReports = p
	p.Reports = append(p.Reports, z)
	if z.Against != "" {
		p.Against++
	}
	switch z.Status {
	case Gone:
		p.Gone++
		return
	case Yes:
		p.Ready++
	case Failing:
		p.Failing++
	case Silent:
		p.Silent++
	}
	p.Zones++
	if z.At.IsZero() {
		return
	}
	if p.Oldest.IsZero() || z.At.Before(p.Oldest.Time) {
		p.Oldest = z.At
	}
	if z.At.After(p.Newest.Time) {
		p.Newest = z.At
	}
}

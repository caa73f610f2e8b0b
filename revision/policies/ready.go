package policies

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/revision"
)

// ReadyPrefix begins the type of the condition that each zone's controller keeps
// of a policy; the rest is the zone (ovn-kubernetes.md#status-conditions).
const ReadyPrefix = "Ready-In-Zone-"

// centralZone is the one zone of OVN-Kubernetes' central mode, whatever nodes
// there are.
const centralZone = "global"

// ReadyStatus is what a zone's controller says of a policy.
type ReadyStatus string

// The statuses, in the order of how much an admin should worry.
const (
	ReadyFailing ReadyStatus = "not ready"
	ReadySilent  ReadyStatus = "no report" // the zone is there and has no condition
	ReadyGone    ReadyStatus = "zone gone" // a condition of a node that is not there any more
	ReadyYes     ReadyStatus = "ready"
)

// rank orders statuses, worst first.
func (s ReadyStatus) rank() int {
	switch s {
	case ReadyFailing:
		return 0
	case ReadySilent:
		return 2
	case ReadyGone:
		return 3
	}
	return 4
}

// ZoneReady is one zone's report of a policy beside what the zone's rows say.
type ZoneReady struct {
	Zone            string
	Status          ReadyStatus
	Reason, Message string
	// At is when the condition's status changed last; a controller that goes on
	// saying the same does not move it. Zero without a report.
	At time.Time
	// Rows is the policy judged by rows alone, unknown where the zone is not known.
	Rows model.PolicyState
	// Against says how report and rows disagree, empty when they do not or when
	// nothing can be said about the rows.
	Against string
}

// rank orders reports: failures, then those the rows speak against.
func (z *ZoneReady) rank() int {
	if z.Against != "" && z.Status == ReadyYes {
		return 1
	}
	return z.Status.rank()
}

// ReadyMessage is what one or more zones say, word for word.
type ReadyMessage struct {
	Text  string
	Zones []string // by name
}

// PolicyReady is what the zones' controllers reported of one policy: reports, never
// proof.
type PolicyReady struct {
	Policy model.PolicyKey
	// Zones counts those that should report; Ready, Failing and Silent add up to it.
	// Gone counts reports of nodes that are not there any more, Against those that
	// the rows speak against.
	Zones, Ready, Failing, Silent, Gone, Against int
	// Oldest and Newest are of the reports of zones that are there; zero without any.
	Oldest, Newest time.Time
	// Failures are the messages of the failing zones, the most frequent first.
	Failures []ReadyMessage
	// Reports are all zones, worst first, then by name.
	Reports []ZoneReady
}

// FindReady is what controllers reported of every AdminNetworkPolicy and the baseline,
// worst first, then in the order in which they decide.
func FindReady(r *revision.Revision, now time.Time) []PolicyReady {
	var out []PolicyReady
	zones := reporters(r)
	for _, k := range ladder.Order(r.Cluster) {
		if k.Kind.IsAdmin() && k.Kind != model.KindCNP { // of which no controller reports
			out = append(out, policyReady(r, k, zones, now))
		}
	}
	slices.SortStableFunc(out, func(a, b PolicyReady) int { return cmp.Compare(a.rank(), b.rank()) })
	return out
}

// ReadyOf is what controllers reported of one policy.
func ReadyOf(r *revision.Revision, k model.PolicyKey, now time.Time) PolicyReady {
	return policyReady(r, k, reporters(r), now)
}

// rank orders policies, worst first.
func (p *PolicyReady) rank() int {
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

// reporters are the zones whose controllers should report, with what is known of
// their rows: those of the nodes, and others whose databases are known.
func reporters(r *revision.Revision) map[string]*model.ZoneState {
	out := make(map[string]*model.ZoneState, len(r.Zones))
	for n := range r.Cluster.Nodes() {
		out[n.Name] = nil
	}
	for _, z := range r.Zones {
		out[z.Name] = z
	}
	return out
}

func policyReady(r *revision.Revision, k model.PolicyKey, zones map[string]*model.ZoneState, now time.Time) PolicyReady {
	p := PolicyReady{Policy: k}
	seen := map[string]bool{}
	said := map[string][]string{}
	conditions := r.Conditions(k)
	if central(conditions, zones) {
		zones = map[string]*model.ZoneState{centralZone: zones[centralZone]}
	}
	for i := range conditions {
		zone, ok := strings.CutPrefix(conditions[i].Type, ReadyPrefix)
		if !ok {
			continue
		}
		seen[zone] = true
		state, there := zones[zone]
		report := reportOf(zone, &conditions[i], k, state, now)
		if !there {
			report.Status, report.Against = ReadyGone, ""
		}
		p.add(report)
		if report.Status == ReadyFailing {
			text := cmp.Or(report.Message, report.Reason, "no message")
			said[text] = append(said[text], zone)
		}
	}
	for zone, state := range zones {
		if !seen[zone] {
			p.add(ZoneReady{Zone: zone, Status: ReadySilent, Rows: state.Policy(k).State(state, now)})
		}
	}
	for text, names := range said {
		slices.Sort(names)
		p.Failures = append(p.Failures, ReadyMessage{Text: text, Zones: names})
	}
	slices.SortFunc(p.Failures, func(a, b ReadyMessage) int {
		return cmp.Or(cmp.Compare(len(b.Zones), len(a.Zones)), strings.Compare(a.Text, b.Text))
	})
	slices.SortFunc(p.Reports, func(a, b ZoneReady) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), strings.Compare(a.Zone, b.Zone))
	})
	return p
}

// central says whether the reports are those of one zone for all nodes.
func central(conditions []model.Condition, zones map[string]*model.ZoneState) bool {
	found := false
	for i := range conditions {
		if zone, ok := strings.CutPrefix(conditions[i].Type, ReadyPrefix); ok {
			if _, node := zones[zone]; node && zone != centralZone {
				return false
			}
			found = found || zone == centralZone
		}
	}
	return found
}

// reportOf is a condition beside the rows of its zone.
func reportOf(zone string, c *model.Condition, k model.PolicyKey, z *model.ZoneState, now time.Time) ZoneReady {
	out := ZoneReady{Zone: zone, Status: ReadyFailing, Reason: c.Reason, Message: c.Message, At: c.Changed, Rows: z.Policy(k).State(z, now)}
	if c.Status == "True" {
		out.Status = ReadyYes
	}
	switch {
	case out.Status == ReadyYes && (out.Rows == model.StateBehind || out.Rows == model.StateFrozen || out.Rows == model.StateNotEnforced):
		what := string(out.Rows)
		if in := z.Policy(k); out.Rows == model.StateBehind && in != nil {
			what = words.Count(revision.DifferingRows(in), "row") + " " + what
		}
		out.Against = what + " although the controller reported ready"
	case out.Status == ReadyFailing && out.Rows == model.StateInSync:
		out.Against = "in sync although the controller reported a failure"
	}
	return out
}

// add counts a report.
func (p *PolicyReady) add(z ZoneReady) {
	p.Reports = append(p.Reports, z)
	if z.Against != "" {
		p.Against++
	}
	switch z.Status {
	case ReadyGone:
		p.Gone++
		return
	case ReadyYes:
		p.Ready++
	case ReadyFailing:
		p.Failing++
	case ReadySilent:
		p.Silent++
	}
	p.Zones++
	if z.At.IsZero() {
		return
	}
	if p.Oldest.IsZero() || z.At.Before(p.Oldest) {
		p.Oldest = z.At
	}
	if z.At.After(p.Newest) {
		p.Newest = z.At
	}
}

// EventGroup is the same event as several controllers reported it: a policy that
// every zone's controller warns of has one event per zone (ovn-kubernetes.md#events).
type EventGroup struct {
	Type, Reason, Message string
	Count                 int       // of all reporters together
	Reporters             []string  // by name, those that are known
	Last                  time.Time // of the newest occurrence
}

// EventGroups are the events about an object, equal ones together, newest first.
func EventGroups(r *revision.Revision, k model.Key) []EventGroup {
	type same struct{ kind, reason, message string }
	at := map[same]int{}
	var out []EventGroup
	for _, ev := range r.Events(k) { // oldest first
		id := same{ev.Type, ev.Reason, ev.Message}
		i, ok := at[id]
		if !ok {
			i = len(out)
			at[id] = i
			out = append(out, EventGroup{Type: ev.Type, Reason: ev.Reason, Message: ev.Message})
		}
		g := &out[i]
		g.Count += max(ev.Count, 1)
		g.Last = ev.Last
		if ev.Reporter != "" {
			g.Reporters = append(g.Reporters, ev.Reporter)
		}
	}
	for i := range out {
		slices.Sort(out[i].Reporters)
		out[i].Reporters = slices.Compact(out[i].Reporters)
	}
	slices.SortStableFunc(out, func(a, b EventGroup) int { return b.Last.Compare(a.Last) })
	return out
}

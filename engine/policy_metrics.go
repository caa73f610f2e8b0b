package engine

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"rung/model"
	"rung/revision"
)

// Bounds of the series that name policies.
const (
	seriesInForce = 200
	seriesDiffers = 100
)

var (
	policiesByState = metricDesc("rung_policies", "Policies of a zone by state.", "zone", "kind", "state")
	policyInForce   = metricDesc("rung_policy_in_force_timestamp_seconds",
		"Since when a policy of the whole cluster is in force in a zone; at most 200 policies.", "zone", "kind", "policy")
	policyNotInForce = metricDesc("rung_policy_not_in_force_seconds",
		"How long the rows of a policy have differed; at most 100 policies, the longest first.", "zone", "kind", "namespace", "policy")
	policyDiffers = metricDesc("rung_policy_differing_rows",
		"Rows of a policy that differ from the desired ones; at most 100 policies.", "zone", "kind", "namespace", "policy", "difference")
	policiesLogged = metricDesc("rung_logged_policies", "Policies whose connections are logged.")
	logSessions    = metricDesc("rung_logging_sessions", "Policies that Rung logs for a limited time.")
	reportWrites   = metricDesc("rung_report_writes_total", "Attempts to write the report of this agent.", "result")
	reportAge      = metricDesc("rung_report_age_seconds", "Age of the agent's newest report.")
	agentLeads     = metricDesc("rung_report_leader", "1 while this agent's report holds: it has the Lease of its zone.")
)

// policyTimes knows since when policies are in force in zones, and measures how long that took.
type policyTimes struct {
	seconds *prometheus.HistogramVec

	mu      sync.Mutex
	first   bool // a revision was taken
	read    map[model.PolicyKey]*model.Policy
	changed map[model.PolicyKey]time.Time
	inForce map[zonePolicy]time.Time
}

type zonePolicy struct {
	zone   string
	policy model.PolicyKey
}

func newPolicyTimes() *policyTimes {
	return &policyTimes{read: map[model.PolicyKey]*model.Policy{}, changed: map[model.PolicyKey]time.Time{},
		inForce: map[zonePolicy]time.Time{},
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "rung_policy_rows_seconds",
			Help:    "Time from reading a policy's change to its rows in a zone.",
			Buckets: prometheus.ExponentialBuckets(0.01, 2, 14)}, []string{"zone"})}
}

// takeRevision notes which policies changed, and which came into force.
func (t *policyTimes) takeRevision(r *revision.Revision) {
	if !r.Loaded {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	left := maps.Clone(t.read)
	for _, kind := range []model.Kind{model.KindANP, model.KindBANP, model.KindCNP} {
		for p := range r.Cluster.Policies(kind) {
			delete(left, p.Key)
			was := t.read[p.Key]
			t.read[p.Key] = p
			if was != p && !model.SameContent(was, p) && t.first {
				t.changed[p.Key] = r.At
				maps.DeleteFunc(t.inForce, func(z zonePolicy, _ time.Time) bool { return z.policy == p.Key })
			}
		}
	}
	t.first = true
	for k := range left {
		delete(t.read, k)
		delete(t.changed, k)
	}
	maps.DeleteFunc(t.inForce, func(z zonePolicy, _ time.Time) bool { return t.read[z.policy] == nil || r.Zone(z.zone) == nil })
	for _, z := range r.Zones {
		for k := range t.read {
			p, key := z.PolicyJoin(k), zonePolicy{z.Name, k}
			_, known := t.inForce[key]
			switch is := p != nil && p.None == nil && p.StateAt(z, r.At) == model.StateInSync; {
			case is && !known:
				t.inForce[key] = r.At
				if at, ok := t.changed[k]; ok {
					t.seconds.WithLabelValues(z.Name).Observe(r.At.Sub(at).Seconds())
				}
			case !is && known && z.IsCurrent():
				delete(t.inForce, key)
			}
		}
	}
	for k := range t.changed {
		if !slices.ContainsFunc(r.Zones, func(z *model.ZoneState) bool { _, in := t.inForce[zonePolicy{z.Name, k}]; return !in }) {
			delete(t.changed, k)
		}
	}
}

// collect sends the metrics of policies: counts, and the series of a bounded number of policies.
func (t *policyTimes) collect(r *revision.Revision, now time.Time, gauge func(*prometheus.Desc, float64, ...string)) {
	if !r.Loaded {
		return
	}
	t.mu.Lock()
	inForce := maps.Clone(t.inForce)
	t.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(inForce), func(a, b zonePolicy) int {
		return cmp.Or(strings.Compare(string(a.policy.Kind), string(b.policy.Kind)), strings.Compare(a.policy.Name, b.policy.Name),
			strings.Compare(a.zone, b.zone))
	})
	for _, k := range keys[:min(len(keys), seriesInForce)] {
		gauge(policyInForce, float64(inForce[k].UnixMilli())/1000, k.zone, string(k.policy.Kind), k.policy.Name)
	}
	logged, sessions := 0, 0
	for p := range r.Cluster.AllPolicies() {
		if p.HasLogging && p.Logging != "" {
			logged++
		}
		if p.Annotations[model.AnnotationLogSession] != "" {
			sessions++
		}
	}
	gauge(policiesLogged, float64(logged))
	gauge(logSessions, float64(sessions))
	for _, z := range r.Zones {
		t.collectZone(z, now, gauge)
	}
}

// collectZone sends the metrics of a zone's policies.
func (t *policyTimes) collectZone(z *model.ZoneState, now time.Time, gauge func(*prometheus.Desc, float64, ...string)) {
	type kindState struct{ kind, state string }
	counts := map[kindState]int{}
	var differing []*model.PolicyInZone
	for k, p := range z.Policies {
		if k != p.Policy { // a network's unit, counted under its object
			continue
		}
		counts[kindState{string(k.Kind), string(p.StateAt(z, now))}]++
		if p.Missing+p.Extra+p.Different > 0 && !p.NotComparable {
			differing = append(differing, p)
		}
	}
	for c, n := range counts {
		gauge(policiesByState, float64(n), z.Name, c.kind, c.state)
	}
	slices.SortFunc(differing, func(a, b *model.PolicyInZone) int {
		return cmp.Or(a.DiffSince.Compare(b.DiffSince), strings.Compare(a.Policy.String(), b.Policy.String()))
	})
	// An object has a unit on each of its networks, and one series.
	seen := map[[3]string]bool{}
	for _, p := range differing {
		name := [3]string{string(p.Policy.Kind), p.Policy.Namespace, p.Policy.Name}
		if seen[name] || len(seen) == seriesDiffers {
			continue
		}
		seen[name] = true
		gauge(policyNotInForce, max(0, now.Sub(p.DiffSince).Seconds()), z.Name, name[0], name[1], name[2])
		for kind, n := range map[model.DiffKind]int{model.DiffMissing: p.Missing, model.DiffExtra: p.Extra, model.DiffDifferent: p.Different} {
			gauge(policyDiffers, float64(n), z.Name, name[0], name[1], name[2], string(kind))
		}
	}
}

// collectAgent sends the metrics of the agent itself.
func (a *agent) collect(gauge func(*prometheus.Desc, float64, ...string), counter func(*prometheus.Desc, float64, ...string)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	counter(reportWrites, float64(a.written), "ok")
	counter(reportWrites, float64(a.failed), "failed")
	gauge(agentLeads, boolGauge(a.standby == ""))
	if !a.writtenAt.IsZero() {
		gauge(reportAge, time.Since(a.writtenAt).Seconds())
	}
}

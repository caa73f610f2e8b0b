package engine

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"rung/engine/logs"
	"rung/engine/zones"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/revision"
)

// Health reports the state of an engine over HTTP. It serves the metrics of OVN-Kubernetes' controller
// (ovn-kubernetes.md#metrics), with the same names and labels, and Rung's own for each zone. They are per
// process: row metrics add up the zones it writes, one per node.
type Health struct {
	loop         *zones.Loop
	ownership    zones.OwnerOptions
	owners       *zones.Owners
	logs         *logs.Store
	transactions *prometheus.CounterVec
	seconds      *prometheus.HistogramVec
	rails        *prometheus.CounterVec
	// rung observe sets times and agent on a node, observer for a cluster.
	times    *policyTimes
	agent    *agent
	observer *clusterObserver

	mu     sync.Mutex
	counts map[string]rowCount // by zone
	hits   hitSeries
}

// rowCount holds the row counts of a database.
type rowCount struct {
	db *nb.DB
	n  map[string]map[string]int // owner type, table
}

// NewHealth returns the health of an engine.
func NewHealth(l *zones.Loop, own zones.OwnerOptions, store *logs.Store) *Health {
	return &Health{loop: l, ownership: own, logs: store, counts: map[string]rowCount{},
		transactions: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rung_zone_transactions_total",
			Help: "Transactions with a zone's database, by result."}, []string{"zone", "result"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "rung_zone_transaction_seconds",
			Help: "Time from sending a transaction to its answer.", Buckets: prometheus.ExponentialBuckets(0.001, 2, 15)},
			[]string{"zone"}),
		rails: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rung_guard_rails_met_total",
			Help: "Guard rails met by policy changes from the sources, by code."}, []string{"code"}),
	}
}

// SetOwners sets the owners whose reports are counted. It is called once, before the first scrape.
func (m *Health) SetOwners(o *zones.Owners) { m.owners = o }

// CountTransaction counts a finished transaction.
func (m *Health) CountTransaction(zone string, t reconciler.Transaction) {
	m.transactions.WithLabelValues(zone, t.Result).Inc()
	m.seconds.WithLabelValues(zone).Observe(t.Took.Seconds())
}

// CountRailMet counts a guard rail that a change from the sources met.
func (m *Health) CountRailMet(code string) { m.rails.WithLabelValues(code).Inc() }

// Registry returns all metrics, including metrics of the Go runtime and the process.
func (m *Health) Registry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(m, m.transactions, m.seconds, m.rails, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if m.times != nil {
		r.MustRegister(m.times.seconds)
	}
	return r
}

func metricDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// policyDescs describes the metrics of one kind of policy.
type policyDescs struct {
	kind                     model.Kind
	policies, rules, objects *prometheus.Desc
	actions                  []model.Action
}

var policyMetrics = []policyDescs{
	describePolicies(model.KindANP, "ovnkube_controller_admin_network_policies", "admin network policies",
		model.Allow, model.Deny, model.Pass),
	describePolicies(model.KindBANP, "ovnkube_controller_baseline_admin_network_policies", "baseline admin network policies",
		model.Allow, model.Deny),
}

func describePolicies(kind model.Kind, name, plural string, actions ...model.Action) policyDescs {
	const total = "The total number of "
	return policyDescs{
		kind:     kind,
		policies: metricDesc(name, total+plural+" in the cluster"),
		rules:    metricDesc(name+"_rules", total+"rules across all "+plural+" in the cluster", "direction", "action"),
		objects: metricDesc(name+"_db_objects", total+"OVN NBDB objects (table_name) owned by "+string(kind)+
			" controller in the cluster", "table_name"),
		actions: actions,
	}
}

var (
	zoneQueue = metricDesc("rung_zone_queue_depth", "Policies waiting to be written.", "zone")
	zoneDrift = metricDesc("rung_zone_drift_rows", "Rows that differ from the desired ones, by kind of difference.", "zone", "kind")
	zoneLeft  = metricDesc("rung_zone_unwritten", "Policies and rows not written in a zone that Rung writes, by reason.", "zone",
		"reason")
	zoneConn    = metricDesc("rung_zone_connection_state", "1 for the current state of the connection.", "zone", "state")
	zoneHeld    = metricDesc("rung_zone_writer_held", "1 while this process holds the zone's epoch.", "zone")
	zoneEpoch   = metricDesc("rung_zone_writer_epoch", "The epoch in NB_Global: it grows whenever a writer takes over.", "zone")
	zoneSync    = metricDesc("rung_zone_last_sync_timestamp_seconds", "When the rows were last known to be current.", "zone")
	zonePaused  = metricDesc("rung_zone_paused", "1 while Rung should write the zone but does not.", "zone")
	zoneForeign = metricDesc("rung_zone_foreign_change_timestamp_seconds",
		"When another writer last changed a row of Rung's owner types.", "zone")
	zoneOverride = metricDesc("rung_zone_ownership_overridden",
		"1 if an operator asserted that nothing else writes the rows.", "zone")
	reportsLeft = metricDesc("rung_reports_waiting", "Conditions and events not yet accepted by the API server.")
	reportsLost = metricDesc("rung_reports_dropped_total", "Conditions and events given up.")
)

// Describe sends nothing, which makes Health an unchecked collector: the metrics depend on the zones.
func (m *Health) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics of the newest revision.
func (m *Health) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	r := m.loop.Revision()
	if m.observer != nil { // each agent has the metrics of its zone
		m.observer.collect(r, m.loop.Now(), gauge)
		return
	}
	var mine []*model.ZoneState
	for _, z := range r.Zones {
		if z.Writes {
			mine = append(mine, z)
		}
		m.zoneMetrics(z, gauge)
	}
	if m.times != nil {
		m.times.collect(r, m.loop.Now(), gauge)
		m.agent.collect(gauge, func(d *prometheus.Desc, v float64, labels ...string) {
			ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
		})
	} else {
		for i := range policyMetrics {
			m.policyMetrics(&policyMetrics[i], r, mine, gauge)
		}
	}
	m.mu.Lock()
	maps.DeleteFunc(m.counts, func(name string, _ rowCount) bool { return r.Zone(name) == nil })
	m.mu.Unlock()
	m.collectHits(ch)
	if waiting, dropped, ok := m.owners.WaitingReports(); ok {
		gauge(reportsLeft, float64(waiting))
		ch <- prometheus.MustNewConstMetric(reportsLost, prometheus.CounterValue, float64(dropped))
	}
}

func boolGauge(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (m *Health) zoneMetrics(z *model.ZoneState, gauge func(*prometheus.Desc, float64, ...string)) {
	drift := map[model.DiffKind]int{model.DiffMissing: 0, model.DiffExtra: 0, model.DiffDifferent: 0}
	for k, p := range z.Policies {
		if k != p.Policy { // a network's unit, counted under its object
			continue
		}
		drift[model.DiffMissing] += p.Missing
		drift[model.DiffExtra] += p.Extra
		drift[model.DiffDifferent] += p.Different
	}
	for k, n := range drift {
		gauge(zoneDrift, float64(n), z.Name, string(k))
	}
	if z.Writes {
		left := map[UnwrittenReason]int{}
		for _, u := range m.UnwrittenIn(z) {
			left[u.Why]++
		}
		for _, why := range unwrittenReasons {
			gauge(zoneLeft, float64(left[why]), z.Name, string(why))
		}
	}
	for _, st := range []model.ConnState{model.ConnStarting, model.ConnDialling, model.ConnSynced, model.ConnSwept,
		model.ConnReadOnly, model.ConnLost, model.ConnDenied} {
		gauge(zoneConn, boolGauge(z.Conn == st), z.Name, string(st))
	}
	gauge(zoneQueue, float64(z.Pending), z.Name)
	gauge(zoneHeld, boolGauge(z.RowsHeld), z.Name)
	gauge(zoneEpoch, float64(z.Epoch), z.Name)
	gauge(zonePaused, boolGauge(z.Writes && z.Paused != ""), z.Name)
	gauge(zoneOverride, boolGauge(m.ownership.SoleWriter), z.Name)
	stamp := func(d *prometheus.Desc, t time.Time) {
		if !t.IsZero() {
			gauge(d, float64(t.UnixMilli())/1000, z.Name)
		}
	}
	stamp(zoneSync, z.SyncedAt)
	stamp(zoneForeign, z.ForeignAt)
}

// policyMetrics sends the metrics of one kind: policies programmed in a zone this process writes, their rules,
// and their rows.
func (m *Health) policyMetrics(d *policyDescs, r *revision.Revision, mine []*model.ZoneState,
	gauge func(*prometheus.Desc, float64, ...string)) {
	n, rules := 0, map[model.Direction]map[model.Action]int{model.Ingress: {}, model.Egress: {}}
	for p := range r.Cluster.Policies(d.kind) {
		if !isProgrammed(p.Key, mine) {
			continue
		}
		n++
		for dir, list := range map[model.Direction][]model.Rule{model.Ingress: p.Ingress, model.Egress: p.Egress} {
			for i := range list {
				rules[dir][list[i].Action]++
			}
		}
	}
	gauge(d.policies, float64(n))
	for dir, byAction := range rules {
		for _, a := range d.actions {
			gauge(d.rules, float64(byAction[a]), string(dir), string(a))
		}
	}
	for _, table := range []string{nb.TableACL, nb.TableAddressSet} {
		rows := 0
		for _, z := range mine {
			rows += m.countRows(z)[string(d.kind)][table]
		}
		gauge(d.objects, float64(rows), table)
	}
}

// isProgrammed reports whether some zone holds rows of the policy.
func isProgrammed(k model.PolicyKey, zones []*model.ZoneState) bool {
	return slices.ContainsFunc(zones, func(z *model.ZoneState) bool {
		p := z.PolicyJoin(k)
		return p != nil && (p.LiveACLs > 0 || (p.InSync && p.None == nil))
	})
}

// countRows counts a zone's rows by owner type and table, once for each state of its database.
func (m *Health) countRows(z *model.ZoneState) map[string]map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.counts[z.Name]; c.db == z.DB && c.n != nil {
		return c.n
	}
	n := map[string]map[string]int{nb.OwnerANP: {}, nb.OwnerBANP: {}}
	count := func(table string, ids map[string]string) {
		if t := n[ids[nb.KeyOwnerType]]; t != nil {
			t[table]++
		}
	}
	for a := range z.DB.ACLs() {
		count(nb.TableACL, a.ExternalIDs)
	}
	for s := range z.DB.AddressSets() {
		count(nb.TableAddressSet, s.ExternalIDs)
	}
	m.counts[z.Name] = rowCount{z.DB, n}
	return n
}

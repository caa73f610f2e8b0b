package zones

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/reconciler"
	"rung/sources/kube"
)

// reportedWorld is a loop with the zone n1, which nobody may read, and an agent there.
type reportedWorld struct {
	t   *testing.T
	a   *agentReports
	now time.Time
	c   *model.Cluster
	d   *compiler.Desired
}

func newReportedWorld(t *testing.T) *reportedWorld {
	t.Helper()
	w := &reportedWorld{t: t, now: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)}
	w.compile("spec: {priority: 5, subject: {namespaces: {}}}")
	l := NewLoop(context.Background(), func() time.Time { return w.now })
	t.Cleanup(l.Close)
	world := func() World { return World{Cluster: w.c, Desired: w.d, Loaded: true} }
	z := New(l, Config{}, world, nil, NewReports(l, func(model.PolicyKey) *model.Policy { return nil }), &Dialects{Loop: l, zones: nil})
	z.agents = newAgentReports(z)
	z.agents.namespace, z.agents.areListed, z.agents.leasesListed = "rung", true, true
	w.a = z.agents
	z.addMember(&member{name: "n1", open: func() (reconciler.Zone, error) {
		t.Error("the zone is read although its agent reports")
		return nil, context.Canceled
	}})
	return w
}

// compile makes the policy p with this YAML, and its desired rows.
func (w *reportedWorld) compile(yaml string) {
	p := &model.Policy{Meta: model.Meta{Key: model.PolicyKey{Kind: model.KindANP, Name: "p"}}, Priority: 5, YAML: yaml}
	c, changes := (*model.Cluster)(nil).Upsert([]model.Object{p}, nil)
	w.c = c
	w.d, _ = compiler.New(compiler.Options{IPv4: true}).Apply(c, changes)
}

// report is what the agent says about the policy as it is now.
func (w *reportedWorld) report(units ...model.DifferingUnit) *model.ZoneReport {
	r := &model.ZoneReport{Format: model.ReportFormat, Agent: "a1", LeaseNamespace: "rung", Lease: "l1", JudgedAt: w.now,
		Connection: model.ReportConnection{State: model.ConnSynced, Since: w.now}, Units: 1, Differing: units, Settings: json.RawMessage(`{"Meter":{"Value":77}}`)}
	for p := range w.c.Policies(model.KindANP) {
		r.Policies = append(r.Policies, model.ReportedPolicy{Kind: p.Kind, Name: p.Name, Digest: model.ReportDigest(p)})
	}
	return r
}

func (w *reportedWorld) take(r *model.ZoneReport) {
	w.a.takeReports(kube.ReportNews{Reports: map[string]*model.ZoneReport{"n1": r}})
}

// renew is a sign of life of an agent whose clock is ahead.
func (w *reportedWorld) renew(holder string, ahead time.Duration) {
	w.a.takeLeases(kube.ReportNews{Leases: map[string]kube.AgentLease{"l1": {Holder: holder, RenewedAt: w.now.Add(ahead), Duration: time.Minute}}})
	w.a.renewShown()
}

// is compares the state of the policy, and the text why the zone has no other.
func (w *reportedWorld) is(when string, want model.PolicyState, why string) {
	w.t.Helper()
	w.a.renewShown()
	st := w.a.judgedState(w.a.states["n1"])
	k := model.PolicyKey{Kind: model.KindANP, Name: "p"}
	if got := st.PolicyJoin(k).StateAt(st, w.now); got != want || !strings.Contains(st.Error, why) || (why == "") != (st.Error == "") {
		w.t.Errorf("%s: the policy is %q, the zone %s %q; want %q and %q", when, got, st.Conn, st.Error, want, why)
	}
}

// What an agent says counts while it lives, about the policies that it judged, by the clock of this machine.
func TestReportedZone(t *testing.T) {
	w := newReportedWorld(t)
	w.take(w.report())
	w.is("nobody holds the Lease", model.StateUnknown, "")
	w.renew("a1", 0)
	w.is("a report", model.StateInSync, "")

	w.compile("spec: {priority: 5, subject: {namespaces: {matchLabels: {a: b}}}}")
	w.is("the policy changed", model.StateStale, "")
	w.take(w.report())
	w.is("the agent judged it", model.StateInSync, "")

	w.now = w.now.Add(59 * time.Second)
	w.is("it was quiet", model.StateInSync, "")
	w.now = w.now.Add(2 * time.Second)
	w.is("it is silent", model.StateStale, "node agent a1 is silent since 12:00:00")
	w.renew("a1", 0)
	w.is("it is back", model.StateInSync, "")

	w.renew("a2", 0)
	w.is("another agent took over", model.StateStale, "the report is by a1, and the zone's agent is a2")
	w.renew("a1", 0)
	w.renew("", 0)
	w.is("nobody holds the Lease any more", model.StateStale, "node agent a1 ended")
	w.renew("a1", 5*time.Minute)
	w.is("the agent's clock is ahead", model.StateInSync, "")

	ahead := w.now.Add(5 * time.Minute)
	k := model.DifferingUnit{Kind: model.KindANP, Name: "p", Missing: 1, Since: ahead, Touched: ahead}
	w.take(w.report(k))
	w.is("a row is missing", model.StateSettling, "")
	w.now = w.now.Add(6 * time.Second)
	w.is("a row stays missing", model.StateBehind, "")

	lost := w.report()
	lost.Connection = model.ReportConnection{State: model.ConnLost, Error: "connection refused", Since: w.now}
	w.take(lost)
	w.is("the database is down", model.StateStale, "connection refused")

	w.take(w.report())
	w.is("the database is back", model.StateInSync, "")
	w.a.takeReports(kube.ReportNews{Unread: map[string]string{"n1": "the report has format 2"}})
	w.is("a report of another release", model.StateStale, "format 2")
	w.take(w.report())
	w.is("of this release again", model.StateInSync, "")
	w.take(nil)
	w.is("the report was deleted", model.StateStale, "no agent")
}

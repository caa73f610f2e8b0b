package trace_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/engine/trace"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/revision"
	"rung/test/live"
	"rung/test/uitest"
)

// isolated are facts in which the annotation of 2016 isolates blue, and counts, with one
// policy or none.
func isolated(t testing.TB, policy string) *revision.Facts {
	t.Helper()
	p := alone(t, policy)
	ns := *p.Cluster.Namespace("blue")
	ns.Annotations = map[string]string{model.AnnotationIsolation: `{"ingress": {"isolation": "DefaultDeny"}}`}
	p.Cluster, _ = p.Cluster.Upsert([]model.Object{&ns}, nil)
	p.Desired, p.Zones, p.Flags.LegacyIsolation = nil, nil, true
	uitest.Sync(p)
	return p
}

// Rows cannot say what the annotation of 2016 says: that is known, and no drift. What the
// rows differ in besides is drift as ever.
func TestNoRowsOf2016(t *testing.T) {
	const text = "blue/web-g0 blue/api-d0 TCP 9999"
	const zone = "ovn-worker"
	p := isolated(t, "")
	got := ask(t, &trace.Tracer{}, revision.New(*p, nil), text)
	if got.Verdict != verdict.Deny || got.Rows.Verdict != verdict.Allow || len(got.Disagree) != 1 || !got.DiffersAsKnown() {
		t.Fatalf("%s, rows %s, %+v", got.Verdict, got.Rows.Verdict, got.Disagree)
	}
	d := got.Disagree[0]
	want := model.Finding{Code: trace.FindNoRowsOf2016, Severity: model.SeverityInfo, Rule: -1, Zone: zone,
		Message: "zone " + zone + ", to-lport: policies deny by the document of 2016, rows allow by the policies of today; " +
			"OVN-Kubernetes has no rows for the isolation annotation of 2016 (a known divergence, not drift)",
		Remedy: "rung convert --to networkpolicy writes the policies of today, which have rows"}
	if diff := cmp.Diff(want, d.Finding); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s := got.Paths[0].Stages[d.Stage]; !d.KnownFrom2016 || !s.Of2016 {
		t.Errorf("known %v, of 2016 %v", d.KnownFrom2016, s.Of2016)
	}

	// Without the flag nothing differs.
	q := *p
	q.Flags.LegacyIsolation = false
	if got := ask(t, &trace.Tracer{}, revision.New(q, nil), text); got.Verdict != verdict.Allow || len(got.Disagree) != 0 {
		t.Errorf("without the flag: %s, %+v", got.Verdict, got.Disagree)
	}

	// A row that drifted is drift as ever.
	p = isolated(t, "cluster-control")
	q = *p
	q.Zones = append([]*model.ZoneState(nil), p.Zones...)
	live.Edit(t, &q, zone, func(db *nb.DB) []nb.RowChange {
		old := live.ACL(t, db, "AdminNetworkPolicy:cluster-control:Egress:5:None")
		wrong := *old
		wrong.Action = nb.ActionAllowRelated
		return []nb.RowChange{{Old: old, New: &wrong}}
	})
	live.Judge(t, &q, uitest.Now.Add(-time.Minute))
	got = ask(t, &trace.Tracer{}, revision.New(q, nil), "blue/web-g0 red/web-f0 TCP 8080")
	if len(got.Disagree) != 1 || got.Disagree[0].KnownFrom2016 || got.DiffersAsKnown() || got.Disagree[0].Finding.Code != trace.FindRowsDisagree {
		t.Errorf("a row that drifted: %+v", got.Disagree)
	}
}

// Where the rows alone are asked, it is said that they do not have what the policies say.
func TestRowsAloneOf2016(t *testing.T) {
	r := revision.New(*isolated(t, ""), nil)
	for _, c := range []struct {
		text string
		said bool
	}{{"blue/web-g0 blue/api-d0 TCP 9999", true}, {"blue/web-g0 red/web-f0 TCP 9999", false}} {
		q, err := trace.ParseQuestion(c.text)
		if err != nil {
			t.Fatal(err)
		}
		ask, err := q.Connection()
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&trace.Tracer{}).Ask(r, ask, trace.Rows, true, uitest.Now)
		if err != nil {
			t.Fatal(err)
		}
		if (got.Of2016 != nil) != c.said || c.said && !strings.HasPrefix(got.Of2016.Message, "policies deny by the document of 2016, rows allow") {
			t.Errorf("%s: %+v", c.text, got.Of2016)
		}
	}
}

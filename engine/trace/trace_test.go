package trace_test

import (
	"strings"
	"testing"
	"time"

	"rung/engine/trace"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/revision"
	"rung/test/live"
	"rung/test/uitest"
)

const question = "blue/api-d0 red/web-f0 TCP 8080"

func ask(t testing.TB, tracer *trace.Tracer, r *revision.Revision, text string) *trace.Trace {
	t.Helper()
	q, err := trace.ParseQuestion(text)
	if err != nil {
		t.Fatal(err)
	}
	c, err := q.Connection()
	if err != nil {
		t.Fatal(err)
	}
	out, err := tracer.Ask(r, c, trace.Both, true, uitest.Now)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Whatever is done to the rows that decide, the trace names the row and says what is wrong.
func TestDisagreementNamesTheRow(t *testing.T) {
	const deny = "AdminNetworkPolicy:cluster-control:Egress:5:None"
	const uuid = "f0e1d2c3-0000-4000-8000-000000000001"
	zone := "ovn-worker"
	for name, tc := range map[string]struct {
		ask    string
		change func(*nb.DB) []nb.RowChange
		want   []string
		row    trace.Row
	}{
		"another action": {change: func(db *nb.DB) []nb.RowChange {
			old := live.ACL(t, db, deny)
			wrong := *old
			wrong.Action = nb.ActionAllowRelated
			return []nb.RowChange{{Old: old, New: &wrong}}
		}, want: []string{"ACL " + deny + " has action allow-related, not drop"}},
		"missing": {change: func(db *nb.DB) []nb.RowChange {
			old := live.ACL(t, db, deny)
			g := *db.PortGroupByName(groupOf(db, "cluster-control").Name)
			next := g
			next.ACLs = without(g.ACLs, old.UUID)
			return []nb.RowChange{{Old: old}, {Old: groupOf(db, "cluster-control"), New: &next}}
		}, want: []string{"ACL " + deny + " is missing"}},
		"a port that is no subject any more": {change: func(db *nb.DB) []nb.RowChange {
			g := groupOf(db, "cluster-control")
			next := *g
			next.Ports = without(g.Ports, db.PortByName("blue_api-d0").UUID)
			return []nb.RowChange{{Old: g, New: &next}}
		}, want: []string{"Port_Group AdminNetworkPolicy:cluster-control ports lack"}},
		"an address that is missing": {ask: "monitoring/prometheus-0 blue/web-g0 TCP 7564", change: func(db *nb.DB) []nb.RowChange {
			var out []nb.RowChange
			for s := range db.AddressSets() {
				if strings.Contains(s.ID(), ":cluster-control:Ingress:1:") {
					next := *s
					next.Addresses = without(s.Addresses, addrOf(t, "monitoring", "prometheus-0"))
					out = append(out, nb.RowChange{Old: s, New: &next})
				}
			}
			return out
		}, want: []string{"Address_Set AdminNetworkPolicy:cluster-control:Ingress:1:v4 addresses lack"}},
		"a row of nobody": {change: func(db *nb.DB) []nb.RowChange {
			sw := db.SwitchByName(zone)
			next := *sw
			next.ACLs = append([]string{uuid}, sw.ACLs...)
			return []nb.RowChange{{New: &nb.ACL{UUID: uuid, Tier: 0, Priority: 30000, Direction: nb.FromLport, Action: nb.ActionAllow,
				Match: "ip4", Options: map[string]string{"apply-after-lb": "true"}}}, {Old: sw, New: &next}}
		}, want: []string{"ACL " + uuid + " decides, a row without a policy"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := alone(t, "cluster-control")
			text := tc.ask
			if text == "" {
				text = question
			}
			tracer := &trace.Tracer{}
			if got := ask(t, tracer, revision.New(*p, nil), text); len(got.Disagree) > 0 {
				t.Fatalf("rows disagree before: %s", got.Disagree[0].Finding.Message)
			}
			q := *p
			q.Zones = append([]*model.ZoneState(nil), p.Zones...)
			live.Edit(t, &q, zone, tc.change)
			live.Judge(t, &q, uitest.Now.Add(-time.Minute))
			got := ask(t, tracer, revision.New(q, nil), text) // the same tracer: what it keeps must not be old
			if len(got.Disagree) != 1 {
				t.Fatalf("%d disagreements: %+v", len(got.Disagree), got.Disagree)
			}
			d := got.Disagree[0]
			if d.Zone != zone || d.Finding.Zone != zone || d.Finding.Code != trace.FindRowsDisagree || d.Settling {
				t.Errorf("%+v", d)
			}
			for _, want := range append(tc.want, "rows disagree in zone "+zone) {
				if !strings.Contains(d.Finding.Message, want) {
					t.Errorf("%q lacks %q", d.Finding.Message, want)
				}
			}
			// What just happened may go by itself.
			live.Judge(t, &q, uitest.Now)
			if d := ask(t, tracer, revision.New(q, nil), text).Disagree; len(d) != 1 || name != "a row of nobody" && (!d[0].Settling || d[0].Finding.Severity != model.SeverityInfo) {
				t.Errorf("just changed: %+v", d)
			}
		})
	}
}

// A zone that was not read says nothing, which is no disagreement.
func TestZoneNotRead(t *testing.T) {
	p := uitest.DemoFacts(t)
	live.Zone(t, p, "ovn-worker").DB = nil
	got := ask(t, &trace.Tracer{}, revision.New(*p, nil), question)
	if got.Verdict != verdict.Deny || got.Rows.Verdict != verdict.Deny && got.Rows.Verdict != verdict.Unknown || len(got.Disagree) != 0 {
		t.Errorf("%s, rows %s, %v", got.Verdict, got.Rows.Verdict, got.Disagree)
	}
	if s := got.Paths[0].Stages[0]; s.Rows.Verdict != verdict.Unknown || s.Rows.Reason != "zone ovn-worker was not read" {
		t.Errorf("%+v", s.Rows)
	}
}

// Every connection of the demo that the policies are sure about is one in which the rows
// that compile from them agree, and has a sentence that says its verdict.
func TestEveryPairIsSaid(t *testing.T) {
	r := revision.New(*uitest.DemoFacts(t), nil)
	words := map[verdict.Verdict]string{verdict.Allow: "allowed", verdict.Deny: "denied by ", verdict.Undefined: "undefined: ",
		verdict.Unknown: "unknown: ", verdict.NotApplicable: "not applicable: "}
	tracer, n := &trace.Tracer{Compiled: true}, 0
	all := trace.EndChoices(r)
	for i := range all {
		for j := range all {
			if all[i].IsService() {
				continue
			}
			c, err := trace.Question{From: all[i].Text, To: all[j].Text, Port: 53}.Connection()
			if err != nil {
				t.Fatal(err)
			}
			got, err := tracer.Ask(r, c, trace.Both, true, uitest.Now)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Disagree) > 0 {
				t.Fatalf("%s: %s", c, got.Disagree[0].Finding.Message)
			}
			if s := got.Sentence(); !strings.HasPrefix(s, words[got.Verdict]) && !(len(got.Paths) > 1 && strings.HasPrefix(s, "denied for ")) {
				t.Fatalf("%s is %s: %q", c, got.Verdict, s)
			}
			n++
		}
	}
	if n < 1000 {
		t.Errorf("%d pairs", n)
	}
}

// alone are the facts of the demo with one policy only: no other decides where it does not.
func alone(t testing.TB, name string) *revision.Facts {
	t.Helper()
	p := uitest.DemoFacts(t)
	var gone []model.Key
	for o := range p.Cluster.AllPolicies() {
		if o.Name != name {
			gone = append(gone, o.Key)
		}
	}
	p.Cluster, _ = p.Cluster.Upsert(nil, gone)
	p.Desired = nil
	uitest.Sync(p)
	return p
}

func without(all []string, one string) (out []string) {
	for _, s := range all {
		if s != one {
			out = append(out, s)
		}
	}
	return out
}

func groupOf(db *nb.DB, policy string) *nb.PortGroup {
	for g := range db.PortGroups() {
		if g.ID() == nb.DefaultController+":AdminNetworkPolicy:"+policy {
			return g
		}
	}
	return nil
}

func addrOf(t testing.TB, namespace, name string) string {
	t.Helper()
	return uitest.DemoFacts(t).Cluster.Pod(namespace, name).IPs[0]
}

// The ovn-trace commands are those of the way, and none where the rows do not say enough.
func TestOVNTraceCommands(t *testing.T) {
	p := uitest.DemoFacts(t)
	text := "blue/api-d0 blue/web-g0 TCP 8080"
	if lines, err := ask(t, &trace.Tracer{}, revision.New(*p, nil), text).OVNTrace(revision.New(*p, nil)); err == nil || len(lines) > 0 {
		t.Errorf("ports without addresses: %v, %v", lines, err)
	}
	live.Edit(t, p, "ovn-worker", func(db *nb.DB) (out []nb.RowChange) {
		for name, addr := range map[string]string{"blue_api-d0": "0a:58:0a:f4:01:0a 10.244.1.10", "blue_web-g0": "0a:58:0a:f4:01:08 10.244.1.8"} {
			old := db.PortByName(name)
			next := *old
			next.Addresses = []string{addr}
			out = append(out, nb.RowChange{Old: old, New: &next})
		}
		return out
	})
	r := revision.New(*p, nil)
	lines, err := ask(t, &trace.Tracer{}, r, text).OVNTrace(r)
	if err != nil || len(lines) != 1 || lines[0].Zone != "ovn-worker" {
		t.Fatalf("%v, %v", lines, err)
	}
	for _, want := range []string{"ovn-trace --db=unix:/var/run/ovn/ovnsb_db.sock", "-- ovn-worker ", `inport == "blue_api-d0"`, "eth.dst == 0a:58:0a:f4:01:08", "8080"} {
		if !strings.Contains(lines[0].Line, want) {
			t.Errorf("%s lacks %q", lines[0].Line, want)
		}
	}
}

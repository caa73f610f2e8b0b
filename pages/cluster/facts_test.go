package cluster

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rung/model"
	"rung/revision"
	"rung/test/given"
)

// readyWorld has nodes, a policy with conditions, and zones whose rows stand as
// given; a zone that is not named was never read.
func readyWorld(nodes []string, conditions []model.Condition, rows map[string]model.PolicyInZone) *revision.Revision {
	k := model.PolicyKey{Kind: model.KindANP, Name: "p"}
	objects := []model.Object{&model.Policy{Meta: model.Meta{Key: k}, Conditions: conditions, Priority: 5}}
	for _, n := range nodes {
		objects = append(objects, &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: n}}})
	}
	c, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	p := revision.Facts{Cluster: c, At: given.Now}
	for _, n := range nodes {
		z := &model.ZoneState{Name: n, Conn: model.ConnDialling}
		if in, ok := rows[n]; ok {
			in.Policy = k
			z.Conn, z.SyncedAt = model.ConnSynced, given.Now
			z.Policies = map[model.PolicyKey]*model.PolicyInZone{k: &in}
		}
		p.Zones = append(p.Zones, z)
	}
	return revision.New(p, nil)
}

func ready(zone, status, message string, ago time.Duration) model.Condition {
	reason := map[string]string{"True": "SetupSucceeded", "False": "SetupFailed"}[status]
	return model.Condition{Type: revision.ReadyPrefix + zone, Status: status, Reason: reason, Message: message, Changed: model.Stamp{Time: given.Now.Add(-ago)}}
}

func TestReady(t *testing.T) {
	old := given.Now.Add(-time.Hour)
	behind := model.PolicyInZone{Missing: 2, DiffSince: old, Touched: old}
	inSync := model.PolicyInZone{InSync: true}
	frozen := model.PolicyInZone{None: &model.NoRows{Code: "priority"}, LiveACLs: 3}
	type line struct {
		Zone    string
		Status  ReportStatus
		Rows    model.PolicyState
		Against string
	}
	type want struct {
		Zones, Ready, Failing, Silent, Gone, Against int
		Oldest, Newest                               time.Duration // ago
		Failures                                     []ReportFailure
		Lines                                        []line
	}
	for _, tt := range []struct {
		name       string
		nodes      []string
		conditions []model.Condition
		rows       map[string]model.PolicyInZone
		want       want
	}{
		{name: "nobody reports", nodes: []string{"a"}, conditions: []model.Condition{{Type: "Other", Status: "True"}},
			want: want{Zones: 1, Silent: 1, Lines: []line{{"a", Silent, model.StateUnknown, ""}}}},
		{name: "all ready", nodes: []string{"a", "b"}, rows: map[string]model.PolicyInZone{"a": inSync},
			conditions: []model.Condition{ready("a", "True", "", time.Hour), ready("b", "True", "", time.Minute)},
			want: want{Zones: 2, Ready: 2, Oldest: time.Hour, Newest: time.Minute, Lines: []line{
				{"a", Yes, model.StateInSync, ""}, {"b", Yes, model.StateUnknown, ""}}}},
		{name: "worst first, equal messages once", nodes: []string{"a", "b", "c", "d", "e", "f"},
			rows: map[string]model.PolicyInZone{"a": inSync, "d": behind, "e": frozen, "f": inSync},
			conditions: []model.Condition{ready("a", "True", "", time.Hour), ready("b", "False", "no space", 2*time.Hour), ready("c", "False", "no space", time.Minute),
				ready("d", "True", "", time.Hour), ready("e", "True", "", time.Hour), ready("f", "False", "other", time.Hour), ready("old", "False", "no space", 90*time.Hour)},
			want: want{Zones: 6, Ready: 3, Failing: 3, Gone: 1, Against: 3, Oldest: 2 * time.Hour, Newest: time.Minute,
				Failures: []ReportFailure{{"no space", []string{"b", "c"}}, {"other", []string{"f"}}},
				Lines: []line{{"b", Failing, model.StateUnknown, ""}, {"c", Failing, model.StateUnknown, ""},
					{"f", Failing, model.StateInSync, "in sync although the controller reported a failure"},
					{"d", Yes, model.StateBehind, "2 rows behind although the controller reported ready"},
					{"e", Yes, model.StateFrozen, "frozen although the controller reported ready"},
					{"old", Gone, model.StateUnknown, ""}, {"a", Yes, model.StateInSync, ""}}}},
		{name: "one zone for all nodes", nodes: []string{"a", "b"}, conditions: []model.Condition{ready("global", "True", "", time.Hour)},
			want: want{Zones: 1, Ready: 1, Oldest: time.Hour, Newest: time.Hour, Lines: []line{{"global", Yes, model.StateUnknown, ""}}}},
		{name: "the zone of central mode is left behind", nodes: []string{"a"},
			conditions: []model.Condition{ready("global", "True", "", time.Hour), ready("a", "Unknown", "", time.Minute)},
			want: want{Zones: 1, Failing: 1, Gone: 1, Oldest: time.Minute, Newest: time.Minute, Failures: []ReportFailure{{"no message", []string{"a"}}},
				Lines: []line{{"a", Failing, model.StateUnknown, ""}, {"global", Gone, model.StateUnknown, ""}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := AllReports(readyWorld(tt.nodes, tt.conditions, tt.rows), given.Now)
			if len(all) != 1 {
				t.Fatalf("%d policies", len(all))
			}
			p := all[0]
			got := want{Zones: p.Zones, Ready: p.Ready, Failing: p.Failing, Silent: p.Silent, Gone: p.Gone, Against: p.Against, Failures: p.Failures}
			if !p.Oldest.IsZero() {
				got.Oldest, got.Newest = given.Now.Sub(p.Oldest.Time), given.Now.Sub(p.Newest.Time)
			}
			for _, z := range p.Reports {
				got.Lines = append(got.Lines, line{z.Zone, z.Status, z.Rows, z.Against})
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// 500 zones and 50 policies are summed up every second.
func BenchmarkReady(b *testing.B) {
	var nodes []string
	rows := map[string]model.PolicyInZone{}
	var conditions []model.Condition
	for i := range 500 {
		n := fmt.Sprintf("node-%03d", i)
		nodes = append(nodes, n)
		rows[n] = model.PolicyInZone{InSync: true}
		conditions = append(conditions, ready(n, "True", "Setting up OVN DB plumbing was successful", time.Hour))
	}
	r := readyWorld(nodes, conditions, rows)
	var objects []model.Object
	for i := range 50 {
		objects = append(objects, &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: fmt.Sprint(i)}}, Conditions: conditions})
	}
	r.Cluster, _ = r.Cluster.Upsert(objects, nil)
	for b.Loop() {
		if got := AllReports(r, given.Now); len(got) != 51 {
			b.Fatal(len(got))
		}
	}
}

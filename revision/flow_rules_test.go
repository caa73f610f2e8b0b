package revision_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/revision"
)

// realRows are the ACLs of a real Northbound database, of which OVN 25.03 made the flows
// that the traces of model/ovn/flow show.
func realRows(t *testing.T) *nb.DB {
	t.Helper()
	raw, err := os.ReadFile("../model/ovn/flow/testdata/ovn-25.03.json")
	var rows struct{ ACLs []*nb.ACL }
	if err == nil {
		err = json.Unmarshal(raw, &rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	var ch []nb.RowChange
	for _, a := range rows.ACLs {
		ch = append(ch, nb.RowChange{New: a})
	}
	return (*nb.DB)(nil).Apply(ch)
}

func realTrace(t *testing.T, name string) *flow.Trace {
	t.Helper()
	raw, err := os.ReadFile("../model/ovn/flow/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return flow.Parse(string(raw)).Traces[0]
}

func behind(f *revision.RuleFinder, t *flow.Trace) (out []string) {
	for _, d := range t.Decisions() {
		for _, m := range d.Met {
			b := f.FindBehind(d, m)
			s := string(b.FoundBy) + ":"
			for _, x := range b.Rules {
				s += fmt.Sprintf(" %s %s %s %d in %q;", x.Owner.Label(), x.Policy, x.Direction.Lower(), x.Rule, x.Zone)
			}
			out = append(out, s)
		}
	}
	return out
}

// Each flow of a real trace leads to its row, and to the rule of the row.
func TestBehindLive(t *testing.T) {
	db := realRows(t)
	elsewhere := (*nb.DB)(nil)
	for a := range db.ACLs() {
		elsewhere = elsewhere.Apply([]nb.RowChange{{New: a}})
	}
	r := revision.New(revision.Facts{Zones: []*model.ZoneState{{Name: "a-zone", DB: elsewhere}, {Name: "ovn-worker", DB: db}, {Name: "unread"}}}, nil)
	for _, c := range []struct {
		trace string
		want  []string
	}{
		{"drop.txt", []string{`row: ANP cluster-control egress 5 AdminNetworkPolicy/cluster-control egress 5 in "ovn-worker";`}},
		{"baseline.txt", []string{`row: ANP cluster-control egress 4 AdminNetworkPolicy/cluster-control egress 4 in "ovn-worker";`,
			`row: BANP default egress 0 BaselineAdminNetworkPolicy/default egress 0 in "ovn-worker";`}},
		{"allow-all.txt", []string{`row: ANP cluster-control egress 3 AdminNetworkPolicy/cluster-control egress 3 in "ovn-worker";`,
			`row: ANP cluster-control ingress 0 AdminNetworkPolicy/cluster-control ingress 0 in "ovn-worker";`}},
		{"reject.txt", []string{`row: no owner /  -1 in "ovn-worker";`}},
		{"summary.txt", []string{`name: ANP cluster-control egress 5 AdminNetworkPolicy/cluster-control egress 5 in "ovn-worker";`}},
	} {
		if diff := cmp.Diff(c.want, behind(revision.NewRuleFinder(r), realTrace(t, c.trace))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.trace, diff)
		}
	}
}

// A row that is written otherwise by now is found by its name or its place, and that is
// said; of a place with several rows all are named.
func TestBehindGuessed(t *testing.T) {
	db := realRows(t)
	var ch []nb.RowChange
	for a := range db.ACLs() {
		c := *a
		c.Match += " && tcp"
		ch = append(ch, nb.RowChange{Old: a, New: &c})
	}
	finder := revision.NewRuleFinder(revision.New(revision.Facts{Zones: []*model.ZoneState{{Name: "ovn-worker", DB: db.Apply(ch)}}}, nil))
	for _, c := range []struct {
		trace string
		want  []string
	}{
		{"drop.txt", []string{`name: ANP cluster-control egress 5 AdminNetworkPolicy/cluster-control egress 5 in "ovn-worker";`}},
		{"baseline.txt", []string{`place: ANP cluster-control egress 4 AdminNetworkPolicy/cluster-control egress 4 in "ovn-worker";`,
			`place: BANP default egress 0 BaselineAdminNetworkPolicy/default egress 0 in "ovn-worker";`}},
	} {
		if diff := cmp.Diff(c.want, behind(finder, realTrace(t, c.trace))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.trace, diff)
		}
	}
	none := revision.NewRuleFinder(revision.New(revision.Facts{}, nil))
	if diff := cmp.Diff([]string{":"}, behind(none, realTrace(t, "drop.txt"))); diff != "" {
		t.Errorf("without rows (-want +got)\n%s", diff)
	}
}

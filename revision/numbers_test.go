package revision

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/given"
)

// apart is a pod of namespace blue whose primary network is a user-defined one.
const apart = `apiVersion: v1
kind: Pod
metadata: {name: tunnel-0, namespace: blue, labels: {app: tunnel}, annotations: {k8s.ovn.org/pod-networks: '{"default":{"ip_addresses":["10.244.0.99/24"],"role":"infrastructure-locked"},"blue/net":{"ip_addresses":["10.100.0.5/16"],"role":"primary"}}'}}
spec: {nodeName: worker, containers: [{name: c}]}
status: {phase: Running, podIPs: [{ip: 10.244.0.99}]}`

// Pods of a subject are counted by one count, and where two could be meant it names both.
func TestSubjectCount(t *testing.T) {
	r := New(Facts{Cluster: given.Cluster(t, apart, given.ANP("both", 10, "tenant=blue", "in allow *"), given.ANP("one", 11, "tenant=red", "in allow *"),
		given.ANP("far", 120, "tenant=blue", "in deny *"))}, nil)
	for _, tt := range []struct {
		policy, text string
	}{
		{"both", "2 of 3 pods: 1 on a user-defined network"},
		{"one", "2 pods"},
		{"far", "2 of 3 pods: 1 on a user-defined network"}, // not enforced: those it would apply to
		{"gone", "0 pods"},
	} {
		n := CountSubjects(r, given.ANPKey(tt.policy))
		if brief, _, _ := strings.Cut(tt.text, ":"); n.BriefText() != brief || n.String() != tt.text {
			t.Errorf("%s: %q, want %q", tt.policy, n, tt.text)
		}
		if all := len(SubjectPods(r, r.Cluster.Policy(given.ANPKey(tt.policy)))); all != n.SelectedPods() {
			t.Errorf("%s: %d pods are listed, %d counted", tt.policy, all, n.SelectedPods())
		}
	}
	if got := (SubjectCount{Pods: 12345, OtherNetwork: 1}).String(); got != "12,345 of 12,346 pods: 1 on a user-defined network" {
		t.Error(got)
	}
}

// A zone in which everything that has desired rows is in sync is in sync: what is not
// enforced counts apart, and what is frozen differs.
func TestTally(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	c := given.Cluster(t, given.ANP("a", 10, "tenant=blue", "in allow *"), given.ANP("b", 11, "tenant=blue", "in allow *"),
		given.ANP("far", 120, "tenant=blue", "in deny *"), given.ANP("old", 121, "tenant=blue", "in deny *"))
	none := &model.NoRows{Code: "priority"}
	z := &model.ZoneState{Name: "worker", Conn: model.ConnSynced, SyncedAt: now, Policies: map[model.PolicyKey]*model.PolicyInZone{}}
	put := func(name string, p model.PolicyInZone) {
		p.Policy, p.Touched = given.ANPKey(name), now.Add(-time.Minute)
		z.Policies[p.Policy] = &p
	}
	put("a", model.PolicyInZone{InSync: true})
	put("far", model.PolicyInZone{None: none, LivePriority: -1})
	put("old", model.PolicyInZone{None: none, LiveACLs: 1, LivePriority: 50})
	r := New(Facts{Cluster: c, Zones: []*model.ZoneState{z}}, nil)
	frozen := []UnitState{{given.ANPKey("old"), model.StateFrozen}}
	tally := TallyZone(r, z, now)
	if diff := cmp.Diff(frozen, tally.Differ); diff != "" || tally.InSyncText() != "1/2, 1 not enforced" {
		t.Errorf("one was not compared yet: %q %s", tally.InSyncText(), diff)
	}
	put("b", model.PolicyInZone{InSync: true})
	put("gone", model.PolicyInZone{Extra: 1, DiffSince: now.Add(-time.Minute)})
	tally = TallyZone(r, z, now)
	want := map[model.PolicyState]int{model.StateInSync: 2, model.StateNotEnforced: 1, model.StateFrozen: 1, model.StateBehind: 1}
	if diff := cmp.Diff(want, tally.States); diff != "" || tally.InSyncText() != "2/3, 1 not enforced" {
		t.Errorf("with rows of a policy that is gone: %q %s", tally.InSyncText(), diff)
	}
	// Over all zones nothing can be in sync where there are no desired rows.
	for name, short := range map[string]string{"a": "1/1", "far": "–", "old": "–", "gone": "0/1"} {
		if s := SummarizePolicy(r, given.ANPKey(name), now); s.InSyncText() != short {
			t.Errorf("%s: %q, want %q", name, s.InSyncText(), short)
		}
	}
	if o := SummarizePolicy(r, given.ANPKey("far"), now); !o.HasNoRows {
		t.Errorf("%+v", o)
	}
}

// Rows that decide at a priority where no policy stands are named: old ones of a policy
// that is not enforced, and those of another form or of nobody.
func TestStrayRowsAt(t *testing.T) {
	c := given.Cluster(t, given.ANP("here", 50, "tenant=blue", "in allow *"), given.ANP("far", 120, "tenant=blue", "in deny *"))
	rows := []nb.RowChange{
		given.ACLRow("1", 1, 25000, nb.ToLport, nb.ActionAllowRelated, given.ANPIDs("here", "0")),
		given.ACLRow("2", 1, 24901, nb.ToLport, nb.ActionDrop, given.ANPIDs("removed", "0")),
		given.ACLRow("3", 1, 24900, nb.ToLport, nb.ActionDrop, nil),
	}
	z := &model.ZoneState{Name: "worker", Conn: model.ConnSynced, DB: (*nb.DB)(nil).Apply(rows), Policies: map[model.PolicyKey]*model.PolicyInZone{
		given.ANPKey("here"): {Policy: given.ANPKey("here"), InSync: true, LiveACLs: 1, LivePriority: 50},
		given.ANPKey("far"):  {Policy: given.ANPKey("far"), None: &model.NoRows{Code: "priority"}, LiveACLs: 1, LivePriority: 50},
	}}
	other := *z
	other.Name = "other"
	r := New(Facts{Cluster: c, Zones: []*model.ZoneState{z, &other}}, nil)
	next := r.WithPolicies(nil, []model.Key{given.ANPKey("here")})
	for _, r := range []*Revision{r, next} {
		at50 := UnownedRowsAt(r, 50, given.ANPKey("here"))
		if len(at50) != 2 || !slices.Contains(at50, "ANP far (frozen)") || !slices.Contains(at50, "ANP removed ingress") {
			t.Errorf("at 50: %q", at50)
		}
		if got := UnownedRowsAt(r, 50, given.ANPKey("far")); len(got) != 1 {
			t.Errorf("but those of far: %q", got)
		}
		if got := UnownedRowsAt(r, 51, given.ANPKey("here")); len(got) != 1 || got[0] == "ANP far (frozen)" {
			t.Errorf("at 51 is a row of nobody: %q", got)
		}
		if got := UnownedRowsAt(r, 49, given.ANPKey("here")); got != nil {
			t.Errorf("at 49: %q", got)
		}
	}
}

// What is special about a pod: the first reason that keeps policies away is told.
func TestPodNote(t *testing.T) {
	udn := []model.PodNetwork{{Name: "blue/net", Role: "primary"}}
	for want, p := range map[string]*model.Pod{
		"host network: no policy":   {HostNetwork: true, Phase: "Succeeded"},
		"completed: its addresses":  {Phase: "Succeeded"},
		"not scheduled: no policy":  {Networks: udn},
		"its primary network is bl": {NodeName: "worker", Networks: udn}, // also without an address
		"no address: a subject, bu": {NodeName: "worker"},
		"":                          {NodeName: "worker", IPs: []string{"10.0.0.1"}},
	} {
		if text, _ := PodNote(p); text[:min(len(want), len(text))] != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
}

package revision

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/given"
)

// A rule's ACLs are the desired ones beside the live ones, and what is live under its name
// though nothing desires it; those of other rules are not among them.
func TestRuleACLs(t *testing.T) {
	k := given.ANPKey("one")
	r := New(Facts{Cluster: given.Cluster(t, given.ANP("one", 10, "tenant=blue", "in allow tenant=green tcp:80", "in deny tenant=red"))}, nil)
	rule := r.Cluster.Policy(k).Rule(model.Ingress, 0)
	desired := RuleACLs(r, k, rule, nil)
	if len(desired) != 1 || desired[0].Desired == nil || desired[0].Live != nil || desired[0].Differs != 0 {
		t.Fatalf("without a zone: %+v", desired)
	}
	other := RuleACLs(r, k, r.Cluster.Policy(k).Rule(model.Ingress, 1), nil)
	live := *desired[0].Desired
	live.UUID, live.Priority = "u1", 1
	second := *other[0].Desired
	second.UUID = "u2"
	left := live
	left.UUID, left.ExternalIDs = "u3", map[string]string{}
	for key, value := range live.ExternalIDs {
		left.ExternalIDs[key] = strings.ReplaceAll(value, "tcp", "udp")
	}
	group := &nb.PortGroup{UUID: "g", Name: GroupName(r, k), ACLs: []string{"u1", "u2", "u3"}}
	z := &model.ZoneState{Name: "worker", DB: given.Database(group, &live, &second, &left)}
	var got []string
	for _, a := range RuleACLs(r, k, rule, z) {
		got = append(got, fmt.Sprintf("%t %s %d", a.Desired != nil, a.Live.UUID, a.Differs))
	}
	if diff := cmp.Diff([]string{"true u1 1", "false u3 0"}, got); diff != "" {
		t.Error(diff)
	}
	z.Policies = map[model.PolicyKey]*model.PolicyInZone{k: {Policy: k, Diffs: []model.RowDiff{{Kind: model.DiffDifferent, Table: nb.TablePortGroup,
		Fields: []model.FieldDiff{{Column: "ports", Missing: []string{"a"}}}}}}}
	if acls := RuleACLs(r, k, rule, z); !acls[0].Members {
		t.Error("a port is missing from the group, and the ACL does not say so")
	}
}

// The neighbours of a rule are those of its direction along the ladder, past what is not
// enforced.
func TestNeighbours(t *testing.T) {
	r := New(Facts{Cluster: given.Cluster(t, given.ANP("one", 10, "", "in allow tenant=blue", "in deny tenant=red", "out allow tenant=blue"), given.ANP("two", 20, "", "in deny tenant=red"),
		given.ANP("far", 120, "", "in deny tenant=red"), given.BANP("", "in deny tenant=red"))}, nil)
	name := func(p *PlacedRule) string {
		if p == nil {
			return "none"
		}
		return fmt.Sprintf("%s %d", p.Policy.Name, p.Rule.Index)
	}
	for _, tt := range []struct {
		policy string
		dir    model.Direction
		rule   int
		want   string
	}{
		{"one", model.Ingress, 0, "none, one 1"},
		{"one", model.Ingress, 1, "one 0, two 0"},
		{"two", model.Ingress, 0, "one 1, default 0"},
		{"one", model.Egress, 0, "none, none"},
	} {
		p := r.Cluster.Policy(given.ANPKey(tt.policy))
		before, after := NeighbourRules(r, p, p.Rule(tt.dir, tt.rule))
		if got := name(before) + ", " + name(after); got != tt.want {
			t.Errorf("%s %s %d: %s, want %s", tt.policy, tt.dir, tt.rule, got, tt.want)
		}
	}
}

// astray is a policy in three zones: behind in c, frozen in b, in sync in a.
func astray(k model.PolicyKey, now time.Time) []*model.ZoneState {
	old := now.Add(-time.Minute)
	zone := func(name string, p model.PolicyInZone) *model.ZoneState {
		p.Policy, p.Touched, p.LivePriority = k, old, -1
		return &model.ZoneState{Name: name, Conn: model.ConnSynced, SyncedAt: now, Policies: map[model.PolicyKey]*model.PolicyInZone{k: &p}}
	}
	return []*model.ZoneState{
		zone("a", model.PolicyInZone{InSync: true, LiveACLs: 2}),
		zone("b", model.PolicyInZone{None: &model.NoRows{Code: "priority"}, LiveACLs: 3}),
		zone("c", model.PolicyInZone{Different: 1, DiffSince: old}),
	}
}

func TestPolicyOverZones(t *testing.T) {
	now, k := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC), given.ANPKey("one")
	r := New(Facts{Cluster: given.Cluster(t, given.ANP("one", 10, "tenant=blue", "in allow tenant=red")), Zones: astray(k, now)}, nil)
	if z := WorstZone(r, k, now); z.Name != "b" {
		t.Errorf("the worst zone is %s, want b, where it is frozen", z.Name)
	}
	names := func(zones []*model.ZoneState) (out []string) {
		for _, z := range zones {
			out = append(out, z.Name)
		}
		return out
	}
	first, left := ZonesNotInSync(r, k, 12, now)
	if got := fmt.Sprint(names(first), names(left)); got != "[b c] [a]" {
		t.Errorf("troubled %s", got)
	}
	o := SummarizePolicy(r, k, now)
	if o.Zones != 3 || o.InSync != 1 || o.State != model.StateFrozen || !slices.Equal(o.NotInSync[o.State], []string{"b"}) {
		t.Errorf("over all zones: %+v", o)
	}
	if others := o.StatesNotInSync(); !slices.Equal(others, []model.PolicyState{model.StateFrozen, model.StateBehind}) {
		t.Errorf("worst first: %v", others)
	}
	if tally := TallyZone(r, r.Zones[2], now); tally.Policies != 1 || tally.InSync != 0 || len(tally.Differ) != 1 || tally.Differ[0].State != model.StateBehind {
		t.Errorf("the tally of c: %+v", tally)
	}
	if n, zones := LiveACLCount(r, k); n != 5 || !slices.Equal(zones, []string{"a", "b"}) {
		t.Errorf("%d ACLs in %v", n, zones)
	}
	for from, want := range map[string]string{"a": "b", "c": "a", "gone": "a"} {
		if got := NextZone(r, from, 1); got != want {
			t.Errorf("after %s comes %s, want %s", from, got, want)
		}
	}
	if got := CountUnhealthy(r, &r.Ladder().Tiers[model.TierNetwork], now); got != 0 {
		t.Errorf("%d units of tier 2 are astray, and there are none", got)
	}
}

func TestPodsThatAreMeant(t *testing.T) {
	np := given.NPKey("blue", "web")
	r := New(Facts{Cluster: given.Cluster(t, given.ANP("far", 120, "tenant=blue", "in deny tenant=red"),
		given.NP("blue", "web", "{podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress], ingress: [{}]}"))}, nil)
	far := r.Cluster.Policy(given.ANPKey("far"))
	if pods := SubjectPods(r, far); len(pods) != 2 || pods[0].Namespace != "blue" {
		t.Errorf("a policy without rows would apply to both pods of blue: %v", pods)
	}
	if SubjectPods(r, nil) != nil {
		t.Error("no policy means pods")
	}
	for name, want := range map[string]int{"web-0": 0, "db-1": 1} {
		if got := CountPeerlessRules(r, r.Cluster.Pod("blue", name)); got != want {
			t.Errorf("%s: %d rules mean it as everybody, want %d", name, got, want)
		}
	}
	r.Zones = []*model.ZoneState{{Name: "worker", Policies: map[model.PolicyKey]*model.PolicyInZone{np: {Policy: np, Waiting: 1,
		Diffs: []model.RowDiff{{Table: nb.TablePortGroup, Waiting: "no port yet", Fields: []model.FieldDiff{{Column: "ports", Missing: []string{"blue_web-0"}}}}}}}}}
	if got := WaitingPorts(r, np); len(got) != 1 || !got["blue_web-0"] {
		t.Errorf("ports that wait: %v", got)
	}
}

func TestLoggers(t *testing.T) {
	logs := strings.Replace(given.ANP("one", 10, "", "in allow tenant=red"), "  name: one\n", "  name: one\n  annotations: {k8s.ovn.org/acl-logging: '{\"deny\": \"alert\"}'}\n", 1)
	r := New(Facts{Cluster: given.Cluster(t, logs, given.ANP("two", 20, "", "in allow tenant=red"), given.BANP("", "in deny tenant=red"))}, nil)
	if names, all := LoggingPolicies(r); all != 3 || !slices.Equal(names, []string{"one"}) {
		t.Errorf("%v of %d log", names, all)
	}
}

// Every live row has its mark; a desired row that is missing is found by its id.
func TestMarks(t *testing.T) {
	now, k := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC), given.ANPKey("one")
	r := New(Facts{Cluster: given.Cluster(t, given.ANP("one", 10, "tenant=blue", "in allow tenant=green", "in deny tenant=red"))}, nil)
	old := now.Add(-time.Minute)
	lost := r.ACLs(k, "worker")[1].ID()
	z := &model.ZoneState{Name: "worker", Conn: model.ConnSynced, SyncedAt: now, Policies: map[model.PolicyKey]*model.PolicyInZone{k: {Policy: k, Missing: 1, Extra: 1, Different: 1,
		Touched: old, DiffSince: old, LivePriority: -1, Diffs: []model.RowDiff{{Kind: model.DiffMissing, Table: nb.TableACL, ID: lost},
			{Kind: model.DiffExtra, Table: nb.TableACL, UUID: "extra"}, {Kind: model.DiffDifferent, Table: nb.TableACL, UUID: "different"}}}}}
	m := MarkRows(r, z, now)
	own := nb.IDs(nb.DefaultController, nb.OwnerANP, nb.IDPair{Key: nb.KeyName, Value: "one"})
	for uuid, want := range map[string]RowMark{"extra": RowExtra, "different": RowDifferent, "fine": RowFine} {
		a := &nb.ACL{UUID: uuid, ExternalIDs: own}
		if got := m.FindMark(a, nb.OwnerOfRow(a)); got != want {
			t.Errorf("%s: mark %d, want %d", uuid, got, want)
		}
	}
	foreign := &nb.ACL{UUID: "other"}
	if got := m.FindMark(foreign, nb.OwnerOfRow(foreign)); got != RowOtherOwner {
		t.Errorf("a row without an owner: mark %d, want %d", got, RowOtherOwner)
	}
	if rows := m.MissingRows(r, z, nb.TableACL, 50); len(rows) != 1 || rows[0].IDs()[nb.KeyID] != lost {
		t.Errorf("missing: %v, want %s", rows, lost)
	}
	if rows := m.MissingRows(r, z, nb.TableACL, 0); rows != nil {
		t.Errorf("of the first 0 policies nothing is listed: %v", rows)
	}
	z.Policies[k].DiffSince, z.Policies[k].Touched = now, now
	if a := (&nb.ACL{UUID: "different"}); MarkRows(r, z, now).FindMark(a, nb.OwnerOfRow(a)) != RowSettling {
		t.Error("a difference of this moment is settling")
	}
}

// Rows refer to each other by UUID, and matches by a whole name.
func TestReferrers(t *testing.T) {
	acl := &nb.ACL{UUID: "a", Match: "inport == @pg1 && ip4.dst == $set"}
	longer := &nb.ACL{UUID: "b", Match: "inport == @pg12 && ip4.dst == $set_v4"}
	group := &nb.PortGroup{UUID: "g", Name: "pg1", ACLs: []string{"a"}, Ports: []string{"p"}}
	sw := &nb.LogicalSwitch{UUID: "s", Name: "worker", ACLs: []string{"b"}, Ports: []string{"p"}}
	port, set := &nb.LogicalSwitchPort{UUID: "p", Name: "blue_web"}, &nb.AddressSet{UUID: "as", Name: "set"}
	db := given.Database(acl, longer, group, sw, port, set)
	for _, tt := range []struct {
		to   nb.Row
		want string
	}{{acl, "[g]"}, {longer, "[s]"}, {port, "[g s]"}, {group, "[a]"}, {set, "[a]"}} {
		var got []string
		for _, r := range Referrers(db, tt.to) {
			got = append(got, r.RowUUID())
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s: %v, want %s", tt.to.RowUUID(), got, tt.want)
		}
	}
}

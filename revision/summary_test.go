package revision

import (
	"fmt"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/given"
)

// TestWords holds the words of a policy in a zone, and over all zones, to what
// architecture.md#words says they mean.
func TestWords(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	k := given.ANPKey("one")
	none := &model.NoRows{Code: "priority"}
	fresh := &model.PolicyInZone{Policy: k, Touched: ago(time.Second), DiffSince: ago(time.Second), Missing: 1, LivePriority: -1}
	old := func(set func(*model.PolicyInZone)) *model.PolicyInZone {
		p := &model.PolicyInZone{Policy: k, Touched: ago(time.Minute), DiffSince: ago(time.Minute), LivePriority: -1}
		set(p)
		return p
	}
	insync := old(func(p *model.PolicyInZone) { p.InSync, p.DiffSince = true, time.Time{} })
	behind := old(func(p *model.PolicyInZone) { p.Missing = 1 })
	more := old(func(p *model.PolicyInZone) { p.Missing, p.Extra, p.Different = 1, 2, 3 })
	frozen := old(func(p *model.PolicyInZone) { p.None, p.LiveACLs, p.LivePriority = none, 3, 50 })
	frozenBANP := old(func(p *model.PolicyInZone) { p.None, p.LiveACLs = none, 3 })
	gone := old(func(p *model.PolicyInZone) { p.None = none })
	foreign := old(func(p *model.PolicyInZone) { p.NotComparable, p.LiveACLs = true, 3 })
	unseen := &model.PolicyInZone{Policy: k, Touched: ago(0), LivePriority: -1}
	failing := old(func(p *model.PolicyInZone) { p.Different, p.Touched, p.Error = 1, ago(time.Second), "refused" })
	failed := old(func(p *model.PolicyInZone) {
		p.Different, p.Touched, p.DiffSince, p.Error = 1, ago(time.Second), ago(time.Second), "refused"
	})
	zone := func(name string, conn model.ConnState, p *model.PolicyInZone) *model.ZoneState {
		z := &model.ZoneState{Name: name, Conn: conn, SyncedAt: ago(time.Hour), Policies: map[model.PolicyKey]*model.PolicyInZone{}}
		if p != nil {
			z.Policies[k] = p
		}
		return z
	}
	synced := func(name string, p *model.PolicyInZone) *model.ZoneState { return zone(name, model.ConnSynced, p) }
	never := func(conn model.ConnState) *model.ZoneState {
		z := zone("w", conn, insync)
		z.SyncedAt = time.Time{}
		return z
	}
	for _, tt := range []struct {
		name  string
		zones []*model.ZoneState
		want  string // text, and in how many zones it is in sync
		state model.PolicyState
	}{
		{"no zones", nil, "unknown 0/0", model.StateUnknown},
		{"in sync", []*model.ZoneState{synced("v", insync), synced("w", insync)}, "in sync 2/2", model.StateInSync},
		{"a file", []*model.ZoneState{zone("w", model.ConnReadOnly, insync)}, "in sync 1/1", model.StateInSync},
		{"settling", []*model.ZoneState{synced("w", fresh)}, "settling, 1 row 0/1", model.StateSettling},
		{"settling, not compared yet", []*model.ZoneState{synced("w", unseen)}, "settling 0/1", model.StateSettling},
		{"behind", []*model.ZoneState{synced("v", insync), synced("w", behind)}, "1 row behind w 1/2", model.StateBehind},
		{"behind, several rows", []*model.ZoneState{synced("w", more)}, "6 rows behind w 0/1", model.StateBehind},
		{"a write that fails is behind, whatever pods do", []*model.ZoneState{synced("w", failing)}, "1 row behind w 0/1", model.StateBehind},
		{"but not at once", []*model.ZoneState{synced("w", failed)}, "settling, 1 row 0/1", model.StateSettling},
		{"frozen", []*model.ZoneState{synced("v", gone), synced("w", frozen)}, "frozen: still enforced at 50 0/2", model.StateFrozen},
		{"frozen, no priority", []*model.ZoneState{synced("w", frozenBANP)}, "frozen: old rows still decide 0/1", model.StateFrozen},
		{"not enforced", []*model.ZoneState{synced("w", gone)}, "not enforced: above 99 0/1", model.StateNotEnforced},
		{"not comparable", []*model.ZoneState{synced("w", foreign)}, "not comparable 0/1", model.StateNotComparable},
		{"not compared", []*model.ZoneState{synced("w", nil)}, "unknown 0/1", model.StateUnknown},
		{"never read", []*model.ZoneState{never(model.ConnDialling)}, "dialling w 0/1", model.StateUnknown},
		{"never read and lost", []*model.ZoneState{never(model.ConnLost)}, "lost w 0/1", model.StateUnknown},
		{"no permission, although it was read once", []*model.ZoneState{zone("w", model.ConnDenied, insync)}, "no permission w 0/1", model.StateUnknown},
		{"stale", []*model.ZoneState{zone("w", model.ConnLost, insync)}, "stale w 0/1", model.StateStale},
		{"stale while it dials again", []*model.ZoneState{zone("w", model.ConnDialling, behind)}, "stale w 0/1", model.StateStale},
		{"stale, new policy", []*model.ZoneState{zone("w", model.ConnLost, nil)}, "stale w 0/1", model.StateStale},
		{"stale makes no claim that old rows decide", []*model.ZoneState{zone("w", model.ConnLost, frozen)}, "stale w, frozen when it was read 0/1", model.StateStale},
		{"nor that none do", []*model.ZoneState{zone("w", model.ConnLost, gone)}, "stale w 0/1", model.StateStale},
		{"frozen somewhere outranks stale elsewhere", []*model.ZoneState{zone("v", model.ConnLost, frozen), synced("w", frozen)}, "frozen: still enforced at 50 0/2", model.StateFrozen},
		{"frozen outranks behind", []*model.ZoneState{synced("v", behind), synced("w", frozen)}, "frozen: still enforced at 50 0/2", model.StateFrozen},
		{"behind outranks not enforced", []*model.ZoneState{synced("v", gone), synced("w", behind)}, "1 row behind w 0/2", model.StateBehind},
		{"unknown outranks settling", []*model.ZoneState{synced("v", fresh), never(model.ConnLost), synced("x", insync)}, "lost w 1/3", model.StateUnknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := New(Facts{Zones: tt.zones}, nil)
			s := SummarizePolicy(r, k, now)
			if got := fmt.Sprintf("%s %d/%d", s.Text, s.InSync, s.Zones); got != tt.want || s.State != tt.state {
				t.Errorf("%q %s, want %q %s", got, s.State, tt.want, tt.state)
			}
		})
	}
	if s := (*model.PolicyInZone)(nil).StateAt(nil, now); s != model.StateUnknown {
		t.Errorf("no zone at all: %s", s)
	}
}

// TestWaiting: pods without a port are counted over the zones, and are no
// difference.
func TestWaiting(t *testing.T) {
	k := given.ANPKey("one")
	var zones []*model.ZoneState
	for i, name := range []string{"v", "w"} {
		zones = append(zones, &model.ZoneState{Name: name, Conn: model.ConnSynced, SyncedAt: time.Now(),
			Policies: map[model.PolicyKey]*model.PolicyInZone{k: {InSync: true, Waiting: i + 1}}})
	}
	if s := SummarizePolicy(New(Facts{Zones: zones}, nil), k, time.Now()); s.Waiting != 3 || s.State != model.StateInSync {
		t.Errorf("%+v", s)
	}
}

func TestFirstZone(t *testing.T) {
	z := func(name string, conn model.ConnState, read bool) *model.ZoneState {
		z := &model.ZoneState{Name: name, Conn: conn}
		if read {
			z.DB = &nb.DB{}
		}
		return z
	}
	for _, tt := range []struct {
		zones []*model.ZoneState
		want  string
	}{
		{nil, ""},
		{[]*model.ZoneState{z("a", model.ConnDialling, false), z("b", model.ConnDialling, false)}, "a"},
		{[]*model.ZoneState{z("a", model.ConnDialling, false), z("b", model.ConnLost, true)}, "b"},
		{[]*model.ZoneState{z("a", model.ConnLost, true), z("b", model.ConnSynced, true), z("c", model.ConnSynced, true)}, "b"},
	} {
		if got := FirstZone(New(Facts{Zones: tt.zones}, nil)); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestZonePolicies: the ladder's order, then what only rows are left of.
func TestZonePolicies(t *testing.T) {
	r := revisionOf(t, given.ANP("low", 50, "", "in deny *"), given.ANP("high", 5, "", "in deny *"), given.BANP("", "in deny *"), given.ANP("above", 120, "", "in deny *"),
		given.NP("blue", "web", "{podSelector: {}}"), given.EF("red", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}"))
	in := map[model.PolicyKey]*model.PolicyInZone{given.ANPKey("zombie"): {}, given.ANPKey("high"): {}, {Kind: model.KindBANP, Name: "old"}: {}, given.ANPKey("ghost"): {}}
	var got []string
	for _, k := range ZonePolicies(r, &model.ZoneState{Policies: in}) {
		got = append(got, k.Label())
	}
	want := "[ANP high ANP low ANP above NP blue/web EF red/default BANP default " +
		"ANP ghost ANP zombie BANP old hairpin rows default deny of blue, egress default deny of blue, ingress]"
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if n := len(ZonePolicies(r, nil)); n != 6 {
		t.Errorf("without a zone: %d", n)
	}
}

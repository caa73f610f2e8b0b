package model_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"rung/model"
)

// What an agent reports, a reader judges alike, whatever the clocks say; what does not fit is unknown, not in sync.
func TestZoneReport(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	key := func(kind model.Kind, name string) model.PolicyKey { return model.PolicyKey{Kind: kind, Name: name} }
	units := map[model.PolicyKey]*model.PolicyInZone{}
	put := func(p model.PolicyInZone) { units[p.Policy] = &p }
	put(model.PolicyInZone{Policy: key(model.KindANP, "fine"), InSync: true})
	put(model.PolicyInZone{Policy: key(model.KindANP, "behind"), Missing: 2, DiffSince: now.Add(-time.Minute), Touched: now.Add(-time.Minute),
		Diffs: []model.RowDiff{{Kind: model.DiffMissing, Table: "ACL", ID: "a"}}})
	put(model.PolicyInZone{Policy: key(model.KindANP, "settling"), Different: 1, DiffSince: now, Touched: now})
	put(model.PolicyInZone{Policy: key(model.KindANP, "frozen"), None: &model.NoRows{Code: "cidr"}, LiveACLs: 3, LivePriority: 7})
	put(model.PolicyInZone{Policy: key(model.KindANP, "refused"), None: &model.NoRows{Code: "cidr"}})
	put(model.PolicyInZone{Policy: key(model.KindNP, "older"), NotComparable: true, Why: "an older form"})
	for i := range 400 {
		k := key(model.KindEF, fmt.Sprintf("ef-%03d", i))
		put(model.PolicyInZone{Policy: k, Extra: 1, DiffSince: now.Add(-time.Minute), Touched: now.Add(-time.Minute)})
	}
	z := &model.ZoneState{Name: "n1", Conn: model.ConnSynced, SyncedAt: now, Policies: units}
	for _, behind := range []time.Duration{0, 5 * time.Minute, -5 * time.Minute} {
		text, err := json.Marshal(model.NewZoneReport(z, nil, now))
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 64<<10 {
			t.Errorf("the report has %d bytes", len(text))
		}
		var r model.ZoneReport
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		read := &model.ZoneState{Name: "n1", Conn: model.ConnSwept, Agent: "a", SyncedAt: now.Add(behind)}
		read.Policies = r.UnitsInZone(slices.Values(slices.Collect(maps.Keys(units))), behind, now.Add(behind))
		unknown := 0
		for k, p := range units {
			want, got := p.StateAt(z, now), read.Policies[k].StateAt(read, now.Add(behind))
			if got == model.StateUnknown && !k.Kind.IsAdmin() {
				unknown++
				continue
			}
			if want != got {
				t.Errorf("clock %v behind: %s is %q at the agent and %q at the reader", behind, k, want, got)
			}
		}
		if want := 401 - (200 - 4); unknown != want {
			t.Errorf("%d units are unknown, want %d", unknown, want)
		}
	}
}

// A report that changed only in the time of its judgement says the same.
func TestSameFindings(t *testing.T) {
	z := &model.ZoneState{Name: "n1", Conn: model.ConnSynced, Policies: map[model.PolicyKey]*model.PolicyInZone{}}
	a, b := model.NewZoneReport(z, nil, time.Unix(1, 0)), model.NewZoneReport(z, nil, time.Unix(2, 0))
	if !a.SameFindings(b) || a.SameFindings(nil) {
		t.Error("two equal reports differ, or one equals none")
	}
	z.Policies[model.PolicyKey{Kind: model.KindANP, Name: "x"}] = &model.PolicyInZone{Missing: 1}
	if a.SameFindings(model.NewZoneReport(z, nil, time.Unix(1, 0))) {
		t.Error("a difference is no difference")
	}
}

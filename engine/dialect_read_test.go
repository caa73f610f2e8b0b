package engine

import (
	"testing"
	"time"

	"rung/model"
	"rung/model/nb"
)

// What did not change is not looked at, what did change once it has rested: soon where
// something differs, and seldom where nothing does. The first of those that rest says
// when to look again.
func TestDialectsDue(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	db := func() *nb.DB { return (*nb.DB)(nil).Apply([]nb.RowChange{{New: &nb.Global{UUID: "g"}}}) }
	zone := func(name string, inSync bool) *model.ZoneState {
		k := model.PolicyKey{Kind: model.KindANP, Name: "a"}
		return &model.ZoneState{Name: name, DB: db(), Policies: map[model.PolicyKey]*model.PolicyInZone{k: {Policy: k, InSync: inSync}}}
	}
	quiet, differs, fresh, ours, unread := zone("quiet", true), zone("differs", false), zone("fresh", true), zone("ours", true), &model.ZoneState{Name: "unread"}
	ours.Writes = true
	zones := []*model.ZoneState{quiet, differs, fresh, ours, unread}
	old := db()
	for _, tt := range []struct {
		name string
		seen map[string]dialectGlance
		due  []string
		next time.Time
	}{
		{"never looked at", nil, []string{"quiet", "differs", "fresh"}, time.Time{}},
		{"nothing changed", map[string]dialectGlance{"quiet": {db: quiet.DB, at: now}, "differs": {db: differs.DB, at: now}, "fresh": {db: fresh.DB, at: now}}, nil, time.Time{}},
		{"they rest", map[string]dialectGlance{"quiet": {db: old, at: now.Add(-dialectSoon)}, "differs": {db: old, at: now.Add(-time.Second)}, "fresh": {db: fresh.DB}},
			nil, now.Add(dialectSoon - time.Second)},
		{"one has rested", map[string]dialectGlance{"quiet": {db: old, at: now.Add(-dialectSoon)}, "differs": {db: old, at: now.Add(-dialectSoon)}, "fresh": {db: fresh.DB}},
			[]string{"differs"}, now.Add(dialectLate - dialectSoon)},
		{"a look that took long", map[string]dialectGlance{"quiet": {db: quiet.DB}, "differs": {db: old, at: now, took: time.Second}, "fresh": {db: fresh.DB}},
			nil, now.Add(dialectShare * time.Second)},
	} {
		due, next := dialectsDue(zones, tt.seen, now)
		var names []string
		for _, z := range due {
			names = append(names, z.Name)
		}
		if !next.Equal(tt.next) || len(names) != len(tt.due) {
			t.Fatalf("%s: %v, next %s; want %v, next %s", tt.name, names, next, tt.due, tt.next)
		}
		for i := range names {
			if names[i] != tt.due[i] {
				t.Errorf("%s: %v, want %v", tt.name, names, tt.due)
			}
		}
	}
}

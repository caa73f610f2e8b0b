package zones

import (
	"rung/model"
	"rung/model/ovn/nb"
	"testing"
	"time"
)

// A zone's rows are looked at when they have rested; where nothing changed there is
// nothing to wait for.
func TestGlances(t *testing.T) {
	now := time.Unix(1000, 0)
	was := (*nb.DB)(nil).Apply([]nb.RowChange{{New: &nb.Global{UUID: "g", Name: "z"}}})
	is := was.Apply([]nb.RowChange{{New: &nb.ACL{UUID: "a"}}})
	seen := func(db *nb.DB, ago time.Duration) rowLooks { return rowLooks{"z": {db: db, at: now.Add(-ago)}} }
	differs := model.ZoneState{Policies: map[model.PolicyKey]*model.PolicyInZone{{}: {Different: 1}}}
	for _, tt := range []struct {
		name string
		seen rowLooks
		zone model.ZoneState
		look bool
		in   time.Duration
	}{
		{"the same rows", seen(is, 0), differs, false, 0},
		{"other rows, rested", seen(was, dialectSoon), differs, true, 0},
		{"other rows, too soon", seen(was, time.Second), differs, false, dialectSoon - time.Second},
		{"other rows in sync", seen(was, dialectSoon), model.ZoneState{}, false, dialectLate - dialectSoon},
		{"the first rows", rowLooks{}, differs, false, dialectSoon},
		{"rows of Rung's own", rowLooks{}, model.ZoneState{Writes: true}, false, 0},
	} {
		z := tt.zone
		z.Name, z.DB = "z", is
		tt.seen["gone"] = dialectLook{db: was}
		look, in := tt.seen.dueZones([]*model.ZoneState{&z}, now)
		if (len(look) == 1) != tt.look || in != tt.in {
			t.Errorf("%s: %d to look at now, the next in %v; want %v, %v", tt.name, len(look), in, tt.look, tt.in)
		}
		if _, kept := tt.seen["gone"]; kept {
			t.Errorf("%s: a zone that is gone is remembered", tt.name)
		}
	}
}

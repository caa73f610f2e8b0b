package revision

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/given"
)

func TestShows(t *testing.T) {
	r := revisionOf(t, given.ANP("one", 10, "tenant=blue", "in allow tenant=red", "out deny tenant=green"))
	k := given.ANPKey("one")
	zone := func(name string, change func(*nb.ACL) *nb.ACL) *model.ZoneState {
		z := &model.ZoneState{Name: name, Conn: model.ConnSynced, SyncedAt: given.Now}
		var rows []nb.RowChange
		for _, a := range r.Rows(k, name).ACLs {
			c := *a
			c.UUID = name + a.ID()
			if live := change(&c); live != nil {
				rows = append(rows, nb.RowChange{New: live})
			}
		}
		z.DB = (*nb.DB)(nil).Apply(rows)
		return z
	}
	r = withZones(r,
		zone("same", func(a *nb.ACL) *nb.ACL { return a }),
		zone("late", func(a *nb.ACL) *nb.ACL { a.Severity, a.Log = "alert", true; return a }),
		zone("empty", func(*nb.ACL) *nb.ACL { return nil }),
		&model.ZoneState{Name: "lost", Conn: model.ConnLost, SyncedAt: given.Now},
		&model.ZoneState{Name: "never", Conn: model.ConnDialling},
		&model.ZoneState{Name: "dump", Conn: model.ConnReadOnly, SyncedAt: given.Now})
	want := []ZoneShown{
		{"dump", false, "a file, never updated"},
		{"empty", false, "2 of 2 ACLs not live yet"},
		{"late", false, "2 of 2 ACLs not live yet"},
		{"lost", false, "lost"},
		{"never", false, "not read yet"},
		{"same", true, ""},
	}
	if diff := cmp.Diff(want, ZonesShowing(r, []model.PolicyKey{k}, nil)); diff != "" {
		t.Error(diff)
	}
	id := r.Rows(k, "same").ACLs[0].ID()
	got := ZonesShowing(r, nil, []string{id})
	for _, s := range got {
		switch s.Zone {
		case "same":
			if s.OK || s.Why != "1 ACL still there" {
				t.Errorf("a removed row that is still live: %+v", s)
			}
		case "empty":
			if !s.OK {
				t.Errorf("a removed row that is gone: %+v", s)
			}
		}
	}
}

package revision

import (
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
)

// Digests tell the zone whose rows are others than in most, where the desired
// rows do not say what they should be.
func TestDeviating(t *testing.T) {
	now := time.Now()
	k := model.PolicyKey{Kind: model.KindANP, Name: "odd"}
	zone := func(name string, sum uint64, rows ...model.RowDigest) *model.ZoneState {
		return &model.ZoneState{Name: name, Conn: model.ConnSynced, SyncedAt: now, Policies: map[model.PolicyKey]*model.PolicyInZone{
			k: {Policy: k, NotComparable: true, Rows: &model.UnitDigest{Sum: sum, Rows: rows}}}}
	}
	a, b := model.RowDigest{Table: nb.TableACL, ID: "a", Hash: 1}, model.RowDigest{Table: nb.TableACL, ID: "b", Hash: 2}
	other := a
	other.Hash = 3
	got := deviatingUnits([]*model.ZoneState{zone("n1", 1, a, b), zone("n2", 2, other), zone("n3", 1, a, b)}, now)
	if len(got) != 1 || got[0].zone != "n2" || !strings.Contains(got[0].Message, "ACL a differs; ACL b is missing") {
		t.Errorf("found %+v", got)
	}
	if got := deviatingUnits([]*model.ZoneState{zone("n1", 1, a), zone("n2", 1, a)}, now); len(got) != 0 {
		t.Errorf("equal zones: %+v", got)
	}
}

package rows

import (
	"testing"
	"time"

	"rung/model"
)

// A difference that settles counts as behind when its time is over, whatever that is,
// although nothing happens then.
func TestNextBehind(t *testing.T) {
	now := time.Now()
	k := model.PolicyKey{Kind: model.KindANP, Name: "a"}
	zone := func(ago time.Duration) *model.ZoneState {
		return &model.ZoneState{Name: "alpha", Conn: model.ConnSynced, SyncedAt: now,
			Policies: map[model.PolicyKey]*model.PolicyInZone{k: {Policy: k, Missing: 1, Touched: now.Add(-ago)}}}
	}
	zones := []*model.ZoneState{zone(time.Second), zone(3 * time.Second), zone(time.Minute)}
	if at := NextBehind(zones, now, 10*time.Second); !at.Equal(now.Add(7 * time.Second)) {
		t.Errorf("in %s, want 7s", at.Sub(now))
	}
	if at := NextBehind(zones, now, 2*time.Second); !at.Equal(now.Add(time.Second)) {
		t.Errorf("in %s, want 1s", at.Sub(now))
	}
	if at := NextBehind(zones[2:], now, 10*time.Second); !at.IsZero() {
		t.Errorf("at %s, want never", at)
	}
}

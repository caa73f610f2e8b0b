package zones

import (
	"maps"
	"testing"
	"time"

	"rung/engine/logs"
)

// The meters of a zone are read while an ACL is at its limit and once more after that, also
// where nothing was lost when they were read first.
func TestMetersAreReadOnceMore(t *testing.T) {
	l := &lostLines{zones: map[string]*zoneMeters{}}
	start := time.Now()
	for _, c := range []struct {
		second int
		losses []logs.MeterLoss
		want   map[string]bool
	}{
		{0, nil, map[string]bool{}},
		{1, []logs.MeterLoss{{Zone: "n1", AtLimit: true}, {Zone: "n1", Lost: 3}}, map[string]bool{"n1": true}},
		{2, []logs.MeterLoss{{Zone: "n1", AtLimit: true}}, map[string]bool{}}, // read a second ago
		{6, nil, map[string]bool{}}, // below the limit, no loss known
		{11, nil, map[string]bool{"n1": false}},
		{30, []logs.MeterLoss{{Zone: "n1", Lost: 760}}, map[string]bool{}}, // lost before, below its limit
	} {
		now := start.Add(time.Duration(c.second) * time.Second)
		due := l.dueZones(c.losses, now)
		if !maps.Equal(due, c.want) {
			t.Errorf("second %d: %v, want %v", c.second, due, c.want)
		}
		for zone, limited := range due {
			l.noteMeters(zone, zoneMeters{nil, now.Add(MetersInPodEvery), limited})
		}
	}
}

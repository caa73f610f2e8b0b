package revision

import (
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
)

// Since when something is behind is told by looking: a number that came when nobody looked
// is "at least", one that moved begins anew, and what lasts a moment is not behind.
func TestCount(t *testing.T) {
	at := time.Unix(1000, 0)
	var c ProgressCount
	for _, x := range []struct {
		after               time.Duration
		written, made, done int64
		want                string // two seconds later
	}{
		{0, 5, 4, 4, "northd is behind for at least 2 s"},
		{time.Second, 5, 4, 4, "northd is behind for at least 3 s"},
		{time.Second, 6, 5, 4, "northd is behind for 2 s; a node is behind for 2 s"},
		{10 * time.Second, 7, 5, 4, "northd is behind for 12 s; a node is behind for 12 s"},
		{time.Second, 7, 7, 4, "a node is behind for 13 s"},
		{time.Second, 7, 7, 7, ""},
		{time.Second, 8, 7, 7, "northd is behind for 2 s"},
	} {
		at = at.Add(x.after)
		g := &nb.Global{Written: nb.ProgressMark{Cfg: x.written}, Made: nb.ProgressMark{Cfg: x.made}, Done: nb.ProgressMark{Cfg: x.done}}
		c = c.Next(g, at)
		z := &model.ZoneState{Name: "z", DB: (*nb.DB)(nil).Apply([]nb.RowChange{{New: g}})}
		r := New(Facts{Zones: []*model.ZoneState{z}, Counts: map[string]ProgressCount{"z": c}}, nil)
		p := ReadProgress(r, z)
		if got := p.BehindText(at.Add(flowSettle)); got != x.want {
			t.Errorf("%d/%d/%d: %q, want %q", x.written, x.made, x.done, got, x.want)
		}
	}
	p := ZoneProgress{ProgressCount: ProgressCount{Northd: at}}
	p.NodeProgress.Written.Cfg, p.NodeProgress.Made.Cfg, p.NodeProgress.Done.Cfg = 2, 1, 1
	if got := p.BehindText(at.Add(time.Second)); got != "" {
		t.Errorf("after a second: %q", got)
	}
}

// What died or was stopped did so some time ago; what does not answer lasts.
func TestFaultText(t *testing.T) {
	now := time.Date(2026, 11, 23, 2, 0, 0, 0, time.UTC)
	for want, d := range map[string]model.Fault{
		"ovn-northd died 12 s ago":            {Process: "ovn-northd", State: "died", Since: model.Stamp{Time: now.Add(-12 * time.Second)}},
		"ovn-northd stopped just now":         {Process: "ovn-northd", State: "stopped", Since: model.Stamp{Time: now}},
		"ovn-northd does not answer for 12 s": {Process: "ovn-northd", State: "does not answer", Since: model.Stamp{Time: now.Add(-12 * time.Second)}},
	} {
		if got := d.AgedText(now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

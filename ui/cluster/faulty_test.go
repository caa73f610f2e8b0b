package cluster_test

import (
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/revision"
	"rung/test/live"
	"rung/test/uitest"
)

// A zone is marked exactly when its lines below the table say what is wrong.
func TestMarkedWhenTold(t *testing.T) {
	const zone = "ovn-worker"
	numbers := func(written, made, done int64, ago time.Duration) func(*revision.Facts) {
		return func(p *revision.Facts) { live.Numbers(t, p, zone, written, made, done, uitest.Now.Add(-ago)) }
	}
	left := func(_ *revision.Southbound, flows []*flow.LogicalFlow) []*flow.LogicalFlow { return flows[1:] }
	belowFlows := func(ago time.Duration, change func(*revision.Southbound, []*flow.LogicalFlow) []*flow.LogicalFlow) func(*revision.Facts) {
		return func(p *revision.Facts) { live.Flows(t, p, zone, uitest.Now.Add(-ago), change) }
	}
	lost := func(s *revision.Southbound, flows []*flow.LogicalFlow) []*flow.LogicalFlow {
		s.Conn, s.Error = model.ConnLost, "connection refused"
		return flows
	}
	for name, tc := range map[string]struct {
		do   func(*revision.Facts)
		want bool
	}{
		"nothing known":            {func(*revision.Facts) {}, false},
		"all has followed":         {numbers(7, 7, 7, time.Minute), false},
		"northd behind":            {numbers(8, 7, 7, time.Minute), true},
		"nodes behind":             {numbers(8, 8, 7, time.Minute), true},
		"flows there":              {belowFlows(time.Minute, nil), false},
		"flows missing":            {belowFlows(time.Minute, left), true},
		"flows missing just now":   {belowFlows(time.Second, left), false},
		"Southbound database lost": {belowFlows(time.Minute, lost), true},
		"Southbound database not read at all": {func(p *revision.Facts) {
			p.Southbounds = []*revision.Southbound{{Zone: zone, Followed: true, Conn: model.ConnDenied, Error: "forbidden"}}
		}, true},
		"Southbound database read on demand": {func(p *revision.Facts) {
			p.Southbounds = []*revision.Southbound{{Zone: zone, Conn: model.ConnStarting}}
		}, false},
		"a process died": {func(p *revision.Facts) {
			p.Down = map[string][]model.Fault{zone: {{Process: "ovn-controller", State: "died", Since: model.Stamp{Time: uitest.Now}}}}
		}, true},
	} {
		p := uitest.DemoFacts(t)
		tc.do(p)
		r := revision.New(*p, nil)
		for _, z := range r.Zones {
			told, marked := revision.BehindTexts(r, z, uitest.Now), revision.IsBelowFaulty(r, z, uitest.Now)
			if want := tc.want && z.Name == zone; marked != want || (len(told) > 0) != want {
				t.Errorf("%s: %s is marked %v, told %q; want %v", name, z.Name, marked, told, want)
			}
		}
	}
}

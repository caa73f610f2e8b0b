package logs_test

import (
	"testing"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui/nav"
)

// On a cluster the head says of how many nodes the logs are followed, and why
// says what keeps the others away, and what of lines is missing.
func TestStreams(t *testing.T) {
	w := newTail(t, 0)
	w.parts.Mode = revision.Mode{Name: revision.ClusterMode, Title: "lab"}
	w.f.Set(w.parts)
	streams := []logline.Stream{
		{Zone: "ovn-control-plane", Namespace: "openshift-ovn-kubernetes", Container: "ovn-controller", State: logline.StreamOpen, Since: uitest.Now},
		{Zone: "ovn-worker", State: logline.StreamDenied, Since: uitest.Now, Error: "no permission to get pods/log in ovn-kubernetes"},
		{Zone: "ovn-worker2", State: logline.StreamLost, Since: uitest.Now, Gaps: 2, TooLong: 1, Error: "connection refused"},
	}
	w.store.ListStreamsWith(func() []logline.Stream { return streams })
	s := w.open(nav.NewPage(nav.Logs))
	s.Want("1 of 3 nodes followed · lost: ovn-worker2 · no permission: ovn-worker", "2 gaps in the logs · 1 line too long to read",
		"The log of ovn-worker cannot be followed: no permission since 14:05:00: no permission to get pods/log",
		"no container ovn-acl-logging", "acl-audit-log.log", "1 node followed without an ACL line so far")
	s.Golden("streams")
	s.ResizeAll()
	for i := range streams {
		streams[i].State = logline.StreamOpen
	}
	w.f.Advance(2 * time.Second)
	s.Refresh()
	s.Want("● 3 of 3 nodes followed")
	s.WantNot("cannot be followed")
}

// Of log files alone the head says that no cluster is loaded, not that no policy logs, and
// so does why.
func TestLogsAlone(t *testing.T) {
	w := newTail(t, 0)
	w.parts.Mode = revision.Mode{Name: revision.LogsMode, Title: "acl.log"}
	w.parts.Cluster, w.parts.Zones = &model.Cluster{}, nil
	w.f.Set(w.parts)
	s := w.open(nav.NewPage(nav.Logs))
	s.Resize(80, 24)
	s.Want("no cluster loaded: addresses and ACL names only; -f PATH adds pods, policies", "No cluster is loaded")
	s.WantNot("no policy logs", "The meter limits")
}

// A zone whose rows do not log although the policy does is named, and so is a
// zone without the meter.
func TestWhyRows(t *testing.T) {
	w := newTail(t, 0)
	w.parts.Mode = revision.Mode{Name: revision.ClusterMode, Title: "lab"}
	key := anp("cluster-control")
	z := *w.parts.Zones[0]
	in := *z.Policies[key]
	in.InSync, in.Different = false, 1
	in.Diffs = []model.RowDiff{{Kind: model.DiffDifferent, Table: "ACL", ID: "x", Fields: []model.FieldDiff{{Column: "log", Desired: "true", Live: "false"}}}}
	z.Policies = map[model.PolicyKey]*model.PolicyInZone{key: &in}
	w.parts.Zones[0] = &z
	w.f.Set(w.parts)
	s := w.open(nav.Page{Kind: nav.Logs, Key: key})
	s.Want("In zone "+z.Name+" 1 row should log but has log=false.", "The nodes' logs are not followed yet")
}

// The limit that is told is that of the meters there are.
func TestMeterRates(t *testing.T) {
	w := newTail(t, 0)
	s := w.open(nav.NewPage(nav.Logs))
	s.Want("The meter limits each ACL to 20 lines/s per node")
	for i, zone := range w.parts.Zones {
		z := *zone
		band := *z.DB.Band(uitest.UUID(z.Name + " band"))
		band.Rate = 50
		z.DB = z.DB.Apply([]nb.RowChange{{Old: z.DB.Band(band.UUID), New: &band}})
		w.parts.Zones[i] = &z
		w.parts.Number++
		w.f.Set(w.parts)
		s.Refresh()
		if i == 0 {
			s.Want("The meter limits each ACL to 20 to 50 lines/s per node")
		}
	}
	s.Want("The meter limits each ACL to 50 lines/s per node")
}

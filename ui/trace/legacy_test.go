package trace_test

import (
	"testing"

	"rung/model"
	"rung/test/uitest"
)

// Where the annotation of 2016 counts, rows that do not have it are no error: the page says
// that OVN-Kubernetes has none for it.
func TestNoRowsOf2016(t *testing.T) {
	p := facts(t)
	var gone []model.Key
	for o := range p.Cluster.AllPolicies() {
		gone = append(gone, o.Key)
	}
	ns := *p.Cluster.Namespace("blue")
	ns.Annotations = map[string]string{model.AnnotationIsolation: `{"ingress": {"isolation": "DefaultDeny"}}`}
	p.Cluster, _ = p.Cluster.Upsert([]model.Object{&ns}, gone)
	p.Desired, p.Zones, p.Flags.LegacyIsolation = nil, nil, true
	uitest.Sync(p)
	s := open(t, p, "blue/web-g0 blue/api-d0 TCP 9999")
	s.Resize(120, 34)
	s.Want("denied by isolation annotation of blue", "OVN-Kubernetes has no rows for the isolation", "a known divergence, not drift", "≠ say allow")
	s.WantNot("rows disagree", "rows agree")
	s.Golden("isolation2016")
	s.ResizeAll()
}

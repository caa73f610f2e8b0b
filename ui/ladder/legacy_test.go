package ladder_test

import (
	"testing"

	"rung/model"
	"rung/test/uitest"
	"rung/ui/nav"
)

// Where the annotation of 2016 counts, its namespace stands in tier 2, and the ladder says
// that nothing of it is in the zones.
func TestIsolation2016(t *testing.T) {
	p := uitest.DemoFacts(t)
	ns := *p.Cluster.Namespace("blue")
	ns.Annotations = map[string]string{model.AnnotationIsolation: `{"ingress": {"isolation": "DefaultDeny"}}`}
	p.Cluster, _ = p.Cluster.Upsert([]model.Object{&ns}, nil)
	p.Desired, p.Zones, p.Flags.LegacyIsolation = nil, nil, true
	uitest.Sync(p)
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Resize(200, 60)
	s.Press("/")
	s.Type("annotation")
	s.Press("enter")
	s.Want("annotation: deny ingress", "no rows", "decides by the document of 2016")
	s.Golden("isolation2016")
	s.ResizeAll()
}

package ladder_test

import (
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/test/uitest"
	"rung/ui/nav"
)

// A NetworkPolicy whose Namespace is not among the files logs nothing: its cell is empty.
func TestLogWithoutNamespace(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Cluster, _ = p.Cluster.Upsert(nil, []model.Key{{Kind: model.KindNamespace, Name: "blue"}})
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Resize(200, 60)
	s.Press("/")
	s.Type("allow-web")
	s.Press("enter")
	if line := s.Line("blue/allow-web"); strings.Contains(line, "D:") || strings.Contains(line, "off") {
		t.Errorf("it logs nothing: %q", line)
	}
}

// A level that a session set for a while shows with its end, on the ladder and on the page of the policy.
func TestTemporaryLevelShowsItsEnd(t *testing.T) {
	p := uitest.DemoFacts(t)
	k := model.Key{Kind: model.KindANP, Name: "cluster-control"}
	on, err := model.NewLogSession("a", "ada@pc", uitest.Now.Add(-3*time.Minute), 15*time.Minute, "", false)
	if err != nil {
		t.Fatal(err)
	}
	on.Set = `{"deny":"alert"}`
	policy := *p.Cluster.Policy(k)
	policy.Annotations = map[string]string{model.AnnotationLogging: on.Set, model.AnnotationLogSession: on.AnnotationText()}
	policy.Logging, policy.HasLogging = on.Set, true
	p.Cluster, _ = p.Cluster.Upsert([]model.Object{&policy}, nil)
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	if line := s.Line("─ cluster-control"); !strings.Contains(line, "D:alert 12m") {
		t.Errorf("the ladder: %q", line)
	}
	s = uitest.OpenScreen(t, p, nav.ToPolicy(k))
	s.Want("deny=alert 12m  session of ada@pc until 14:17:00")
	// Somebody else changed it meanwhile: it stays.
	policy.Annotations[model.AnnotationLogging], policy.Logging = `{"deny":"info"}`, `{"deny":"info"}`
	p.Cluster, _ = p.Cluster.Upsert([]model.Object{&policy}, nil)
	s = uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	if line := s.Line("─ cluster-control"); !strings.Contains(line, "D:info ") || strings.Contains(line, "12m") {
		t.Errorf("a level that stays: %q", line)
	}
}

package logs_test

import (
	"testing"
	"time"

	"rung/model"
	"rung/test/uitest"
	"rung/ui/nav"
)

func TestSessions(t *testing.T) {
	p := uitest.DemoFacts(t)
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Sessions))
	s.Want("no logging session: L on a policy")
	s.Want("(⏎ open)", "(L logging)")
	now := uitest.Now
	k := model.Key{Kind: model.KindANP, Name: "cluster-control"}
	on, err := model.NewLogSession("a", "ada@pc", now.Add(-time.Minute), 15*time.Minute, "", false)
	if err != nil {
		t.Fatal(err)
	}
	on.Set = `{"deny":"info"}`
	policy := *p.Cluster.Policy(k)
	policy.Annotations = map[string]string{model.AnnotationLogging: on.Set, model.AnnotationLogSession: on.AnnotationText()}
	policy.Logging, policy.HasLogging = on.Set, true
	ns := p.Cluster.Namespace("blue").WithLogging(model.LoggedNamespace(model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: "blue"},
		Annotations: map[string]string{model.AnnotationLogging: `{"allow":"info"}`, model.AnnotationLogSession: on.AnnotationText()}}))
	p.Cluster, _ = p.Cluster.Upsert([]model.Object{&policy, ns}, nil)
	p.EndedLogs = []model.EndedLogSession{{Target: model.Key{Kind: model.KindANP, Name: "old"}, LogSession: on, At: now.Add(-time.Hour), How: "its time was over; the annotation is as before: no annotation"}}
	s = uitest.OpenScreen(t, p, nav.NewPage(nav.Sessions))
	s.Golden("sessions")
	s.Want("cluster-control", "deny=info", "ada@pc", "At the end: no annotation", "Namespace blue", "the level was changed meanwhile", "its time was over")
	s.ResizeAll()
	s.Press("L")
	s.Want("log ANP cluster-control", "Session of ada@pc until", "e end the session")
	s.Press("e")
	if calls := s.Console.Calls; len(calls) == 0 || calls[len(calls)-1] != "preview log-end cluster-control" {
		t.Errorf("%v", calls)
	}
	s.Press("esc", "enter")
	s.Want("cluster-control")
}

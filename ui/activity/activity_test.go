package activity_test

import (
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

func TestActivity(t *testing.T) {
	f := uitest.NewFake(uitest.DemoFacts(t))
	k := model.Key{Kind: model.KindANP, Name: "cluster-control"}
	at := uitest.Now.Add(-40 * time.Second)
	f.Done = []model.Activity{
		{Seq: 1, At: at, Took: 4 * time.Millisecond, Summary: "priority 34 → 36", Policy: k, By: "user",
			Commands: []string{`kubectl patch anp cluster-control --type=json -p '[{"op":"replace","path":"/spec/priority","value":36}]'`}},
		{Seq: 2, At: at.Add(time.Second), Took: 12 * time.Millisecond, Zone: "ovn-worker", Policy: k, Summary: "12 ACLs updated", Ops: 12, By: "reconciler",
			Commands: []string{"ovn-nbctl set ACL 924b81fd-0000 priority=26395", "ovn-nbctl set ACL 924b81fe-0000 priority=26394"}},
		{Seq: 3, At: at.Add(2 * time.Second), Took: 2 * time.Second, Zone: "ovn-worker2", Policy: k, Error: "the server closed the connection", By: "reconciler"},
	}
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.PageOf(nav.Activity)})
	s.Want("the server closed the connection", "12 ACLs updated", "priority 34 → 36", "ovn-worker2")
	s.Press("j")
	s.Want("equivalent commands", "$ ovn-nbctl set ACL 924b81fd-0000 priority=26395")
	s.Golden("activity")
	s.ResizeAll()

	// The cursor stays on its line when something new is done above it.
	f.Done = append(f.Done, model.Activity{Seq: 4, At: uitest.Now, Summary: "repaired", By: "reconciler", Zone: "ovn-worker"})
	f.Advance(time.Second)
	s.Refresh()
	s.Want("repaired", "▸ 14:04:21")
	s.Press("]", "]")
	s.Want("zone ovn-worker")
	s.WantNot("priority 34")
	s.Press("y")
	s.Want("commands", "summary")
	s.Press("esc", "]")
	s.Want("zone ovn-worker2")
	s.Press("[", "[", "[")
	s.Want("all zones")
	s.Press("[")
	s.Want("zone ovn-worker2")
}

func TestEmpty(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.PageOf(nav.Activity))
	s.Want("no changes yet")
	s.Press("enter", "y", "]", "[", "j", "G")
	s.ResizeAll()
}

// At 80 cells a line keeps whose rows it is about: how long it took and who did it go first.
func TestActivityKeepsPolicies(t *testing.T) {
	f := uitest.NewFake(uitest.DemoFacts(t))
	f.Done = []model.Activity{{Seq: 1, At: uitest.Now, Took: 12 * time.Millisecond, Zone: "ovn-control-plane", Ops: 3, By: "reconciler",
		Policy: model.Key{Kind: model.KindNP, Namespace: "production-frontend", Name: "vault-from-blue-tenants"}, Summary: "1 port group added, 2 ACLs added"}}
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.PageOf(nav.Activity)})
	s.Resize(80, 24)
	if l := s.Line("▸"); !strings.Contains(l, "NP production-frontend/vault-from-blue-tenants") {
		t.Errorf("whose rows: %q", l)
	}
	s.Want("ovn-control-plane") // below, where there is no room beside
}

// A change of the files that met a guard rail is marked, and named by its policy once.
func TestActivityMarksRails(t *testing.T) {
	f := uitest.NewFake(uitest.DemoFacts(t))
	f.Done = []model.Activity{{Seq: 1, At: uitest.Now, Policy: model.Key{Kind: model.KindANP, Name: "one"}, By: "files", Rail: "opens",
		Summary: "policies.yaml changed: ANP one: guard rail opens: opens 9 pairs denied today"}}
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.PageOf(nav.Activity)})
	s.Want("ANP one", "▲ policies.yaml changed: guard rail opens: opens 9 pairs")
}

package logs_test

import (
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/change/history"
	"rung/model"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

func TestActivity(t *testing.T) {
	f := uitest.NewFake(uitest.DemoFacts(t))
	k := model.Key{Kind: model.KindANP, Name: "cluster-control"}
	at := uitest.Now.Add(-40 * time.Second)
	const patch = `kubectl patch anp cluster-control --type=json -p '[{"op":"replace","path":"/spec/priority","value":36}]'`
	f.Changed = []history.Change{
		{AuditRecord: history.AuditRecord{Time: at.Add(-time.Minute), User: "ada", By: "cli", Mode: "sandbox", Op: change.OpMove, Title: "Move ANP cluster-control from 30 to 34",
			Objects: []history.AuditObject{{Kind: k.Kind, Name: k.Name, Change: "update"}}, Result: history.OK, Undo: 6}, Undone: true},
		{AuditRecord: history.AuditRecord{Time: at.Add(-30 * time.Second), User: "ada", By: "unconfirmed", Mode: "sandbox", Op: change.OpRevert, Title: "Undo: Move ANP cluster-control from 30 to 34",
			Objects: []history.AuditObject{{Kind: k.Kind, Name: k.Name, Change: "update"}}, Result: history.OK, Undo: 7}, Undoes: 6},
		{AuditRecord: history.AuditRecord{Time: at, User: "ada", By: "console", Mode: "sandbox", Context: "demo", Op: change.OpMove, Title: "Move ANP cluster-control from 34 to 36",
			Objects: []history.AuditObject{{Kind: k.Kind, Name: k.Name, Change: "update"}}, Guards: []string{"order"}, Commands: []string{patch}, Result: history.OK, Milliseconds: 4, Undo: 8}},
	}
	f.Done = []model.Activity{
		{Seq: 2, At: at.Add(time.Second), Took: 12 * time.Millisecond, Zone: "ovn-worker", Policy: k, Summary: "12 ACLs updated", Ops: 12, By: "reconciler",
			Commands: []string{"ovn-nbctl set ACL 924b81fd-0000 priority=26395", "ovn-nbctl set ACL 924b81fe-0000 priority=26394"}},
		{Seq: 3, At: at.Add(2 * time.Second), Took: 2 * time.Second, Zone: "ovn-worker2", Policy: k, Error: "the server closed the connection", By: "reconciler"},
	}
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.NewPage(nav.Activity)})
	// What was changed, by whom, from where, and what became of it; its rows are under it.
	s.Want("ANP cluster-control", "Move from 34 to 36", "console", "ada", "done", "reverted", "command", "sandbox")
	s.WantNot("12 ACLs updated")
	s.Want("equivalent commands", "$ kubectl patch anp cluster-control")
	s.Golden("activity")
	s.Press("enter")
	s.Want("ada, console, sandbox only", "guard rails", "rung undo 8", "12 operations in 2 zones", "12 ACLs updated", "the server closed the connection")
	s.Golden("unfolded")
	s.Resize(80, 24)
	if all := strings.Join(strings.Fields(s.PlainFrame()), ""); !strings.Contains(all, strings.ReplaceAll(patch, " ", "")) {
		t.Errorf("the command is cut:\n%s", s.PlainFrame())
	}
	s.Resize(120, 34)
	s.ResizeAll()
	// Undo from there.
	s.Press("U")
	if calls := s.Console.Calls; len(calls) == 0 || calls[len(calls)-1] != "preview undo " {
		t.Errorf("undo from a change: %v", calls)
	}
	s.Press("esc", "enter") // folded again
	s.WantNot("12 ACLs updated")
	s.Press("o")
	s.Want("activity › cluster-control")
	s.Press("esc", "j", "j")
	s.Want("reverted")
	s.Press("U")
	s.Want("undo: already reverted")
	// One that was reverted leads to what took it back, and back.
	s.Press("enter")
	for !strings.Contains(s.Line("▸"), "reverted by") {
		s.Press("j")
	}
	s.Press("enter")
	if l := s.Line("▸"); !strings.Contains(l, "Undo: Move from 30 to 34") {
		t.Errorf("reverted leads to %q", l)
	}
	for !strings.Contains(s.Line("▸"), "takes back") {
		s.Press("j")
	}
	s.Press("enter")
	if l := s.Line("▸"); !strings.Contains(l, "Move from 30 to 34") || strings.Contains(l, "Undo") {
		t.Errorf("the revert leads to %q", l)
	}
	s.Press("/")
	s.Type("12 ACLs")
	s.Press("enter")
	s.Want("34 to 36")
	s.WantNot("30 to 34")
	s.Press("esc", "g", "j")

	// The cursor stays on its line when something new is done above it.
	f.Done = append(f.Done, model.Activity{Seq: 4, At: uitest.Now, Summary: "repaired", By: "reconciler", Zone: "ovn-worker"})
	f.Advance(time.Second)
	s.Refresh()
	s.Want("repaired", "▸ 14:03:50")
	s.Press("]", "]")
	s.Want("zone ovn-worker")
	s.WantNot("34 to 36")
	s.Press("j", "y")
	s.Want("commands", "summary")
	s.Press("esc", "]")
	s.Want("zone ovn-worker2")
	s.Press("[", "[", "[")
	s.Want("all zones")
	s.Press("[")
	s.Want("zone ovn-worker2")
}

func TestEmpty(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Activity))
	s.Want("no changes yet")
	s.Press("enter", "y", "]", "[", "j", "G")
	s.ResizeAll()
}

// At 80 cells a line keeps whose rows it is about: how long it took and who did it go first.
func TestActivityKeepsPolicies(t *testing.T) {
	f := uitest.NewFake(uitest.DemoFacts(t))
	f.Done = []model.Activity{{Seq: 1, At: uitest.Now, Took: 12 * time.Millisecond, Zone: "ovn-control-plane", Ops: 3, By: "reconciler",
		Policy: model.Key{Kind: model.KindNP, Namespace: "production-frontend", Name: "vault-from-blue-tenants"}, Summary: "1 port group added, 2 ACLs added"}}
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.NewPage(nav.Activity)})
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
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.NewPage(nav.Activity)})
	s.Want("ANP one", "▲ policies.yaml changed: guard rail opens: opens 9 pairs")
}

package activity

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/history"
	"rung/model"
)

// What failed is told with what it was about, by screen and command line alike.
func TestWhat(t *testing.T) {
	k := model.Key{Kind: model.KindANP, Name: "one"}
	for _, c := range []struct {
		done model.Activity
		want string
	}{
		{model.Activity{Policy: k, Summary: "ANP one: 2 ACLs added"}, "2 ACLs added"},
		{model.Activity{Policy: k, Summary: "one: 2 ACLs added", Error: "refused"}, "■ 2 ACLs added: refused"},
		{model.Activity{Policy: k, Error: "refused"}, "■ refused"},
		{model.Activity{Policy: k, Summary: "a.yaml changed: ANP one: guard rail", Rail: "opens"}, "▲ a.yaml changed: guard rail"},
	} {
		if got := NewEntry(c.done, time.Time{}).whatCell().String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Rows stand under the change that they were written for, one that takes another back leads to it, and
// what is told by a change is not told again.
func TestChangesAndTheirRows(t *testing.T) {
	k := model.Key{Kind: model.KindANP, Name: "one"}
	at := time.Date(2026, 11, 3, 14, 0, 0, 0, time.UTC)
	after := func(d time.Duration) time.Time { return at.Add(d) }
	objects := []history.AuditObject{{Kind: k.Kind, Name: k.Name, Change: "update"}}
	changes := []history.Change{
		{AuditRecord: history.AuditRecord{Time: at, User: "ada", By: "console", Mode: "files", Context: "policies/", Op: change.OpMove, Title: "Move ANP one from 34 to 36",
			Objects: objects, Commands: []string{"kubectl patch anp one"}, Result: history.OK, Milliseconds: 12, Undo: 7}, Undone: true},
		{AuditRecord: history.AuditRecord{Time: after(4 * time.Second), User: "ada", By: "unconfirmed", Mode: "files", Context: "policies/", Op: change.OpRevert,
			Title: "Undo: Move ANP one from 34 to 36", Objects: objects, Result: history.OK, Undo: 8}, Undoes: 7},
		{AuditRecord: history.AuditRecord{Time: after(5 * time.Second), User: "ada", By: "cli", Mode: "files", Op: change.OpMove, Title: "Move ANP one from 34 to 50",
			Objects: objects, Result: history.Refused, Error: "a guard rail"}},
		{AuditRecord: history.AuditRecord{Time: after(6 * time.Second), User: "ada", By: "plan, console", Mode: "files", Op: change.OpMove, Title: "Move ANP one from 34 to 40",
			Objects: objects, Result: history.OK}},
	}
	rows := func(seq uint64, at time.Time, zone string) model.Activity {
		return model.Activity{Seq: seq, At: at, Zone: zone, Policy: k, By: "reconciler", Ops: 3, Summary: "one: 3 ACLs updated", Commands: []string{"ovn-nbctl set ACL x"}}
	}
	all := ListEntries(changes, []model.Activity{
		rows(1, after(-time.Second), "w1"), rows(2, after(20*time.Millisecond), "w1"), rows(3, after(3*time.Second), "w2"), rows(4, after(4200*time.Millisecond), "w1"),
		{Seq: 5, At: after(4300 * time.Millisecond), By: "user", Summary: "Move ANP one from 34 to 36: reverted: not confirmed within 4s"},
		rows(6, after(7*time.Second), "w1"), rows(7, after(30*time.Second), "w1"), rows(8, after(40*time.Second), "w2"), rows(9, after(time.Hour), "w3"),
	}, after(2*time.Hour))
	of := map[string]string{}
	var summaries []string
	for _, e := range all {
		if !e.IsChange() && e.CausedBy != nil {
			of[Table.ID(e)] = e.CausedBy.Summary
		}
		summaries = append(summaries, e.Summary)
	}
	want := map[string]string{"2": "Move ANP one from 34 to 36", "3": "Move ANP one from 34 to 36", "4": "Undo: Move ANP one from 34 to 36",
		"6": "Move ANP one from 34 to 40", "8": "Move ANP one from 34 to 40"} // 7 was written for something else, 9 too late for it
	if diff := cmp.Diff(want, of); diff != "" {
		t.Errorf("the changes of rows (-want +got):\n%s", diff)
	}
	if slices.ContainsFunc(summaries, func(s string) bool { return strings.Contains(s, "not confirmed within") }) {
		t.Errorf("the revert is told twice: %v", summaries)
	}
	first := all[1]
	if first.Result != "reverted" || first.UndoneBy == nil || first.UndoneBy.Original != first || first.UndoneBy.By != "reverted" {
		t.Errorf("the change that was reverted: %+v", first)
	}
	text := first.DetailText()
	for _, part := range []string{"who: ada, console, in the files policies/\n", "state: reverted in 12ms\n", "reverted by: 14:00:04 Undo: Move ANP one from 34 to 36\n",
		"rows: 6 operations in 2 zones\n", "$: kubectl patch anp one\n", "zone: w2, by reconciler", "$: ovn-nbctl set ACL x\n", "undo with: rung undo 7"} {
		if !strings.Contains(text, part) {
			t.Errorf("the details lack %q:\n%s", part, text)
		}
	}
	for i, want := range map[int]string{0: "nothing to undo here", 1: "already reverted", 2: "nothing to undo here"} {
		if got := all[i].WhyNotUndone(); got != want {
			t.Errorf("%s: undo says %q, want %q", all[i].Summary, got, want)
		}
	}
	for _, e := range all {
		want, asked := map[string]string{"Undo: Move ANP one from 34 to 36": "", "Move ANP one from 34 to 50": "the change was not made",
			"Move ANP one from 34 to 40": "a step of a plan: undo the whole plan"}[e.Summary]
		if got := e.WhyNotUndone(); asked && got != want {
			t.Errorf("%s: undo says %q, want %q", e.Summary, got, want)
		}
	}
}

// A confirmation is told once, and cannot be undone by itself.
func TestConfirmationIsToldOnce(t *testing.T) {
	at := time.Date(2026, 11, 3, 14, 0, 0, 0, time.UTC)
	all := ListEntries([]history.Change{{AuditRecord: history.AuditRecord{Time: at, User: "ada", By: "console", Mode: "sandbox", Op: "confirm", Title: "Confirm: Create ANP cut", Result: history.OK}}},
		[]model.Activity{{Seq: 1, At: at, By: "user", Summary: "Create ANP cut: confirmed"}, {Seq: 2, At: at, By: "user", Summary: "Create ANP cut: reverted"}}, at)
	if len(all) != 2 || !strings.Contains(all[0].Summary+all[1].Summary, "reverted") {
		t.Errorf("%d entries: %v", len(all), all)
	}
	if got := all[0].WhyNotUndone() + all[1].WhyNotUndone(); !strings.Contains(got, "it only confirms a change") {
		t.Errorf("undo says %q", got)
	}
}

package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/change/effect"
	"rung/change/gate"
	"rung/cli/command"
	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/pages/difference"
)

func anpAt(name string, priority int32) *model.Policy {
	return &model.Policy{Meta: model.Meta{Key: model.PolicyKey{Kind: model.KindANP, Name: name}}, Priority: priority}
}

// everything is a preview that has something of each kind to say.
func everything() *gate.Preview {
	web, db := anpAt("web", 3), anpAt("db", 5)
	total := diff.PairTotal{Before: verdict.Allow, After: verdict.Deny, Pairs: 1200}
	ends := verdict.Ends{Pods: 7, Namespaces: []string{"blue"}}
	group := func(after verdict.Verdict) diff.FlipGroup {
		return diff.FlipGroup{Before: verdict.Allow, After: after, Pairs: 1200, From: ends, To: ends}
	}
	at := time.Date(2026, 11, 3, 10, 0, 0, 0, time.UTC)
	return &gate.Preview{Title: "Delete ANP web, then move others",
		Errors: []model.Broken{{Severity: model.SeverityWarning, Message: "in doubt"}, {Message: "not taken"}},
		Objects: []change.ObjectChange{{Key: web.Key, Old: web},
			{Key: db.Key, Old: db, New: db, Fields: []change.FieldChange{{Path: "spec.priority", Old: "5", New: "6"}}}},
		Rows: []change.RowChange{{Policy: db.Key, RowDiff: model.RowDiff{Kind: model.DiffDifferent, Table: "ACL", ID: "db:1",
			Fields: []model.FieldDiff{{Column: "priority", Desired: "29400", Live: "29500"}, {Column: "acls", Desired: "5", Live: "1", Missing: []string{"a", "b", "c", "d"}}}}}},
		Guards: []change.Guard{{Code: "cuts", Policy: db.Key, Message: "cuts 4 pairs: for example x"}},
		Notes:  []string{"34 becomes free", "cuts established connections"}, Warnings: []string{"cuts established connections"},
		Findings: []model.Finding{{Code: "unmatched", Severity: model.SeverityWarning, Policy: db.Key, Direction: model.Egress, Message: "matches nothing", Remedy: "add labels"},
			{Code: "tied", Severity: model.SeverityInfo, Policy: db.Key, Rule: -1, Message: "shares 6"}},
		Effect: &effect.Effect{Difference: &diff.Difference{Totals: []diff.PairTotal{total}, Flips: slices.Repeat([]diff.FlipGroup{group(verdict.Deny)}, 42), OtherDeciders: []diff.FlipGroup{group(verdict.Allow)}},
			Log: &diff.LogDifference{Judged: 9, Lines: 3, Contrary: 1, From: at, To: at, Groups: []diff.LoggedGroup{{Before: verdict.Allow, After: verdict.Deny, From: ends, To: ends,
				Protocol: verdict.TCP, Port: 80, Lines: 3, Allowed: 3}}}},
	}
}

// Whatever a preview says a command prints, as text and in markdown: the screen says the same
// sentences.
func TestPreviewSaysEverything(t *testing.T) {
	p := everything()
	told := difference.PreviewText(p)
	text, markdown := previewText(p, false), previewMarkdown(p)
	for _, point := range slices.Concat(told.Headline, told.Errors, told.Harm, told.Guards, told.Notes, told.Counts) {
		if !strings.Contains(text, point.CodedText()) {
			t.Errorf("not in the text: %s\n%s", point.CodedText(), text)
		}
		if !strings.Contains(markdown, command.MarkdownText(point.Text)) {
			t.Errorf("not in markdown: %s\n%s", point.Text, markdown)
		}
	}
	for _, groups := range []difference.GroupTable{told.LoggedFlips, told.Flips, told.Others} {
		for _, g := range groups.Rows {
			if !strings.Contains(text, g.What+": "+g.ConnectionsText()+"\n      "+g.DeciderText()) || !strings.Contains(markdown, "| "+g.What+" | "+g.Ends+" | ") {
				t.Errorf("not said: %+v\n%s\n%s", g, text, markdown)
			}
		}
		if !strings.Contains(text, groups.More) || !strings.Contains(markdown, groups.More) {
			t.Errorf("%s is not said", groups.More)
		}
	}
	if more := "and 2 more groups"; told.Flips.More != more {
		t.Errorf("%q", told.Flips.More)
	}
}

// Text and markdown begin with what matters most.
func TestPreviewOrder(t *testing.T) {
	p := everything()
	p.ConfirmName, p.Blocked = "db", ""
	p.Errors = slices.DeleteFunc(p.Errors, model.Broken.IsError) // with one nothing can be applied
	for _, text := range []string{previewText(p, false), previewMarkdown(p)} {
		rest := text
		for _, want := range []string{"Delete ANP web", "closes 1,200 pairs", "in doubt", "cuts 4 pairs", "to apply it: type db",
			"would be decided differently", "cuts established connections", "matches nothing", "34 becomes free", "shares 6", "allow → deny"} {
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Fatalf("%q is not where it belongs:\n%s", want, text)
			}
			rest = after
		}
	}
}

// Where screen and text differed the screen was right: a doubt is no mistake, of several
// objects each is named, a finding has its rule and its remedy, and a policy that goes is
// described. What is not set is called none in both.
func TestPreviewAsOnTheScreen(t *testing.T) {
	p := everything()
	p.Objects[1].Fields[0].Old = ""
	text := previewText(p, false)
	for _, want := range []string{"\n  ▲ ", "\n  ✗ ", "\n  ANP db changes\n  spec.priority: none → 6\n", "warning unmatched: ANP db egress 0: matches nothing (add labels)\n",
		"\n  - ANP web is deleted: priority 3, ingress –, egress –\n", "\n           acls: +4 (a, b, c, …)\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	text = previewText(p, true)
	if !strings.Contains(text, "acls: +4 (a, b, c, d)\n") {
		t.Errorf("wide leaves out members\n%s", text)
	}
}

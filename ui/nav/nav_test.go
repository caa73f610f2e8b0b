package nav_test

import (
	"testing"

	"rung/model"
	"rung/ui/nav"
)

// TestTitles: a title says what the page is about without the pages before it.
func TestTitles(t *testing.T) {
	anp := model.PolicyKey{Kind: model.KindANP, Name: "web"}
	np := model.PolicyKey{Kind: model.KindNP, Namespace: "blue", Name: "web"}
	pod := model.Key{Kind: model.KindPod, Namespace: "blue", Name: "api-0"}
	for _, c := range []struct {
		p    nav.Page
		want string
	}{
		{nav.ToPolicy(anp), "web"},
		{nav.ToPolicy(np), "NP blue/web"},
		{nav.ToRule(np, model.Ingress, 2), "NP blue/web ingress 2"},
		{nav.ToPod(pod), "pod blue/api-0"},
		{nav.Page{Kind: nav.Logs}, "logs"},
		{nav.Page{Kind: nav.Logs, Key: np}, "log of NP blue/web"},
		{nav.Page{Kind: nav.Logs, Key: anp, Dir: model.Egress, Rule: 1}, "log of web egress 1"},
		{nav.Page{Kind: nav.Logs, Key: pod}, "log of pod blue/api-0"},
		{nav.Page{Kind: nav.Rows, Key: np}, "rows of NP blue/web"},
		{nav.Page{Kind: nav.Controller, Key: anp, Zone: "worker"}, "controller of worker: web"},
		{nav.Page{Kind: nav.Edit, Key: np}, "edit NP blue/web"},
	} {
		if got := c.p.Title(); got != c.want {
			t.Errorf("%+v is called %q, want %q", c.p, got, c.want)
		}
	}
}

// Only what an editor can open in place is offered.
func TestToFile(t *testing.T) {
	for _, at := range []model.Origin{{}, {File: "-"}, {Source: "demo", File: "15-broken.yaml"}, {File: "git:main:a.yaml"}, {File: "a.yaml.gz"}} {
		if p := nav.ToFile(at); !p.IsNone() {
			t.Errorf("%v leads to %+v", at, p)
		}
	}
	if p := nav.ToFile(model.Origin{Source: "files", File: "a.yaml", Line: 7}); p.Kind != nav.Edit || p.ID != "a.yaml" || p.Rule != 7 {
		t.Errorf("%+v", p)
	}
}

func TestSame(t *testing.T) {
	anp := model.PolicyKey{Kind: model.KindANP, Name: "web"}
	rule, other := nav.ToRule(anp, model.Ingress, 2), nav.ToRule(anp, model.Ingress, 3)
	zoned := rule
	zoned.Zone = "worker"
	rows := nav.Page{Kind: nav.Rows, Zone: "worker"}
	filtered := nav.Page{Kind: nav.Rows, Key: anp, Text: "web"}
	for _, c := range []struct {
		a, b nav.Page
		same bool
	}{
		{rule, zoned, true}, {rule, other, false}, {rule, nav.ToPolicy(anp), false},
		{rows, nav.NewPage(nav.Rows), true}, {rows, filtered, false},
		{nav.ToRow("a", "ACL", "1"), nav.ToRow("b", "ACL", "1"), false},
		{nav.Page{Kind: nav.Logs, Key: anp}, nav.NewPage(nav.Logs), false},
	} {
		if c.a.IsSamePlace(c.b) != c.same || c.b.IsSamePlace(c.a) != c.same {
			t.Errorf("%+v and %+v: one place is not %v", c.a, c.b, c.same)
		}
	}
	if rule.HasBeginning() || !zoned.HasBeginning() || !rows.HasBeginning() || nav.NewPage(nav.Rows).HasBeginning() {
		t.Error("a zone is what a page begins with, and nothing else is")
	}
}

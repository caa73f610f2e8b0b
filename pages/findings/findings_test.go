package findings

import (
	"testing"

	"rung/model"
)

// A finding about a zone names it, one about a file that could not be read where that is;
// its message is followed by a connection that shows it and by what to do.
func TestTold(t *testing.T) {
	for _, c := range []struct {
		f                     model.Finding
		about, where, printed string
	}{
		{model.Finding{Rule: -1, Zone: "a", Message: "differs", Remedy: "mend it"}, "zone a", "a", "differs → mend it"},
		{model.Finding{Rule: -1, Origin: model.Origin{File: "p.yaml", Line: 3}, Message: "no YAML"}, "p.yaml:3 (document 0, item 0)", "", "no YAML"},
		{model.Finding{Policy: model.Key{Kind: model.KindANP, Name: "one"}, Direction: model.Ingress, Rule: 2, Message: "dead"}, "one", "ingress 2", "dead"},
	} {
		f := NewList([]model.Finding{c.f})[0]
		if f.SubjectText() != c.about || f.PlaceText() != c.where || f.messageCell().String() != c.printed {
			t.Errorf("%q %q %q", f.SubjectText(), f.PlaceText(), f.messageCell())
		}
	}
}

// What a narrow column leaves out of a message is marked, and no bracket stays open.
func TestBriefMessage(t *testing.T) {
	f := NewList([]model.Finding{{Message: "denies everything (such as a → b, c → d), above rules that allow: 10 rules"}})[0]
	for _, c := range []struct {
		room int
		want string
	}{
		{100, f.Message},
		{70, "denies everything (such as a → b, c → d), above rules that allow …"},
		{45, "denies everything (such as a → b, c → d) …"},
		{30, "denies everything …"},
		{5, "denies everything …"},
	} {
		if got := f.BriefMessage(c.room); got != c.want {
			t.Errorf("%d: %q, want %q", c.room, got, c.want)
		}
	}
}

package ui_test

import (
	"context"
	"slices"
	"testing"

	"rung/revision"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// A question about the mode is not about another mode.
func TestModeChangesUnderTheQuestion(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*revision.Mode)
		said   string
	}{
		{"allowed elsewhere", func(m *revision.Mode) { m.Writes = true }, "changes are already allowed"},
		{"refused now", func(m *revision.Mode) { m.WhyNot = "no permission" }, "changes stay off: no permission"},
		{"the files too", func(m *revision.Mode) { m.WriteBack = true }, "changes would now apply to another target"},
		{"nothing", func(*revision.Mode) {}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := uitest.DemoFacts(t)
			p.Mode = revision.Mode{Name: "files", Title: "policies/"}
			f := uitest.NewFake(p)
			s := uitest.OpenWith(t, f, ui.Options{Page: nav.NewPage(nav.Ladder)})
			s.Press("W")
			s.Want("allow changes")
			c.change(&p.Mode)
			p.Number++
			f.Set(p)
			s.Refresh()
			if c.said != "" {
				s.Want("Changed since you were asked: " + c.said[:20])
			}
			s.Press("y", "enter")
			s.WantNot("Changed since")
			if on := slices.Contains(f.Calls, "writes on"); on != (c.said == "") {
				t.Errorf("changes switched on: %v", on)
			}
		})
	}
}

// A question that is open when another cluster comes does not turn what is typed
// into it into keys of a page of that cluster.
func TestContextChangesUnderTheQuestion(t *testing.T) {
	there := uitest.DemoFacts(t)
	there.Mode.Title = "staging"
	here := uitest.DemoFacts(t)
	here.Mode.Writes = false
	f, other := uitest.NewFake(here), uitest.NewFake(there)
	f.ContextNames, f.Current = []string{"demo", "staging"}, "demo"
	var s *uitest.Screen
	s = uitest.OpenWith(t, f, ui.Options{Page: nav.NewPage(nav.Contexts), Switch: func(context.Context, string) (ui.Console, error) {
		s.Press("W") // while it is being opened
		return other, nil
	}})
	s.Press("j", "enter")
	s.Refresh() // a key inside a key left the frame as it was
	s.Want("Cannot be done: the question was about another")
	s.Type("DUyq")
	s.Want("Cannot be done")
	s.WantNot("yes")
	s.Press("enter")
	s.WantNot("Cannot be done")
	s.Want("staging")
	if len(other.Calls) > 0 || slices.Contains(f.Calls, "writes on") {
		t.Errorf("%q %q", f.Calls, other.Calls)
	}
}

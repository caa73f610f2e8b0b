package ui_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rung/test/uitest"
	"rung/ui"
	"rung/ui/action"
	"rung/ui/nav"
)

// The terminal's cursor stands behind what is typed, wherever that is and however small
// the screen, and there is none where nothing is typed.
func TestCursorIsWhereTextIs(t *testing.T) {
	for _, c := range []struct {
		name string
		page nav.PageKind
		keys []string
	}{
		{"filter", nav.Ladder, []string{"/"}},
		{"command", nav.Ladder, []string{":"}},
		{"help", nav.Ladder, []string{"?"}},
		{"prompt", nav.Logs, []string{"F"}},
		{"typed confirmation", nav.Ladder, []string{"D", "a"}},
		{"over a filter", nav.Plan, []string{"/", "x", "enter", "6", ":"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := uitest.OpenWith(t, uitest.NewGated(t, nil).Fake, ui.Options{Page: nav.NewPage(c.page)})
			for _, size := range [][2]int{{120, 34}, {80, 24}, {200, 60}, {40, 10}, {25, 9}, {23, 7}, {9, 4}, {120, 3}} {
				s.Resize(size[0], size[1])
				if _, ok := s.TextBeforeCursor(); ok {
					t.Errorf("%v: a cursor although nothing is typed:\n%s", size, s.PlainFrame())
				}
			}
			s.Resize(120, 34)
			s.Press(c.keys...)
			s.Type("quxy")
			for _, size := range [][2]int{{120, 34}, {80, 24}, {200, 60}, {40, 10}, {25, 9}, {23, 7}} {
				s.Resize(size[0], size[1])
				if got, ok := s.TextBeforeCursor(); !ok || !strings.HasSuffix(got, "quxy") {
					t.Errorf("%v: the cursor (%v) is behind %q:\n%s", size, ok, got, s.PlainFrame())
				}
			}
			s.Press("left", "left")
			if got, _ := s.TextBeforeCursor(); !strings.HasSuffix(got, "qu") {
				t.Errorf("two to the left the cursor is behind %q", got)
			}
			s.ResizeAll() // wherever the cursor is then, it is on the screen: Typing looks
			for _, size := range [][2]int{{1, 1}, {2, 1}, {1, 5}, {9, 4}, {3, 9}, {12, 3}, {300, 2}} {
				s.Resize(size[0], size[1])
				s.TextBeforeCursor()
			}
		})
	}
}

// A word being typed into the filter goes on as a word of the page does; tab takes it.
func TestFilterSuggests(t *testing.T) {
	s := ladderScreen(t)
	s.Press("/")
	s.Type("quar")
	s.Want("/quarantine", "tab completes", "filter: quar ")
	s.Press("tab")
	s.Want("filter: quarantine ")
	s.WantNot("tab completes")
	s.Press("ctrl+u")
	s.Type("blue.*mult")
	s.Press("right")
	s.Want("filter: blue.*multi-tenant-isolation")
	for _, none := range []string{"-f quar", "!-f quar", "zzz", "quar!", "Quar", " "} {
		s.Press("ctrl+u")
		s.Type(none)
		s.WantNot("tab completes")
	}
	s.Press("ctrl+u")
	s.Type("!quar")
	s.Want("/!quarantine")
	s.Press("enter") // what is only suggested is not taken
	s.Want("filter: !quar ")
}

func TestPaletteSuggests(t *testing.T) {
	s := ladderScreen(t)
	s.Press(":")
	s.Type("zone ovn-work")
	s.Want(":zone ovn-worker ", "tab completes │")
	s.Press("tab", "enter")
	s.Want("Ladder › rows")
	s.Press(":")
	s.Type("policy q")
	s.Press("tab")
	if got, ok := s.TextBeforeCursor(); !ok || !strings.HasSuffix(got, "policy quarantine") {
		t.Errorf("completed to %q", got)
	}
	s.Press("tab") // nothing to complete: it goes down, as it does with nothing typed
	s.Press("esc", ":", "tab")
	if got, _ := s.TextBeforeCursor(); !strings.HasSuffix(got, ":") {
		t.Errorf("tab typed %q", got)
	}
	if l := s.Line("▸ "); l == "" || strings.Contains(l, "new here") {
		t.Errorf("tab left the cursor on %q", l)
	}
}

// A name that must be typed is never suggested.
func TestConfirmationSuggestsNothing(t *testing.T) {
	s := uitest.OpenWith(t, uitest.NewGated(t, nil).Fake, ui.Options{Page: nav.NewPage(nav.Ladder)})
	s.Press("D", "a")
	s.Want("Type break-glass to confirm")
	s.Type("break-gl")
	s.Press("tab", "end", "right")
	if got, ok := s.TextBeforeCursor(); !ok || !strings.HasSuffix(got, "> break-gl") {
		t.Errorf("the name became %q", got)
	}
}

// The keys of a line are the user's.
func TestInputKeysAreRebound(t *testing.T) {
	s := uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{Config: ui.Config{Keys: map[string][]string{
		string(action.InputDeleteWord): {"ctrl+x"}, string(action.InputComplete): {"ctrl+y"},
	}}})
	s.Press("/")
	s.Type("one two")
	s.Press("ctrl+w")
	s.Want("filter: one two ")
	s.Press("ctrl+x")
	s.Want("filter: one  ")
	s.Press("ctrl+u")
	s.Type("quar")
	s.Want("ctrl+y completes")
	s.Press("ctrl+y")
	s.Want("filter: quarantine ")
}

// A megabyte in the clipboard holds up nothing, and nothing of it turns the text round.
func TestPasteMuch(t *testing.T) {
	for _, open := range []string{"/", ":", "?"} {
		s := ladderScreen(t)
		s.Press(open)
		s.Send(tea.PasteMsg{Content: strings.Repeat("x\u202e\n", 1<<18)})
		s.WantFits()
		if got, ok := s.TextBeforeCursor(); !ok || !strings.HasSuffix(strings.TrimRight(got, " "), "x x") {
			t.Errorf("after %s: %q", open, got)
		}
		seemly(t, s, open)
	}
}

// Hints beside the filter that have no room are left out whole.
func TestFilterHintsAreNotCut(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Ladder))
	s.Resize(80, 24)
	s.Press("/")
	s.Type("clu")
	if l := s.Line("/clu"); strings.Contains(l, "…") || !strings.Contains(l, "tab completes") || !strings.Contains(l, "esc clear") {
		t.Errorf("at 80 columns: %q", l)
	}
	s.Resize(120, 34)
	if l := s.Line("/clu"); !strings.Contains(l, "COLUMN=text") {
		t.Errorf("at 120 columns: %q", l)
	}
	s.Press("ctrl+u")
	s.Type("policy=tenant")
	s.Want("blue-tenant", "yellow-tenant")
	s.WantNot("cluster-control", "experimental")
}

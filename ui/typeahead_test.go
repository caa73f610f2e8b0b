package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
)

// hit presses keys as a terminal sends them: one letter each, or a name.
func hit(m *rootModel, names ...string) {
	for _, name := range names {
		k := tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
		switch name {
		case "enter":
			k = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "esc":
			k = tea.KeyPressMsg{Code: tea.KeyEscape}
		}
		m.Update(k)
	}
}

func letters(s string) []string { return strings.Split(s, "") }

// Who types faster than a question appears loses no letter of a text; only what says yes
// waits until the question was there for a moment.
func TestTypingAhead(t *testing.T) {
	m := stillRoot(t, newStill(t), Options{})
	var got []string
	m.askDialog(m.topEntry(), &view.PromptDialog{Title: "A", Label: "text:", Done: func(_ *view.Env, s string) { got = append(got, s) }})
	hit(m, letters("yes-12")...)
	hit(m, "enter")
	if f := frameOf(m); !strings.Contains(f, "> yes-12 ") || len(got) > 0 {
		t.Fatalf("typed at once: %q\n%s", got, f)
	}
	time.Sleep(yesDelay)
	hit(m, "enter")
	m.askDialog(m.topEntry(), &view.ConfirmDialog{Title: "B", Type: "name", Yes: func(*view.Env) { got = append(got, "B") }})
	hit(m, letters("name")...)
	hit(m, "enter")
	if f := frameOf(m); !strings.Contains(f, "> name ") {
		t.Fatalf("typed at once:\n%s", f)
	}
	time.Sleep(yesDelay)
	hit(m, "enter")
	m.askDialog(m.topEntry(), &view.ConfirmDialog{Title: "C", Yes: func(*view.Env) { got = append(got, "C") }})
	hit(m, "y", "enter")
	if len(m.overlays) != 1 {
		t.Error("answered before it could be read")
	}
	time.Sleep(yesDelay)
	hit(m, "y")
	m.askDialog(m.topEntry(), &view.ConfirmDialog{Title: "D", Yes: func(*view.Env) { got = append(got, "D") }})
	hit(m, "a")
	time.Sleep(yesDelay)
	if len(m.overlays) != 1 {
		t.Error("a answered before the question could be read")
	}
	hit(m, "a")
	if want := []string{"yes-12", "B", "C", "D"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What is typed into a line that closes by itself is passed over until nothing is typed
// for a moment, which is said; then keys are keys again.
func TestKeysAfterALineHasClosed(t *testing.T) {
	for name, closes := range map[string]func(m *rootModel){
		"a question with nothing to ask any more": func(m *rootModel) {
			what := ""
			m.askDialog(m.topEntry(), &view.ConfirmDialog{Title: "A", Type: "quiet", Changed: func() string { return what }})
			hit(m, "q", "u")
			what = "it has gone"
			hit(m, "i", "e", "t")
			time.Sleep(yesDelay)
			hit(m, "enter")
		},
		"a filter whose cluster goes": func(m *rootModel) {
			hit(m, "/", "q", "u")
			m.Update(switchMsg{context: "other", console: newStill(t)})
			m.openPage(nav.NewPage(nav.Zones), false)
		},
		"a question about another cluster": func(m *rootModel) {
			m.askDialog(m.topEntry(), &view.ConfirmDialog{Title: "A", Type: "quiet"})
			hit(m, "q", "u")
			m.Update(switchMsg{context: "other", console: newStill(t)})
			m.openPage(nav.NewPage(nav.Zones), false)
			hit(m, "i", "e", "t")
			time.Sleep(yesDelay)
			hit(m, "enter")
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := stillRoot(t, newStill(t), Options{})
			m.openPage(nav.NewPage(nav.Zones), false)
			closes(m)
			if len(m.overlays) > 0 {
				t.Fatalf("still open:\n%s", frameOf(m))
			}
			hit(m, "q", "?", ":", "q")
			if m.quits || len(m.overlays) > 0 || m.topEntry().page.Kind != nav.Zones {
				t.Fatalf("typed text became keys of the page:\n%s", frameOf(m))
			}
			if f := frameOf(m); !strings.Contains(f, "keys are ignored until you pause") {
				t.Errorf("not said:\n%s", f)
			}
			time.Sleep(typingPause + 50*time.Millisecond)
			hit(m, "?")
			if len(m.overlays) != 1 {
				t.Errorf("keys are no keys any more:\n%s", frameOf(m))
			}
		})
	}
}

// A page without a filter has no key for one, and letters typed after a refused / do nothing.
func TestRefusedFilter(t *testing.T) {
	maker := viewMakers[nav.Probe]
	viewMakers[nav.Probe] = func(nav.Page) view.View { return plainView{} }
	t.Cleanup(func() { viewMakers[nav.Probe] = maker })
	m := stillRoot(t, newStill(t), Options{Page: nav.ToProbe("")})
	if f := frameOf(m); strings.Contains(f, "/ filter") {
		t.Fatalf("offers a filter:\n%s", f)
	}
	hit(m, letters("/31")...)
	if f := frameOf(m); !strings.Contains(f, "this page has no filter: keys are ignored until you pause") || m.topEntry().page.Kind != nav.Probe {
		t.Errorf("took letters of a filter for keys:\n%s", f)
	}
	time.Sleep(2 * typingPause)
	hit(m, "1")
	if m.topEntry().page.Kind != nav.Ladder {
		t.Error("ignores keys after a pause")
	}
}

// plainView is a page without a filter.
type plainView struct{}

func (plainView) Sync(*view.Env)                    {}
func (plainView) Render(*view.Env, int, int) string { return "plain" }
func (plainView) Do(*view.Env, action.ID) bool      { return false }
func (plainView) SelectedPage() nav.Page            { return nav.Page{} }

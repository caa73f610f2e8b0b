package ui

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
)

// gaps are between what stands at the left and at the right of a line.
var gaps = regexp.MustCompile(`  +`)

// An error stays until a key is pressed that somebody presses who has seen it, however long that
// takes; what is no error is gone with the next key, after some seconds, or with its page. Everything
// is kept.
func TestStatusLineIsReadOrKept(t *testing.T) {
	var s statusLine
	here, there, said := &trailEntry{page: nav.NewPage(nav.Ladder)}, &trailEntry{page: nav.NewPage(nav.Zones)}, &trailEntry{page: nav.NewPage(nav.Messages)}
	keys, _ := action.NewKeymap(nil)
	st := themes.BuiltinThemes().FindStyles("mono", true)
	at := time.Date(2026, 11, 3, 14, 5, 0, 0, time.UTC)
	say := func(text string, bad bool) {
		s.showToast(view.ToastAsk{Text: text, Bad: bad}, "demo", here, at)
		s.settleOn(here)
	}
	draw := func(w int) string {
		if s.shownText() == nil {
			return ""
		}
		return gaps.ReplaceAllString(strings.TrimRight(ansi.Strip(s.drawText(st, keys, at, w)), " "), "  ")
	}
	want := func(text string) {
		t.Helper()
		if got := draw(60); got != text {
			t.Errorf("the line is %q, want %q", got, text)
		}
	}
	pass := func(d time.Duration) { at = at.Add(d); s.expireText(at) }

	say("copied name", false)
	want(" copied name")
	s.takeInput(at)
	want("")
	say("copied name", false)
	pass(toastTime + time.Second)
	want("")
	say("copied name", false)
	s.settleOn(there)
	want("")

	say("reverted: not confirmed within 4s", true)
	s.takeInput(at) // it was not on the screen yet
	want(" ■ reverted: not confirmed within 4s")
	s.takeInput(at.Add(seenTime / 2)) // nobody reads that fast
	pass(time.Hour)
	s.settleOn(there)
	want(" ■ reverted: not confirmed within 4s")
	s.takeInput(at)
	want("")

	// The newest is said first; those before it come back.
	say("first", true)
	say("second", true)
	say("copied name", false)
	want(" copied name  +2  :messages")
	s.takeInput(at)
	want(" ■ second  +1  :messages")
	at = at.Add(seenTime)
	s.takeInput(at)
	want(" ■ first")
	for i := range 30 {
		say(strings.Repeat("x", i+1), true)
	}
	if len(s.toRead) != unseenErrors {
		t.Errorf("%d errors wait to be read one after the other", len(s.toRead))
	}
	s.settleOn(said)
	want("")

	// One that is cut says where it stands whole.
	say("your text is kept in /home/somebody/.local/state/rung/edit/cluster-control-20261103-140421.yaml", true)
	if got := draw(60); !strings.HasSuffix(got, "…  :messages") || !strings.HasPrefix(got, " ■ your text is kept") {
		t.Errorf("a text that has no room: %q", got)
	}
	for w := range 40 {
		if n := ansi.StringWidth(s.drawText(st, keys, at, w)); n > w {
			t.Errorf("%d cells in %d", n, w)
		}
	}
	if all := s.log.Messages(); all[0].Text != "copied name" || all[0].Times != 3 || all[1].Text != "reverted: not confirmed within 4s" || all[1].PageName != "Ladder" {
		t.Errorf("the messages: %+v", all[:2])
	}
	for i := range 400 {
		say(strings.Repeat("y", i+1), false)
	}
	if all := s.log.Messages(); len(all) != 200 || len(all[199].Text) != 400 {
		t.Errorf("%d messages are kept", len(all))
	}
}

// Warnings from the start are said one after the other, the first one first.
func TestNoticesAreSaidInOrder(t *testing.T) {
	var s statusLine
	e := &trailEntry{page: nav.NewPage(nav.Ladder)}
	s.showNotices([]string{"one", "two"}, "demo", e, time.Time{})
	if s.shownText().text != "one" {
		t.Errorf("the first is %q", s.shownText().text)
	}
	s.dropShown()
	if s.shownText().text != "two" {
		t.Errorf("the second is %q", s.shownText().text)
	}
}

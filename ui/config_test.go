package ui_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/test/uitest"
	"rung/themes"
	"rung/ui"
	"rung/ui/nav"
)

// All that is wrong with a file is said at once, with its line, the setting, what is
// wrong and what is allowed; what is right holds.
func TestConfigProblems(t *testing.T) {
	c := ui.ParseFile("rung.yaml", []byte(`theme: pink
colour: auto
color: [1]
ascii: maybe
mouse: false
theme: mono
start: moon
protected: {a: b}
keys:
  ladder.new: e
  x.y: [z]
  ladder.move: [b, "bogus key"]
contexts:
  a: {wrte: true}
  b: {write: sometimes}
`))
	want := []string{
		`rung.yaml line 2, colour: unknown setting (allowed: theme, color, ascii, mouse, reduced-motion, start, keys, hotkeys, aliases, views, contexts, protected, api-release)`,
		`rung.yaml line 3, color: a list or a group of settings is not allowed here (allowed: a colour mode, such as auto)`,
		`rung.yaml line 4, ascii: "maybe" is not allowed here (allowed: true, false)`,
		`rung.yaml line 6, theme: set twice (line 1 holds)`,
		`rung.yaml line 8, protected: a list or a group of settings is not allowed here (allowed: a list of namespaces, such as [vault, payments])`,
		`rung.yaml line 10, keys.ladder.new: "e" is not allowed here (allowed: a list of keys, such as [n, ctrl+n])`,
		`rung.yaml line 14, contexts.a.wrte: unknown setting of a context (allowed: write, readonly, theme)`,
		`rung.yaml line 15, contexts.b.write: "sometimes" is not allowed here (allowed: true, false)`,
		`rung.yaml line 1, theme: no theme "pink" (allowed: adaptive, ansi16, dark, light, mono)`,
		`rung.yaml line 7, start: "moon" is not a start page (allowed: ladder, rows, zones, logs, activity, plan, cluster, findings, matrix, sessions, diff, omitted, messages, contexts, or view NAME)`,
		`rung.yaml line 12, keys.ladder.move: "bogus key" is not a key (allowed: a character, enter, tab, space, esc, up, home, pgup, delete, f1 and the like, with ctrl+, alt+ or shift+ before it)`,
		`rung.yaml line 11, keys.x.y: no such action (allowed: those in docs/keys.md)`,
	}
	if diff := cmp.Diff(want, c.CheckAll(themes.BuiltinThemes())); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if c.Mouse == nil || *c.Mouse || !cmp.Equal(c.Keys["ladder.move"], []string{"b", "bogus key"}) {
		t.Errorf("what is right does not hold: %+v", c)
	}

	s := uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{Config: c})
	s.Want("12 problems in the configuration", "rung.yaml line 2, colour: unknown setting", "more · pgdown")
	s.ResizeAll()
	seen := ""
	for range 6 {
		seen += strings.Join(strings.Fields(strings.ReplaceAll(s.PlainFrame(), "│", " ")), " ")
		s.Press("pgdown")
	}
	s.Want("any key closes", "pgup")
	for _, p := range []string{"contexts.a.wrte", "keys.x.y: no such action"} {
		if !strings.Contains(seen, p) {
			t.Errorf("%q is not listed", p)
		}
	}
	s.Press("x")
	s.WantNot("problems in the configuration")
	s.Want("cluster-control")
}

func TestConfigFiles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"# nothing\n", ""}, {"---\n", ""}, {"theme: dark\n", ""}, {"keys:\ncontexts:\n", ""}, {"contexts: {a: }\n", ""},
		{"x: &a true\nascii: *a\n", "f line 1, x: unknown setting (allowed: theme, color, ascii, mouse, reduced-motion, start, keys, hotkeys, aliases, views, contexts, protected, api-release)"},
		{"theme: [a\n x: {", "f line 1: not valid YAML: did not find expected ',' or ']' (the file is ignored)"},
		{"just words", "f line 1: not a list of settings (allowed: one setting per line, such as theme: dark)"},
		{"keys: [a]", "f line 1, keys: not a list of actions (allowed: actions with their keys, such as ladder.new: [n, ctrl+n])"},
		{"theme: \"a\\e[2Jb\"", "f line 1, theme: no theme \"a\\x1b[2Jb\" (allowed: adaptive, ansi16, dark, light, mono)"},
	} {
		conf := ui.ParseFile("f", []byte(c.text))
		if got := strings.Join(conf.CheckAll(themes.BuiltinThemes()), "\n"); got != c.want {
			t.Errorf("%q: %s\nwant %s", c.text, got, c.want)
		}
	}
}

// A saved view is in the palette and can be begun with; an alias and a hotkey do what the palette
// does for their text, and say so where that is nothing.
func TestViewsAliasesHotkeys(t *testing.T) {
	c := ui.ParseFile("rung.yaml", []byte(`start: view deny
views:
  deny: {page: rows, filter: drop}
  nowhere: {page: moon}
  half: {order: up}
aliases:
  ct: anp cluster-control
  nobody: anp no-such-policy
  one: two
  two: one
hotkeys:
  f5: findings
  f6: ct
  f7: zones nosuch
  f1: help
  d: findings
  nokey: findings
contexts:
  prod: {readonly: true, theme: pink}
`))
	want := []string{
		"rung.yaml line 5, views.half.order: unknown setting of a view (allowed: page, filter, sort, wide, columns)",
		`rung.yaml line 5, views.half: "" is not a page (allowed: ladder, rows, zones, logs, activity, plan, cluster, findings, matrix, sessions, diff, omitted, messages, contexts)`,
		`rung.yaml line 4, views.nowhere: "moon" is not a page (allowed: ladder, rows, zones, logs, activity, plan, cluster, findings, matrix, sessions, diff, omitted, messages, contexts)`,
		`rung.yaml line 19, contexts.prod.theme: no theme "pink" (allowed: adaptive, ansi16, dark, light, mono)`,
		`rung.yaml line 16, hotkeys.d: "d" is the key of plan.step (allowed: keys that no action has, such as f5)`,
		`rung.yaml line 15, hotkeys.f1: "f1" is the key of app.help (allowed: keys that no action has, such as f5)`,
		`rung.yaml line 17, hotkeys.nokey: "nokey" is not a key (allowed: a character, enter, tab, space, esc, up, home, pgup, delete, f1 and the like, with ctrl+, alt+ or shift+ before it)`,
	}
	if diff := cmp.Diff(want, c.CheckAll(themes.BuiltinThemes())); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if _, err := c.FindView("nosuch"); err == nil || !strings.Contains(err.Error(), "saved in rung.yaml: deny, half, nowhere") {
		t.Errorf("a view that is none: %v", err)
	}
	if p, err := c.FindView("findings"); err != nil || p.Kind != nav.Findings {
		t.Errorf("a page as a view: %v, %v", p, err)
	}

	s := uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{Config: c})
	s.Press("x") // the problems
	s.Want("rows", "drop")
	s.Press("f5")
	s.Want("› findings")
	s.Press("f6")
	s.Want("cluster-control", "rules")
	s.Press("f7")
	s.Want("zones nosuch: no match")
	s.Press(":")
	s.Type("one")
	s.Press("enter")
	s.Want("one: no match")
	s.Press(":")
	s.Type("view deny")
	s.Press("enter")
	s.Want("rows", "drop")
	s.Press("?")
	s.Type("hotkey")
	s.Want("f5", "findings")
}

// The page ready of older releases has a replacement: each way to name it says so.
func TestReadyNamesItsReplacement(t *testing.T) {
	c := ui.ParseFile("rung.yaml", []byte("start: ready\nviews:\n  old: {page: ready}\n"))
	want := []string{
		`rung.yaml line 3, views.old: "ready" was replaced by the column REPORTED of the page zones: use zones`,
		`rung.yaml line 1, start: "ready" was replaced by the column REPORTED of the page zones: use zones`,
	}
	if diff := cmp.Diff(want, c.CheckAll(themes.BuiltinThemes())); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	_, err := c.FindView("ready")
	if want := "--view ready was replaced by the column REPORTED of the page zones: use zones"; err == nil || err.Error() != want {
		t.Errorf("--view ready: %v, want %s", err, want)
	}
}

func FuzzParseConfig(f *testing.F) {
	for _, s := range []string{"theme: dark", "keys: {a: [b]}", "a: &a [*a]", "&a {*a : b}", "contexts: {a: {write: 1}}", "<<: *x", "views: {a: {page: rows}}", "aliases: {a: b}", "hotkeys: {f5: [a]}", "? [a]\n: b", "theme: !!binary a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := ui.ParseFile("f", []byte(text))
		for _, p := range c.CheckAll(themes.BuiltinThemes()) {
			if strings.ContainsAny(p, "\n\x1b") {
				t.Errorf("%q", p)
			}
		}
	})
}

package themes

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

func TestBuiltin(t *testing.T) {
	want := []string{"adaptive", "ansi16", "dark", "light", "mono"}
	if diff := cmp.Diff(want, BuiltinThemes().ThemeNames()); diff != "" {
		t.Fatalf("themes (-want +got):\n%s", diff)
	}
	for name, th := range builtin {
		for _, err := range th.CheckLooks() {
			t.Error(err)
		}
		for _, k := range Tokens {
			if _, ok := th.Tokens[k]; !ok {
				t.Errorf("theme %s has no token %s", name, k)
			}
		}
	}
}

func TestStyles(t *testing.T) {
	s := BuiltinThemes().FindStyles("ansi16", true)
	if got, want := s.Deny.Render("drop"), "\x1b[31mdrop\x1b[m"; got != want {
		t.Errorf("deny = %q, want %q", got, want)
	}
	if got := s.Text.Render("plain"); got != "plain" {
		t.Errorf("text = %q, want no escape sequence", got)
	}
	if got := s.Selection.Render(""); got != "" {
		t.Errorf("an empty text = %q", got)
	}
	if got := BuiltinThemes().FindStyles("no such theme", true).Name; got != Default {
		t.Errorf("an unknown theme gives %q", got)
	}
	set := BuiltinThemes()
	if d, l := set.FindStyles(Adaptive, true).Name, set.FindStyles(Adaptive, false).Name; d != "dark" || l != "light" {
		t.Errorf("adaptive gives %s and %s", d, l)
	}
	if d, l := set.FindStyles("ansi16", true).Warn, set.FindStyles("ansi16", false).Warn; d.Render("x") == l.Render("x") {
		t.Error("ansi16 does not change its warning for a light background")
	}
	for _, name := range set.ThemeNames() {
		for _, dark := range []bool{true, false} {
			st := set.FindStyles(name, dark)
			for _, x := range []Style{st.Selection, st.Warn, st.CodeNote, st.Alarm} {
				if got := ansi.Strip(x.Render("a b")); got != "a b" {
					t.Errorf("theme %s changes text: %q", name, got)
				}
			}
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("mine.yaml", "palette: {hot: \"#ff0000\"}\ntokens: {deny: bold hot, dimm: red, warn: reddish}\n")
	write("bad.yaml", "tokens: [")
	write("huge.yaml", "#"+strings.Repeat("x", maxFile))
	write("note.txt", "not a theme")
	set, warn := LoadThemes(dir)
	if !set.HasTheme("mine") || set.HasTheme("bad") || set.HasTheme("note") {
		t.Errorf("themes are %v", set.ThemeNames())
	}
	if len(warn) != 4 {
		t.Errorf("%d warnings, want 4: %v", len(warn), warn)
	}
	st := set.FindStyles("mine", true)
	if got, want := st.Deny.Render("x"), "\x1b[1;38;2;255;0;0mx\x1b[m"; got != want {
		t.Errorf("deny = %q, want %q", got, want)
	}
	if got, want := st.Warn.Render("x"), "\x1b[1mx\x1b[m"; got != want {
		t.Errorf("a broken token gives %q, want the plain %q", got, want)
	}
	if _, warn := LoadThemes(filepath.Join(dir, "none")); warn != nil {
		t.Errorf("a missing folder warns: %v", warn)
	}
}

func TestProfile(t *testing.T) {
	tests := []struct {
		mode, env string
		want      colorprofile.Profile
		forced    bool
		bad       bool
	}{
		{mode: "auto"},
		{mode: "", env: "NO_COLOR=yes", want: colorprofile.ASCII, forced: true},
		{mode: "auto", env: "TERM=dumb", want: colorprofile.NoTTY, forced: true},
		{mode: "never", want: colorprofile.ASCII, forced: true},
		{mode: "auto", env: "CLICOLOR=0", want: colorprofile.ASCII, forced: true},
		{mode: "auto", env: "CLICOLOR=1"},
		{mode: "always", env: "NO_COLOR=1", want: colorprofile.TrueColor, forced: true},
		{mode: "16", want: colorprofile.ANSI, forced: true},
		{mode: "256", want: colorprofile.ANSI256, forced: true},
		{mode: "truecolor", want: colorprofile.TrueColor, forced: true},
		{mode: "pink", bad: true},
	}
	for _, tt := range tests {
		k, v, _ := strings.Cut(tt.env, "=")
		p, forced, err := ColourProfile(tt.mode, func(name string) string {
			if name == k {
				return v
			}
			return ""
		})
		if p != tt.want || forced != tt.forced || (err != nil) != tt.bad {
			t.Errorf("ColourProfile(%q, %s) = %v, %v, %v", tt.mode, tt.env, p, forced, err)
		}
	}
}

func TestASCIIKeepsWidth(t *testing.T) {
	const marks = "─│┌└┊▲●○✗≠…›→⏎·–×▁█▸"
	got := ASCII(marks)
	if len(got) != utf8.RuneCountInString(marks) || ansi.StringWidth(got) != ansi.StringWidth(marks) {
		t.Errorf("ASCII(%q) = %q changes the width", marks, got)
	}
	for _, r := range got {
		if r > 126 {
			t.Errorf("%q is left", r)
		}
	}
	if got := ASCII("grün"); got != "grün" {
		t.Errorf("text of the user's became %q", got)
	}
}

func TestDocsNameEveryToken(t *testing.T) {
	text, err := os.ReadFile("../docs/themes.md")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(strings.ReplaceAll(string(text), "`", " "))
	for _, k := range Tokens {
		if !slices.Contains(words, string(k)) && !slices.Contains(words, string(k)+".") {
			t.Errorf("docs/themes.md does not name the token %s", k)
		}
	}
}

// TestColoursAreQuoted: a colour behind a space is a comment to YAML unless the
// value is quoted, and the look then silently loses it.
func TestColoursAreQuoted(t *testing.T) {
	names, err := builtIn.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range names {
		text, err := builtIn.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			_, value, found := strings.Cut(line, ": ")
			if found && strings.Contains(value, " #") && !strings.HasPrefix(value, "'") && !strings.HasPrefix(strings.TrimSpace(line), "#") {
				t.Errorf("%s:%d: %s: quote the value", f.Name(), i+1, strings.TrimSpace(line))
			}
		}
	}
}

// With --ascii nothing else is on the screen, whatever the user's own text holds, and
// nothing moves.
func TestQuestioned(t *testing.T) {
	for text, want := range map[string]string{
		"owner: platform":              "owner: platform",
		"owner: Zoë Müller":            "owner: Zo? M?ller",
		"e\u0301tat 日本 \x1b[1m🚒\x1b[m": "etat ???? \x1b[1m??\x1b[m",
		"👩‍🚒 \xff.":                    "?? ?.",
	} {
		got := ReplaceNonASCII(text)
		if got != want {
			t.Errorf("ReplaceNonASCII(%q) = %q, want %q", text, got, want)
		}
		if ansi.StringWidth(got) != ansi.StringWidth(text) && text[len(text)-1] != '.' {
			t.Errorf("%q has another width than %q", got, text)
		}
	}
}

package themes

import (
	"fmt"
	"os"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"rung/model/words"
)

// Style is a ready look for one line of text. The zero value leaves text unchanged. Styles are small and
// compare by identity.
type Style struct{ s *ansiStyle }

type ansiStyle struct {
	open, close string
	token       Token
}

// Render gives the text its look. The text must be one line.
func (s Style) Render(text string) string {
	if s.s == nil || text == "" || s.s.open == "" {
		return text
	}
	return s.s.open + text + s.s.close
}

// Append is Render onto a byte slice.
func (s Style) Append(b []byte, text string) []byte {
	if s.s == nil || text == "" || s.s.open == "" {
		return append(b, text...)
	}
	b = append(b, s.s.open...)
	b = append(b, text...)
	return append(b, s.s.close...)
}

// AppendWithin appends text amid text of another style, which goes on after it.
func (s Style) AppendWithin(b []byte, text string, outer Style) []byte {
	b = s.Append(b, text)
	if s.s != nil && outer.s != nil {
		b = append(b, outer.s.open...)
	}
	return b
}

// Token returns the token of the style; Text for the zero Style.
func (s Style) Token() Token {
	if s.s == nil {
		return Text
	}
	return s.s.token
}

// StyleSet holds the ready styles of a theme, one per token.
type StyleSet struct {
	Name string
	Dark bool

	Text, Dim, Accent, Title, Border, Header, Key, Selection, Match, Input Style
	Allow, Deny, Pass, OK, Warn, Error, Info, Added, Removed, Badge, Alarm Style
	CodeKey, CodeText, CodeValue, CodeNote                                 Style

	byToken map[Token]Style
}

// TokenStyle returns the style of a token; the zero Style if unknown.
func (s *StyleSet) TokenStyle(token Token) Style { return s.byToken[token] }

func newStyles(t *Theme, dark bool) *StyleSet {
	s := &StyleSet{Name: t.Name, Dark: dark, byToken: map[Token]Style{}}
	for token, to := range map[Token]*Style{
		Text: &s.Text, Dim: &s.Dim, Accent: &s.Accent, Title: &s.Title, Border: &s.Border, Header: &s.Header,
		Key: &s.Key, Selection: &s.Selection, Match: &s.Match, Input: &s.Input, Allow: &s.Allow, Deny: &s.Deny,
		Pass: &s.Pass, OK: &s.OK, Warn: &s.Warn, Error: &s.Error, Info: &s.Info, Added: &s.Added,
		Removed: &s.Removed, Badge: &s.Badge, Alarm: &s.Alarm, CodeKey: &s.CodeKey, CodeText: &s.CodeText,
		CodeValue: &s.CodeValue, CodeNote: &s.CodeNote,
	} {
		*to = newStyle(token, t.resolveToken(token, dark))
		s.byToken[token] = *to
	}
	return s
}

// newStyle lets lipgloss make escape sequences of a look, once per token and theme: rendering is then two
// string concatenations.
func newStyle(token Token, l parsedLook) Style {
	ls := lipgloss.NewStyle().Bold(l.bold).Faint(l.faint).Italic(l.italic).Underline(l.underline).Reverse(l.reverse)
	if l.fg != nil {
		ls = ls.Foreground(l.fg)
	}
	if l.bg != nil {
		ls = ls.Background(l.bg)
	}
	const probe = "x"
	open, end, _ := strings.Cut(ls.UnderlineSpaces(l.underline).Render(probe), probe)
	return Style{&ansiStyle{open: open, close: end, token: token}}
}

// ColorModes are the values of --color.
var ColorModes = []string{"auto", "always", "never", "16", "256", "truecolor"}

// ColourProfile returns the colour profile for a --color mode; forced is false if the terminal should be
// asked. Only mode auto reads the environment: NO_COLOR (any non-empty value) and CLICOLOR=0 turn colours off
// and keep bold and reverse; CLICOLOR_FORCE outranks CLICOLOR; TERM=dumb shows plain text. A nil getenv reads
// the process's environment.
func ColourProfile(mode string, getenv func(string) string) (p colorprofile.Profile, forced bool, err error) {
	if getenv == nil {
		getenv = os.Getenv
	}
	switch strings.ToLower(mode) {
	case "", "auto":
		switch {
		case getenv("TERM") == "dumb":
			return colorprofile.NoTTY, true, nil
		case getenv("NO_COLOR") != "", getenv("CLICOLOR") == "0" && !isForced(getenv):
			return colorprofile.ASCII, true, nil
		}
		return colorprofile.Unknown, false, nil
	case "never":
		return colorprofile.ASCII, true, nil
	case "16":
		return colorprofile.ANSI, true, nil
	case "256":
		return colorprofile.ANSI256, true, nil
	case "always", "truecolor":
		return colorprofile.TrueColor, true, nil
	}
	return colorprofile.Unknown, false, fmt.Errorf("colour mode %q: want one of %s", mode, strings.Join(ColorModes, ", "))
}

// isForced reports whether the environment requests colours for any output.
func isForced(getenv func(string) string) bool {
	force := getenv("CLICOLOR_FORCE")
	return force != "" && force != "0"
}

// OutputProfile returns the colour profile of a command's output, ASCII or less for none: colours go to a
// terminal, and elsewhere only on request.
func OutputProfile(mode string, terminal bool, environ []string) (colorprofile.Profile, error) {
	env := map[string]string{}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	getenv := func(name string) string { return env[name] }
	p, forced, err := ColourProfile(mode, getenv)
	if forced || err != nil {
		return p, err
	}
	if !terminal && !isForced(getenv) {
		return colorprofile.NoTTY, nil
	}
	return max(colorprofile.Env(environ), colorprofile.ANSI), nil
}

// plain replaces each sign by its ASCII form, for a terminal or screen reader without the sign. Both take the
// same number of cells, so nothing moves.
var plain = func() *strings.Replacer {
	var pairs []string
	for _, s := range words.Signs {
		if s.Text != s.ASCII {
			pairs = append(pairs, s.Text, s.ASCII)
		}
	}
	return strings.NewReplacer(pairs...)
}()

// ASCII replaces the marks and lines of a frame by plain ones of the same width. It leaves the user's text
// alone: ReplaceNonASCII replaces that.
func ASCII(frame string) string { return plain.Replace(frame) }

// ReplaceNonASCII replaces each non-ASCII sign of a frame by question marks of the same width: an annotation,
// a log line or a file name can hold any letter. Copied text is not changed.
func ReplaceNonASCII(frame string) string {
	i := 0
	for i < len(frame) && frame[i] < 0x80 {
		i++
	}
	if i == len(frame) {
		return frame
	}
	var b strings.Builder
	b.Grow(len(frame))
	b.WriteString(frame[:i])
	for i < len(frame) {
		if frame[i] < 0x80 {
			b.WriteByte(frame[i])
			i++
			continue
		}
		letter, w := ansi.FirstGraphemeCluster(frame[i:], ansi.GraphemeWidth)
		for range w {
			b.WriteByte('?')
		}
		i += len(letter)
	}
	return b.String()
}

package themes

import (
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Token names the meaning of a piece of text; a theme gives it a look.
type Token string

// The tokens.
const (
	Text      Token = "text"      // without a meaning of its own
	Dim       Token = "dim"       // secondary: free slots, units, "not yet"
	Accent    Token = "accent"    // names that lead somewhere
	Title     Token = "title"     // headings, the product's name
	Border    Token = "border"    // lines and boxes
	Header    Token = "header"    // the line at the top
	Key       Token = "key"       // a key to press
	Selection Token = "selection" // the line under the cursor
	Match     Token = "match"     // what a search found
	Input     Token = "input"     // text being typed
	Allow     Token = "allow"     // an Allow rule or verdict
	Deny      Token = "deny"      // a Deny rule or verdict
	Pass      Token = "pass"      // a Pass rule
	OK        Token = "ok"        // in sync, connected
	Warn      Token = "warn"      // ▲
	Error     Token = "error"     // ■, ✗
	Info      Token = "info"      // neither good nor bad: settling, starting
	Added     Token = "added"     // in a difference
	Removed   Token = "removed"   // in a difference
	Badge     Token = "badge"     // READ-ONLY, SANDBOX
	Alarm     Token = "alarm"     // writes are on, or a change is on trial
	CodeKey   Token = "code-key"  // YAML
	CodeText  Token = "code-text"
	CodeValue Token = "code-value" // numbers, booleans, null
	CodeNote  Token = "code-note"  // comments
)

// Tokens lists every token, in the order above.
var Tokens = []Token{Text, Dim, Accent, Title, Border, Header, Key, Selection, Match, Input, Allow, Deny, Pass,
	OK, Warn, Error, Info, Added, Removed, Badge, Alarm, CodeKey, CodeText, CodeValue, CodeNote}

// Theme is a named set of looks. The text of a look is words in any order:
// bold, faint, italic, underline, reverse, a colour, "on" and a background
// colour. A colour is a name of the theme's palette, one of the 16 terminal
// colours (red, bright-red …), a number from 0 to 255, or #rrggbb.
type Theme struct {
	Name    string            `yaml:"name"`
	About   string            `yaml:"about"`
	Palette map[string]string `yaml:"palette"`
	Tokens  map[Token]string  `yaml:"tokens"`
	// Light replaces tokens on a terminal with a light background.
	Light map[Token]string `yaml:"light"`
}

// parsedLook is a parsed style.
type parsedLook struct {
	fg, bg                                  color.Color
	bold, faint, italic, underline, reverse bool
}

var names = func() map[string]color.Color {
	m := map[string]color.Color{}
	for i, n := range []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"} {
		m[n] = ansi.BasicColor(i)
		m["bright-"+n] = ansi.BasicColor(i + 8)
	}
	m["grey"], m["gray"] = ansi.BrightBlack, ansi.BrightBlack
	return m
}()

func (t *Theme) parseColour(s string) (color.Color, error) {
	if p, ok := t.Palette[s]; ok {
		s = p
	}
	if s == "default" {
		return nil, nil
	}
	if c, ok := names[s]; ok {
		return c, nil
	}
	if n, err := strconv.Atoi(s); err == nil && n >= 0 && n <= 255 {
		if n < 16 {
			return ansi.BasicColor(n), nil
		}
		return ansi.IndexedColor(n), nil
	}
	if len(s) == 7 && s[0] == '#' {
		if v, err := strconv.ParseUint(s[1:], 16, 32); err == nil {
			return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}, nil
		}
	}
	return nil, fmt.Errorf("%q is not a colour (allowed: a name of the palette, a terminal colour, 0 to 255, #rrggbb)", s)
}

func (t *Theme) parseLook(text string) (l parsedLook, err error) {
	back := false
	for _, w := range strings.Fields(text) {
		switch w {
		case "bold":
			l.bold = true
		case "faint":
			l.faint = true
		case "italic":
			l.italic = true
		case "underline":
			l.underline = true
		case "reverse":
			l.reverse = true
		case "on":
			back = true
			continue
		default:
			c, err := t.parseColour(w)
			if err != nil {
				return parsedLook{}, err
			}
			if back {
				l.bg = c
			} else {
				l.fg = c
			}
		}
		back = false
	}
	return l, nil
}

// CheckLooks returns the errors of the theme, token by token. A wrong token is never fatal: it falls back to
// its default.
func (t *Theme) CheckLooks() []error {
	var errs []error
	check := func(where string, m map[Token]string) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !slices.Contains(Tokens, k) {
				errs = append(errs, fmt.Errorf("theme %s, %s: no token %q (allowed: %s)", t.Name, where, k, tokenNames()))
				continue
			}
			if _, err := t.parseLook(m[k]); err != nil {
				errs = append(errs, fmt.Errorf("theme %s, %s.%s: %w", t.Name, where, k, err))
			}
		}
	}
	check("tokens", t.Tokens)
	check("light", t.Light)
	return errs
}

// tokenNames lists the tokens.
func tokenNames() string {
	names := make([]string, len(Tokens))
	for i, k := range Tokens {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

// resolveToken returns the look of a token, falling back to the plain theme.
func (t *Theme) resolveToken(k Token, dark bool) parsedLook {
	if !dark {
		if s, ok := t.Light[k]; ok {
			if l, err := t.parseLook(s); err == nil {
				return l
			}
		}
	}
	if s, ok := t.Tokens[k]; ok {
		if l, err := t.parseLook(s); err == nil {
			return l
		}
	}
	if plain := builtin["mono"]; plain != nil && plain != t {
		return plain.resolveToken(k, dark)
	}
	return parsedLook{}
}

package widget

import (
	"regexp"
	"strings"

	"rung/model/words"
	"rung/themes"
)

// The parts of a YAML line as people write manifests. A full lexer would slow every start more than this slows
// a page.
var (
	yamlKey   = regexp.MustCompile(`^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#:'"\[\]{},&*!|>%@-][^#:]*?|-[^\s#:][^#:]*?)(\s*:)(\s|$)`)
	yamlValue = regexp.MustCompile(`^(-?[0-9][0-9_]*(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null|~)$`)
	yamlBlock = regexp.MustCompile(`(^|[:\s-])[|>][-+]?[0-9]?\s*(#.*)?$`)
)

// Escaped says that a text is shown with escapes.
const Escaped = "invisible characters of the text are shown as escapes (\\x1b, \\u202e)"

// YAMLLines colours YAML text line by line. Other text is shown in full. Invisible characters are escaped, and
// a first line says so.
func YAMLLines(text string, st *themes.StyleSet) []Line {
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	var lines []Line
	if shown := words.Escape(text); shown != text {
		text, lines = shown, append(lines, StyledLine(words.Warned+" "+Escaped, st.Warn))
	}
	block := -1 // indentation of the key of a block of text
	for _, s := range strings.Split(text, "\n") {
		s = CleanText(strings.TrimSuffix(s, "\r"))
		body := strings.TrimLeft(s, " ")
		indent := len(s) - len(body)
		if block >= 0 && (body == "" || indent > block) {
			lines = append(lines, StyledLine(s, st.CodeText))
			continue
		}
		block = words.Choose(yamlBlock.MatchString(body) && !strings.HasPrefix(body, "#"), indent, -1)
		lines = append(lines, yamlLine(s[:indent], body, st))
	}
	return lines
}

func yamlLine(indent, body string, st *themes.StyleSet) Line {
	var l Line
	l = l.AddIf(indent != "", indent, st.CodeText)
	if body == "---" || body == "..." {
		return l.Add(body, st.Dim)
	}
	for strings.HasPrefix(body, "- ") || body == "-" {
		l = l.Add("-", st.Dim)
		rest := strings.TrimLeft(body[1:], " ")
		l = l.Add(body[1:len(body)-len(rest)], st.CodeText)
		body = rest
	}
	if m := yamlKey.FindStringSubmatchIndex(body); m != nil {
		l = l.Add(body[:m[3]], st.CodeKey).Add(body[m[4]:m[5]], st.Dim)
		body = body[m[5]:]
	}
	value, note := splitNote(body)
	trimmed := strings.TrimSpace(value)
	style := words.Choose(yamlValue.MatchString(trimmed), st.CodeValue, st.CodeText)
	l = l.AddIf(value != "", value, style)
	l = l.AddIf(note != "", note, st.CodeNote)
	return l
}

// splitNote splits off a comment: a # at the beginning or after a space, outside quotes.
func splitNote(s string) (value, note string) {
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case (c == '"' || c == '\'') && (i == 0 || strings.IndexByte(" [{,", s[i-1]) >= 0):
			quote = c
		case c == '#' && (i == 0 || s[i-1] == ' '):
			return s[:i], s[i:]
		}
	}
	return s, ""
}

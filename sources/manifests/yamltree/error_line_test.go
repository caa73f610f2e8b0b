package yamltree

import (
	"errors"
	"strings"
	"testing"
)

const noMistake = `a: 1
b:
  - name: one
    c: two
  - name: three
d:
  # a comment
  e: {f: g}
  h: "i"
`

// A text that is no YAML is refused with the line that has the mistake, wherever the
// parser saw it.
func TestLinesOfMistakes(t *testing.T) {
	for _, c := range []struct {
		old, new string
		line     string // the beginning of the line that is named
	}{
		{"    c: two", "   c: two", "   c: two"},                  // in a list item: too far left
		{"    c: two", "     c: two", "     c: two"},              // too far right
		{"d:", " d:", " d:"},                                      // a key of the top
		{"  h:", " h:", " h:"},                                    // the last one
		{"    c: two", "\tc: two", "\tc: two"},                    // a tab
		{"b:", "b", "b"},                                          // no colon
		{"name: one", "name: one: two", "  - name: one: two"},     // a second colon
		{"{f: g}", "{f: g}}", "  e: {f: g}}"},                     // a brace too many
		{"{f: g}", "{f: g", "  e: {f: g"},                         // one too few
		{"c: two", "c: [two", "    c: [two"},                      // a bracket
		{"h: \"i\"", "h: \"i", "  h: \"i"},                        // a quote that does not end
		{"c: two", "c: *nix", "    c: *nix"},                      // an alias of nothing
		{"c: two", "c: t\x00wo", "    c: t"},                      // a control character
		{"c: two", "c: t\xffwo", "    c: t"},                      // no UTF-8
		{"c: two", "c: \uFFFD\n    c2: t\x00wo", "    c2: t"},     // U+FFFD itself is UTF-8
		{"c: two", "c: %two", "    c: %two"},                      // a reserved sign
		{"  - name: three", "  name: three", "  name: three"},     // a list that goes on as a mapping
		{"  - name: three", " - name: three", " - name: three"},   // an item too far left
		{"  e: {f: g}", "    e: {f: g}", "    e: {f: g}"},         // the first of several, too far right
		{"  e: {f: g}", " e: {f: g}", " e: {f: g}"},               // and too far left
		{"  - name: one", "   - name: one", "   - name: one"},     // of a list
		{"  e: {f: g}", "  e:\n    x: 1\n     y: 2", "     y: 2"}, // the last of several
		{"b:", "b # one", "b # one"},                              // no colon before a comment
		{"a: 1", "a: &x 1\na2: *y", "a2: *y"},                     // not the anchor there is
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			text := strings.ReplaceAll(strings.Replace(noMistake, c.old, c.new, 1), "\n", eol)
			_, err := ParseYAML([]byte(text))
			var e *SyntaxError
			if !errors.As(err, &e) {
				t.Errorf("%q: %v", c.new, err)
				continue
			}
			lines := strings.Split(text, eol)
			if e.Line < 1 || e.Line > len(lines) || !strings.HasPrefix(lines[e.Line-1], c.line) {
				t.Errorf("%q: %v, want the line %q", c.new, err, c.line)
			}
		}
	}
}

// What is no UTF-8 in JSON is told with its line; U+FFFD is a character like any other.
func TestInvalidJSONText(t *testing.T) {
	_, _, err := parseJSON([]byte("{\"a\": \"\uFFFD\",\n\"b\": \"\xff\"}"))
	var e *SyntaxError
	if !errors.As(err, &e) || e.Line != 2 {
		t.Errorf("%v, want line 2", err)
	}
	if _, _, err := parseJSON([]byte("{\"a\": \"\uFFFD\"}")); err != nil {
		t.Error(err)
	}
}

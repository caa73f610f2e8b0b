package edit

import (
	"strings"

	"rung/model/clean"
)

// note begins a line that is Rung's and not part of the text.
const note = "# rung:"

// head writes lines as comments above a text.
func head(notes []string, text string) string {
	var b strings.Builder
	for _, n := range notes {
		for l := range strings.Lines(clean.Block(n)) {
			b.WriteString(strings.TrimRight(note+" "+strings.TrimSuffix(l, "\n"), " "))
			b.WriteByte('\n')
		}
	}
	return b.String() + text
}

// body is the text without the comment lines above it.
func body(text string) string {
	for strings.HasPrefix(text, note) {
		_, rest, found := strings.Cut(text, "\n")
		if !found {
			return ""
		}
		text = rest
	}
	return text
}

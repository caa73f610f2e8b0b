package edit

import (
	"strings"

	"rung/model/clean"
	"rung/ui/widget"
)

// note begins a line that is Rung's and not part of the text.
const note = "# rung:"

// headWidth is how wide notes are: with what begins them, 80 cells.
const headWidth = 72

// head writes notes as comments above a text.
func head(notes []string, text string) string {
	var b strings.Builder
	for _, n := range notes {
		for l := range strings.Lines(clean.Block(n)) {
			for _, part := range widget.Flow(strings.TrimSuffix(l, "\n"), headWidth) {
				b.WriteString(strings.TrimRight(note+" "+part, " "))
				b.WriteByte('\n')
			}
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

package themes

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// WrapWords breaks text into lines of at most w cells, at spaces if possible. It breaks inside a hyphenated
// name only if a line has no room for it: half a name is another name.
func WrapWords(text string, w int) []string {
	// ansi.Wrap always breaks at a hyphen, so hyphens are replaced by a letter of the same width that cleaned
	// text never contains.
	const whole = "\ue000"
	lines := strings.Split(ansi.Wrap(strings.ReplaceAll(text, "-", whole), w, ""), "\n")
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], whole, "-")
	}
	return lines
}

package themes

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// WrapWords breaks text into lines of at most w cells, at spaces where it can. A name with a
// hyphen stays whole where a line has room for it: half of one is another name.
func WrapWords(text string, w int) []string {
	// ansi.Wrap always breaks at a hyphen, so that it is given a letter instead, of the
	// same width, which no cleaned text has.
	const whole = "\ue000"
	lines := strings.Split(ansi.Wrap(strings.ReplaceAll(text, "-", whole), w, ""), "\n")
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], whole, "-")
	}
	return lines
}

package logs

import (
	"github.com/charmbracelet/x/ansi"

	"rung/ui/widget"
)

// clip is the first w cells of a line, without an ellipsis.
func clip(l widget.Line, w int) widget.Line {
	var out widget.Line
	for _, s := range l {
		if w <= 0 {
			break
		}
		n := widget.Width(s.Text)
		if n > w {
			s.Text = ansi.Truncate(s.Text, w, "")
			n = w
		}
		out = append(out, s)
		w -= n
	}
	return out
}

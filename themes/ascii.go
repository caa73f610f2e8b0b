package themes

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// signs are the marks and box lines of the screen with what stands for them on
// a terminal or a screen reader without them. Each takes one cell on both
// sides, so that nothing moves.
var signs = strings.NewReplacer(
	"─", "-", "━", "=", "│", "|", "┃", "|", "┌", "+", "┐", "+", "└", "+", "┘", "+", "├", "+", "┤", "+", "┬", "+",
	"┴", "+", "┼", "+", "╭", "+", "╮", "+", "╯", "+", "╰", "+", "┊", ":", "┆", ":", "▌", ">", "▸", ">", "▾", "v",
	"▴", "^", "▲", "!", "▼", "v", "●", "*", "○", "o", "◌", ".", "◐", "%", "✗", "x", "✓", "v", "≠", "#", "≈", "~", "≡", "=",
	"…", "~", "›", ">", "‹", "<", "→", ">", "←", "<", "↑", "^", "↓", "v", "⏎", "^", "·", ".", "–", "-", "—", "-",
	"−", "-", "×", "x", "▁", "_", "▂", "_", "▃", "-", "▄", "-", "▅", "=", "▆", "=", "▇", "#", "█", "#", "░", ".",
	"▒", ":", "▓", "#", "◦", "o", "◆", "@", "■", "#", "▶", ">", "❚", "|", "•", "*", "†", "+", "»", ">", "«", "<", "±", "~", "∅", "0",
	"“", `"`, "”", `"`, "‘", "'", "’", "'",
)

// ASCII replaces the marks and lines of a frame by plain ones of the same
// width. Text of the user's is left as it is: Questioned replaces that.
func ASCII(frame string) string { return signs.Replace(frame) }

// Questioned replaces what of a frame is not ASCII by question marks of the same width: an
// annotation, a log line or a file's name can hold any letter. What is copied keeps them.
func Questioned(frame string) string {
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

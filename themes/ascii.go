package themes

import "strings"

// signs are the marks and box lines of the screen with what stands for them on
// a terminal or a screen reader without them. Each takes one cell on both
// sides, so that nothing moves.
var signs = strings.NewReplacer(
	"─", "-", "━", "=", "│", "|", "┃", "|", "┌", "+", "┐", "+", "└", "+", "┘", "+", "├", "+", "┤", "+", "┬", "+",
	"┴", "+", "┼", "+", "╭", "+", "╮", "+", "╯", "+", "╰", "+", "┊", ":", "┆", ":", "▌", ">", "▸", ">", "▾", "v",
	"▴", "^", "▲", "!", "▼", "v", "●", "*", "○", "o", "◌", ".", "◐", "%", "✗", "x", "✓", "v", "≠", "#", "≡", "=",
	"…", "~", "›", ">", "‹", "<", "→", ">", "←", "<", "↑", "^", "↓", "v", "⏎", "^", "·", ".", "–", "-", "—", "-",
	"−", "-", "×", "x", "▁", "_", "▂", "_", "▃", "-", "▄", "-", "▅", "=", "▆", "=", "▇", "#", "█", "#", "░", ".",
	"▒", ":", "▓", "#", "◦", "o", "◆", "@", "■", "#", "▶", ">", "❚", "|", "•", "*", "†", "+", "»", ">", "«", "<", "±", "~", "∅", "0",
	"“", `"`, "”", `"`, "‘", "'", "’", "'",
)

// ASCII replaces the marks and lines of a frame by plain ones of the same
// width. Text of the user's is left as it is.
func ASCII(frame string) string { return signs.Replace(frame) }

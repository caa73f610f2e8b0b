package widget

import "github.com/charmbracelet/x/ansi"

// Middle cuts text to w cells and leaves out its middle: the end of a name tells it
// from its like as much as its beginning does.
func Middle(s string, w int) string {
	n := Width(s)
	switch {
	case w <= 0:
		return ""
	case n <= w:
		return s
	case w < 3:
		return Truncate(s, w)
	}
	left := ansi.Truncate(s, w/2, "")
	right, room := "", w-1-w/2
	for cut := n - room; cut == n-room || Width(right) > room; cut++ { // a wide letter is not halved
		right = ansi.TruncateLeft(s, cut, "")
	}
	return left + Ellipsis + right
}

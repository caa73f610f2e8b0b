package trace

import (
	"github.com/charmbracelet/x/ansi"

	"rung/ui/widget"
)

// minDistinctWidth is the least width for cutting names so that they differ.
const minDistinctWidth = 14

// cutDistinct shortens names to w cells, in the middle. Names that would look equal are cut twice, around their
// first difference.
func cutDistinct(names []string, w int) []string {
	out, same := make([]string, len(names)), map[string][]int{}
	for i, n := range names {
		out[i] = widget.CutName(n, w)
		if out[i] != n {
			same[out[i]] = append(same[out[i]], i)
		}
	}
	for _, alike := range same {
		if len(alike) < 2 || w < minDistinctWidth {
			continue
		}
		differ := len(names[alike[0]])
		for _, i := range alike[1:] {
			differ = min(differ, commonPrefix(names[alike[0]], names[i]))
		}
		const ends = 3
		room := w - 2*ends - 2*widget.TextWidth(widget.Ellipsis)
		for _, i := range alike {
			n := names[i]
			// Center the middle part on the first difference.
			from := max(ends+1, min(widget.TextWidth(n[:differ])-room/2, widget.TextWidth(n)-ends-1-room))
			middle := ansi.Truncate(ansi.TruncateLeft(n, from, ""), room, "")
			out[i] = ansi.Truncate(n, ends, "") + widget.Ellipsis + middle + widget.Ellipsis + ansi.TruncateLeft(n, widget.TextWidth(n)-ends, "")
		}
	}
	return out
}

// commonPrefix returns the length in bytes of the common beginning of two texts, in whole letters.
func commonPrefix(a, b string) int {
	end := 0
	for i, r := range a {
		if i >= len(b) || len(b)-i < len(string(r)) || b[i:i+len(string(r))] != string(r) {
			return end
		}
		end = i + len(string(r))
	}
	return end
}

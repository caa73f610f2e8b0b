package widget

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
)

// DocLine is one line of a document.
type DocLine struct {
	// identity of the line; empty means its position in the document
	ID   string
	Line Line
	// Head marks the heading of a section.
	Head bool
	// Skip marks a line the cursor passes over: headings, empty lines.
	Skip bool
}

// DocView is a scrolling document with a cursor; lines may be links. It is a table without columns, with all
// methods of Table.
type DocView struct{ Table[DocLine] }

// NewDoc makes an empty document.
func NewDoc() *DocView {
	return &DocView{Table[DocLine]{
		ID: func(l DocLine) string { return l.ID },
		Full: func(l DocLine) Line {
			if l.Line == nil {
				return Line{}
			}
			return l.Line
		},
		Skip:     func(l DocLine) bool { return l.Skip },
		NoHeader: true,
	}}
}

// SetLines replaces the document.
func (d *DocView) SetLines(lines []DocLine) {
	for i := range lines {
		if lines[i].ID == "" {
			lines[i].ID = "#" + strconv.Itoa(i)
		}
	}
	d.SetItems(lines)
}

// LinesBelow returns the number of lines below the last frame.
func (d *DocView) LinesBelow() int { return max(0, len(d.shownItems)-d.top-d.height) }

// IsLong reports whether the document has sections and is longer than the screen.
func (d *DocView) IsLong() bool {
	return d.height > 0 && len(d.shownItems) > d.height && slices.ContainsFunc(d.items, func(l DocLine) bool { return l.Head })
}

// GoSection goes to the next or previous section, with its heading as the first line on screen if enough lines
// follow. Going back from within a section first goes to its own beginning. Past the last and first section it
// goes to the end and the beginning of the document.
func (d *DocView) GoSection(step int) {
	at, head := d.selectedAt, -1
	for i, of := range d.shownItems {
		if !d.items[of].Head {
			continue
		}
		switch {
		case step > 0 && i > at:
			d.beginAt(i)
			return
		case step < 0 && d.firstSelectable(i) < at:
			head = i
		}
	}
	switch {
	case step > 0:
		d.Do(action.Bottom)
	case head < 0:
		d.Do(action.Top)
	default:
		d.beginAt(head)
	}
}

// firstSelectable returns the first line under a heading where the cursor may stand.
func (d *DocView) firstSelectable(head int) int {
	for i := head; i < len(d.shownItems); i++ {
		if !d.isSkipped(d.items[d.shownItems[i]]) {
			return i
		}
	}
	return len(d.shownItems)
}

func (d *DocView) beginAt(head int) {
	d.moveTo(head, 1)
	d.top = head
}

// HeadingLine draws "── title ─────────" in w cells.
func HeadingLine(title string, w int, st *themes.StyleSet) Line {
	l := Line{{"── ", st.Border}, {title, st.Title}, {" ", st.Border}}
	if n := w - l.LineWidth(); n > 0 {
		l = l.Add(strings.Repeat("─", n), st.Border)
	}
	return l
}

// DetailBlock draws lines under a title in h lines of w cells, and counts lines that do not fit.
func DetailBlock(st *themes.StyleSet, title string, lines []string, w, h int) string {
	if room := h - 1; len(lines) > room {
		more := fmt.Sprintf("   … %s more lines; y copies it all", words.Thousands(len(lines)-room+1))
		lines = append(lines[:room-1], StyledLine(more, st.Dim).Render(w))
	}
	return HeadingLine(title, w, st).Render(w) + "\n" + PadBlock(lines, h-1)
}

// JoinBlocks joins two blocks of h lines side by side with a bar between; the left block keeps its natural
// width.
func JoinBlocks(st *themes.StyleSet, left, right string, h int) string {
	a, b := strings.Split(left, "\n"), strings.Split(right, "\n")
	lw := 0
	for _, l := range a {
		lw = max(lw, ansi.StringWidth(l))
	}
	bar := st.Border.Render("│")
	lines := make([]string, h)
	for i := range lines {
		var l, r string
		if i < len(a) {
			l = a[i]
		}
		if i < len(b) {
			r = b[i]
		}
		lines[i] = l + blankText(lw-ansi.StringWidth(l)) + bar + r
	}
	return strings.Join(lines, "\n")
}

// OverlayBox draws a box over a frame of w cells, with its corner at x, y.
func OverlayBox(frame, box string, x, y, w int) string {
	lines := strings.Split(frame, "\n")
	for i, b := range strings.Split(box, "\n") {
		n := y + i
		if n < 0 || n >= len(lines) {
			continue
		}
		bw := ansi.StringWidth(b)
		left := ansi.Truncate(lines[n], x, "")
		left += blankText(max(0, x-ansi.StringWidth(left)))
		right := ""
		if x+bw < w {
			right = ansi.TruncateLeft(lines[n], x+bw, "")
		}
		lines[n] = left + "\x1b[m" + b + "\x1b[m" + right
	}
	return strings.Join(lines, "\n")
}

// FrameBox draws lines in a frame with a title, w cells wide and two lines higher.
func FrameBox(st *themes.StyleSet, title string, lines []string, w int) string {
	in := max(0, w-2)
	head := Line{{"┌─ ", st.Border}, {TruncateText(title, max(0, in-3)), st.Title}, {" ", st.Border}}
	if title == "" {
		head = Line{{"┌", st.Border}}
	}
	out := make([]string, 0, len(lines)+2)
	head = head.Add(strings.Repeat("─", max(0, w-1-head.LineWidth())), st.Border)
	out = append(out, head.Add("┐", st.Border).clipString(w))
	side := st.Border.Render("│")
	for _, l := range lines {
		pad := in - ansi.StringWidth(l)
		if pad < 0 {
			l, pad = ansi.Truncate(l, in, Ellipsis), 0
		}
		out = append(out, side+l+blankText(pad)+side)
	}
	out = append(out, st.Border.Render("└"+strings.Repeat("─", in)+"┘"))
	return strings.Join(out, "\n")
}

// FlowText breaks text into lines of at most w cells, at spaces if possible. A name with a hyphen stays whole
// if a line has room for it: half of it would be another name.
func FlowText(text string, w int) []string {
	return themes.WrapWords(words.CleanBlock(text), max(1, w))
}

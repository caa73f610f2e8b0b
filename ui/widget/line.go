package widget

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"rung/model/words"
	"rung/themes"
)

// Ellipsis ends cut text.
const Ellipsis = "…"

// Span is a piece of text with one style.
type Span struct {
	Text  string
	Style themes.Style
}

// Line is one line of text; its spans hold no line breaks and no escape sequences.
type Line []Span

// PlainLine returns a line without style.
func PlainLine(text string) Line { return Line{{Text: text}} }

// StyledLine returns a line with one style.
func StyledLine(text string, st themes.Style) Line { return Line{{text, st}} }

// Add appends a piece of text; l must not be used afterwards.
func (l Line) Add(text string, st themes.Style) Line { return append(l, Span{text, st}) }

// AddIf appends a piece of text under a condition; l must not be used afterwards.
func (l Line) AddIf(condition bool, text string, st themes.Style) Line {
	if !condition {
		return l
	}
	return l.Add(text, st)
}

// JoinLines joins lines side by side.
func JoinLines(lines ...Line) Line {
	n := 0
	for _, l := range lines {
		n += len(l)
	}
	if n == 0 {
		return nil
	}
	out := make(Line, 0, n)
	for _, l := range lines {
		out = append(out, l...)
	}
	return out
}

// String returns the text without styles.
func (l Line) String() string {
	if len(l) == 1 {
		return l[0].Text
	}
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// TextWidth returns the width of a text in cells.
func TextWidth(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= 0x7f {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// LineWidth returns the width of the line in cells.
func (l Line) LineWidth() (n int) {
	for _, s := range l {
		n += TextWidth(s.Text)
	}
	return n
}

// WidestText returns the greatest width of a text of some items.
func WidestText[T any](all []T, text func(T) string) (w int) {
	for _, x := range all {
		w = max(w, TextWidth(text(x)))
	}
	return w
}

// TruncateText cuts text to w cells, with an ellipsis if anything is lost.
func TruncateText(s string, w int) string {
	switch {
	case w <= 0:
		return ""
	case TextWidth(s) <= w:
		return s
	}
	return ansi.Truncate(s, w, Ellipsis)
}

// Render draws the line in exactly w cells: padded with spaces or cut with an ellipsis.
func (l Line) Render(w int) string { return string(l.appendTo(nil, w, nil)) }

// RenderAs draws the line with one style, padding included: the selected line of a list. Errors and warnings
// keep their colour.
func (l Line) RenderAs(w int, st themes.Style) string {
	return st.Render(string(l.appendTo(nil, w, &st)))
}

// appendTo draws onto b; a non-nil bar is the style of the whole line.
func (l Line) appendTo(b []byte, w int, bar *themes.Style) []byte {
	if w <= 0 {
		return b
	}
	l = l.cleanedLine()
	width := l.LineWidth()
	if width > w {
		l = cutLine(l, w)
		width = l.LineWidth()
	}
	for _, s := range l {
		b = appendSpan(b, s.Text, s.Style, bar)
	}
	return appendSpaces(b, w-width)
}

// cleanedLine replaces invisible characters: every text on screen passes here before its width counts.
func (l Line) cleanedLine() Line {
	for i := range l {
		if !words.IsClean(l[i].Text) {
			out := slices.Clone(l)
			for j := i; j < len(out); j++ {
				out[j].Text = words.CleanText(out[j].Text)
			}
			return out
		}
	}
	return l
}

func spanRest(l Line) (n int) {
	for _, s := range l {
		n += len(s.Text)
	}
	return n
}

func appendSpan(b []byte, text string, st themes.Style, bar *themes.Style) []byte {
	switch {
	case bar == nil:
		return st.Append(b, text)
	case st.Token() == themes.Error || st.Token() == themes.Warn:
		return st.AppendWithin(b, text, *bar)
	}
	return append(b, text...)
}

func appendSpaces(b []byte, n int) []byte { return append(b, blankText(max(0, n))...) }

// ClipTo returns the first w cells of the line, without an ellipsis.
func (l Line) ClipTo(w int) Line {
	var out Line
	for _, s := range l {
		if w <= 0 {
			break
		}
		n := TextWidth(s.Text)
		if n > w {
			s.Text = ansi.Truncate(s.Text, w, "")
			n = w
		}
		out = append(out, s)
		w -= n
	}
	return out
}

// SkipCells drops the first n cells of the line, for scrolling sideways.
func (l Line) SkipCells(n int) Line {
	if n <= 0 {
		return l
	}
	for i, s := range l {
		w := TextWidth(s.Text)
		if n < w {
			out := Line{{Text: ansi.TruncateLeft(s.Text, n, ""), Style: s.Style}}
			return append(out, l[i+1:]...)
		}
		n -= w
	}
	return nil
}

// CleanText makes foreign text fit for a line: tabs become spaces, line breaks a space, invisible characters
// U+FFFD. Sources clean text already; this guards widgets that get whole files.
func CleanText(s string) string {
	if words.IsClean(s) {
		return s
	}
	return words.CleanText(strings.NewReplacer("\t", "    ", "\r\n", " ", "\n", " ", "\r", " ").Replace(s))
}

// PadBlock cuts or pads lines to a block of exactly h lines.
func PadBlock(lines []string, h int) string {
	if h <= 0 {
		return ""
	}
	if len(lines) > h {
		lines = lines[:h]
	}
	return strings.Join(lines, "\n") + strings.Repeat("\n", h-max(1, len(lines)))
}

// LinePiece is a part of a line; if room is short, the highest Drop goes first.
type LinePiece struct {
	Line Line
	Drop int
}

// FitPieces joins the pieces that fit, with gaps.
func FitPieces(pieces []LinePiece, w, gap int) Line {
	var out Line
	for i, p := range keptPieces(pieces, w, gap) {
		if i > 0 {
			out = append(out, Span{Text: strings.Repeat(" ", gap)})
		}
		out = append(out, p.Line...)
	}
	return out
}

// keptPieces returns the pieces that fit with gaps between them.
func keptPieces(pieces []LinePiece, w, gap int) []LinePiece {
	for {
		n := -gap
		for _, p := range pieces {
			n += p.Line.LineWidth() + gap
		}
		if n <= w || len(pieces) <= 1 {
			return pieces
		}
		worst := 0
		for i, p := range pieces {
			if p.Drop >= pieces[worst].Drop {
				worst = i
			}
		}
		pieces = append(pieces[:worst:worst], pieces[worst+1:]...)
	}
}

package widget

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"rung/model/words"
	"rung/themes"
)

// nameEnd is the length of a name's end that stays if possible: it tells the pods of one ReplicaSet apart.
const nameEnd = 5

// CutName shortens the name of a policy, a pod or a zone to w cells, in the middle: names of a kind differ at
// their ends.
func CutName(s string, w int) string {
	n := TextWidth(s)
	switch {
	case n <= w:
		return s
	case w <= 0:
		return ""
	}
	room := w - TextWidth(Ellipsis)
	end := max(room/4, min(nameEnd, room/2))
	if room > 4*nameEnd+4 { // a path or a filter: keep its last word whole
		end = room / 3
	}
	left, right := ansi.Truncate(s, room-end, ""), ansi.TruncateLeft(s, n-end, "")
	if TextWidth(right) > end { // a wide letter is not halved
		right = ansi.TruncateLeft(s, n-end+1, "")
	}
	return left + Ellipsis + right
}

// CutName shortens the line to w cells within its longest piece, which is the name.
func (l Line) CutName(w int) Line {
	over := l.LineWidth() - w
	if over <= 0 {
		return l
	}
	name, longest := 0, -1
	for i, s := range l {
		if n := TextWidth(s.Text); n > longest {
			name, longest = i, n
		}
	}
	if longest-over < 3 {
		return cutLine(l, w)
	}
	out := slices.Clone(l)
	out[name].Text = CutName(out[name].Text, longest-over)
	return out
}

// CutWords shortens the line to w cells after a word, preferably after a clause. A first word that is wider is
// cut like any text.
func (l Line) CutWords(w int) Line {
	if l.LineWidth() <= w {
		return l
	}
	text := l.String()
	head := ansi.Truncate(text, w, "")
	end := -1
	for _, sep := range []string{": ", ", ", " "} {
		end = strings.LastIndex(text[:min(len(text), len(head)+len(sep))], sep)
		if end > len(head)/2 || end > 0 && sep == " " {
			break // a very short clause does not justify losing the rest
		}
	}
	if end <= 0 {
		return cutLine(l, w)
	}
	return l.ClipTo(TextWidth(strings.TrimRight(text[:end], " :,·")))
}

// FitWhole joins as many whole pieces as fit into w cells, and counts the others: "A B +2". The result is nil
// if not even the first fits.
func FitWhole(pieces []Line, sep string, w int, more themes.Style) Line {
	for n := len(pieces); n > 0; n-- {
		l := slices.Clone(pieces[0])
		for _, p := range pieces[1:n] {
			l = append(l.Add(sep, themes.Style{}), p...)
		}
		if left := len(pieces) - n; left > 0 {
			l = l.Add(" +"+words.Thousands(left), more)
		}
		if l.LineWidth() <= w {
			return l
		}
	}
	return nil
}

// FlowLine breaks the line at words into lines of at most first, then w cells. Separators at a line's end are
// left out.
func (l Line) FlowLine(first, w int) (out []Line) {
	l = l.cleanedLine()
	for room := max(1, first); l.LineWidth() > room; room = max(1, w) {
		text := l.String()
		head := len(ansi.Truncate(text, room, ""))
		if head == len(text) {
			break // spans that end within a cluster are wider apart than together
		}
		end := head
		if text[head] != ' ' {
			if i := strings.LastIndexByte(text[:head], ' '); i > 0 {
				end = i
			}
		}
		if i := strings.LastIndexByte(text[:end], ' '); i > 0 && TextWidth(text[i+1:end]) == 1 &&
			strings.Trim(text[i+1:end], "0123456789") != "" {
			end = i // keep a sign with its word
		}
		n := len(text) - len(strings.TrimLeft(text[end:], " ·"))
		past := TextWidth(text[:n])
		if end == 0 || past == 0 {
			break // a letter wider than the line
		}
		out, l = append(out, l.ClipTo(TextWidth(strings.TrimRight(text[:end], " ·")))), l.SkipCells(past)
	}
	return append(out, l)
}

// minKeysWidth is the least width at which keys are named, too.
const minKeysWidth = 40

// flowWhole puts the pieces into at most h lines of w cells. If they do not all fit, each is cut to its first
// clause, and pieces that still do not fit are left out. The text then ends with the number of left-out
// pieces[notes[0]:notes[1]] and the keys that show them; if only other pieces are left out, with an ellipsis.
// A first or only piece that is too long is cut after a word.
func flowWhole(pieces []Line, notes [2]int, keys string, w, h int, sep, more themes.Style) []Line {
	if len(pieces) == 0 || w <= 0 || h <= 0 {
		return nil
	}
	keys = ": " + keys
	if len(keys) == len(": ") || w < minKeysWidth {
		keys = ""
	}
	join := func(pieces []Line, left string) Line {
		var l Line
		for i, p := range pieces {
			l = l.AddIf(i > 0, " · ", sep)
			l = append(l, p...)
		}
		l = l.AddIf(left != "", "  "+left, more)
		return l
	}
	left := func(shown, counted int) string {
		switch {
		case counted < notes[1]-notes[0]:
			return "+" + words.Thousands(notes[1]-notes[0]-counted) + " more" + keys
		case shown < len(pieces):
			return Ellipsis
		}
		return ""
	}
	fits := func(pieces []Line, left string) []Line {
		l := join(pieces, left)
		if l.LineWidth() > w*h {
			return nil
		}
		if lines := l.FlowLine(w, w); len(lines) <= h {
			return lines
		}
		return nil
	}
	if lines := fits(pieces, ""); lines != nil {
		return lines
	}
	if len(pieces) == 1 {
		return cutFlow(pieces[0], w, h, "", more)
	}
	var lines, in []Line
	counted := 0
	for i, p := range pieces {
		try := append(slices.Clone(in), p.firstClause())
		told := counted + b2i(notes[0] <= i && i < notes[1])
		if got := fits(try, left(len(try), told)); got != nil {
			in, lines, counted = try, got, told
		} else if i == 0 {
			return cutFlow(try[0], w, h, left(1, told), more)
		}
	}
	return lines
}

// cutFlow returns the first h lines of a piece that is too long, cut after a word, followed by left.
func cutFlow(l Line, w, h int, left string, more themes.Style) []Line {
	lines := l.FlowLine(w, w)
	lines = lines[:min(h, len(lines))]
	end := " " + Ellipsis
	if left != "" && left != Ellipsis {
		end += "  " + left
	}
	last := lines[len(lines)-1]
	if room := w - TextWidth(end); last.LineWidth() > room {
		text := last.String()
		last = last.FlowLine(room, room)[0]
		if rest := text[len(last.String()):]; len(lines) > 1 && rest != "" && rest[0] != ' ' {
			last = nil // its only word does not fit
		}
	}
	lines[len(lines)-1] = last.Add(end, more)
	return lines
}

// leastClause is the least length of a clause, in bytes: a shorter one is an introduction.
const leastClause = 20

// firstClause returns the line up to the end of its first clause, ignoring quoted text.
func (l Line) firstClause() Line {
	text := l.String()
	quoted := false
	for i := range text {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case !quoted && i >= leastClause && endsClause(text[i:]):
			return l.ClipTo(TextWidth(text[:i]))
		}
	}
	return l
}

func endsClause(rest string) bool {
	return strings.HasPrefix(rest, "; ") || strings.HasPrefix(rest, ": ") || strings.HasPrefix(rest, " (")
}

package ladder

import (
	"rung/model/words"
	"rung/pages/ladder"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/widget"
)

// mostMarks is the maximum width of the notes column that may drop other columns.
const mostMarks = 34

// widthOfMarks returns the width of the column of notes that fits the worst note of every line, at most mostMarks.
func widthOfMarks(lines []*ladder.Line) int {
	w := ladder.LeastNotes
	for _, l := range lines {
		if len(l.Marks) > 0 {
			w = max(w, widget.TextWidth(l.Marks[0].Text)+len(moreMarks(l, 1)))
		}
	}
	return min(w, mostMarks)
}

// moreMarks counts the notes behind the marks after the first n, as the lines below the table do: a mark may
// stand for several conflicts or findings.
func moreMarks(l *ladder.Line, n int) string {
	left := 0
	for _, m := range l.Marks[min(n, len(l.Marks)):] {
		left += m.Count
	}
	return words.Choose(left == 0, "", " +"+words.Thousands(left))
}

// fitMarks returns the notes in w cells: as many as fit, worst first, then the count of the rest. No word is
// cut; if none fits, the first is shown in fewer words, or only its sign.
func fitMarks(l *ladder.Line, st *themes.StyleSet, w int) widget.Line {
	for n := len(l.Marks); n > 0; n-- {
		if fit := widget.CellLine(ladder.JoinMarks(l.Marks[:n]), st).Add(moreMarks(l, n), st.Dim); fit.LineWidth() <= w {
			return fit
		}
	}
	m, more := &l.Marks[0], moreMarks(l, 1)
	look, n := st.TokenStyle(m.Role), m.Note
	if n == nil {
		return widget.StyledLine(m.Text, look).CutWords(w-len(more)).Add(more, st.Dim)
	}
	for _, text := range m.Texts() {
		if fit := widget.StyledLine(text, look).Add(more, st.Dim); fit.LineWidth() <= w {
			return fit
		}
	}
	sign := ladder.NoteSign(n)
	if room := w - widget.TextWidth(sign.Text+" ") - len(more); n.Name != "" && room >= ladder.LeastNotes {
		return widget.Line{{Text: sign.Text + " " + widget.CutName(n.Name, room), Style: look}, {Text: more, Style: st.Dim}}
	}
	for _, fit := range []widget.Line{{{Text: sign.Text, Style: look}, {Text: more, Style: st.Dim}}, widget.StyledLine(sign.Text, look)} {
		if fit.LineWidth() <= w {
			return fit
		}
	}
	return widget.StyledLine(sign.Text, look).ClipTo(w)
}

// fitLogs returns the log levels of the line in w cells.
func fitLogs(l *ladder.Line, st *themes.StyleSet, w int) widget.Line {
	levels := make([]widget.Line, len(l.Log))
	for i, level := range l.Log {
		levels[i] = widget.CellLine(level, st)
	}
	if fit := widget.FitWhole(levels, " ", w, st.Dim); fit != nil {
		return fit
	}
	return levels[0].CutWords(w)
}

// notesBelow returns the notes of a line in words, for the lines below the table: first the notes that the
// column of notes counts, then the rest.
func (v *ladderPage) notesBelow(l *ladder.Line) (notes, rest []widget.Line) {
	st := v.frame.styles
	if l.Remark != "" {
		return nil, []widget.Line{widget.StyledLine(l.Remark, st.Text)}
	}
	if l.Kind == ladder.Band && l.Title != "" && widget.TextWidth(l.Title)+len("── ")+1 > v.frame.w-2 {
		return nil, []widget.Line{widget.StyledLine(l.Title, st.Title)}
	}
	if len(l.Marks) > 0 && l.Marks[0].Note == nil && l.Marks[0].Count > 0 {
		notes = append(notes, widget.CellLine(l.Marks[0].Cell, st))
	}
	for i := range l.Notes {
		n := &l.Notes[i]
		sign := ladder.NoteMark(n)
		for _, text := range n.Texts() {
			sentence := widget.StyledLine(text, st.Text)
			if ladder.HasMark(n) {
				notes = append(notes, widget.JoinLines(widget.StyledLine(sign.Text+" ", st.TokenStyle(sign.Role)), sentence))
			} else {
				rest = append(rest, sentence)
			}
		}
	}
	return notes, rest
}

// allNotes returns the keys that lead to all notes about a line's policy: to its page, and there to the
// findings.
func (v *ladderPage) allNotes(l *ladder.Line) string {
	if v.carry != nil || l.Kind != ladder.Policy {
		return ""
	}
	open, finds := v.frame.keys.ActionByID(action.Open).HintKey(), v.frame.keys.ActionByID(action.PolicyFinds).HintKey()
	return words.Choose(open == "" || finds == "", "", open+" "+finds)
}

package ladder

import (
	"rung/model/words"
	"rung/pages/ladder"
	"rung/pages/page"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/widget"
)

// mostMarks is the maximum width of the notes column that may drop other columns.
const mostMarks = 40

// widthOfMarks returns the width of the column of notes that fits the worst note of every line.
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
// cut; if none fits, only signs are shown.
func fitMarks(l *ladder.Line, st *themes.StyleSet, w int) widget.Line {
	for n := len(l.Marks); n > 0; n-- {
		if fit := widget.CellLine(ladder.JoinMarks(l.Marks[:n]), st).Add(moreMarks(l, n), st.Dim); fit.LineWidth() <= w {
			return fit
		}
	}
	if len(l.Notes) == 0 {
		return widget.CellLine(l.Marks[0].Cell, st).CutWords(w)
	}
	n := &l.Notes[0]
	sign := ladder.NoteSign(n)
	look, more := st.TokenStyle(sign.Role), moreMarks(l, 1)
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

// leastState is the least width for a state in words.
const leastState = 12

// fitState returns the state in w cells: without details, or as a sign.
func fitState(l *ladder.Line, st *themes.StyleSet, w int) widget.Line {
	state := widget.CellLine(l.State, st)
	if w >= leastState {
		return state.CutWords(w)
	}
	if l.Compiled && l.Summary.State != "" {
		return widget.StyledLine(page.StateSign(l.Summary.State), st.TokenStyle(l.State.Role))
	}
	return nil
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

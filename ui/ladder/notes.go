package ladder

import (
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/revision/finding"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/widget"
)

// note puts what is to be known about a policy on its line: all of it for the lines
// below the table, what somebody should look at for its column.
func (b *builder) note(it *item, r *ladder.Rung, rp *ladder.RungPolicy) {
	var gone model.PolicyKey
	if c := b.v.carry; c != nil && (r == nil || c.at != c.from) {
		gone = c.key // it would not be here any more
	}
	it.notes = finding.Notes(b.ladder, r, rp, b.finds[rp.Policy.Key], gone)
	for i := range it.notes {
		if n := &it.notes[i]; marked(n) {
			it.marks = append(it.marks, shortNote(n, n.Name, b.st))
			it.stand = append(it.stand, max(1, n.Count))
		}
	}
}

// marked says whether a note is something to look at: it has a sign, and is counted where
// there is no room for it.
func marked(n *finding.Note) bool { return n.Mark != "" || n.Severity != model.SeverityInfo }

// signOf is the sign of a note with how often it stands for the same.
func signOf(n *finding.Note, st *themes.Styles) (string, themes.Style) {
	sign, look := detail.Sign(n.Severity, st)
	if n.Mark != "" {
		sign = n.Mark
	}
	if n.Count > 1 {
		sign += strconv.Itoa(n.Count)
	}
	return sign, look
}

// shortNote is a note for its column: "≠ quarantine", "= 4 at 40", "▲2 no DNS".
func shortNote(n *finding.Note, name string, st *themes.Styles) widget.Line {
	sign, look := signOf(n, st)
	return widget.Styled(strings.TrimRight(sign+" "+n.Short+name, " "), look)
}

// leastMarks is how wide the column of notes is at least; mostMarks up to where other
// columns go for it.
const leastMarks, mostMarks = 12, 40

// widthOfMarks is how wide the column of notes has to be for the worst of every line.
func widthOfMarks(items []*item) int {
	w := leastMarks
	for _, it := range items {
		if n := len(it.marks); n > 0 {
			w = max(w, it.marks[0].Width()+len(it.moreMarks(1)))
		}
	}
	return min(w, mostMarks)
}

// moreMarks counts what the marks after the first n stand for, as the lines below the
// table do: a mark may stand for several conflicts or findings.
func (it *item) moreMarks(n int) string {
	left := 0
	for i := n; i < len(it.stand); i++ {
		left += it.stand[i]
	}
	if left == 0 {
		return ""
	}
	return " +" + strconv.Itoa(left)
}

// fitMarks is the column of notes in w cells: as many as there is room for, the worst
// first, the others counted. No word is cut; where there is room for none the signs say
// that there is something.
func (it *item) fitMarks(st *themes.Styles, w int) widget.Line {
	for n := len(it.marks); n > 0; n-- {
		if l := all(it.marks[:n], "  ").Add(it.moreMarks(n), st.Dim); l.Width() <= w {
			return l
		}
	}
	if len(it.notes) == 0 {
		return it.marks[0].CutWords(w)
	}
	n := &it.notes[0]
	sign, look := signOf(n, st)
	more := it.moreMarks(1)
	if room := w - widget.Width(sign+" ") - len(more); n.Name != "" && room >= leastMarks {
		return widget.Line{{Text: sign + " " + widget.CutName(n.Name, room), Style: look}, {Text: more, Style: st.Dim}}
	}
	for _, l := range []widget.Line{{{Text: sign, Style: look}, {Text: more, Style: st.Dim}}, widget.Styled(sign, look)} {
		if l.Width() <= w {
			return l
		}
	}
	return widget.Styled(sign, look).Clip(w)
}

// leastState is from how many cells on a state is in words.
const leastState = 12

// fitState is the state in w cells: without its details, or its sign.
func (it *item) fitState(w int) widget.Line {
	if w < leastState {
		return it.sign
	}
	return it.state.CutWords(w)
}

// fitLogs is what the line logs in w cells.
func (it *item) fitLogs(st *themes.Styles, w int) widget.Line {
	if l := widget.FitWhole(it.levels, " ", w, st.Dim); l != nil {
		return l
	}
	return it.levels[0].CutWords(w)
}

// all puts pieces beside each other.
func all(pieces []widget.Line, sep string) widget.Line {
	return widget.FitWhole(pieces, sep, 1<<20, themes.Style{})
}

// told are the notes in words, for the lines below the table: those that the column of
// notes counts, and the rest.
func (it *item) told(st *themes.Styles) (notes, rest []widget.Line) {
	if len(it.whole) > 0 {
		return nil, []widget.Line{it.whole}
	}
	for i := range it.notes {
		n := &it.notes[i]
		sign, look := detail.Sign(n.Severity, st)
		if n.Mark != "" {
			sign = n.Mark
		}
		for _, text := range n.Texts() {
			l := widget.Styled(text, st.Text)
			if marked(n) {
				notes = append(notes, widget.Join(widget.Styled(sign+" ", look), l))
			} else {
				rest = append(rest, l)
			}
		}
	}
	return notes, rest
}

// allNotes are the keys that show all that is to be known about the policy of a line: its
// page, and there the findings.
func (v *ladderPage) allNotes(it *item) string {
	if v.carry != nil || it.kind != policy || it.broken != nil {
		return ""
	}
	open, finds := v.frame.keys.Action(action.Open).Shown(), v.frame.keys.Action(action.PolicyFinds).Shown()
	if open == "" || finds == "" {
		return ""
	}
	return open + " " + finds
}

// text is what the filter looks at: the row as it stands where there is room for all of it.
// The sentences below the table are left out, since they name other policies.
func (it *item) text() string {
	if it.full != nil {
		return it.full.String()
	}
	return strings.Join([]string{it.priority(), it.name.String(), it.subject, it.ingress.String(), it.egress.String(), it.pods,
		it.zones.String(), all(it.levels, " ").String(), it.state.String(), all(it.marks, "  ").String()}, " ")
}

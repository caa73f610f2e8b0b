package view

import (
	"cmp"
	"slices"
	"strings"

	"rung/model/verdict"
	"rung/model/words"
	"rung/themes"
	"rung/ui/widget"
)

// Paste inserts text into the field.
func (d *traceDialog) Paste(text string) {
	if d.field != protocolField {
		d.problem = ""
		d.input[d.field].InsertText(strings.TrimSpace(text))
		d.findEnds()
	}
}

// TypesText returns true: keys are text.
func (d *traceDialog) TypesText() bool { return true }

// fieldWidth is the width of the fields' names.
const fieldWidth = 12

// Cursor returns the place of the cursor in the field.
func (d *traceDialog) Cursor() (x, line int, ok bool) {
	if d.field == protocolField {
		return 0, 0, false
	}
	c := d.input[d.field].Cursor()
	return fieldWidth + c, d.typing, c >= 0
}

// FocusLine returns the line of the field.
func (d *traceDialog) FocusLine() int { return d.typing }

// Draw shows the fields, with the ends to choose below.
func (d *traceDialog) Draw(st *themes.StyleSet, w int) (string, []string) {
	var lines []string
	for f := range fields {
		mark, look := "  ", st.Dim
		if f == d.field {
			mark, look, d.typing = " "+words.Cursor, st.Title, len(lines)
		}
		name := widget.StyledLine(mark+fieldNames[f]+strings.Repeat(" ", fieldWidth-2-len(fieldNames[f])), look)
		switch {
		case f == protocolField:
			lines = append(lines, widget.JoinLines(name, pickedLine(protocolNames, d.protocol, st)).Render(w))
		case f == portField && protocols[d.protocol] == verdict.ICMP:
			lines = append(lines, widget.JoinLines(name, widget.StyledLine("none: ICMP has no ports", st.Dim)).Render(w))
		case f == d.field:
			lines = append(lines, name.Render(fieldWidth)+d.input[f].Render(st, max(1, w-fieldWidth-1)))
		default:
			lines = append(lines, widget.JoinLines(name, widget.PlainLine(d.fieldValue(f))).Render(w))
		}
	}
	lines = append(lines, "")
	if d.problem != "" {
		lines = append(lines, signedParagraph(words.Failed, st.Error, d.problem, w)...)
	}
	lines = append(lines, d.offerLines(st, w)...)
	hint := "enter accept, next field"
	switch {
	case d.field == protocolField:
		hint = "left/right or a letter choose · enter next field"
	case d.field == portField || !d.moved && !slices.ContainsFunc([]int{fromField, toField, portField},
		func(f int) bool { return !d.isFilled(f) }):
		hint = d.enters
	}
	return d.title, append(lines, paragraphLines(hint+" · tab next field · esc cancel", st.Dim, w)...)
}

// offerLines lists the ends or ports to choose, always in the same number of lines.
func (d *traceDialog) offerLines(st *themes.StyleSet, w int) []string {
	lines := make([]string, 0, mostEnds)
	top := max(0, d.pick-mostEnds+1)
	for i := top; i < len(d.hits)+len(d.ports) && i < top+mostEnds; i++ {
		l := widget.Line{{Text: " "}}
		if d.field == portField {
			l = append(l, widget.PlainLine(d.ports[i])...)
		} else {
			c := &d.ends[d.hits[i]]
			l = append(l, widget.Line{{Text: c.Text}, {Text: "  " + c.Note, Style: st.Dim}}...)
		}
		if i == d.pick && d.marksOffer() {
			l[0].Text = words.Cursor
			lines = append(lines, l.RenderAs(w, st.Selection))
		} else {
			lines = append(lines, l.Render(w))
		}
	}
	if d.field <= toField && len(d.hits) == 0 && d.fieldValue(d.field) != "" {
		none := " no such pod, node or Service" + cmp.Or(d.similar, "; addresses are accepted")
		if d.unread != nil {
			none = " " + d.unread.Text()
		}
		lines = append(lines, widget.StyledLine(none, st.Dim).Render(w))
	}
	for len(lines) < mostEnds {
		lines = append(lines, "")
	}
	return lines
}

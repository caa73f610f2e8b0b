package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	told "rung/pages/matrix"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// Least lines below the rows, and column widths with a focus.
const (
	linesBelow     = 3
	focusCellWidth = 18
	leastName      = 20
)

// fittedWidths holds the widths of the row labels, of a cell, and of a row's number.
type fittedWidths struct{ names, cell, number int }

// Render draws the matrix, with the selected cell in words below.
func (v *matrixPage) Render(env *view.Env, w, h int) string {
	st := env.Styles
	switch {
	case v.portProblem != "":
		return messageText(st, w, h, words.Failed, st.Error, "cannot ask: "+v.portProblem)
	case v.m == nil:
		return messageText(st, w, h, " ", st.Dim, "computing which pods reach which on "+trace.PortsText(v.ports)+" …")
	case v.m.Pods == 0:
		return messageText(st, w, h, words.Noted, st.Dim, env.Rev.EmptyText("no pods"+words.OnNetwork(v.network)+", so no connections",
			model.KindPod, model.KindNamespace)+v.otherNetworks(env))
	case v.focus != "" && v.m.Namespace(v.focus) == nil:
		return messageText(st, w, h, words.Failed, st.Error, env.Rev.EmptyText("namespace "+v.focus+" has no pods, or does not exist",
			model.KindPod, model.KindNamespace))
	}
	about := told.AboutLine(v.m, told.Selection{Focus: v.focus, Swapped: v.swapped, Only: v.only, Reached: v.destinations,
		Unread: env.Rev.UnreadPods()})
	about[0].Text = " " + about[0].Text + words.OnNetwork(v.network)
	legend := widget.JoinLines(widget.PlainLine(" "), widget.StyledSpans(told.LegendLine(), st), widget.StyledLine(v.otherNetworks(env),
		st.Key))
	lines := []string{widget.StyledSpans(about, st).CutWords(w).Render(w), legend.CutWords(w).Render(w)}
	if h < 10 {
		lines = nil
	}
	var under []string
	v.fits = v.fitWidths(w)
	if h >= 7 {
		under = v.detailLines(st, w)
		for len(under) < linesBelow {
			under = append(under, "")
		}
		under = under[:min(len(under), max(0, h-len(lines)-3))]
	}
	v.h = max(1, h-len(lines)-1-len(under))
	v.scrollTo(w)
	lines = append(lines, v.headingLine(st, w))
	v.header = len(lines)
	for i, name := range v.rowLabels() {
		lines = append(lines, v.rowLine(st, v.top+i, w, name))
	}
	for len(lines) < v.header+v.h {
		lines = append(lines, "")
	}
	if len(v.rows) == 0 {
		lines[v.header] = widget.StyledLine(" "+v.emptyText(), st.Dim).Render(w)
	}
	return widget.PadBlock(append(lines, under...), h)
}

// otherNetworks names the key that shows pods on other networks, which have no cell here.
func (v *matrixPage) otherNetworks(env *view.Env) string {
	key := env.KeyHint(action.MatrixNetwork)
	if v.network != "" || key == "" || len(env.Rev.Desired.Networks().Names()) == 0 {
		return ""
	}
	if env.W < 100 {
		return " · " + key + " others"
	}
	return " · " + key + " pods on other networks"
}

func messageText(st *themes.StyleSet, w, h int, sign string, look themes.Style, text string) string {
	var lines []string
	for i, part := range widget.FlowText(text, max(8, w-3)) {
		if i > 0 {
			sign = " "
		}
		lines = append(lines, widget.Line{{Text: " " + sign + " ", Style: look}, {Text: part, Style: st.Text}}.Render(w))
	}
	return widget.PadBlock(lines, h)
}

// emptyText says why there are no rows.
func (v *matrixPage) emptyText() string {
	if !v.filter.IsEmpty() && v.allRows > 0 {
		return "no row matches the filter"
	}
	return "nothing here is " + revision.CellLegend(v.only)
}

// fitWidths divides the width: names get what the columns leave, and at least leastName.
func (v *matrixPage) fitWidths(w int) fittedWidths {
	number := len(strconv.Itoa(max(1, len(v.cols))))
	cell, before := max(3, number+1), 2+number+1
	if v.focus != "" {
		cell, before, number = min(focusCellWidth, max(3, (w-leastName)/2)), 2, 0
	}
	longest := 4
	for _, e := range v.rows {
		before, name := rowLabel(e, true)
		longest = max(longest, widget.TextWidth(before+name))
	}
	name := min(longest, max(leastName, w-before-2-cell*v.countColumns()))
	return fittedWidths{names: min(before+name+2, max(before+2, w-cell)), cell: cell, number: number}
}

// rowLabel returns the name of a row and its indent and fold sign; parts are indented further.
func rowLabel(e *revision.MatrixEnd, folded bool) (before, name string) {
	mark := words.Choose(!folded, words.Unfolded+" ", words.Folded+" ")
	switch {
	case e.IsDestinationOnly():
		return "  ", e.Name()
	case e.Pod != "" && e.Pod != e.Workload:
		return "      ", e.Pod
	case e.Pod != "":
		return "    ", e.Pod
	case e.Workload != "":
		return "  " + mark, e.Workload
	}
	return mark, e.Namespace
}

// rowLabels returns the labels of the visible rows, their names cut to the column.
func (v *matrixPage) rowLabels() []string {
	rows := v.rows[v.top:min(len(v.rows), v.top+v.h)]
	room := v.fits.names - v.fits.number - 4
	if v.fits.number > 0 {
		room-- // between number and name
	}
	out, depths := make([]string, len(rows)), map[int][]int{}
	for i, e := range rows {
		out[i], _ = rowLabel(e, !v.open[v.rowAxis()][e.Name()])
		depth := widget.TextWidth(out[i])
		depths[depth] = append(depths[depth], i)
	}
	for depth, at := range depths {
		names := make([]string, len(at))
		for k, i := range at {
			_, names[k] = rowLabel(rows[i], true)
		}
		for k, name := range cutDistinct(names, room-depth) {
			out[at[k]] += name
		}
	}
	return out
}

// scrollTo brings the cursor into sight.
func (v *matrixPage) scrollTo(w int) {
	fit := v.columnsAcross(w)
	v.top = max(min(v.top, v.cursor.row), v.cursor.row-v.h+1, 0)
	v.top = max(0, min(v.top, len(v.rows)-v.h))
	col := max(0, v.cursor.col)
	v.firstColumn = max(min(v.firstColumn, col), col-fit+1, 0)
	v.firstColumn = max(0, min(v.firstColumn, v.countColumns()-fit))
}

// columnsAcross returns the number of columns that fit.
func (v *matrixPage) columnsAcross(w int) int { return max(1, (w-v.fits.names)/v.fits.cell) }

// headingLine returns the columns' numbers, or with a focus the titles.
func (v *matrixPage) headingLine(st *themes.StyleSet, w int) string {
	var l widget.Line
	if v.focus != "" {
		l = widget.StyledLine(padText("    namespace", v.fits.names), st.Header)
		for _, way := range []string{"from it", "to it"} {
			l = l.Add(padText(way, v.fits.cell), st.Header)
		}
		return l.Render(w)
	}
	rows := words.Choose(v.swapped, "to", "from")
	rows = strings.Repeat(" ", 2+v.fits.number+1+2) + rows
	l = widget.StyledLine(padText(rows, v.fits.names), st.Header)
	last := min(len(v.cols), v.firstColumn+v.columnsAcross(w))
	for i := v.firstColumn; i < last; i++ {
		text, style := strconv.Itoa(i+1), st.Header
		if i == v.cursor.col {
			style = st.Title
		}
		l = l.Add(strings.Repeat(" ", max(0, v.fits.cell-1-widget.TextWidth(text)))+text+" ", style)
	}
	if more := len(v.cols) - last; more > 0 || v.firstColumn > 0 {
		where := fmt.Sprintf(" %d–%d of %s ", v.firstColumn+1, last, words.Thousands(len(v.cols)))
		if room := v.fits.names - widget.TextWidth(where); room > 8 {
			l[0].Text = padText(rows, room) + where
		}
	}
	return l.Render(w)
}

func padText(text string, w int) string {
	return widget.CutName(text, w) + strings.Repeat(" ", max(0, w-widget.TextWidth(text)))
}

// rowLine draws one row.
func (v *matrixPage) rowLine(st *themes.StyleSet, i, w int, text string) string {
	e := v.rows[i]
	here := i == v.cursor.row
	mark, name := "  ", st.Text
	if here {
		mark = words.Cursor + " "
		if v.cursor.col < 0 {
			name = st.Selection
		}
	}
	l := widget.Line{{Text: mark, Style: st.Title}}
	if v.focus == "" {
		number := ""
		if n := v.numbers[e.Name()]; n > 0 {
			number = strconv.Itoa(n)
		}
		l = l.Add(fmt.Sprintf("%*s ", v.fits.number, number), st.Dim)
	}
	l = l.Add(text, name)
	l = l.Add(strings.Repeat(" ", max(0, v.fits.names-l.LineWidth())), st.Text)
	for j := v.firstColumn; j < v.countColumns() && j < v.firstColumn+v.columnsAcross(w); j++ {
		l = append(l, v.cellLine(st, cursorPlace{i, j})...)
	}
	return l.Render(w)
}

// cellLine draws the sign of a cell, in brackets if selected; with a focus also its word.
func (v *matrixPage) cellLine(st *themes.StyleSet, at cursorPlace) widget.Line {
	from, to, _ := v.cellEnds(at)
	c := v.m.Cell(from, to)
	word, style := c.Verdict(), st.TokenStyle(told.CellSign(c.Verdict()).Role)
	if word == verdict.Deny {
		style = st.Dim // what is allowed stands out
	}
	if v.only != "" && !c.Has(v.only) {
		word = ""
	}
	text := told.CellSign(word).Text
	if v.focus != "" && word != "" && v.fits.cell >= focusCellWidth {
		text += " " + revision.CellLegend(word)
	}
	open, end := " ", " "
	if at == v.cursor {
		open, end, style = "[", "]", st.Selection
	}
	if v.focus != "" {
		if at != v.cursor {
			open, end = "", ""
		}
		return widget.Line{{Text: padText(open+text+end, v.fits.cell), Style: style}}
	}
	return widget.Line{{Text: strings.Repeat(" ", v.fits.cell-3)}, {Text: open + text + end, Style: style}}
}

// detailLines describes the selected cell or row, and its links.
func (v *matrixPage) detailLines(st *themes.StyleSet, w int) []string {
	title, text := "", ""
	var next []string
	sign, style := " ", st.Text
	if from, to, ok := v.cellEnds(v.cursor); ok {
		c := v.m.Cell(from, to)
		title, text = from.Name()+" → "+to.Name(), c.Text()
		mark := told.CellSign(c.Verdict())
		sign, style = mark.Text, st.TokenStyle(mark.Role)
		next = exampleTexts(v.m, from, to, c.Verdict())
		if c.Verdict() == verdict.Mixed {
			next = slices.Concat(v.m.PartTexts(from, to), next)
		}
	} else if e := v.selectedRow(); e != nil {
		title, text = e.Name(), words.Count(e.Pods(), "pod")
		leads := "→ moves into its cells"
		switch {
		case e.IsDestinationOnly():
			text = e.Text() + ", a destination"
		case e.Pod != "":
			text, leads = "one pod", leads+", enter opens the pod"
		case e.Namespace == v.focus || v.focus != "" && e.Workload != "":
		default:
			leads += ", enter shows only the connections of " + e.Namespace
		}
		next = []string{leads}
	}
	// Names are shown in full here, on as many lines as they need.
	var lines []string
	for i, part := range widget.FlowText(title, max(8, w-5)) {
		if i == 0 {
			lines = append(lines, widget.HeadingLine(part, w, st).Render(w))
		} else {
			lines = append(lines, widget.StyledLine("   "+part, st.Title).CutName(w).Render(w))
		}
	}
	lines = append(lines, widget.JoinLines(widget.StyledLine(" "+sign+" ", style), widget.PlainLine(text)).CutWords(w).Render(w))
	for _, text := range next {
		for _, part := range widget.FlowText(text, max(8, w-3)) {
			lines = append(lines, widget.StyledLine("   "+part, st.Dim).CutName(w).Render(w))
		}
	}
	if v.cursor.col < 0 && v.focus == "" {
		lines = append(lines, v.columnNames(st, w)...)
	}
	return lines
}

// exampleTexts returns example connections of a cell's verdict: for mixed, one denied and one allowed. Enter
// traces the first.
func exampleTexts(m *revision.Matrix, from, to *revision.MatrixEnd, of verdict.Verdict) []string {
	if of == verdict.Mixed {
		if denied, allowed, ok := m.MixedExamples(from, to); ok {
			return []string{"denied, for example " + denied.String() + " (enter traces it)", "allowed, for example " + allowed.String()}
		}
	}
	if q, ok := m.ExampleOfCell(from, to); ok {
		return []string{"for example " + q.String() + " (enter traces it)"}
	}
	return nil
}

// mostNames bounds the lines with names of columns.
const mostNames = 4

// columnNames names the columns that have no row; the others have the number of their row.
func (v *matrixPage) columnNames(st *themes.StyleSet, w int) (lines []string) {
	const lead = "   columns:"
	l := widget.StyledLine(lead, st.Dim)
	for i := 0; i < min(len(v.cols), v.columnsAcross(w)); i++ {
		number, name := fmt.Sprintf(" %d ", i+1), v.cols[i].Name()
		if slices.ContainsFunc(v.rows, func(e *revision.MatrixEnd) bool { return e.Name() == name }) {
			continue // the row has the number
		}
		if l.LineWidth() > len(lead) && l.LineWidth()+widget.TextWidth(number+name)+1 > w {
			lines = append(lines, l.Render(w))
			if len(lines) == mostNames {
				return lines
			}
			l = widget.PlainLine(strings.Repeat(" ", len(lead)))
		}
		l = l.Add(number, st.Header).Add(name+" ", st.Dim)
	}
	if len(lines) == 0 && l.LineWidth() == len(lead) {
		return nil
	}
	return append(lines, l.CutWords(w).Render(w))
}

package logs

import (
	"slices"
	"strings"
	"time"

	"rung/model/words"
	"rung/themes"
	"rung/ui/widget"
)

// LineColumn is a selectable column of lines.
type LineColumn int

const (
	timeColumn LineColumn = iota
	nodeColumn
	sourceColumn
	destinationColumn
	trafficColumn
	verdictColumn
	ruleColumn
	severityColumn
	directionColumn
	nameColumn
	columnCount
)

var columnNames = [columnCount]string{"time", "node", "source", "destination", "port", "verdict", "rule", "severity", "direction",
	"ACL name"}

// AllColumnNames returns the names of all columns of lines.
func AllColumnNames() []string { return columnNames[:] }

// ColumnNames returns the stored names of columns, ParseColumns the columns of names without unknown ones. Nil
// means the columns of a sentence.
func ColumnNames(columns []LineColumn) (names []string) {
	for _, c := range columns {
		names = append(names, columnNames[c])
	}
	return names
}

// ParseColumns is described at ColumnNames.
func ParseColumns(names []string) (columns []LineColumn) {
	for _, name := range names {
		if c := slices.Index(columnNames[:], name); c >= 0 {
			columns = append(columns, LineColumn(c))
		}
	}
	return columns
}

// sentence lists the default columns of a line.
var sentence = []LineColumn{timeColumn, nodeColumn, sourceColumn, destinationColumn, trafficColumn, verdictColumn, ruleColumn}

// columnCell returns a column's cell of a line.
func (w *LineWriter) columnCell(st *themes.StyleSet, c LineColumn, e LineItem, s *LineShape, now time.Time) widget.Line {
	switch c {
	case timeColumn:
		return widget.StyledLine(s.stampText(e.Line.At, now), st.Dim)
	case nodeColumn:
		return widget.StyledLine(e.Line.Zone, st.Dim)
	case sourceColumn:
		return widget.StyledLine(e.Src.Brief(), endStyle(e.Src, st))
	case destinationColumn:
		return widget.StyledLine(e.Dst.Brief(), endStyle(e.Dst, st))
	case trafficColumn:
		return widget.PlainLine(e.Traffic())
	case verdictColumn:
		l := widget.StyledLine(e.Action, actionStyle(e.Entry, st))
		if e.Times > 1 || e.Late {
			l = l.Add(" "+strings.TrimRight(e.timesLine().String(), " "), st.Key)
		}
		return l
	case ruleColumn:
		p := newLineForms(e.Entry, w.Page)
		look := words.Choose(!e.Attributed, st.Warn, st.Accent)
		return widget.StyledLine(p.fullDecider(), look)
	case severityColumn:
		return widget.StyledLine(e.Line.Severity, st.Dim)
	case directionColumn:
		return widget.StyledLine(e.Line.Direction, st.Dim)
	}
	return widget.StyledLine(e.Line.Name, st.Dim)
}

// leastName is the least width of a column of names before columns are left out.
const leastName = 12

// hasNames reports whether a column holds names, which are cut in their middle.
func (c LineColumn) hasNames() bool {
	return slices.Contains([]LineColumn{nodeColumn, sourceColumn, destinationColumn, ruleColumn, nameColumn}, c)
}

// columnShape fits the chosen columns into a width. It drops fractions of a second first, then the rules' own
// names, then gaps between columns; then it cuts names, widest first; then it leaves out the last columns.
func (w *LineWriter) columnShape(inSight []LineItem, st *themes.StyleSet, now time.Time, cells int) LineShape {
	s := LineShape{clock: w.Clock, stamp: w.Clock.fullStamp(), dated: w.seenWidths.dated, apart: 2}
	cols := w.Columns
	widths := make([]int, len(cols))
	for j, c := range cols {
		widths[j] = words.Choose(c == timeColumn, s.stampWidth(), len(columnNames[c]))
	}
	brief := 0 // width of the rule's shortest form
	for _, e := range inSight {
		if e.Gap != nil {
			continue
		}
		for j, c := range cols {
			widths[j] = max(widths[j], w.columnCell(st, c, e, &s, now).LineWidth())
		}
		p := newLineForms(e.Entry, w.Page)
		brief = max(brief, widget.TextWidth(joinTexts(p.decider, p.short)))
	}
	sum := func() (n int) {
		for _, x := range widths {
			if x > 0 {
				n += x + s.apart
			}
		}
		return n - s.apart
	}
	if i := slices.Index(cols, timeColumn); i >= 0 && sum() > cells && s.stamp == full {
		s.stamp = seconds
		widths[i] = s.stampWidth()
	}
	if i := slices.Index(cols, ruleColumn); i >= 0 {
		widths[i] = max(min(brief, widths[i]), widths[i]-max(0, sum()-cells))
	}
	if sum() > cells {
		s.apart = 1
	}
	for over := sum() - cells; over > 0; over-- {
		wide := -1
		for j, c := range cols {
			if c.hasNames() && widths[j] > leastName && (wide < 0 || widths[j] > widths[wide]) {
				wide = j
			}
		}
		if wide < 0 {
			break
		}
		widths[wide]--
	}
	for last := len(cols) - 1; last > 0 && sum() > cells; last-- {
		widths[last] = 0
	}
	s.widths = widths
	return s
}

// columnLine returns a line in the chosen columns.
func (w *LineWriter) columnLine(st *themes.StyleSet, e LineItem, s LineShape, natural bool, now time.Time) (l widget.Line) {
	for j, c := range w.Columns {
		part := w.columnCell(st, c, e, &s, now)
		room := part.LineWidth()
		if !natural {
			room = s.widths[j]
		}
		if room == 0 {
			continue
		}
		if len(l) > 0 {
			l = l.Add(strings.Repeat(" ", s.apart), st.Text)
		}
		switch {
		case part.LineWidth() <= room:
		case c == ruleColumn: // the rule's number is never cut
			p := newLineForms(e.Entry, w.Page)
			part[0].Text = p.deciderIn(LineShape{short: true}, room)
			part = part.ClipTo(room)
		default:
			part = cutCell(part, room)
		}
		l = append(l, part...)
		if natural {
			room = max(room, s.widths[j])
		}
		l = l.Add(strings.Repeat(" ", max(0, room-part.LineWidth())), st.Text)
	}
	return l
}

// cutCell cuts a name: first its namespace, then the object's own name in its middle.
func cutCell(l widget.Line, w int) widget.Line {
	out := slices.Clone(l)
	out[0].Text = cutEnd(out[0].Text, max(1, w-(l.LineWidth()-widget.TextWidth(l[0].Text))))
	return out.ClipTo(w)
}

// cutEnd writes an end in w cells: the namespace shrinks before the pod's own name.
func cutEnd(end string, w int) string {
	n, over := namespaceWidth(end), widget.TextWidth(end)-w
	if over <= 0 {
		return end
	}
	if ns, name, ok := strings.Cut(end, "/"); ok && n-over >= 2 && !strings.Contains(ns, " ") {
		return widget.TruncateText(ns, n-over) + "/" + name
	}
	if own := ownName(end); widget.TextWidth(own) <= w {
		return own
	}
	return widget.CutName(ownName(end), w)
}

package line

import (
	"slices"
	"strings"
	"time"

	"rung/themes"
	"rung/ui/widget"
)

// Column is a part of a line that can be chosen.
type Column int

const (
	timeColumn Column = iota
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

var columnNames = [columnCount]string{"time", "node", "source", "destination", "port", "verdict", "rule", "severity", "direction", "ACL name"}

// sentence are the columns of a line as it is shown without a choice.
var sentence = []Column{timeColumn, nodeColumn, sourceColumn, destinationColumn, trafficColumn, verdictColumn, ruleColumn}

// cell returns a column's cell of a line.
func (w *Writer) cell(st *themes.StyleSet, c Column, e Item, s *Shape, now time.Time) widget.Line {
	switch c {
	case timeColumn:
		return widget.Styled(s.stampText(e.Line.At, now), st.Dim)
	case nodeColumn:
		return widget.Styled(e.Line.Zone, st.Dim)
	case sourceColumn:
		return widget.Styled(e.Src.Brief(), endStyle(e.Src, st))
	case destinationColumn:
		return widget.Styled(e.Dst.Brief(), endStyle(e.Dst, st))
	case trafficColumn:
		return widget.Plain(e.Traffic())
	case verdictColumn:
		l := widget.Styled(e.Action, actionStyle(e.Entry, st))
		if e.Times > 1 || e.Late {
			l = l.Add(" "+strings.TrimRight(e.times().String(), " "), st.Key)
		}
		return l
	case ruleColumn:
		p := formsOf(e.Entry, w.Page)
		look := st.Accent
		if !e.Attributed {
			look = st.Warn
		}
		return widget.Styled(p.full(), look)
	case severityColumn:
		return widget.Styled(e.Line.Severity, st.Dim)
	case directionColumn:
		return widget.Styled(e.Line.Direction, st.Dim)
	}
	return widget.Styled(e.Line.Name, st.Dim)
}

// leastName is how narrow a column of names becomes before columns are left out.
const leastName = 12

// names says whether a column has names, which are cut in their middle.
func (c Column) names() bool {
	switch c {
	case nodeColumn, sourceColumn, destinationColumn, ruleColumn, nameColumn:
		return true
	}
	return false
}

// columnShape fits the chosen columns into so many cells: parts of a second go first, then the
// rules' own names, then cells between columns, then names are cut, the widest first, then columns are left out at the
// end.
func (w *Writer) columnShape(inSight []Item, st *themes.StyleSet, now time.Time, cells int) Shape {
	s := Shape{clock: w.Clock, stamp: w.Clock.begin(), dated: w.seen.dated, apart: 2}
	cols := w.Columns
	widths := make([]int, len(cols))
	brief := 0 // of the rule, in its shortest form
	for _, e := range inSight {
		if e.Gap != nil {
			continue
		}
		for j, c := range cols {
			widths[j] = max(widths[j], w.cell(st, c, e, &s, now).Width())
		}
		p := formsOf(e.Entry, w.Page)
		brief = max(brief, widget.Width(spaced(p.who, p.short)))
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
			if c.names() && widths[j] > leastName && (wide < 0 || widths[j] > widths[wide]) {
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

// columnLine is a line in the chosen columns.
func (w *Writer) columnLine(st *themes.StyleSet, e Item, s Shape, natural bool, now time.Time) (l widget.Line) {
	for j, c := range w.Columns {
		part := w.cell(st, c, e, &s, now)
		room := part.Width()
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
		case part.Width() <= room:
		case c == ruleColumn: // its number is never cut
			p := formsOf(e.Entry, w.Page)
			part[0].Text = p.byIn(Shape{short: true}, room)
			part = part.Clip(room)
		default:
			part = cutCell(part, room)
		}
		l = append(l, part...)
		if natural {
			room = max(room, s.widths[j])
		}
		l = l.Add(strings.Repeat(" ", max(0, room-part.Width())), st.Text)
	}
	return l
}

// cutCell cuts a name: its namespace before its own, both so that their ends stay.
func cutCell(l widget.Line, w int) widget.Line {
	out := slices.Clone(l)
	out[0].Text = cutEnd(out[0].Text, max(1, w-(l.Width()-widget.Width(l[0].Text))))
	return out.Clip(w)
}

// cutEnd writes an end in w cells: a pod's own name goes before its namespace.
func cutEnd(end string, w int) string {
	n, over := namespaceWidth(end), widget.Width(end)-w
	if over <= 0 {
		return end
	}
	if ns, name, ok := strings.Cut(end, "/"); ok && n-over >= 2 && !strings.Contains(ns, " ") {
		return widget.Truncate(ns, n-over) + "/" + name
	}
	if own := ownName(end); widget.Width(own) <= w {
		return own
	}
	return widget.CutName(ownName(end), w)
}

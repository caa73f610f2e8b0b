package logs

import (
	"strings"
	"time"

	"rung/engine/logs"
	"rung/model"
	"rung/model/words"
	"rung/themes"
	"rung/ui/widget"
)

// Write returns a line as text; natural leaves out nothing.
func (w *LineWriter) Write(st *themes.StyleSet, e LineItem, s LineShape, natural bool, now time.Time) widget.Line {
	switch {
	case e.Gap != nil: // lines may be missing here
		at := ""
		s.stamp = min(s.stamp, seconds)
		if w.Clock != Hidden {
			at = strings.TrimLeft(s.stampText(e.Line.At, now), " ") + " "
		}
		return widget.StyledLine("── "+at+e.Sentence()+" ──", st.Warn)
	case w.Columns != nil:
		return w.columnLine(st, e, s, natural, now)
	}
	if natural {
		s.stamp, s.zone, s.apart = w.Clock.fullStamp(), w.seenWidths.zone, 2
	}
	var l widget.Line
	cell := func(part widget.Line, cells int) {
		l = append(l, part...)
		n := s.apart
		if !w.Wrap {
			n += max(0, cells-part.LineWidth())
		}
		l = l.Add(strings.Repeat(" ", n), st.Text)
	}
	if s.stamp != noStamp {
		cell(widget.StyledLine(s.stampText(e.Line.At, now), st.Dim), 0)
	}
	if s.zone > 0 {
		cell(widget.StyledLine(e.Line.Zone, st.Dim), s.zone)
	}
	p := newLineForms(e.Entry, w.Page)
	ends := p.ends[withNotes]
	if !natural {
		ends = p.endsIn(s)
	}
	cell(widget.StyledLine(ends[0], endStyle(e.Src, st)).Add(" → ", st.Dim).Add(ends[1], endStyle(e.Dst, st)), s.endsWidth)
	cell(widget.PlainLine(e.Traffic()), s.traffic)
	times := e.timesLine()
	for i := range times {
		times[i].Style = st.Key
	}
	look := words.Choose(!e.Attributed, st.Warn, st.Accent)
	if s.signs && !natural {
		l = append(l.Add(verdictSign(e.Entry)+" ", actionStyle(e.Entry, st)), times...)
		return l.Add(p.deciderIn(s, s.deciderWidth-times.LineWidth()-2), look)
	}
	l = append(l.Add(e.Action, actionStyle(e.Entry, st)).Add(strings.Repeat(" ", max(1, verdictWidth+1-len(e.Action))), st.Text), times...)
	if natural {
		return l.Add("by "+p.fullDecider(), look)
	}
	return l.Add("by "+p.deciderIn(s, s.deciderWidth-times.LineWidth()-verdictWidth-1-3), look)
}

func endStyle(d logs.End, st *themes.StyleSet) themes.Style {
	return words.Choose(d.Key.Kind == model.KindPod && d.Note == "", st.Text, st.Dim)
}

func actionStyle(e *logs.Entry, st *themes.StyleSet) themes.Style {
	switch e.Line.Verdict {
	case "allow":
		return st.Allow
	case "drop", "reject":
		return st.Deny
	case "pass":
		return st.Pass
	}
	return st.Text
}

// LineShape is the layout of a line's parts in a width, and how much of each part is written. All lines of a
// screen share one shape.
type LineShape struct {
	clock                    ClockMode
	stamp                    stampForm
	dated                    bool // with the date
	zone, traffic, endsWidth int  // cells of the columns; 0 hides the zone
	deciderWidth             int  // cells for the verdict and the decider
	apart                    int  // cells between the columns
	ends                     int  // form of the ends
	signs, short             bool
	widths                   []int // of the chosen columns
}

// partWidths holds the widest parts seen since the last reset, so that columns do not jump while following.
type partWidths struct {
	zone, traffic, times            int
	endsWidth                       [endForms]int
	dated                           bool
	deciderWidth, short, namedWidth int // "cluster-control egress 5", "cluster-control eg5", with the rule's own name
}

const (
	verdictWidth = 7 // "dropped"
	mostZone     = 18
	// A longer pair is shortened by itself and takes no room from other lines. On a narrow screen the decider
	// matters more than the longest pair.
	mostPair, mostBy, narrowPair = 100, 48, 72
	// leastBy fits a name of some length: "✗ cluster-control eg5".
	leastBy = 22
)

// LineWriter writes the lines of a page.
type LineWriter struct {
	Clock   ClockMode
	Columns []LineColumn // nil writes lines as sentences
	Page    model.Key    // subject of the page: not repeated as decider
	Wrap    bool         // lines are wrapped, not cut

	seenWidths partWidths
}

// LineItem is a line and how often it came.
type LineItem struct {
	*logs.Entry
	Times int
}

// measureItem records the widths of a line's parts.
func (w *LineWriter) measureItem(e LineItem, now time.Time) {
	s := &w.seenWidths
	s.dated = s.dated || w.Clock.otherDay(e.Line.At, now)
	if e.Gap != nil {
		return
	}
	p := newLineForms(e.Entry, w.Page)
	s.zone = max(s.zone, min(mostZone, widget.TextWidth(e.Line.Zone)))
	s.traffic = max(s.traffic, len(e.Traffic()))
	for form, ends := range p.ends {
		s.endsWidth[form] = max(s.endsWidth[form], min(mostPair, widget.TextWidth(ends[0])+arrow+widget.TextWidth(ends[1])))
	}
	s.deciderWidth = max(s.deciderWidth, min(mostBy, widget.TextWidth(joinTexts(p.decider, p.rule))))
	s.short = max(s.short, min(mostBy, widget.TextWidth(joinTexts(p.decider, p.short))))
	s.namedWidth = max(s.namedWidth, min(mostBy, widget.TextWidth(p.fullDecider())))
	s.times = max(s.times, e.timesLine().LineWidth())
}

// MeasureShape returns the shape of the lines in sight, for a width that includes two cells for the mark before a
// line.
func (w *LineWriter) MeasureShape(inSight []LineItem, st *themes.StyleSet, now time.Time, cells int) LineShape {
	for _, e := range inSight {
		w.measureItem(e, now)
	}
	if w.Columns != nil {
		return w.columnShape(inSight, st, now, cells-2)
	}
	return w.sentenceShape(cells - 2)
}

// headLine names the columns of a shape. The time zone stands over the times if it fits.
func (w *LineWriter) headLine(st *themes.StyleSet, s LineShape, now time.Time) widget.Line {
	zone, _ := w.Clock.TimeIn(now).Zone()
	names, widths := ColumnNames(w.Columns), s.widths
	if w.Columns == nil {
		names = []string{"time", "node", "source → destination", "port", words.Choose(s.signs, "rule", "verdict by rule")}
		widths = []int{s.stampWidth(), s.zone, s.endsWidth, s.traffic, s.deciderWidth}
	}
	text := ""
	for i, name := range names {
		if widths[i] > 0 {
			switch {
			case name != columnNames[timeColumn]:
			case w.Clock == Relative:
				name = "age"
			case len(name+" "+zone) <= widths[i]:
				name += " " + zone
			}
			name = widget.TruncateText(strings.ToUpper(name), widths[i])
			text += name + strings.Repeat(" ", widths[i]-widget.TextWidth(name)+s.apart)
		}
	}
	return widget.StyledLine(strings.TrimRight(text, " "), st.Header)
}

// timesLine marks a late line, and says how often a group's line came.
func (e LineItem) timesLine() (l widget.Line) {
	if e.Late {
		l = widget.PlainLine("late ")
	}
	if e.Times > 1 {
		l = append(l, widget.PlainLine("×"+words.Thousands(e.Times)+" ")...)
	}
	return l
}

// sentenceShape fits the parts into a width. It drops the least important parts first: fractions of a second,
// rule names, the zone, notes about addresses, a shared namespace, words replaced by signs. Names are cut
// last.
func (w *LineWriter) sentenceShape(in int) LineShape {
	seen := &w.seenWidths
	s := LineShape{clock: w.Clock, stamp: w.Clock.fullStamp(), dated: seen.dated, zone: seen.zone, traffic: seen.traffic, apart: 2}
	by := seen.namedWidth
	need := func() int {
		s.deciderWidth = by + seen.times + verdictWidth + 1 + len("by ")
		if s.signs {
			s.deciderWidth = by + seen.times + 2
		}
		s.endsWidth = min(seen.endsWidth[s.ends], max(narrowPair, in-mostBy))
		n := s.deciderWidth
		for _, part := range []int{s.stampWidth(), s.zone, s.endsWidth, s.traffic} {
			if part > 0 {
				n += part + s.apart
			}
		}
		return n
	}
	for _, less := range []func(){
		func() { s.stamp = max(s.stamp, seconds) },
		func() { by = seen.deciderWidth },
		func() { s.zone = 0 },
		func() { s.ends = brief },
		func() { s.ends = namespaceOnce },
		func() { s.signs = true },
		func() { s.short, by = true, seen.short },
		func() { s.apart = 1 },
	} {
		if need() <= in {
			break
		}
		less()
	}
	over := need() - in
	s.deciderWidth -= min(0, over) // the rest is for the rule's own name
	if over <= 0 {
		return s
	}
	// The decider matters more than the full ends, while these keep the pods' own names.
	const leastPair = 23
	if s.endsWidth-over < leastPair && s.stamp != noStamp {
		over -= s.stampWidth() + s.apart
		s.stamp = noStamp
	}
	if over <= 0 {
		s.deciderWidth -= over
		return s
	}
	room := s.endsWidth + s.deciderWidth - over
	s.deciderWidth = min(s.deciderWidth, max(room*2/5, min(leastBy+seen.times, room-leastPair)))
	s.endsWidth = max(5, room-s.deciderWidth)
	return s
}

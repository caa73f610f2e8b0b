package line

import (
	"rung/engine/logs/entries"
	"rung/model"
	"rung/themes"
	"rung/ui/widget"
	"strings"
	"time"
)

// Write writes a line as it is shown: natural leaves out nothing.
func (w *Writer) Write(st *themes.Styles, e Item, s Shape, natural bool, now time.Time) widget.Line {
	switch {
	case e.Gap != nil: // a place where lines may be missing
		at := ""
		if s.stamp = min(s.stamp, seconds); w.Clock != Hidden {
			at = strings.TrimLeft(s.stampText(e.Line.At, now), " ") + " "
		}
		return widget.Styled("── "+at+e.Sentence()+" ──", st.Warn)
	case w.Columns != nil:
		return w.columnLine(st, e, s, natural, now)
	}
	if natural {
		s.stamp, s.zone, s.apart = w.Clock.begin(), w.seen.zone, 2
	}
	var l widget.Line
	cell := func(part widget.Line, cells int) {
		l = append(l, part...)
		n := s.apart
		if !w.Wrap {
			n += max(0, cells-part.Width())
		}
		l = l.Add(strings.Repeat(" ", n), st.Text)
	}
	if s.stamp != none {
		cell(widget.Styled(s.stampText(e.Line.At, now), st.Dim), 0)
	}
	if s.zone > 0 {
		cell(widget.Styled(e.Line.Zone, st.Dim), s.zone)
	}
	p := formsOf(e.Entry, w.Page)
	ends := p.ends[allOfIt]
	if !natural {
		ends = p.endsIn(s)
	}
	cell(widget.Styled(ends[0], endStyle(e.Src, st)).Add(" → ", st.Dim).Add(ends[1], endStyle(e.Dst, st)), s.pair)
	cell(widget.Plain(e.Traffic()), s.traffic)
	times := e.times()
	for i := range times {
		times[i].Style = st.Key
	}
	look := st.Accent
	if !e.Attributed {
		look = st.Warn
	}
	if s.signs && !natural {
		l = append(l.Add(sign(e.Entry)+" ", actionStyle(e.Entry, st)), times...)
		return l.Add(p.byIn(s, s.by-times.Width()-2), look)
	}
	l = append(l.Add(e.Action, actionStyle(e.Entry, st)).Add(strings.Repeat(" ", max(1, verdictWidth+1-len(e.Action))), st.Text), times...)
	if natural {
		return l.Add("by "+p.full(), look)
	}
	return l.Add("by "+p.byIn(s, s.by-times.Width()-verdictWidth-1-3), look)
}

func endStyle(d entries.End, st *themes.Styles) themes.Style {
	if d.Key.Kind == model.KindPod && d.Note == "" {
		return st.Text
	}
	return st.Dim
}

func actionStyle(e *entries.Entry, st *themes.Styles) themes.Style {
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

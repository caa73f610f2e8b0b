package ladder

import (
	"fmt"

	"rung/model"
	modelladder "rung/model/ladder"
	"rung/pages/ladder"
	"rung/pages/page"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/widget"
)

// options are those of what is unfolded, filtered and carried now.
func (v *ladderPage) options() ladder.Options {
	opt := ladder.Options{Stage: v.stage, Now: v.frame.now, Screen: true, Filtered: v.filtered, Sorted: v.table.SortedBy() != "",
		Narrow: v.frame.w < 110, FoldKey: v.frame.keys.Action(action.Open).Shown(), Hits: v.hits,
		Turned: func(l *ladder.Line) bool { return v.turned[l.ID] },
		Spread: func(g modelladder.Gap) bool { return v.spread || v.unfolded[g.From] }}
	if v.carry != nil {
		opt.Carried, opt.At = v.carry.key, v.carry.at
	}
	return opt
}

// paint makes the lines without columns, once for a revision and a width, and puts in what
// should be known about a part of a tier, wrapped.
func (v *ladderPage) paint(lines []*ladder.Line) (out []*ladder.Line) {
	st := v.frame.styles
	v.painted = make([]paintedLine, 0, len(lines))
	add := func(l *ladder.Line, full widget.Line) {
		l.Place = len(out)
		out, v.painted = append(out, l), append(v.painted, paintedLine{full: full})
	}
	for _, l := range lines {
		sign := "      + "
		if l.Open {
			sign = "      - "
		}
		switch l.Kind {
		case ladder.Band:
			add(l, widget.Heading(l.Title, v.frame.w-2, st))
		case ladder.Part:
			add(l, widget.Line{{Text: "   ── ", Style: st.Border}, {Text: l.Title, Style: st.Title}, {Text: " ──", Style: st.Border}})
			if l.Note == "" {
				continue
			}
			for i, text := range detail.Wrap(l.Note, v.frame.w-10) {
				add(&ladder.Line{Kind: ladder.Part, ID: fmt.Sprint("note ", l.Title, i)}, widget.Styled("      "+text, st.Dim))
			}
		case ladder.Namespace:
			add(l, widget.Join(widget.Line{{Text: sign, Style: st.Key}, {Text: l.Title, Style: st.Title}}, v.styled(l.Text)))
		case ladder.Examples:
			add(l, widget.Join(widget.Line{{Text: sign, Style: st.Key}, {Text: l.Title, Style: st.Dim}}, v.styled(l.Text)))
		case ladder.Rows, ladder.More, ladder.Broken:
			add(l, v.styled(l.Text))
		default:
			add(l, nil)
		}
	}
	return out
}

func (v *ladderPage) styled(l page.Line) widget.Line {
	return widget.LineOf(page.Cell{More: l}, v.frame.styles)
}

// hold is how many cells of a line without columns stay where one scrolls sideways.
func (v *ladderPage) hold(l *ladder.Line) int { return v.styled(l.Text[:l.Hold]).Width() }

// text is what the filter looks at: the row as it stands where there is room for all of it.
// The sentences below the table are left out, since they name other policies.
func (v *ladderPage) text(l *ladder.Line) (text string) {
	if full := v.painted[l.Place].full; full != nil {
		return full.String()
	}
	for _, c := range v.table.Columns {
		if !c.Wide {
			text += c.Cell(l).String() + " "
		}
	}
	return text
}

// leadsTo is the page that a line leads to, none for a heading.
func leadsTo(l *ladder.Line) nav.Page {
	switch l.Kind {
	case ladder.Policy:
		return nav.ToPolicy(l.Key)
	case ladder.Gap:
		return nav.ToNew((l.Gap.From + l.Gap.To) / 2)
	case ladder.Slot:
		return nav.ToNew(l.Priority)
	case ladder.Rows:
		return nav.Page{Kind: nav.Rows, Zone: l.Rows.Zones[0], Text: l.Rows.Filter}
	case ladder.More:
		return nav.Page{Kind: nav.Rows, Zone: l.Rows.Zones[0]}
	case ladder.Unit:
		switch l.Key.Kind {
		case model.KindIsolation2016: // there is no row of it
			return nav.Page{Kind: nav.Findings}
		case model.KindNetpolNode: // its rows are there and nowhere else
			return nav.Page{Kind: nav.Rows, Text: detail.RowsFilter(l.Key), Zone: l.Key.Name}
		}
		return nav.Page{Kind: nav.Rows, Text: detail.RowsFilter(l.Key)}
	}
	return nav.Page{}
}

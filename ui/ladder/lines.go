package ladder

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"rung/model"
	"rung/model/words"
	"rung/pages/ladder"
	"rung/pages/page"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// ladderOptions returns the ladder's options for the lines unfolded, filtered and carried now.
func (v *ladderPage) ladderOptions() ladder.LadderOptions {
	opt := ladder.LadderOptions{Stage: v.stage, Now: v.frame.now, Screen: true, Filtered: v.filtered, Sorted: v.table.Arrangement().Sort != "",
		Narrow: v.frame.w < 110, FoldKey: v.frame.keys.ActionByID(action.Open).HintKey(), Hits: v.hits,
		ToggledHeadings: v.toggled, ExpandedGaps: v.unfolded, ExpandAllGaps: v.unfoldsAll}
	if v.carry != nil {
		opt.Carried, opt.At, opt.AtPlace = v.carry.key, int32(v.carry.at.Priority), v.carry.at
	}
	return opt
}

// paintLines draws the lines without columns, once for a revision and a width, and adds the wrapped notes of
// parts of a tier.
func (v *ladderPage) paintLines(lines []*ladder.Line) (out []*ladder.Line) {
	st := v.frame.styles
	v.painted = make([]paintedLine, 0, len(lines))
	add := func(l *ladder.Line, full widget.Line) {
		l.Place = len(out)
		out, v.painted = append(out, l), append(v.painted, paintedLine{full: full})
	}
	for _, l := range lines {
		sign := words.Choose(l.Open, "      "+words.Unfolded+" ", "      "+words.Folded+" ")
		switch l.Kind {
		case ladder.Band:
			add(l, widget.HeadingLine(l.Title, v.frame.w-2, st))
		case ladder.Part:
			add(l, widget.Line{{Text: "   ── ", Style: st.Border}, {Text: l.Title, Style: st.Title}, {Text: " ──", Style: st.Border}})
			if l.Note == "" {
				continue
			}
			for i, text := range widget.FlowText(l.Note, v.frame.w-10) {
				add(&ladder.Line{Kind: ladder.Part, ID: fmt.Sprint("note ", l.Title, i)}, widget.StyledLine("      "+text, st.Dim))
			}
		case ladder.Namespace:
			add(l, widget.JoinLines(widget.Line{{Text: sign, Style: st.Key}, {Text: l.Title, Style: st.Title}}, v.styledLine(l.Text)))
		case ladder.Examples:
			add(l, widget.JoinLines(widget.Line{{Text: sign, Style: st.Key}, {Text: l.Title, Style: st.Dim}}, v.styledLine(l.Text)))
		case ladder.Rows, ladder.More, ladder.Broken:
			add(l, v.styledLine(l.Text))
		default:
			add(l, nil)
		}
	}
	return out
}

func (v *ladderPage) styledLine(l page.Line) widget.Line {
	return widget.CellLine(page.Cell{More: l}, v.frame.styles)
}

// filterText returns the text that the filter searches: the row at full width. The sentences below the table
// are left out, since they name other policies.
func (v *ladderPage) filterText(l *ladder.Line) (text string) {
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

// linePage returns the page of a line, or none for a heading.
func linePage(l *ladder.Line) nav.Page {
	switch l.Kind {
	case ladder.Policy:
		return nav.ToPolicy(l.Key)
	case ladder.Gap:
		return nav.ToNew((l.Gap.From + l.Gap.To) / 2)
	case ladder.FreePriority:
		return nav.ToNew(l.Priority)
	case ladder.Rows:
		return nav.Page{Kind: nav.Rows, Zone: l.Rows.Zones[0], Text: l.Rows.Filter}
	case ladder.More:
		return nav.Page{Kind: nav.Rows, Zone: l.Rows.Zones[0]}
	case ladder.Unit:
		switch l.Key.Kind {
		case model.KindIsolation2016: // it has no rows
			return nav.Page{Kind: nav.Findings}
		case model.KindNetpolNode: // only that zone has its rows
			return nav.Page{Kind: nav.Rows, Text: detail.RowsFilter(l.Key), Zone: l.Key.Name}
		}
		return nav.Page{Kind: nav.Rows, Text: detail.RowsFilter(l.Key)}
	}
	return nav.Page{}
}

// whyNot says why an action on a policy is not possible on the line, empty if it is.
func whyNot(l *ladder.Line, id action.ID) string {
	switch id {
	case action.LadderMove, action.LadderEdit, action.LadderDelete:
	case action.LadderLogging, action.LadderSelect:
		if loggingObject(l).Kind != "" {
			return ""
		}
	case action.LadderLogs:
		if l.Kind == ladder.Unit && l.Key.Kind != model.KindNetpolNamespace {
			return rowsLabel(l.Key) + " never log" // ovn-kubernetes.md#namespace-logging, #multicast
		}
		return ""
	default:
		return ""
	}
	switch {
	case l.Kind == ladder.Broken && id == action.LadderEdit && !nav.ToFile(l.Broken.Origin).IsNone():
		return ""
	case l.Kind == ladder.Broken:
		return cmp.Or(l.Key.Name, "the object") + " could not be read"
	case l.Kind == ladder.Unit:
		return "no policy here: " + rowsLabel(l.Key)
	case l.Kind == ladder.Rows:
		return "no policy here: rows of " + l.Rows.Label
	case l.Kind == ladder.Band && l.Key.Kind.IsReferenced() && (id == action.LadderEdit || id == action.LadderDelete):
		return "" // a user's Tier object
	case l.Kind != ladder.Policy:
		return "no policy here"
	case id == action.LadderMove && l.Policy.Tiered == nil:
		return action.NoPriority(l.Key)
	}
	return ""
}

// loggingObject returns the object whose annotation sets the line's logging: a policy, or a namespace; the
// zero Key for none.
func loggingObject(l *ladder.Line) model.Key {
	switch l.Kind {
	case ladder.Policy, ladder.Unit:
		return model.LoggedBy(l.Key)
	case ladder.Namespace:
		return model.Key{Kind: model.KindNamespace, Name: l.Title}
	}
	return model.Key{}
}

// chooseLine selects or unselects the object that sets the line's logging.
func (v *ladderPage) chooseLine(env *view.Env, l *ladder.Line) {
	k := loggingObject(l)
	if v.chosen[k] {
		delete(v.chosen, k)
	} else {
		v.chosen[k] = true
	}
	if n := len(v.chosen); n == 0 {
		env.ShowText("nothing is selected")
	} else {
		env.ShowText("%s selected: L applies to %s", words.Thousands(n), words.OneOrMany(n, "it", "all"))
	}
	v.Sync(env)
}

// askLogging asks about all selected objects, else about the current line.
func (v *ladderPage) askLogging(env *view.Env, l *ladder.Line) {
	if len(v.chosen) == 0 {
		view.AskLogging(env, loggingObject(l))
		return
	}
	view.AskLogging(env, slices.SortedFunc(maps.Keys(v.chosen), model.Key.Compare)...)
	clear(v.chosen)
	v.Sync(env)
}

// rowsLabel names the rows of a unit; some labels already say "rows".
func rowsLabel(k model.Key) string {
	if k.Kind == model.KindNetpolDefault || k.Kind == model.KindNetpolNode {
		return k.Label()
	}
	return "rows of " + k.Label()
}

// linesPage returns the page with the log lines of a ladder line. A default deny has no log page of its own: a
// text filter finds its lines.
func linesPage(l *ladder.Line) nav.Page {
	if l.Kind == ladder.Unit {
		return nav.Page{Kind: nav.Logs, Text: regexp.QuoteMeta(l.Key.Label())}
	}
	return nav.Page{Kind: nav.Logs, Key: l.Key}
}

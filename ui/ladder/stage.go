package ladder

import (
	"slices"

	"rung/model"
	"rung/model/words"
	"rung/pages/ladder"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// setStage shows one stage of the ladder, or all. The cursor stays on its line; if the stage lacks the line,
// the cursor returns to it later.
func (v *ladderPage) setStage(s model.Stage) {
	if s == v.stage {
		return
	}
	if at := v.table.SelectedID(); at != v.placed {
		v.wantedLine = at
	}
	v.stage = s
	v.table.ArrangeBy(widget.Arrangement{Wide: v.table.Wide}) // a stage is shown in its own order
	v.setColumns()
	v.rebuildLines()
	v.table.SelectID(v.wantedLine)
	v.placed = v.table.SelectedID()
}

// setColumns makes the page's columns, with their short forms and the selection marks.
func (v *ladderPage) setColumns() {
	styles := &v.frame.styles
	v.table.Columns = widget.PageTable(ladder.LadderTable(v.frame.rev, v.ladderOptions()), styles).Columns
	for i := range v.table.Columns {
		c := &v.table.Columns[i]
		switch c.Title {
		case "POLICY":
			name := c.Cell
			c.Cell = func(l *ladder.Line) widget.Line {
				if len(v.chosen) == 0 || !v.chosen[loggingObject(l)] {
					return name(l)
				}
				return widget.JoinLines(widget.StyledLine("* ", v.frame.styles.Key), name(l))
			}
		case logTitle:
			c.Fit = func(l *ladder.Line, w int) widget.Line { return fitLogs(l, *styles, w) }
		case notesTitle:
			c.Fit = func(l *ladder.Line, w int) widget.Line { return fitMarks(l, *styles, w) }
		}
		if !c.Wide { // wide: hits change while lines stay
			c.Cell = v.keepCells(i, c.Cell)
		}
	}
}

// keepCells caches the cells of a column until the lines are rebuilt: a key redraws hundreds of them.
func (v *ladderPage) keepCells(column int, cell func(*ladder.Line) widget.Line) func(*ladder.Line) widget.Line {
	return func(l *ladder.Line) widget.Line {
		row := &v.painted[l.Place]
		if row.cells == nil {
			row.cells = make([]widget.Line, len(v.table.Columns))
		}
		if row.cells[column] == nil {
			row.cells[column] = cell(l)
		}
		return row.cells[column]
	}
}

// The logging column matters more once something logs.
const (
	logTitle     = "LOG"
	logQuietDrop = 7
	logBusyDrop  = 3
	notesTitle   = "FINDINGS"
)

// rankColumns sets the importance of the columns for these lines.
func (v *ladderPage) rankColumns(lines []*ladder.Line) {
	logs := slices.ContainsFunc(lines, func(l *ladder.Line) bool { return len(l.Log) > 0 })
	for i := range v.table.Columns {
		switch c := &v.table.Columns[i]; c.Title {
		case logTitle:
			c.Drop = words.Choose(logs, logBusyDrop, logQuietDrop)
		case notesTitle:
			c.Min = widthOfMarks(lines)
		}
	}
}

// stageText describes a stage.
func stageText(s model.Stage) (short, long string) {
	switch s {
	case model.StageFromLport:
		return "leaving, before LB", "what leaves a pod, before load balancing"
	case model.StageAfterLB:
		return "leaving a pod", "what leaves a pod: egress rules"
	}
	return "arriving at a pod", "what arrives at a pod: ingress rules, EgressFirewalls"
}

// stageLine names the stage shown and the key for the next.
func (v *ladderPage) stageLine(env *view.Env) widget.Line {
	text, long := stageText(v.stage)
	if env.W >= 100 {
		text = long + " · " + env.KeyHint(action.LadderStage) + " next stage"
	}
	return widget.StyledLine(text, env.Styles.Key)
}

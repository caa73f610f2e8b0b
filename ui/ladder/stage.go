package ladder

import (
	"slices"

	"rung/model"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// nextStage goes on to the next stage; after the last come all together again.
func (v *ladderPage) nextStage() {
	v.setStage(v.stage.Next())
}

// setStage narrows the ladder to one stage, or widens it to all. The cursor
// stays on its line, and where the stage has none of it comes back to it later.
func (v *ladderPage) setStage(s model.Stage) {
	if s == v.stage {
		return
	}
	if at := v.table.SelectedID(); at != v.placed {
		v.wish = at
	}
	v.stage = s
	v.table.Natural() // the order is what a stage is about
	v.table.Columns = v.columns()
	v.rebuild()
	v.table.Select(v.wish)
	v.placed = v.table.SelectedID()
}

// columns are those of all stages together, or those of one.
func (v *ladderPage) columns() []widget.Column[*item] {
	text := func(f func(*item) string) func(*item) widget.Line {
		return func(it *item) widget.Line { return widget.Plain(f(it)) }
	}
	cols := []widget.Column[*item]{
		{Title: "PRIO", Right: true, Cell: text(func(it *item) string { return it.priority() }),
			Less: func(a, b *item) int { return a.place - b.place }}, // tier by tier: a priority means nothing beside that of another
		{Title: "POLICY", Name: true, Min: 16, Cell: v.named,
			Less: func(a, b *item) int { return widget.CompareNatural(a.policyName(), b.policyName()) }},
		{Title: "SUBJECT", Min: 14, Max: 40, Drop: 8, Cell: text(func(it *item) string { return it.subject })},
	}
	if v.stage == "" {
		cols = append(cols, widget.Column[*item]{Title: "INGRESS", Drop: 6, Cell: func(it *item) widget.Line { return it.ingress }},
			widget.Column[*item]{Title: "EGRESS", Drop: 6, Cell: func(it *item) widget.Line { return it.egress }})
	} else {
		cols = append(cols, widget.Column[*item]{Title: "RULES", Drop: 6, Cell: func(it *item) widget.Line { return it.rules }})
	}
	cols = append(cols, []widget.Column[*item]{
		{Title: "PODS", Right: true, Drop: 4, Cell: text(func(it *item) string { return it.pods })},
		{Title: "ACLS", Right: true, Drop: 9, Cell: text(func(it *item) string { return it.acls })},
		{Title: "HITS", Wide: true, NoSort: true, Cell: text(func(it *item) string { return v.hitsOf(it) })},
		{Title: "ZONES", Drop: 5, Cell: func(it *item) widget.Line { return it.zones }},
		{Title: logTitle, Max: 12, Drop: logQuiet, Cell: func(it *item) widget.Line { return all(it.levels, " ") },
			Fit: func(it *item, w int) widget.Line { return it.fitLogs(v.frame.styles, w) }},
		{Title: "STATE", Min: leastState, Max: 34, Short: 1, Drop: 1, Cell: func(it *item) widget.Line { return it.state },
			Fit:  func(it *item, w int) widget.Line { return it.fitState(w) },
			Less: func(a, b *item) int { return a.worry() - b.worry() }},
		{Title: marksTitle, Min: leastMarks, Short: 3, Drop: 2, Flex: true, NoSort: true, Cell: func(it *item) widget.Line { return all(it.marks, "  ") },
			Fit: func(it *item, w int) widget.Line { return it.fitMarks(v.frame.styles, w) }},
	}...)
	if v.antrea {
		// There are no rows and no zones.
		cols = slices.DeleteFunc(cols, func(c widget.Column[*item]) bool { return c.Title == "ACLS" || c.Title == "ZONES" || c.Title == "HITS" })
	}
	return cols
}

// The column of logging is worth its room once something logs; that of notes has no
// title.
const (
	logTitle   = "LOG"
	logQuiet   = 7
	logHeard   = 3
	marksTitle = ""
)

// weigh gives the columns what they are worth with these lines.
func (v *ladderPage) weigh(items []*item) {
	logs := slices.ContainsFunc(items, func(it *item) bool {
		return len(it.levels) > 1 || len(it.levels) == 1 && it.levels[0][0].Text != "off" && it.levels[0][0].Text != "–"
	})
	for i := range v.table.Columns {
		switch c := &v.table.Columns[i]; c.Title {
		case logTitle:
			c.Drop = logQuiet
			if logs {
				c.Drop = logHeard
			}
		case marksTitle:
			c.Min = widthOfMarks(items)
		}
	}
}

// stageText says what a stage is about.
func stageText(s model.Stage) (short, long string) {
	switch s {
	case model.StageFromLport:
		return "leaving, before LB", "what leaves a pod, before load balancing"
	case model.StageAfterLB:
		return "leaving a pod", "what leaves a pod: egress rules"
	}
	return "arriving at a pod", "what arrives at a pod: ingress rules, EgressFirewalls"
}

// tellStage says which stage is shown and how to go on.
func (v *ladderPage) tellStage(env *view.Env) widget.Line {
	text, long := stageText(v.stage)
	if env.W >= 100 {
		text = long + " · " + env.Keys.Action(action.LadderStage).Shown() + " next stage"
	}
	return widget.Styled(text, env.Styles.Key)
}

// named is the name of a line, with a sign before it where it is selected.
func (v *ladderPage) named(it *item) widget.Line {
	if len(v.chosen) == 0 || !v.chosen[it.logging()] {
		return it.name
	}
	return widget.Join(widget.Styled("* ", v.frame.styles.Key), it.name)
}

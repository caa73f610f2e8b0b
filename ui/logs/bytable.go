package logs

import (
	"context"
	"rung/themes"

	"strconv"
	"time"

	"rung/engine/logs"
	"rung/model/words"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// byTable is the table of grouped lines. Groups are counted in a goroutine.
type byTable struct {
	table      *widget.Table[*linePile]
	now        time.Time
	st         *themes.StyleSet
	pilesOf    pilesOf   // inputs of the groups shown or being counted
	countBegan time.Time // begin of the last count; zero to count at once
	stale      bool
	counting   view.LatestWork
}

// pilesOf holds the inputs of the groups.
type pilesOf struct {
	by         pileDimension
	matches    int
	first, end uint64
	second     int64
	clock      ClockMode
}

// pilesEvery is the least time between counts while lines arrive.
const pilesEvery = 250 * time.Millisecond

// askBy asks what to group by.
func askBy(env *view.Env, now pileDimension, group func(*view.Env, pileDimension)) {
	c := &view.ChoiceDialog{Title: "group by", Done: func(env *view.Env, i int) { group(env, pileDimension(i)) }}
	for i, d := range dimensions {
		it := view.ChoiceItem{Key: d.key, Text: d.name}
		if i == 0 {
			it.Note = "single lines"
		}
		c.Items = append(c.Items, it)
	}
	env.AskDialog(c.StartAt(int(now)))
}

// groupBy shows groups, or single lines again.
func (v *logPage) groupBy(env *view.Env, d pileDimension) {
	v.piles.counting.StopWork()
	v.by, v.piles = d, byTable{counting: v.piles.counting}
	if d != byNothing {
		v.piles.makeTable(d, &v.writer)
		updatePiles(v, env)
	}
	v.updateList()
}

// makeTable makes the table of a dimension, with times by the writer's clock.
func (b *byTable) makeTable(d pileDimension, writer *LineWriter) {
	number := func(title, help string, drop int, of func(*linePile) int) widget.TableColumn[*linePile] {
		return widget.TableColumn[*linePile]{Title: title, Help: help, Right: true, Drop: drop, Less: func(a, b *linePile) int {
			return of(a) - of(b)
		},
			Cell: func(h *linePile) widget.Line { return widget.PlainLine(words.Thousands(of(h))) }}
	}
	moment := func(title, help string, drop int, of func(*linePile) time.Time) widget.TableColumn[*linePile] {
		return widget.TableColumn[*linePile]{Title: title, Help: help, Drop: drop, Less: func(a, b *linePile) int { return of(a).Compare(of(b)) },
			Cell: func(h *linePile) widget.Line {
				return widget.StyledLine(writer.Clock.SecondText(of(h), b.now), b.st.Dim)
			}}
	}
	b.table = &widget.Table[*linePile]{
		ID:    func(h *linePile) string { return h.term },
		Empty: "counting lines",
		Columns: []widget.TableColumn[*linePile]{
			{Title: dimensions[d].title, Help: "what the lines are grouped by", Name: true, Min: 16,
				Cell: func(h *linePile) widget.Line { return widget.StyledLine(h.name, b.st.Accent) }},
			number("LINES", "how many lines", 0, func(h *linePile) int { return h.n }),
			number("DENIED", "how many of them are denied", 3, func(h *linePile) int { return h.denied }),
			{Title: "PER S", Help: "recent lines per second", Right: true, Less: func(a, b *linePile) int { return a.lately - b.lately },
				Cell: func(h *linePile) widget.Line {
					return widget.PlainLine(strconv.FormatFloat(h.recentRate(), 'f', 1, 64))
				}},
			{Title: "LAST MINUTE", Help: "lines over the last minute", Drop: 1, NoSort: true, Cell: func(h *linePile) widget.Line {
				return widget.StyledLine(widget.SparklineOf(h.bars[:]), b.st.Info)
			}},
			moment("FIRST", "when the first came", 4, func(h *linePile) time.Time { return h.first }),
			moment("LAST", "when the last came", 2, func(h *linePile) time.Time { return h.last }),
		},
	}
}

// renewPiles makes the next Sync count again from new inputs.
func (b *byTable) renewPiles() {
	b.counting.StopWork()
	b.pilesOf, b.countBegan, b.stale = pilesOf{}, time.Time{}, b.table != nil
}

// updatePiles counts the groups again when due.
func updatePiles(v *logPage, env *view.Env) {
	b := &v.piles
	if b.table == nil {
		return
	}
	b.now, b.st = v.now, env.Styles
	of := pilesOf{by: v.by, matches: len(v.feed.matches), first: v.feed.firstHeld(), end: min(v.shownTo(), v.feed.high),
		clock: v.writer.Clock}
	if v.follow || v.writer.Clock == Relative {
		of.second = v.now.Unix() // rates fall while no lines arrive
	}
	b.stale = of != b.pilesOf
	if !b.stale || b.counting.IsUnderWay() || v.now.Sub(b.countBegan) < pilesEvery && !v.now.Before(b.countBegan) {
		return
	}
	b.pilesOf, b.countBegan, b.stale = of, v.now, false
	lines, d, end := v.feed.matchesUpTo(v.shownTo()), v.by, v.feed.countingEnd(v.shownTo(), v.now)
	view.BeginWork(&b.counting, env, "", func(ctx context.Context) ([]*linePile, error) { return pileUp(ctx, lines, d, end) })
}

// receivePiles takes the counted groups.
func (b *byTable) receivePiles(msg any) {
	if piles, err, ok := view.TakeResult[[]*linePile](&b.counting, msg); ok && err == nil && b.table != nil {
		b.table.Empty = "no lines to group"
		b.table.SetItems(piles)
	}
}

// doBy carries out actions on groups; false leaves them to the page.
func (v *logPage) doBy(env *view.Env, id action.ID) bool {
	t := v.piles.table
	switch id {
	case action.Open:
		h, ok := t.SelectedItem()
		if !ok {
			env.SayFailure("no lines here")
			return true
		}
		v.groupBy(env, byNothing)
		env.SetPageFilter(joinTexts(v.filter, h.term))
		return true
	case action.Left, action.Right, action.Wide:
		if id == action.Wide {
			t.Wide = !t.Wide
			return true
		}
		return t.Do(id)
	case action.LogsMore, action.LogsLess:
		env.SayFailure("%s", aroundMatches)
		return true
	case action.Find, action.FindNext, action.FindPrev, action.Wrap, action.LogsMark:
		env.SayFailure("not available while grouped by %s (%s ends it)", dimensions[v.by].name, env.Keys.ActionByID(action.LogsBy).HintKey())
		return true
	}
	return t.Do(id)
}

// newestOf returns the newest line of the selected group.
func (b *byTable) newestOf() *logs.Entry {
	if h, ok := b.table.SelectedItem(); ok {
		return h.newest
	}
	return nil
}

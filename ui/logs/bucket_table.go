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

// bucketTable is the table of grouped lines. Groups are counted in a goroutine.
type bucketTable struct {
	table      *widget.Table[*lineBucket]
	now        time.Time
	st         *themes.StyleSet
	inputs     bucketInputs // inputs of the groups shown or being counted
	countBegan time.Time    // begin of the last count; zero to count at once
	stale      bool
	counting   view.LatestWork
}

// bucketInputs holds the inputs of the groups.
type bucketInputs struct {
	by         bucketDimension
	matches    int
	first, end uint64
	second     int64
	clock      ClockMode
}

// bucketsEvery is the least time between counts while lines arrive.
const bucketsEvery = 250 * time.Millisecond

// askDimension asks what to group by.
func askDimension(env *view.Env, now bucketDimension, group func(*view.Env, bucketDimension)) {
	c := &view.ChoiceDialog{Title: "group by", Done: func(env *view.Env, i int) { group(env, bucketDimension(i)) }}
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
func (v *logPage) groupBy(env *view.Env, d bucketDimension) {
	v.buckets.counting.StopWork()
	v.by, v.marked, v.buckets = d, nil, bucketTable{counting: v.buckets.counting}
	if d != ungrouped {
		v.buckets.makeTable(d, &v.writer)
		updateBuckets(v, env)
	}
	v.updateList()
}

// makeTable makes the table of a dimension, with times by the writer's clock.
func (b *bucketTable) makeTable(d bucketDimension, writer *LineWriter) {
	number := func(title, help string, drop int, of func(*lineBucket) int) widget.TableColumn[*lineBucket] {
		return widget.TableColumn[*lineBucket]{Title: title, Help: help, Right: true, Drop: drop,
			Less: func(a, b *lineBucket) int { return of(a) - of(b) },
			Cell: func(h *lineBucket) widget.Line { return widget.PlainLine(words.Thousands(of(h))) }}
	}
	moment := func(title, help string, drop int, of func(*lineBucket) time.Time) widget.TableColumn[*lineBucket] {
		return widget.TableColumn[*lineBucket]{Title: title, Help: help, Drop: drop,
			Less: func(a, b *lineBucket) int { return of(a).Compare(of(b)) },
			Cell: func(h *lineBucket) widget.Line {
				return widget.StyledLine(writer.Clock.SecondText(of(h), b.now), b.st.Dim)
			}}
	}
	b.table = &widget.Table[*lineBucket]{
		ID:    func(h *lineBucket) string { return h.term },
		Empty: "counting lines",
		Columns: []widget.TableColumn[*lineBucket]{
			{Title: dimensions[d].title, Help: "what the lines are grouped by", Name: true, Min: 16,
				Cell: func(h *lineBucket) widget.Line { return widget.StyledLine(h.name, b.st.Accent) }},
			number("LINES", "how many lines", 0, func(h *lineBucket) int { return h.n }),
			number("DENIED", "how many of them are denied", 3, func(h *lineBucket) int { return h.denied }),
			{Title: "PER S", Help: "recent lines per second", Right: true, Less: func(a, b *lineBucket) int { return a.lately - b.lately },
				Cell: func(h *lineBucket) widget.Line {
					return widget.PlainLine(strconv.FormatFloat(float64(h.lately)/rateSpan.Seconds(), 'f', 1, 64))
				}},
			{Title: "LAST MINUTE", Help: "lines over the last minute", Drop: 1, NoSort: true,
				Cell: func(h *lineBucket) widget.Line { return widget.StyledLine(widget.Sparkline(h.bars[:]), b.st.Info) }},
			moment("FIRST", "when the first came", 4, func(h *lineBucket) time.Time { return h.first }),
			moment("LAST", "when the last came", 2, func(h *lineBucket) time.Time { return h.last }),
		},
	}
}

// recount makes the next Sync count again from new inputs.
func (b *bucketTable) recount() {
	b.counting.StopWork()
	b.inputs, b.countBegan, b.stale = bucketInputs{}, time.Time{}, b.table != nil
}

// updateBuckets counts the groups again when due.
func updateBuckets(v *logPage, env *view.Env) {
	b := &v.buckets
	if b.table == nil {
		return
	}
	b.now, b.st = v.now, env.Styles
	of := bucketInputs{by: v.by, matches: len(v.feed.matches), first: v.feed.firstHeld(), end: min(v.shownTo(), v.feed.high),
		clock: v.writer.Clock}
	if v.follow || v.writer.Clock == Relative {
		of.second = v.now.Unix() // rates fall while no lines arrive
	}
	b.stale = of != b.inputs
	if !b.stale || b.counting.IsUnderWay() || v.now.Sub(b.countBegan) < bucketsEvery && !v.now.Before(b.countBegan) {
		return
	}
	b.inputs, b.countBegan, b.stale = of, v.now, false
	lines, d, end := v.feed.matchesUpTo(v.shownTo()), v.by, v.feed.countingEnd(v.shownTo(), v.now)
	view.BeginWork(&b.counting, env, "", func(ctx context.Context) ([]*lineBucket, error) { return countBuckets(ctx, lines, d, end) })
}

// receiveBuckets takes the counted groups.
func (b *bucketTable) receiveBuckets(msg any) {
	if piles, err, ok := view.TakeResult[[]*lineBucket](&b.counting, msg); ok && err == nil && b.table != nil {
		b.table.Empty = "no lines to group"
		b.table.SetItems(piles)
	}
}

// doBuckets carries out actions on groups; false leaves them to the page.
func (v *logPage) doBuckets(env *view.Env, id action.ID) bool {
	t := v.buckets.table
	switch id {
	case action.Open:
		h, ok := t.SelectedItem()
		if !ok {
			env.ShowFailure("no lines here")
			return true
		}
		v.groupBy(env, ungrouped)
		env.SetPageFilter(joinTexts(v.filter, h.term))
		return true
	case action.Wide:
		t.Wide = !t.Wide
		return true
	case action.LogsMore, action.LogsLess:
		env.ShowFailure("%s", aroundMatches)
		return true
	case action.Find, action.FindNext, action.FindPrev, action.Wrap, action.LogsMark:
		env.ShowFailure("not available while grouped by %s (%s ends it)", dimensions[v.by].name, env.KeyHint(action.LogsBy))
		return true
	}
	return t.Do(id)
}

// newestLine returns the newest line of the selected group.
func (b *bucketTable) newestLine() *logs.Entry {
	if h, ok := b.table.SelectedItem(); ok {
		return h.newest
	}
	return nil
}

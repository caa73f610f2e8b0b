package plan

import (
	"fmt"

	"rung/model"
	"rung/model/plan"
	"rung/themes"
	"rung/ui/widget"
)

// row is one policy, where it stands and where it would.
type row struct {
	name      string
	now, then int32
	mark      string // the bracket of policies that share a priority
	note      string // what to know besides: "= 4 share 40"
	room      int    // cells for name and note
	max       int32
	// roomNow and roomThen are what is free below it, see plan.Board.RoomBelow.
	roomNow, roomThen string
}

// rowsOf puts every policy of the board beside its place in a plan, in a table of so
// many cells.
func rowsOf(b *plan.Board, then map[string]int32, w int) []row {
	slots := b.Slots()
	rows := make([]row, len(slots))
	for i, s := range slots {
		r := row{name: s.Policy, now: s.Priority, then: s.Priority, mark: "─", room: max(8, w-fixed), max: b.Max()}
		if t, ok := then[s.Policy]; ok {
			r.then = t
		}
		first := i == 0 || slots[i-1].Priority != s.Priority
		last := i == len(slots)-1 || slots[i+1].Priority != s.Priority
		switch {
		case s.Priority > b.Max():
			r.mark = "✗"
		case first && last:
		case first:
			r.mark = "┌"
		case last:
			r.mark = "└"
		default:
			r.mark = "├"
		}
		rows[i] = r
	}
	count := map[int32]int{}
	for _, r := range rows {
		count[r.now]++
	}
	will := b.Moved(then)
	for i := range rows {
		r := &rows[i]
		r.note = note(r, count[r.now])
		r.roomNow, r.roomThen = b.RoomBelow(r.name), will.RoomBelow(r.name)
	}
	return rows
}

// fixed are the cells of a row that are not its name: the cursor, both priorities and
// the bracket, with the space between.
const fixed = 2 + 4 + 1 + 4 + 1 + 2

// note is what to know about a row beside its name, in the longest form for which there
// is room.
func note(r *row, shared int) string {
	var forms []string
	switch {
	case r.now > r.max:
		forms = []string{fmt.Sprintf("not enforced: above %d", r.max), fmt.Sprintf("above %d", r.max)}
	case shared > 1 && r.mark == "┌":
		forms = []string{fmt.Sprintf("= %d share %d", shared, r.now), fmt.Sprintf("= %d at %d", shared, r.now), fmt.Sprintf("= %d", shared)}
	}
	for _, f := range forms {
		if widget.Width(r.name)+2+widget.Width(f) <= r.room {
			return f
		}
	}
	return ""
}

// columns are NOW, PLAN and what belongs to them. The last gives way before a name is
// cut.
func columns(st func() *themes.Styles) []widget.Column[row] {
	return []widget.Column[row]{
		{Title: "NOW", Right: true, Min: 4, NoSort: true, Cell: func(r row) widget.Line { return widget.Plain(fmt.Sprint(r.now)) }},
		{Title: "PLAN", Right: true, Min: 4, NoSort: true, Cell: func(r row) widget.Line {
			if r.then == r.now {
				return widget.Styled(fmt.Sprint(r.then), st().Dim)
			}
			return widget.Styled(fmt.Sprint(r.then), st().Title)
		}},
		{Title: "POLICY", Name: true, Min: 12, NoSort: true, Cell: func(r row) widget.Line {
			l := widget.Line{{Text: r.mark + " ", Style: st().Dim}, {Text: r.name, Style: st().Accent}}
			if r.note != "" {
				l = l.Add("  "+r.note, st().Warn)
			}
			return l
		}},
		{Title: "FREE BELOW", Drop: 2, Min: 8, NoSort: true, Cell: func(r row) widget.Line {
			switch {
			case r.roomNow == r.roomThen && r.roomNow == plan.Tie:
				return nil // the bracket says it
			case r.roomNow == r.roomThen:
				return widget.Styled(r.roomNow, st().Dim)
			}
			return widget.Line{{Text: r.roomNow + " → ", Style: st().Dim}, {Text: r.roomThen}}
		}},
	}
}

// gaps says how much room there is at least and at most, now and as planned, in forms
// that get shorter.
func gaps(b *plan.Board, p *proposal) []string {
	then, err := plan.NewBoard(p.plan.Then, b.Max())
	if err != nil || p.err != nil {
		then = b
	}
	one := func(b *plan.Board) (string, string) {
		small := "–"
		if n, ok := b.SmallestGap(); ok {
			small = fmt.Sprint(n)
		}
		return small, fmt.Sprint(b.LargestGap())
	}
	s, l := one(b)
	ts, tl := one(then)
	smallest := fmt.Sprintf("smallest gap %s → %s", s, ts)
	return []string{smallest + fmt.Sprintf(" · largest %s → %s", l, tl), smallest}
}

func anp(name string) model.PolicyKey { return plan.KeyOf(name) }

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
	shared    int    // how many policies have this priority
	max       int32
	roomNow   int // free priorities behind it; -1 where that means nothing
	roomThen  int
}

// rowsOf puts every policy of the board beside its place in the proposal.
func rowsOf(b *plan.Board, p *proposal) []row {
	then := map[string]int32{}
	for _, s := range p.plan.Then {
		then[s.Policy] = s.Priority
	}
	slots := b.Slots()
	rows := make([]row, len(slots))
	for i, s := range slots {
		r := row{name: s.Policy, now: s.Priority, then: s.Priority, mark: "─", max: b.Max(), roomNow: -1, roomThen: -1}
		if t, ok := then[s.Policy]; ok && p.err == nil {
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
	for i := range rows {
		r := &rows[i]
		r.shared = count[r.now]
		if r.now > b.Max() || i+1 < len(rows) && rows[i+1].now == r.now {
			continue
		}
		nextNow, nextThen := b.Max()+1, b.Max()+1
		if i+1 < len(rows) && rows[i+1].now <= b.Max() {
			nextNow, nextThen = rows[i+1].now, rows[i+1].then
		}
		r.roomNow, r.roomThen = int(nextNow-r.now)-1, int(nextThen-r.then)-1
	}
	return rows
}

// columns are NOW, THEN and what belongs to them.
func columns(st func() *themes.Styles) []widget.Column[row] {
	return []widget.Column[row]{
		{Title: "NOW", Right: true, Min: 4, NoSort: true, Cell: func(r row) widget.Line { return widget.Plain(fmt.Sprint(r.now)) }},
		{Title: "THEN", Right: true, Min: 4, NoSort: true, Cell: func(r row) widget.Line {
			if r.then == r.now {
				return widget.Styled(fmt.Sprint(r.then), st().Dim)
			}
			return widget.Styled(fmt.Sprint(r.then), st().Title)
		}},
		{Title: "POLICY", Name: true, Min: 12, NoSort: true, Cell: func(r row) widget.Line {
			l := widget.Line{{Text: r.mark + " ", Style: st().Dim}, {Text: r.name, Style: st().Accent}}
			switch {
			case r.now > r.max:
				l = l.Add("  not enforced: above "+fmt.Sprint(r.max), st().Warn)
			case r.shared > 1 && (r.mark == "┌"):
				l = l.Add(fmt.Sprintf("  = %d share %d", r.shared, r.now), st().Warn)
			}
			return l
		}},
		{Title: "FREE BELOW", Drop: 2, Min: 8, NoSort: true, Cell: func(r row) widget.Line {
			switch {
			case r.roomNow < 0:
				return nil
			case r.roomNow == r.roomThen:
				return widget.Styled(fmt.Sprint(r.roomNow), st().Dim)
			}
			return widget.Line{{Text: fmt.Sprintf("%d → ", r.roomNow), Style: st().Dim}, {Text: fmt.Sprint(r.roomThen)}}
		}},
	}
}

// gaps says how much room there is at least and at most, now and then.
func gaps(b *plan.Board, p *proposal) string {
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
	return fmt.Sprintf("smallest gap %s → %s · largest %s → %s", s, ts, l, tl)
}

func anp(name string) model.PolicyKey { return model.PolicyKey{Kind: model.KindANP, Name: name} }

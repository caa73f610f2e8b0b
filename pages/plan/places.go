package plan

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/plan"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// PolicyMove is a policy with its present and planned priority.
type PolicyMove struct {
	Policy    string
	Now, Then int32
	// Bracket joins policies that share a priority, on a screen. Notes are forms of a remark, longest first:
	// "= 4 share 40"; the last is empty.
	Bracket string
	Notes   []string
	// FreeBelowNow and FreeBelowThen describe the free priorities below it, see plan.Board.GapBelow.
	FreeBelowNow, FreeBelowThen string
}

// PlannedMoves returns every policy of a board with its planned priority.
func PlannedMoves(b *plan.Board, then map[string]int32) []*PolicyMove {
	slots, will := b.Placements(), b.WithMoved(then)
	count := map[int32]int{}
	for _, s := range slots {
		count[s.Priority]++
	}
	tied := false // with the one above
	return model.MapList(slots, func(s plan.Placement) *PolicyMove {
		p := &PolicyMove{Policy: s.Policy, Now: s.Priority, Then: s.Priority, FreeBelowNow: b.GapBelow(s.Policy),
			FreeBelowThen: will.GapBelow(s.Policy)}
		if t, ok := then[s.Policy]; ok {
			p.Then = t
		}
		above := tied
		tied = p.FreeBelowNow == plan.Tie
		switch n := words.Tied + " " + words.Thousands(count[s.Priority]); {
		case s.Priority > b.Max():
			p.Bracket, p.Notes = words.No, []string{fmt.Sprintf("not enforced: above %d", b.Max()), fmt.Sprintf("above %d", b.Max())}
		case above && tied:
			p.Bracket = "├"
		case above:
			p.Bracket = "└"
		case tied:
			p.Bracket, p.Notes = "┌", []string{fmt.Sprintf("%s share %d", n, s.Priority), fmt.Sprintf("%s at %d", n, s.Priority), n}
		default:
			p.Bracket = "─"
		}
		p.Notes = append(p.Notes, "")
		return p
	})
}

// NameCell returns the policy with a note.
func (p *PolicyMove) NameCell(note string) page.Cell {
	c := page.Cell{Text: p.Policy, Role: themes.Accent}
	if note != "" {
		c.More = page.Line{{Text: "  " + note, Role: themes.Warn}}
	}
	return c
}

// Places lists the policies' priorities. The last column shrinks before a name is cut.
var Places = &page.Table[*PolicyMove]{
	Help: map[string]string{
		"now":        "the priority it has",
		"plan":       "the priority it gets",
		"free_below": "free priorities between it and the next",
	},
	ID:    func(p *PolicyMove) string { return p.Policy },
	Empty: "no AdminNetworkPolicies",
	Columns: []page.Column[*PolicyMove]{
		{Key: "now", Title: "NOW", Importance: page.Always, Right: true, Min: 4, NoSort: true,
			Cell: page.TextCell(func(p *PolicyMove) string { return fmt.Sprint(p.Now) })},
		{Key: "plan", Title: "PLAN", Importance: page.Always, Place: page.OnScreen, Right: true, Min: 4, NoSort: true,
			Cell: func(p *PolicyMove) page.Cell {
				return page.Cell{Text: fmt.Sprint(p.Then), Role: words.Choose(p.Then == p.Now, themes.Dim, themes.Title)}
			}},
		{Key: "policy", Title: "POLICY", Importance: page.Always, Name: true, Min: 12, NoSort: true,
			Cell: func(p *PolicyMove) page.Cell { return p.NameCell(p.Notes[0]) }},
		{Key: "free_below", Title: "FREE BELOW", Importance: 98, Min: 8, NoSort: true, Cell: func(p *PolicyMove) page.Cell {
			switch {
			case p.FreeBelowNow == p.FreeBelowThen && p.FreeBelowNow == plan.Tie:
				return page.Cell{} // the bracket shows it
			case p.FreeBelowNow == p.FreeBelowThen:
				return page.Cell{Text: p.FreeBelowNow, Role: themes.Dim}
			}
			return page.Cell{Text: p.FreeBelowNow + " → ", Role: themes.Dim, More: page.Line{{Text: p.FreeBelowThen}}}
		}},
	},
}

// BoardOfRevision returns the board of a revision. It is an error if the policies were not read, because
// priorities would look free.
func BoardOfRevision(r *revision.Revision) (*plan.Board, error) {
	kinds := []model.Kind{model.KindANP}
	if r.Flags.CompileCNP {
		kinds = append(kinds, model.KindCNP)
	}
	n := 0
	for _, k := range kinds {
		n += r.Cluster.Count(k)
	}
	if u := r.Unread(kinds...); u.HidesCount(n) {
		return nil, errors.New(u.Text())
	}
	return plan.BoardOfCluster(r.Cluster, r.Ladder().Max, r.Flags.CompileCNP)
}

// FreeText lists the free priorities.
func FreeText(b *plan.Board) string {
	free := model.MapList(b.FreeRuns(), func(g ladder.Gap) string { return g.String() })
	return "free: " + cmp.Or(strings.Join(free, "  "), "none")
}

// CountText counts the free priorities.
func CountText(b *plan.Board) string {
	return fmt.Sprintf("%d of %d priorities free", b.FreeCount(), b.Max()+1)
}

// GapForms describes the smallest and largest gap between policies, for one board or several in sequence,
// longest form first.
func GapForms(boards ...*plan.Board) []string {
	var smallest, largest []string
	for _, b := range boards {
		least := page.None.Text
		if n, ok := b.SmallestGap(); ok {
			least = words.Thousands(n)
		}
		smallest, largest = append(smallest, least), append(largest, words.Thousands(b.LargestGap()))
	}
	short := "smallest gap " + strings.Join(smallest, " → ")
	return []string{short + " · largest " + strings.Join(largest, " → "), short}
}

package matrix

import (
	"strings"

	"rung/pages/page"
	"rung/revision/connections"
)

// MapOf draws up the verdicts between some ends of a matrix, from rows to columns.
func MapOf(m *connections.Matrix, ends []*connections.MatrixEnd) *page.Map {
	out := &page.Map{Rows: page.MapList(ends, (*connections.MatrixEnd).Name), Cells: make([]int8, 0, len(ends)*len(ends))}
	place := map[connections.CellVerdict]int8{"": -1}
	for i, v := range connections.CellVerdicts {
		place[v] = int8(i)
		out.Kinds = append(out.Kinds, page.MapKind{Key: strings.ReplaceAll(string(v), " ", "_"), Text: v.LegendText(), Sign: page.Span{Text: v.Sign(), Role: VerdictRole(v)}})
	}
	for _, from := range ends {
		for _, to := range ends {
			out.Cells = append(out.Cells, place[m.Cell(from, to).Verdict()])
		}
	}
	return out
}

package matrix

import (
	"strings"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
)

// Unjudged returns the omissions of a matrix. judged counts the shown pairs to which policies apply, unknown
// those with an unknown verdict.
func Unjudged(r *revision.Revision, m *revision.Matrix, judged, unknown int) []model.Omission {
	switch {
	case m.Pods == 0:
		return []model.Omission{{Code: model.OmittedAll, Why: "nothing was judged: " + r.EmptyText("no pods", model.KindPod,
			model.KindNamespace)}}
	case judged == 0:
		return []model.Omission{{Code: model.OmittedAll, Why: "nothing was judged: no policy applies to any connection here"}}
	case unknown > 0:
		return []model.Omission{{Code: model.OmittedPart, Why: "unknown: " + words.Count(unknown, "pair")}}
	}
	return nil
}

// NewMap returns the map of the verdicts between some ends, from rows to columns.
func NewMap(m *revision.Matrix, ends []*revision.MatrixEnd) *page.Map {
	out := &page.Map{Rows: model.MapList(ends, (*revision.MatrixEnd).Name), Cells: make([]int8, 0, len(ends)*len(ends))}
	place := map[verdict.Verdict]int8{"": -1}
	for i, v := range revision.CellVerdicts {
		place[v] = int8(i)
		out.Kinds = append(out.Kinds, page.MapKind{Key: strings.ReplaceAll(string(v), " ", "_"), Text: revision.CellLegend(v),
			Sign: CellSign(v)})
	}
	for _, from := range ends {
		for _, to := range ends {
			out.Cells = append(out.Cells, place[m.Cell(from, to).Verdict()])
		}
	}
	return out
}

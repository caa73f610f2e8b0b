package widget

import (
	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
)

// PageTable makes the widget of a page's table. Its cells use the styles that *st points to when drawn.
func PageTable[F any](t *page.Table[F], st **themes.StyleSet) *Table[F] {
	out := &Table[F]{ID: t.ID, Empty: t.Empty, Skip: t.Head}
	if t.Full != nil {
		out.Full = func(row F) Line { return StyledSpans(t.Full(row), *st) }
	}
	for _, c := range t.Columns {
		if c.Place != page.Printed {
			column := tableColumn(c, st)
			column.Help = t.HelpText(c.Key)
			out.Columns = append(out.Columns, column)
		}
	}
	return out
}

func tableColumn[F any](c page.Column[F], st **themes.StyleSet) TableColumn[F] {
	return TableColumn[F]{Title: c.Title, Less: c.Less, Drop: page.Always - c.Importance, Wide: c.Wide || c.DetailOnly, From: c.From,
		Sparse: c.Sparse, Name: c.Name, Min: c.Min,
		Max: c.Max, Short: c.Short, Right: c.Right, Flex: c.Flex, NoSort: c.NoSort,
		Cell: func(row F) Line { return CellLine(c.Cell(row), *st) }}
}

// CellLine returns a cell of a page with the styles of its roles.
func CellLine(c page.Cell, st *themes.StyleSet) Line {
	gap := words.Choose(c.Sign.Text != "" && c.Text != "", " ", "")
	if len(c.More) == 0 && (c.Sign.Text == "" || c.Sign.Role == c.Role) {
		return StyledLine(c.Sign.Text+gap+c.Text, st.TokenStyle(c.Role))
	}
	out := make(Line, 0, 3+len(c.More))
	if c.Sign.Text != "" {
		out = append(out, StyledSpan(c.Sign, st), Span{Text: gap})
	}
	return append(out.Add(c.Text, st.TokenStyle(c.Role)), StyledSpans(c.More, st)...)
}

// StyledSpans returns a line of a page with the styles of its roles.
func StyledSpans(l page.Line, st *themes.StyleSet) Line {
	if l == nil {
		return nil
	}
	out := make(Line, len(l))
	for i, s := range l {
		out[i] = StyledSpan(s, st)
	}
	return out
}

// StyledSpan returns a piece of a page with the style of its role.
func StyledSpan(s page.Span, st *themes.StyleSet) Span { return Span{s.Text, st.TokenStyle(s.Role)} }

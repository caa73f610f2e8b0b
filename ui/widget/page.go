package widget

import (
	"rung/pages/page"
	"rung/themes"
)

// Of is the widget of a page's table. Its cells look as the styles say that *st points to
// while they are drawn.
func Of[F any](t *page.Table[F], st **themes.Styles) *Table[F] {
	out := &Table[F]{ID: t.ID, Empty: t.Empty}
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, columnOf(c, st))
	}
	return out
}

func columnOf[F any](c page.Column[F], st **themes.Styles) Column[F] {
	out := Column[F]{Title: c.Title, Less: c.Less, Drop: page.Always - c.Worth, Wide: c.Wide || c.Aside, From: c.From, Sparse: c.Sparse, Name: c.Name, Min: c.Min,
		Max: c.Max, Short: c.Short, Right: c.Right, Flex: c.Flex, NoSort: c.NoSort,
		Cell: func(row F) Line { return LineOf(c.Cell(row), *st) }}
	if c.Fit != nil {
		out.Fit = func(row F, w int) Line { return LineOf(c.Fit(row, w), *st) }
	}
	return out
}

// LineOf is a cell of a page with the looks of its roles.
func LineOf(c page.Cell, st *themes.Styles) Line {
	if len(c.More) == 0 && (c.Sign.Text == "" || c.Sign.Role == c.Role) {
		return Styled(c.Sign.Text+c.Text, st.Of(c.Role))
	}
	out := make(Line, 0, 2+len(c.More))
	if c.Sign.Text != "" {
		out = out.Add(c.Sign.Text, st.Of(c.Sign.Role))
	}
	out = out.Add(c.Text, st.Of(c.Role))
	for _, s := range c.More {
		out = out.Add(s.Text, st.Of(s.Role))
	}
	return out
}

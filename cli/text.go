package cli

import (
	"fmt"
	"strings"

	"rung/cli/command"
	"rung/pages/page"
)

// Text renders a sheet for a terminal.
func Text(s *page.Sheet) string {
	var b strings.Builder
	b.WriteString(s.Title + "\n")
	about := &command.TextTable{Head: []string{"", ""}}
	for _, f := range s.About {
		about.AddRow(f.Name, f.Text.String())
	}
	b.WriteString(strings.TrimLeft(about.String(), "\n"))
	for i := range s.Sections {
		x := &s.Sections[i]
		b.WriteString("\n" + strings.ToUpper(x.Title) + "\n")
		for _, l := range x.Lines {
			b.WriteString(l.String() + "\n")
		}
		for _, g := range gridsOf(x) {
			if g.Title != "" {
				b.WriteString("\n" + g.Title + "\n")
			}
			if len(g.Rows) == 0 {
				b.WriteString(g.Empty + "\n")
				continue
			}
			t := &command.TextTable{Head: page.MapList(g.Columns, func(c page.GridColumn) string { return c.Title })}
			for j := range g.Rows {
				cells := cellTexts(&g.Rows[j])
				if g.Rows[j].Under {
					cells[0] = "  " + cells[0]
				}
				t.AddRow(cells...)
			}
			b.WriteString(t.String())
		}
	}
	return b.String()
}

// gridsOf returns the grids of a section, its map converted to one.
func gridsOf(x *page.Section) []page.Grid {
	if x.Map == nil {
		return x.Grids
	}
	return append([]page.Grid{MapAsTable(x.Map)}, x.Grids...)
}

func cellTexts(r *page.GridRow) []string {
	return page.MapList(r.Cells, func(c page.Cell) string { return c.String() })
}

// Markdown renders a sheet for a review or a ticket.
func Markdown(s *page.Sheet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", command.MarkdownText(s.Title))
	for _, f := range s.About {
		fmt.Fprintf(&b, "- **%s:** %s\n", command.MarkdownText(f.Name), command.MarkdownText(f.Text.String()))
	}
	for i := range s.Sections {
		x := &s.Sections[i]
		fmt.Fprintf(&b, "\n## %s\n", command.MarkdownText(x.Title))
		for _, l := range x.Lines {
			b.WriteString("\n" + command.MarkdownCell(l.String()) + "\n")
		}
		for _, g := range gridsOf(x) {
			markdownGrid(&b, &g)
		}
	}
	return b.String()
}

func markdownGrid(b *strings.Builder, g *page.Grid) {
	if g.Title != "" {
		fmt.Fprintf(b, "\n### %s\n", command.MarkdownText(g.Title))
	}
	if len(g.Rows) == 0 {
		b.WriteString("\n" + command.MarkdownText(g.Empty) + "\n")
		return
	}
	var rows [][]string
	for i := range g.Rows {
		cells := cellTexts(&g.Rows[i])
		if g.Rows[i].Under {
			cells[0] = "└ " + cells[0]
		}
		rows = append(rows, cells)
	}
	b.WriteString("\n" + command.MarkdownRows(page.MapList(g.Columns, func(c page.GridColumn) string { return c.Title }),
		page.MapList(g.Columns, func(c page.GridColumn) bool { return c.Right }), rows))
}

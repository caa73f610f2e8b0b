package command

import (
	"cmp"
	"encoding/csv"
	"slices"
	"strings"

	"rung/model/words"
	"rung/pages/page"
)

// TableAnswer returns the rows of a page's table as an answer; facts are its JSON and YAML.
func TableAnswer[F any](a *App, facts any, t *page.Table[F], rows []F) *Answer {
	ans := &Answer{Value: facts}
	if t.Head != nil {
		rows = slices.DeleteFunc(slices.Clone(rows), t.Head)
	}
	ans.Text = func(wide bool) string { return TableText(t, rows, wide, TerminalWidth(a.Raw)) }
	ans.CSV = func() string {
		cols := t.PrintedColumns()
		lines := page.MapList(rows, func(row F) []string { return ExactCells(cols, row) })
		return CSVText(page.MapList(cols, func(c page.Column[F]) string { return c.Key }), lines)
	}
	ans.Markdown = func() string { return MarkdownTable(t, rows) }
	return ans
}

// CSVText returns lines in CSV; without a head it has no titles.
func CSVText(head []string, lines [][]string) string {
	var b strings.Builder
	w := csv.NewWriter(&b) // in memory: no errors
	if head != nil {
		_ = w.Write(head)
	}
	for _, cells := range lines {
		_ = w.Write(page.MapList(cells, words.Escape))
	}
	w.Flush()
	return b.String()
}

// MarkdownTable returns a page's table in markdown.
func MarkdownTable[F any](t *page.Table[F], rows []F) string {
	cols := t.SeenColumns(rows, false)
	return MarkdownRows(page.MapList(cols, titleOf[F]), page.MapList(cols, func(c page.Column[F]) bool { return c.Right }),
		page.MapList(rows, func(row F) []string {
			return page.MapList(cols, func(c page.Column[F]) string { return c.Cell(row).String() })
		}))
}

// MarkdownRows returns a table in markdown. right says of each column whether it is right-aligned.
func MarkdownRows(head []string, right []bool, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("| " + strings.Join(page.MapList(cells, MarkdownCell), " | ") + " |\n")
	}
	line(head)
	for _, r := range right {
		b.WriteString("|---")
		if r {
			b.WriteByte(':')
		}
	}
	b.WriteString("|\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

// MarkdownCell escapes text for a markdown table, where a row is one line.
func MarkdownCell(text string) string {
	return strings.ReplaceAll(MarkdownText(text), "\n", "<br>")
}

// leastFlex is the smallest width of a column whose text may have any length.
const leastFlex = 16

// TableText returns a page's table for people. width is the terminal's width, or 0. The least important
// columns are dropped until the others fit. Columns with text of any length wrap (FitText). wide keeps all
// columns.
func TableText[F any](t *page.Table[F], rows []F, wide bool, width int) string {
	if len(rows) == 0 && t.Empty != "" {
		return t.Empty + "\n"
	}
	cols := t.SeenColumns(rows, wide)
	for {
		out := &TextTable{Head: page.MapList(cols, titleOf[F])}
		for _, row := range rows {
			cells := page.MapList(cols, func(c page.Column[F]) string { return paintCell(c.Cell(row)) })
			if t.Short != nil && t.Short(row) {
				last := slices.IndexFunc(cols, func(c page.Column[F]) bool { return c.Name })
				cells = cells[:last+1]
			}
			if t.Under != nil && t.Under(row) {
				cells[0] = "  " + cells[0]
			}
			out.AddRow(cells...)
		}
		needs := 2 * (len(cols) - 1)
		for i, w := range out.columnWidths() {
			if cols[i].Flex { // it wraps
				w = min(w, max(cols[i].Min, leastFlex))
			}
			needs += w
		}
		least := slices.MinFunc(cols, func(a, b page.Column[F]) int { return a.Worth - b.Worth }).Worth
		if wide || width <= 0 || least >= page.Always || needs <= width {
			return out.String()
		}
		cols = slices.DeleteFunc(cols, func(c page.Column[F]) bool { return c.Worth == least })
	}
}

func titleOf[F any](c page.Column[F]) string { return c.Title }

// ExactCells returns the cells of a row for programs, with numbers without commas.
func ExactCells[F any](cols []page.Column[F], row F) []string {
	return page.MapList(cols, func(c page.Column[F]) string {
		exact := ""
		if c.Exact != nil {
			exact = c.Exact(row)
		}
		return cmp.Or(exact, words.PlainNumber(c.Cell(row).String()))
	})
}

// MarkdownLines converts lines of text to markdown, keeping the line breaks.
func MarkdownLines(text string) string {
	return strings.ReplaceAll(MarkdownText(strings.TrimSpace(text)), "\n", "  \n")
}

// MarkdownText escapes text for markdown. Forges turn addresses into links and @names into mentions; invisible
// characters prevent that.
func MarkdownText(s string) string { return markdownEscapes.Replace(s) }

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`, "&", "&amp;", "<", "&lt;", ">", "&gt;",
	"[", `\[`, "]", `\]`, "#", `\#`,
	"~", `\~`, "@", "@<!-- -->", "://", "&#58;//", "www.", "www&#46;")

package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"rung/model/words"
	"rung/pages/page"
)

// The measures of a drawn map, in pixels.
const (
	cellSize    = 14
	letterWidth = 7
	// mostLetters is how much of a name stands beside its row. The list below has it whole.
	mostLetters = 40
)

// shapes draw the kinds of cells, in their order, from the cell's upper left corner: each is another
// shape, so that they differ without colours as well.
var shapes = []string{
	"m4 7a3 3 0 1 0 6 0a3 3 0 1 0-6 0z", // a disc
	"m2 2h10v10h-10z",                   // a square
	"m2 12h10v-10z",                     // half a square
	"m7 2l5 10h-10z",                    // a triangle
	"m7 2l5 5l-5 5l-5-5z",               // a diamond
	"m3 6.5h8v1h-8z",                    // a dash
}

// drawMap draws a map, with a legend above and a list of the same below it.
func (d *document) drawMap(m *page.Map, key string) {
	columns := m.ColumnNames()
	if len(m.Rows) == 0 || len(columns) == 0 {
		return
	}
	d.WriteString("<ul class=\"legend\">\n")
	for i := range m.Kinds {
		k := &m.Kinds[i]
		fmt.Fprintf(d, "<li><svg width=\"%d\" height=\"%d\" aria-hidden=\"true\"><path%s d=\"M0 0%s\"/></svg>", cellSize, cellSize, shapeClass(k),
			shapes[i%len(shapes)])
		d.text(k.Text)
		d.WriteString("</li>\n")
	}
	d.WriteString("</ul>\n")
	indent, top := labelLength(m.Rows)*letterWidth+10, labelLength(columns)*letterWidth+10
	width, height := indent+len(columns)*cellSize+2, top+len(m.Rows)*cellSize+2
	fmt.Fprintf(d, "<div class=\"scroll\"><svg class=\"map\" id=\"%s-map\" role=\"img\" tabindex=\"0\" width=\"%d\" height=\"%d\" "+
		"aria-label=\"%s\" data-left=\"%d\" data-top=\"%d\" data-size=\"%d\" data-cells=\"%s\">\n",
		key, width, height,
		escape(words.Count(len(m.Rows), "row")+", "+words.Count(len(columns), "column")+"; the list below says the same"), indent, top, cellSize,
		cellLetters(m))
	d.WriteString("<defs>\n")
	for i := range m.Kinds {
		x, y := indent%cellSize, top%cellSize
		fmt.Fprintf(d, "<pattern id=\"%s-kind%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" patternUnits=\"userSpaceOnUse\"><path%s d=\"M0 "+
			"0%s\"/></pattern>\n",
			key, i, x, y, cellSize, cellSize, shapeClass(&m.Kinds[i]), shapes[i%len(shapes)])
	}
	d.WriteString("</defs>\n")
	fmt.Fprintf(d, "<path class=\"lines\" d=\"%s\"/>\n", gridLines(indent, top, len(m.Rows), len(columns)))
	for kind := range m.Kinds {
		if path := kindPath(m, kind, indent, top); path != "" {
			fmt.Fprintf(d, "<path fill=\"url(#%s-kind%d)\" d=\"%s\"/>\n", key, kind, path)
		}
	}
	d.WriteString("<g class=\"rows\">\n")
	for i, name := range m.Rows {
		x, y := indent-6, top+i*cellSize+11
		d.element("text", fmt.Sprintf(` x="%d" y="%d"`, x, y)+wholeName(name), shortName(name))
		d.WriteByte('\n')
	}
	d.WriteString("</g>\n<g class=\"columns\">\n")
	for i, name := range columns {
		x, y := indent+i*cellSize+11, top-6
		d.element("text", fmt.Sprintf(` transform="translate(%d %d) rotate(-90)"`, x, y)+wholeName(name), shortName(name))
		d.WriteByte('\n')
	}
	d.WriteString("</g>\n</svg></div>\n")
	fmt.Fprintf(d, "<p class=\"told\" id=\"%s-told\" aria-live=\"polite\"></p>\n", key)
	g := MapGrid(m)
	d.grid(&g, "Map")
}

// noCells titles the columns of a row whose cells have no sign.
const noCells = "NO CONNECTIONS"

// MapGrid is a map as a table: of each row the columns of each kind, or all. Rows that are alike are one.
func MapGrid(m *page.Map) page.Grid {
	g := page.Grid{Title: "As a list", Columns: []page.GridColumn{{Key: "from", Title: "FROM"}}}
	columns := m.ColumnNames()
	var alike [][]string // the names of rows with the same cells
	var cells [][]int8
	places := map[string]int{}
	for i, name := range m.Rows {
		row := m.Cells[i*len(columns) : (i+1)*len(columns)]
		key := fmt.Sprint(row)
		at, known := places[key]
		if !known {
			at = len(alike)
			places[key], alike, cells = at, append(alike, nil), append(cells, row)
		}
		alike[at] = append(alike[at], name)
	}
	var kinds []int8 // that some cell is of
	add := func(kind int8, column page.GridColumn) {
		if slices.Contains(m.Cells, kind) {
			kinds, g.Columns = append(kinds, kind), append(g.Columns, column)
		}
	}
	for i := range m.Kinds {
		add(int8(i), page.GridColumn{Key: m.Kinds[i].Key, Title: strings.ToUpper(m.Kinds[i].Text)})
	}
	add(-1, page.GridColumn{Key: "none", Title: noCells})
	for i, names := range alike {
		out := page.GridRow{Cells: []page.Cell{{Text: strings.Join(names, ", ")}}}
		for _, kind := range kinds {
			out.Cells = append(out.Cells, page.Cell{Text: columnsOfKind(columns, cells[i], kind)})
		}
		g.Rows = append(g.Rows, out)
	}
	return g
}

// columnsOfKind names the columns whose cells are of a kind: "all 11", or "all 11 but blue" where that
// is shorter.
func columnsOfKind(columns []string, cells []int8, kind int8) string {
	var are, others []string
	for i, k := range cells {
		if k == kind {
			are = append(are, columns[i])
		} else {
			others = append(others, columns[i])
		}
	}
	switch all := "all " + words.Thousands(len(columns)); {
	case len(are) > 1 && len(others) == 0:
		return all
	case len(others) > 0 && len(are) > 3*len(others):
		return all + " but " + strings.Join(others, ", ")
	}
	return strings.Join(are, ", ")
}

// shapeClass is the class of the shapes of a kind.
func shapeClass(k *page.MapKind) string { return ` class="shape ` + string(k.Sign.Role) + `"` }

// kindPath is the cells of a kind as one path, which its pattern fills: cells of a kind that stand side
// by side are one rectangle.
func kindPath(m *page.Map, kind, indent, top int) string {
	var b strings.Builder
	n := len(m.ColumnNames())
	for i := 0; i < len(m.Cells); i++ {
		if int(m.Cells[i]) != kind {
			continue
		}
		from := i
		for i+1 < len(m.Cells) && (i+1)%n != 0 && int(m.Cells[i+1]) == kind {
			i++
		}
		w := (i - from + 1) * cellSize
		x, y := indent+from%n*cellSize, top+from/n*cellSize
		fmt.Fprintf(&b, "M%d %dh%dv%dh-%dz", x, y, w, cellSize, w)
	}
	return b.String()
}

// gridLines are a line every ten rows and columns, and around all.
func gridLines(indent, top, rows, columns int) string {
	var b strings.Builder
	width, height := columns*cellSize, rows*cellSize
	for i := 0; i <= rows; i++ {
		if y := top + i*cellSize; i%10 == 0 || i == rows {
			fmt.Fprintf(&b, "M%d %dh%d", indent, y, width)
		}
	}
	for i := 0; i <= columns; i++ {
		if x := indent + i*cellSize; i%10 == 0 || i == columns {
			fmt.Fprintf(&b, "M%d %dv%d", x, top, height)
		}
	}
	return b.String()
}

// cellLetters are the cells for the script: the place of each kind, - for none.
func cellLetters(m *page.Map) string {
	out := make([]byte, len(m.Cells))
	for i, k := range m.Cells {
		out[i] = '-'
		if k >= 0 {
			out[i] = '0' + byte(k)
		}
	}
	return string(out)
}

func labelLength(names []string) (most int) {
	for _, name := range names {
		most = max(most, utf8.RuneCountInString(shortName(name)))
	}
	return most
}

// wholeName is the attribute with a name that is cut, for the script.
func wholeName(name string) string {
	if name == shortName(name) {
		return ""
	}
	return ` data-name="` + escape(name) + `"`
}

// shortName is a name as it stands beside the map, cut in the middle where it is long.
func shortName(name string) string {
	letters := []rune(name)
	if len(letters) <= mostLetters {
		return name
	}
	return string(letters[:mostLetters/2-1]) + "…" + string(letters[len(letters)-mostLetters/2:])
}

package cli

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
)

//go:embed style.css
var styleText string

//go:embed script.js
var scriptText string

// HTML returns a sheet as a single file, which loads nothing and says the same without scripts.
func HTML(s *page.Sheet) string {
	d := &document{}
	d.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	style := ":root{color-scheme:light dark;--page:#ffffff;" + themes.CSSVariables(false) +
		"}\n@media screen and (prefers-color-scheme:dark){:root{--page:#14181d;" + themes.CSSVariables(true) + "}}\n" + styleText + columnStyles
	policy := "default-src 'none'; style-src '" + sourceHash(style) + "'; script-src '" + sourceHash(scriptText) +
		"'; base-uri 'none'; form-action 'none'"
	fmt.Fprintf(d, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", policy)
	d.WriteString("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" " +
		"content=\"no-referrer\">\n")
	d.element("title", "", s.Title)
	d.WriteString("\n<style>" + style + "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header>\n")
	d.element("h1", "", s.Title)
	d.WriteString("\n<dl>\n")
	for _, f := range s.About {
		d.WriteString("<div>")
		d.element("dt", "", f.Name)
		d.WriteString("<dd>")
		d.line(f.Text)
		d.WriteString("</dd></div>\n")
	}
	d.WriteString("</dl>\n<nav aria-label=\"Sections\"><ul>\n")
	for i := range s.Sections {
		x := &s.Sections[i]
		fmt.Fprintf(d, "<li><a href=\"#%s\">", escape(x.Key))
		d.text(x.Title)
		d.WriteString("</a></li>\n")
	}
	d.WriteString("</ul></nav>\n<div class=\"tools\" id=\"tools\" hidden><label for=\"search\">Search the tables <kbd>/</kbd></label>" +
		"<input id=\"search\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\"><output id=\"found\" " +
		"for=\"search\"></output></div>\n</header>\n<main id=\"content\" tabindex=\"-1\">\n")
	for i := range s.Sections {
		d.section(&s.Sections[i])
	}
	d.WriteString("</main>\n<script>" + scriptText + "</script>\n</body>\n</html>\n")
	return d.String()
}

// sourceHash returns the hash of a text for a content security policy.
func sourceHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// escape escapes text for HTML elements and quoted attributes. Invisible characters are written as in YAML.
func escape(text string) string { return html.EscapeString(words.Escape(text)) }

type document struct{ bytes.Buffer }

func (d *document) text(text string) { d.WriteString(escape(text)) }

// element writes an element with text. attributes are not escaped, so they must be trusted.
func (d *document) element(name, attributes, text string) {
	d.WriteString("<" + name + attributes + ">")
	d.text(text)
	d.WriteString("</" + name + ">")
}

func (d *document) span(s page.Span) {
	if s.Role == "" || s.Role == themes.Text || s.Text == "" {
		d.text(s.Text)
		return
	}
	d.element("span", ` class="`+string(s.Role)+`"`, s.Text)
}

func (d *document) line(l page.Line) {
	for _, s := range l {
		d.span(s)
	}
}

func (d *document) section(x *page.Section) {
	key := escape(x.Key)
	fmt.Fprintf(d, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n", key, key)
	d.element("h2", fmt.Sprintf(` id="%s-title"`, key), x.Title)
	d.WriteByte('\n')
	for _, l := range x.Lines {
		d.WriteString("<p>")
		d.line(l)
		d.WriteString("</p>\n")
	}
	if x.Map != nil {
		d.drawMap(x.Map, key)
	}
	for i := range x.Grids {
		d.grid(&x.Grids[i], x.Title)
	}
	d.WriteString("</section>\n")
}

// grid writes a table; section names a table without a title.
func (d *document) grid(g *page.Grid, section string) {
	if g.Title != "" {
		d.element("h3", "", g.Title)
		d.WriteByte('\n')
		section += ": " + g.Title
	}
	if len(g.Rows) == 0 {
		d.WriteString("<p class=\"dim\">")
		d.text(g.Empty)
		d.WriteString("</p>\n")
		return
	}
	// A table wider than the screen scrolls, also by keyboard.
	fmt.Fprintf(d, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\"><table%s>\n<thead><tr>",
		escape(section+", "+words.Count(len(g.Rows), "row")), columnClasses(g))
	for _, c := range g.Columns {
		attributes := ` scope="col"`
		if c.NoSort {
			attributes += ` data-fixed`
		}
		if c.Help != "" {
			attributes += ` title="` + escape(c.Help) + `"`
		}
		d.element("th", attributes, c.Title)
	}
	d.WriteString("</tr></thead>\n<tbody>\n")
	for i := range g.Rows {
		d.row(&g.Rows[i])
	}
	d.WriteString("</tbody>\n</table></div>\n")
}

// shortText is the longest text, in letters, that never wraps.
const shortText = 24

// columnClasses returns the table's layout classes: rN right-aligns column N, sN never wraps it because all
// its texts are short. As classes of the table they cost nothing in its cells.
func columnClasses(g *page.Grid) string {
	var names []string
	for i, c := range g.Columns {
		if c.Right {
			names = append(names, "r"+strconv.Itoa(i+1))
		}
		if !slices.ContainsFunc(g.Rows, func(r page.GridRow) bool { return utf8.RuneCountInString(r.Cells[i].String()) > shortText }) {
			names = append(names, "s"+strconv.Itoa(i+1))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ` class="` + strings.Join(names, " ") + `"`
}

// columnStyles are the styles of columnClasses, for up to 24 columns.
var columnStyles = func() string {
	var b strings.Builder
	for i := 1; i <= 24; i++ {
		fmt.Fprintf(&b, ".r%d tr>:nth-child(%d){text-align:right}.s%d td:nth-child(%d){white-space:nowrap;min-width:0}", i, i, i, i)
	}
	return b.String()
}()

func (d *document) row(r *page.GridRow) {
	if r.Under {
		d.WriteString("<tr class=\"under\">")
	} else {
		d.WriteString("<tr>")
	}
	for i := range r.Cells {
		d.WriteString("<td")
		key := words.PlainNumber(r.Cells[i].Text)
		if r.Keys != nil && r.Keys[i] != "" {
			key = r.Keys[i]
		}
		if key != r.Cells[i].Text {
			d.WriteString(` data-sort="` + escape(key) + `"`)
		}
		d.WriteByte('>')
		d.cell(&r.Cells[i])
		d.WriteString("</td>")
	}
	d.WriteString("</tr>\n")
}

func (d *document) cell(c *page.Cell) {
	if sign := strings.TrimSpace(c.Sign.Text); sign != "" {
		d.span(page.Span{Text: sign, Role: c.Sign.Role})
		d.WriteByte(' ')
	}
	d.span(page.Span{Text: c.Text, Role: c.Role})
	d.line(c.More)
}

// Measures of a drawn map, in pixels.
const (
	cellSize    = 14
	letterWidth = 7
	// mostLetters is the most letters of a name at its row; the list below has it whole.
	mostLetters = 40
)

// shapes are the SVG paths of the kinds of cells, in the kinds' order, from the cell's upper left corner. Each
// kind has another shape, so that kinds differ without colours.
var shapes = []string{
	"m4 7a3 3 0 1 0 6 0a3 3 0 1 0-6 0z", // a disc
	"m2 2h10v10h-10z",                   // a square
	"m2 12h10v-10z",                     // half a square
	"m7 2l5 10h-10z",                    // a triangle
	"m7 2l5 5l-5 5l-5-5z",               // a diamond
	"m3 6.5h8v1h-8z",                    // a dash
}

// drawMap draws a map with a legend above it, and a list with the same content below.
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
		d.element("text", fmt.Sprintf(` x="%d" y="%d"`, x, y)+fullNameAttribute(name), shortName(name))
		d.WriteByte('\n')
	}
	d.WriteString("</g>\n<g class=\"columns\">\n")
	for i, name := range columns {
		x, y := indent+i*cellSize+11, top-6
		d.element("text", fmt.Sprintf(` transform="translate(%d %d) rotate(-90)"`, x, y)+fullNameAttribute(name), shortName(name))
		d.WriteByte('\n')
	}
	d.WriteString("</g>\n</svg></div>\n")
	fmt.Fprintf(d, "<p class=\"told\" id=\"%s-told\" aria-live=\"polite\"></p>\n", key)
	g := MapAsTable(m)
	d.grid(&g, "Map")
}

// noCells is the title of the column that lists where a row's cells have no sign.
const noCells = "NO CONNECTIONS"

// MapAsTable converts a map to a table that lists the columns of each kind for a row. Equal rows are merged.
func MapAsTable(m *page.Map) page.Grid {
	g := page.Grid{Title: "As a list", Columns: []page.GridColumn{{Key: "from", Title: "FROM"}}}
	columns := m.ColumnNames()
	var alike [][]string // names of rows with equal cells
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
	var kinds []int8 // kinds of at least one cell
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

// columnsOfKind names the columns whose cells are of a kind: "all 11", or "all 11 but blue" if shorter.
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

// shapeClass returns the class attribute of a kind's shape.
func shapeClass(k *page.MapKind) string { return ` class="shape ` + string(k.Sign.Role) + `"` }

// kindPath returns the cells of a kind as one SVG path, to be filled by its pattern. Adjacent cells are one
// rectangle.
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

// gridLines returns lines around the map, and at every tenth row and column.
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

// cellLetters returns the cells for the script: a character for each kind, - for none.
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

// fullNameAttribute returns an attribute with the whole name if it was shortened, for the script.
func fullNameAttribute(name string) string {
	if name == shortName(name) {
		return ""
	}
	return ` data-name="` + escape(name) + `"`
}

// shortName returns a name with the middle cut out if it is long.
func shortName(name string) string {
	letters := []rune(name)
	if len(letters) <= mostLetters {
		return name
	}
	return string(letters[:mostLetters/2-1]) + "…" + string(letters[len(letters)-mostLetters/2:])
}

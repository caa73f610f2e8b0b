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

package shot

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"strconv"
	"strings"

	"rung/test/term"
)

// fontFamily names fonts whose letters are 0.6 wide, as Go Mono's; textLength
// corrects the rest.
const fontFamily = "'Go Mono','DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace"

// SVG draws the frame. The text stays text: it can be searched and copied.
func SVG(f *term.Frame) []byte {
	c := size(1)
	w, h := float64(f.Width)*c.w+2*padding, float64(f.Height)*c.h+2*padding
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" font-family="%s" font-size="%s" xml:space="preserve">`+"\n",
		num(w), num(h), num(w), num(h), fontFamily, num(fontSize))
	fmt.Fprintf(&b, `<rect width="%s" height="%s" rx="8" fill="%s"/>`+"\n", num(w), num(h), hex(opaque(f.Background)))
	for y := range f.Height {
		row := newSVGRow(f, y)
		top := padding + float64(y)*c.h
		row.backgrounds(&b, c, top, opaque(f.Background))
		row.texts(&b, c, top)
		row.drawings(&b, c, top)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// svgRow is a row of cells with their looks.
type svgRow struct {
	cells []term.Cell
	looks []look
}

func newSVGRow(f *term.Frame, y int) svgRow {
	var r svgRow
	for x := range f.Width {
		c := f.Cell(x, y)
		l := resolveLook(f, &c)
		if f.CursorShown && x == f.CursorX && y == f.CursorY {
			l.fg, l.bg = l.bg, l.fg
		}
		r.cells, r.looks = append(r.cells, c), append(r.looks, l)
	}
	return r
}

// left is where column x begins.
func (c cell) left(x int) float64 { return padding + float64(x)*c.w }

// backgrounds writes one rectangle per run of a colour other than the screen's.
func (r svgRow) backgrounds(b *bytes.Buffer, c cell, top float64, screen color.RGBA) {
	for from := 0; from < len(r.cells); {
		to := from + 1
		for to < len(r.cells) && r.looks[to].bg == r.looks[from].bg {
			to++
		}
		if r.looks[from].bg != screen {
			fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s" shape-rendering="crispEdges"/>`+"\n",
				num(c.left(from)), num(top), num(float64(to-from)*c.w), num(c.h), hex(r.looks[from].bg))
		}
		from = to
	}
}

// texts writes the characters of the font: runs of plain letters as one text
// each with a fixed length, others one by one in the middle of their cell.
func (r svgRow) texts(b *bytes.Buffer, c cell, top float64) {
	for from := 0; from < len(r.cells); {
		if !r.lettered(from) {
			if ch, ok := glyph(r.cells[from]); ok && !drawn(c, ch) {
				mid := c.left(from) + c.w*float64(r.cells[from].Width)/2
				r.text(b, mid, top, r.cells[from].Content, r.looks[from], ` text-anchor="middle"`)
			}
			from++
			continue
		}
		to, text := from, ""
		for to < len(r.cells) && sameText(r.looks[to], r.looks[from]) && (r.lettered(to) || r.gap(to)) {
			text += content(r.cells[to])
			to++
		}
		text = strings.TrimRight(text, " ")
		extra := fmt.Sprintf(` textLength="%s" lengthAdjust="spacingAndGlyphs"`, num(float64(len([]rune(text)))*c.w))
		r.text(b, c.left(from), top, text, r.looks[from], extra)
		from = to
	}
}

// text writes one text element.
func (r svgRow) text(b *bytes.Buffer, x, top float64, text string, l look, extra string) {
	if l.bold {
		extra += ` font-weight="bold"`
	}
	if l.italic {
		extra += ` font-style="italic"`
	}
	fmt.Fprintf(b, `<text x="%s" y="%s" fill="%s"%s>%s</text>`+"\n",
		num(x), num(top+baseline), hex(l.fg), extra, html.EscapeString(text))
}

// lettered says whether the cell holds a letter that every font has in the
// expected width.
func (r svgRow) lettered(x int) bool {
	ch, ok := glyph(r.cells[x])
	return ok && r.cells[x].Width == 1 && ch < 0x250 && len([]rune(r.cells[x].Content)) == 1
}

// gap says whether the cell is a single space between letters.
func (r svgRow) gap(x int) bool {
	return content(r.cells[x]) == " " && x+1 < len(r.cells) && r.lettered(x+1)
}

func content(c term.Cell) string {
	if c.Content == "" {
		return " "
	}
	return c.Content
}

// sameText says whether two cells can share a text element.
func sameText(a, b look) bool {
	return a.fg == b.fg && a.bold == b.bold && a.italic == b.italic
}

func drawn(c cell, r rune) bool {
	_, ok := c.shapes(r)
	return ok
}

// drawings writes shapes, underlines and strike-throughs, one path per run of a
// colour.
func (r svgRow) drawings(b *bytes.Buffer, c cell, top float64) {
	var path strings.Builder
	fill, alpha := "", 1.0
	flush := func() {
		if path.Len() == 0 {
			return
		}
		opacity := ""
		if alpha < 1 {
			opacity = fmt.Sprintf(` fill-opacity="%s"`, num(alpha))
		}
		fmt.Fprintf(b, `<path fill="%s"%s d="%s"/>`+"\n", fill, opacity, path.String())
		path.Reset()
	}
	for x := range r.cells {
		l := r.looks[x]
		var shapes []shape
		if ch, ok := glyph(r.cells[x]); ok {
			shapes, _ = c.shapes(ch)
		}
		if l.underline {
			shapes = append(shapes, rect(0, c.h*0.86, c.w, c.h*0.86+c.stroke))
		}
		if l.strikethrough {
			shapes = append(shapes, rect(0, c.h*0.53, c.w, c.h*0.53+c.stroke))
		}
		for _, s := range shapes {
			if hex(l.fg) != fill || s.alpha != alpha {
				flush()
				fill, alpha = hex(l.fg), s.alpha
			}
			s.path(&path, c.left(x), top)
		}
	}
	flush()
}

// path writes the outlines as SVG path data.
func (s shape) path(b *strings.Builder, x, y float64) {
	for _, o := range s.outlines {
		for i, p := range o {
			if i == 0 {
				b.WriteByte('M')
			} else {
				b.WriteByte('L')
			}
			b.WriteString(num(x+p.x) + " " + num(y+p.y))
		}
		b.WriteByte('Z')
	}
}

// num writes a number with at most two digits after the point.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

package shot

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonobolditalic"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"rung/test/term"
)

const (
	pngScale = 2    // pixels per SVG unit: crisp on dense screens
	padding  = 12.0 // around the screen, SVG units
	fontSize = 15.0 // SVG units; Go Mono is 0.6 wide, which makes a cell of 9
	baseline = 13.4 // of the text below the top of a cell, SVG units
)

// faces are the four styles of the font, by bold and italic.
type faces [2][2]font.Face

var parsed = sync.OnceValues(func() (*[2][2]*sfnt.Font, error) {
	var out [2][2]*sfnt.Font
	for bold, row := range [2][2][]byte{{gomono.TTF, gomonoitalic.TTF}, {gomonobold.TTF, gomonobolditalic.TTF}} {
		for italic, ttf := range row {
			f, err := opentype.Parse(ttf)
			if err != nil {
				return nil, fmt.Errorf("reading Go Mono: %w", err)
			}
			out[bold][italic] = f
		}
	}
	return &out, nil
})

func newFaces(scale float64) (*faces, error) {
	fonts, err := parsed()
	if err != nil {
		return nil, err
	}
	var out faces
	for bold, row := range fonts {
		for italic, f := range row {
			// At 72 dots per inch a point is a pixel.
			face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: fontSize * scale, DPI: 72, Hinting: font.HintingNone})
			if err != nil {
				return nil, fmt.Errorf("setting up Go Mono: %w", err)
			}
			out[bold][italic] = face
		}
	}
	return &out, nil
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Missing lists the characters of the frame that no picture can draw by itself,
// sorted: neither shapes nor Go Mono have them.
func Missing(f *term.Frame) []rune {
	var out []rune
	for y := range f.Height {
		for x := range f.Width {
			r, ok := glyph(f.Cell(x, y))
			if !ok || slices.Contains(out, r) {
				continue
			}
			if _, ok := size(1).shapes(r); !ok && missing(r) {
				out = append(out, r)
			}
		}
	}
	slices.Sort(out)
	return out
}

// glyph is the character of a cell to draw; false for a blank.
func glyph(c term.Cell) (rune, bool) {
	r, _ := utf8.DecodeRuneInString(c.Content)
	if c.Content == "" || r == ' ' || r == '\u00a0' || r < 0x20 {
		return 0, false
	}
	return r, true
}

// PNG draws the frame.
func PNG(f *term.Frame) ([]byte, error) {
	fc, err := newFaces(pngScale)
	if err != nil {
		return nil, err
	}
	p := painter{cell: size(pngScale), faces: fc}
	w := int(math.Ceil(float64(f.Width)*p.cell.w + 2*padding*pngScale))
	h := int(math.Ceil(float64(f.Height)*p.cell.h + 2*padding*pngScale))
	p.img = image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(p.img, p.img.Bounds(), image.NewUniform(opaque(f.Background)), image.Point{}, draw.Src)
	for y := range f.Height {
		for x := range f.Width {
			c := f.Cell(x, y)
			if c.Width == 0 {
				continue
			}
			l := resolveLook(f, &c)
			if f.CursorShown && x == f.CursorX && y == f.CursorY {
				l.fg, l.bg = l.bg, l.fg
			}
			p.draw(float64(x)*p.cell.w+padding*pngScale, float64(y)*p.cell.h+padding*pngScale, c, l)
		}
	}
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(&out, p.img); err != nil {
		return nil, fmt.Errorf("writing PNG: %w", err)
	}
	return out.Bytes(), nil
}

// painter draws cells on an image.
type painter struct {
	img   *image.RGBA
	cell  cell
	faces *faces
	ras   vector.Rasterizer // kept for its memory
}

// draw draws one cell at a place in pixels.
func (p *painter) draw(x, y float64, c term.Cell, l look) {
	w := p.cell.w * float64(c.Width)
	area := image.Rect(int(x), int(y), int(x+w), int(y+p.cell.h))
	draw.Draw(p.img, area, image.NewUniform(l.bg), image.Point{}, draw.Src)
	if r, ok := glyph(c); ok {
		if shapes, ok := p.cell.shapes(r); ok {
			for _, s := range shapes {
				p.fill(x, y, s, l.fg, l.bg)
			}
		} else {
			p.text(x, y, w, r, l)
		}
	}
	if l.underline {
		p.fill(x, y, rect(0, p.cell.h*0.86, w, p.cell.h*0.86+p.cell.stroke), l.fg, l.bg)
	}
	if l.strikethrough {
		p.fill(x, y, rect(0, p.cell.h*0.53, w, p.cell.h*0.53+p.cell.stroke), l.fg, l.bg)
	}
}

// text draws a character of the font, or a hollow box where the font has none.
func (p *painter) text(x, y, w float64, r rune, l look) {
	face := p.faces[index(l.bold)][index(l.italic)]
	advance, ok := face.GlyphAdvance(r)
	if !ok || missing(r) {
		p.fill(x, y, shape{[][]point{
			{{w * 0.15, p.cell.h * 0.25}, {w * 0.85, p.cell.h * 0.25}, {w * 0.85, p.cell.h * 0.8}, {w * 0.15, p.cell.h * 0.8}},
			{{w * 0.25, p.cell.h * 0.3}, {w * 0.25, p.cell.h * 0.75}, {w * 0.75, p.cell.h * 0.75}, {w * 0.75, p.cell.h * 0.3}},
		}, 1}, l.fg, l.bg)
		return
	}
	left := x + (w-float64(advance)/64)/2
	d := font.Drawer{
		Dst: p.img, Src: image.NewUniform(l.fg), Face: face,
		Dot: fixed.Point26_6{X: fixed.Int26_6(left * 64), Y: fixed.Int26_6((y + baseline*pngScale) * 64)},
	}
	d.DrawString(string(r))
}

// missing says whether the font lacks the character: a face then draws its
// replacement without saying so.
func missing(r rune) bool {
	fonts, err := parsed()
	if err != nil {
		return true
	}
	var buf sfnt.Buffer
	i, err := fonts[0][0].GlyphIndex(&buf, r)
	return err != nil || i == 0
}

// fill draws a shape with its upper left corner at a place.
func (p *painter) fill(x, y float64, s shape, fg, bg color.RGBA) {
	// A margin, because shapes may reach a little over the cell.
	const margin = 4
	x0, y0 := math.Floor(x)-margin, math.Floor(y)-margin
	w, h := int(p.cell.w*2)+2*margin, int(p.cell.h)+2*margin
	ras := &p.ras
	ras.Reset(w, h)
	for _, o := range s.outlines {
		for i, pt := range o {
			px, py := float32(x+pt.x-x0), float32(y+pt.y-y0)
			if i == 0 {
				ras.MoveTo(px, py)
			} else {
				ras.LineTo(px, py)
			}
		}
		ras.ClosePath()
	}
	area := image.Rect(int(x0), int(y0), int(x0)+w, int(y0)+h)
	ras.Draw(p.img, area, image.NewUniform(mix(bg, fg, s.alpha)), image.Point{})
}

package shot

import (
	"fmt"
	"image/color"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"rung/test/term"
)

// palette holds the 16 basic colours as a terminal shows them. Every one can be
// read on its background.
type palette [16]color.RGBA

var (
	onDark = palette{
		rgb(0x3b4048), rgb(0xe5534b), rgb(0x57ab5a), rgb(0xc69026),
		rgb(0x539bf5), rgb(0xb083f0), rgb(0x39a8b4), rgb(0xc5cad3),
		rgb(0x768390), rgb(0xff938a), rgb(0x8ddb8c), rgb(0xeac55f),
		rgb(0x96d0ff), rgb(0xdcbdfb), rgb(0x76e3ea), rgb(0xf6f8fa),
	}
	onLight = palette{
		rgb(0x24292f), rgb(0xb62324), rgb(0x1a6e2e), rgb(0x7d5600),
		rgb(0x0550ae), rgb(0x7a3cc2), rgb(0x1b6f78), rgb(0x57606a),
		rgb(0x6e7781), rgb(0xd1242f), rgb(0x1f883d), rgb(0x9a6700),
		rgb(0x0969da), rgb(0x8250df), rgb(0x157f8a), rgb(0xd0d7de),
	}
)

func rgb(v uint32) color.RGBA {
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff}
}

// look is how one cell is drawn.
type look struct {
	fg, bg                   color.RGBA
	bold, italic             bool
	underline, strikethrough bool
}

// resolveLook resolves the colours and attributes of a cell.
func resolveLook(f *term.Frame, c *term.Cell) look {
	p := &onDark
	if f.Light {
		p = &onLight
	}
	l := look{
		fg:            p.resolve(c.Style.Fg, f.Foreground),
		bg:            p.resolve(c.Style.Bg, f.Background),
		bold:          c.Style.Attrs&uv.AttrBold != 0,
		italic:        c.Style.Attrs&uv.AttrItalic != 0,
		strikethrough: c.Style.Attrs&uv.AttrStrikethrough != 0,
		underline:     c.Style.Underline != uv.UnderlineNone,
	}
	if c.Style.Attrs&uv.AttrReverse != 0 {
		l.fg, l.bg = l.bg, l.fg
	}
	if c.Style.Attrs&uv.AttrFaint != 0 {
		l.fg = mix(l.fg, l.bg, 0.45)
	}
	if c.Style.Attrs&uv.AttrConceal != 0 {
		l.fg = l.bg
	}
	return l
}

// resolve turns a cell's colour into one that can be painted. The 16 basic
// colours are the terminal's to choose, also when they are named by index.
func (p *palette) resolve(c, unset color.Color) color.RGBA {
	switch c := c.(type) {
	case nil:
		return opaque(unset)
	case ansi.BasicColor:
		return p[c&15]
	case ansi.IndexedColor:
		if c < 16 {
			return p[c]
		}
		return opaque(c)
	default:
		return opaque(c)
	}
}

func opaque(c color.Color) color.RGBA {
	if c == nil {
		return color.RGBA{A: 0xff}
	}
	r, g, b, _ := c.RGBA()
	return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 0xff}
}

// mix goes from a towards b by the share t.
func mix(a, b color.RGBA, t float64) color.RGBA {
	part := func(x, y uint8) uint8 { return uint8(float64(x)*(1-t) + float64(y)*t + 0.5) }
	return color.RGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), 0xff}
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

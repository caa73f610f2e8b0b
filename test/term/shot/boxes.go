package shot

import "math"

// arms are the lines from the middle of a cell to its edges: 0 none, 1 light, 2
// heavy.
type arms struct{ up, right, down, left int }

var boxArms = map[rune]arms{
	'─': {0, 1, 0, 1}, '━': {0, 2, 0, 2}, '│': {1, 0, 1, 0}, '┃': {2, 0, 2, 0},
	'┌': {0, 1, 1, 0}, '┐': {0, 0, 1, 1}, '└': {1, 1, 0, 0}, '┘': {1, 0, 0, 1},
	'┏': {0, 2, 2, 0}, '┓': {0, 0, 2, 2}, '┗': {2, 2, 0, 0}, '┛': {2, 0, 0, 2},
	'├': {1, 1, 1, 0}, '┤': {1, 0, 1, 1}, '┬': {0, 1, 1, 1}, '┴': {1, 1, 0, 1},
	'┣': {2, 2, 2, 0}, '┫': {2, 0, 2, 2}, '┳': {0, 2, 2, 2}, '┻': {2, 2, 0, 2},
	'┼': {1, 1, 1, 1}, '╋': {2, 2, 2, 2},
	'╴': {0, 0, 0, 1}, '╵': {1, 0, 0, 0}, '╶': {0, 1, 0, 0}, '╷': {0, 0, 1, 0},
	'╸': {0, 0, 0, 2}, '╹': {2, 0, 0, 0}, '╺': {0, 2, 0, 0}, '╻': {0, 0, 2, 0},
}

// dashed are lines of n dashes.
var dashed = map[rune]struct {
	n        int
	weight   float64
	vertical bool
}{
	'┄': {3, 1, false}, '┅': {3, 2, false}, '┆': {3, 1, true}, '┇': {3, 2, true},
	'┈': {4, 1, false}, '┉': {4, 2, false}, '┊': {4, 1, true}, '┋': {4, 2, true},
	'╌': {2, 1, false}, '╍': {2, 2, false}, '╎': {2, 1, true}, '╏': {2, 2, true},
}

// boxLines draws the light and heavy lines of the box drawing block. Double
// lines are left to the font.
func (c cell) boxLines(r rune) []shape {
	if a, ok := boxArms[r]; ok {
		return c.cross(a)
	}
	if d, ok := dashed[r]; ok {
		return c.dashes(d.n, d.weight*c.stroke, d.vertical)
	}
	// The rounded corners by the sides they join.
	switch r {
	case '╭':
		return c.corner(1, 1)
	case '╮':
		return c.corner(-1, 1)
	case '╰':
		return c.corner(1, -1)
	case '╯':
		return c.corner(-1, -1)
	}
	return nil
}

// cross draws straight arms that meet in the middle.
func (c cell) cross(a arms) []shape {
	half := func(weight int) float64 { return float64(weight) * c.stroke / 2 }
	mx, my := c.w/2, c.h/2
	// An arm reaches over the middle by half of the widest crossing one, so
	// that corners close.
	overX := math.Max(half(a.up), half(a.down))
	overY := math.Max(half(a.left), half(a.right))
	var out []shape
	if a.left > 0 {
		out = append(out, rect(0, my-half(a.left), mx+overX, my+half(a.left)))
	}
	if a.right > 0 {
		out = append(out, rect(mx-overX, my-half(a.right), c.w, my+half(a.right)))
	}
	if a.up > 0 {
		out = append(out, rect(mx-half(a.up), 0, mx+half(a.up), my+overY))
	}
	if a.down > 0 {
		out = append(out, rect(mx-half(a.down), my-overY, mx+half(a.down), c.h))
	}
	return out
}

// dashes draws a broken line through the cell.
func (c cell) dashes(n int, stroke float64, vertical bool) []shape {
	long := c.w
	if vertical {
		long = c.h
	}
	step := long / float64(n)
	var out []shape
	for i := range n {
		from, to := step*(float64(i)+0.2), step*(float64(i)+0.8)
		if vertical {
			out = append(out, rect(c.w/2-stroke/2, from, c.w/2+stroke/2, to))
		} else {
			out = append(out, rect(from, c.h/2-stroke/2, to, c.h/2+stroke/2))
		}
	}
	return out
}

// corner joins the right (1) or left (-1) side with the lower (1) or upper (-1)
// one by a quarter of a circle.
func (c cell) corner(dx, dy float64) []shape {
	r := c.w / 2
	mx, my, s := c.w/2, c.h/2, c.stroke/2
	cx, cy := mx+dx*r, my+dy*r // centre of the circle
	// The quarter that faces the middle of the cell.
	from := math.Atan2(0, -dx)
	to := math.Atan2(-dy, 0)
	if to-from > math.Pi {
		to -= 2 * math.Pi
	}
	if from-to > math.Pi {
		to += 2 * math.Pi
	}
	bend := append(arc(cx, cy, r+s, from, to), arc(cx, cy, r-s, to, from)...)
	out := []shape{polygon(bend...)}
	if dy > 0 {
		return append(out, rect(mx-s, cy, mx+s, c.h))
	}
	return append(out, rect(mx-s, 0, mx+s, cy))
}

// blocks draws the block elements.
func (c cell) blocks(r rune) []shape {
	switch {
	case r >= '▁' && r <= '█': // from below, in eighths
		return []shape{rect(0, c.h*(1-float64(r-'▁'+1)/8), c.w, c.h)}
	case r >= '▉' && r <= '▏': // from the left, in eighths
		return []shape{rect(0, 0, c.w*float64('▏'-r+1)/8, c.h)}
	}
	switch r {
	case '▀':
		return []shape{rect(0, 0, c.w, c.h/2)}
	case '▐':
		return []shape{rect(c.w/2, 0, c.w, c.h)}
	case '▔':
		return []shape{rect(0, 0, c.w, c.h/8)}
	case '▕':
		return []shape{rect(c.w*7/8, 0, c.w, c.h)}
	case '░', '▒', '▓':
		full := rect(0, 0, c.w, c.h)
		full.alpha = float64(r-'░'+1) / 4
		return []shape{full}
	}
	return nil
}

// braille draws the 256 braille patterns.
func (c cell) braille(r rune) []shape {
	if r < 0x2800 || r > 0x28ff {
		return nil
	}
	// Bit n is the dot in this column and row.
	dots := [8][2]float64{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}}
	out := []shape{}
	for bit, at := range dots {
		if r&(1<<bit) != 0 {
			out = append(out, disc(c.w*(0.3+0.4*at[0]), c.h*(0.2+0.2*at[1]), c.w*0.11))
		}
	}
	return out
}

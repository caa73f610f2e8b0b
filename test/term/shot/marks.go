package shot

import "math"

// marks draws the signs an operations screen uses, all of one size.
func (c cell) marks(r rune) []shape {
	// The box that marks stand in, a little above the middle of the line as
	// letters are.
	mx, my := c.w/2, c.h*0.5
	d := c.w * 0.42
	up := []point{{mx, my - d}, {mx + d, my + d*0.8}, {mx - d, my + d*0.8}}
	down := []point{{mx, my + d}, {mx - d, my - d*0.8}, {mx + d, my - d*0.8}}
	right := []point{{mx + d, my}, {mx - d*0.8, my + d}, {mx - d*0.8, my - d}}
	left := []point{{mx - d, my}, {mx + d*0.8, my - d}, {mx + d*0.8, my + d}}
	diamond := []point{{mx, my - d*1.1}, {mx + d, my}, {mx, my + d*1.1}, {mx - d, my}}
	square := []point{{mx - d, my - d}, {mx + d, my - d}, {mx + d, my + d}, {mx - d, my + d}}
	const hollow = 0.62

	switch r {
	case '▲':
		return []shape{polygon(up...)}
	case '△':
		return []shape{outline(mx, my+d*0.2, hollow*0.8, up...)}
	case '▼':
		return []shape{polygon(down...)}
	case '▷':
		return []shape{outline(mx-d*0.2, my, hollow*0.8, right...)}
	case '▽':
		return []shape{outline(mx, my-d*0.2, hollow*0.8, down...)}
	case '▶', '►':
		return []shape{polygon(right...)}
	case '◀', '◄':
		return []shape{polygon(left...)}
	case '▸', '▹':
		return []shape{small(polygon(right...), mx, my)}
	case '◂', '◃':
		return []shape{small(polygon(left...), mx, my)}
	case '▾', '▿':
		return []shape{small(polygon(down...), mx, my)}
	case '▴', '▵':
		return []shape{small(polygon(up...), mx, my)}
	case '◆':
		return []shape{polygon(diamond...)}
	case '◇':
		return []shape{outline(mx, my, hollow, diamond...)}
	case '■':
		return []shape{polygon(square...)}
	case '□':
		return []shape{outline(mx, my, 1-c.stroke/d, square...)}
	case '▣':
		return []shape{outline(mx, my, 1-c.stroke/d, square...), small(polygon(square...), mx, my)}
	case '▪':
		return []shape{small(polygon(square...), mx, my)}
	case '●':
		return []shape{disc(mx, my, d)}
	case '○', '◯':
		return []shape{ring(mx, my, d, c.stroke)}
	case '◌':
		var dots []shape
		for i := range 8 {
			at := float64(i) * math.Pi / 4
			dots = append(dots, disc(mx+(d-c.stroke/2)*math.Cos(at), my+(d-c.stroke/2)*math.Sin(at), c.stroke*0.6))
		}
		return dots
	case '∅':
		return []shape{ring(mx, my, d, c.stroke), line(mx-d, my+d*1.2, mx+d, my-d*1.2, c.stroke)}
	case '◐':
		return []shape{ring(mx, my, d, c.stroke), polygon(arc(mx, my, d, math.Pi/2, math.Pi*3/2)...)}
	case '◑':
		return []shape{ring(mx, my, d, c.stroke), polygon(arc(mx, my, d, -math.Pi/2, math.Pi/2)...)}
	case '•':
		return []shape{disc(mx, my, d*0.55)}
	case '✗', '✘', '✕', '✖':
		w := c.stroke * 1.3
		return []shape{line(mx-d, my-d, mx+d, my+d, w), line(mx-d, my+d, mx+d, my-d, w)}
	case '✓', '✔':
		w := c.stroke * 1.3
		return []shape{line(mx-d, my+d*0.1, mx-d*0.25, my+d*0.9, w), line(mx-d*0.4, my+d*0.9, mx+d, my-d, w)}
	case '⏎', '↵':
		s := c.stroke
		y := my + d*0.6
		return []shape{
			line(mx+d*0.9, my-d, mx+d*0.9, y+s/2, s), line(mx-d*0.6, y, mx+d*0.9, y, s),
			polygon(point{mx - d*1.1, y}, point{mx - d*0.2, y - d*0.6}, point{mx - d*0.2, y + d*0.6}),
		}
	case '↳':
		s := c.stroke
		y := my + d*0.6
		return []shape{
			line(mx-d*0.9, my-d, mx-d*0.9, y+s/2, s), line(mx-d*0.9, y, mx+d*0.6, y, s),
			polygon(point{mx + d*1.1, y}, point{mx + d*0.2, y - d*0.6}, point{mx + d*0.2, y + d*0.6}),
		}
	case '⋮':
		return []shape{disc(mx, my-d, c.stroke*0.7), disc(mx, my, c.stroke*0.7), disc(mx, my+d, c.stroke*0.7)}
	case '⋯':
		return []shape{disc(mx-d*0.9, my, c.stroke*0.7), disc(mx, my, c.stroke*0.7), disc(mx+d*0.9, my, c.stroke*0.7)}
	case '⚠':
		return []shape{
			outline(mx, my+d*0.25, 0.72, up...),
			line(mx, my-d*0.35, mx, my+d*0.2, c.stroke), disc(mx, my+d*0.5, c.stroke*0.5),
		}
	}
	return nil
}

// small shrinks a shape around a centre.
func small(s shape, cx, cy float64) shape {
	const by = 0.65
	for _, o := range s.outlines {
		for i, p := range o {
			o[i] = point{cx + (p.x-cx)*by, cy + (p.y-cy)*by}
		}
	}
	return s
}

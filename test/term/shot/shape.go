package shot

import "math"

// point is a place in a cell, in pixels from its upper left corner.
type point struct{ x, y float64 }

// shape is a filled area: closed outlines, of which one running against the
// others cuts a hole.
type shape struct {
	outlines [][]point
	alpha    float64 // share of the colour, 0 to 1
}

// cell is the size of a cell and of the lines in it, in pixels.
type cell struct {
	w, h   float64
	stroke float64 // a light line
}

// size makes a cell for a scale; 1 is 9×18 pixels.
func size(scale float64) cell {
	return cell{w: 9 * scale, h: 18 * scale, stroke: math.Max(1, math.Round(1.2*scale))}
}

// rect is a filled rectangle.
func rect(x0, y0, x1, y1 float64) shape {
	return shape{[][]point{{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}}, 1}
}

// polygon is a filled polygon.
func polygon(points ...point) shape { return shape{[][]point{points}, 1} }

// arc gives the points of a circle from angle a to b, in radians, clockwise on
// the screen from the right.
func arc(cx, cy, r, a, b float64) []point {
	const steps = 24
	var out []point
	for i := range steps + 1 {
		t := a + (b-a)*float64(i)/steps
		out = append(out, point{cx + r*math.Cos(t), cy + r*math.Sin(t)})
	}
	return out
}

// disc is a filled circle.
func disc(cx, cy, r float64) shape { return polygon(arc(cx, cy, r, 0, 2*math.Pi)...) }

// ring is a circle's line.
func ring(cx, cy, r, stroke float64) shape {
	return shape{[][]point{arc(cx, cy, r, 0, 2*math.Pi), arc(cx, cy, r-stroke, 2*math.Pi, 0)}, 1}
}

// line is a straight line with a width.
func line(x0, y0, x1, y1, stroke float64) shape {
	length := math.Hypot(x1-x0, y1-y0)
	dx, dy := (y1-y0)/length*stroke/2, -(x1-x0)/length*stroke/2
	return polygon(point{x0 + dx, y0 + dy}, point{x1 + dx, y1 + dy}, point{x1 - dx, y1 - dy}, point{x0 - dx, y0 - dy})
}

// outline is a polygon's line, made by shrinking it around a centre.
func outline(cx, cy, shrink float64, points ...point) shape {
	inner := make([]point, len(points))
	for i, p := range points {
		inner[len(points)-1-i] = point{cx + (p.x-cx)*shrink, cy + (p.y-cy)*shrink}
	}
	return shape{[][]point{points, inner}, 1}
}

// shapes draws a character without a font. It knows lines, blocks, braille and
// marks; for others it returns false.
func (c cell) shapes(r rune) ([]shape, bool) {
	for _, draw := range []func(rune) []shape{c.boxLines, c.blocks, c.braille, c.marks} {
		if s := draw(r); s != nil {
			return s, true
		}
	}
	return nil, false
}

package ui

import (
	"slices"

	"rung/ui/nav"
	"rung/ui/widget"
)

// headerPiece is a part of the header, gap cells after the one before. If room is short, the piece with the
// highest drop goes first, the last of equals.
type headerPiece struct {
	line      widget.Line
	gap, drop int
	to        nav.PageKind // page it links to
}

// Drops of pieces. Below zero: the context, the mode, and deadlines, which matter on every page.
const (
	neverDropped = iota - 3
	dropTrial
	dropPlan
	_
	dropFindings
	dropOmitted
	dropTrouble
	dropZones
	dropHint
	dropExtra
	dropBrand
	dropPolicies
	dropPods
	dropRevision
)

// keptPieces returns the pieces that fit; fits is false if even the permanent ones do not.
func keptPieces(pieces []headerPiece, w int) (kept []headerPiece, fits bool) {
	for {
		n, worst := 0, 0
		for i, p := range pieces {
			n += p.gap + p.line.LineWidth()
			if p.drop >= pieces[worst].drop {
				worst = i
			}
		}
		if n <= w || pieces[worst].drop == neverDropped {
			return pieces, n <= w
		}
		pieces = slices.Delete(slices.Clone(pieces), worst, worst+1)
	}
}

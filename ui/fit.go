package ui

import (
	"slices"

	"rung/ui/nav"
	"rung/ui/widget"
)

// headerPiece is a part of the header, some cells behind the one before. The piece with the highest
// drop goes first where there is no room, the last of several.
type headerPiece struct {
	line      widget.Line
	gap, drop int
	to        nav.PageKind // where it leads, empty for nowhere
}

// Drops of pieces. Below zero they are for the pieces that matter on every page: the context, the
// mode, and a time that runs out.
const (
	always = iota - 3
	dropTrial
	dropPlan
	_
	dropFindings
	dropTrouble
	dropZones
	dropHint
	dropExtra
	dropBrand
	dropPolicies
	dropPods
	dropRevision
)

// keptPieces are the pieces for which there is room; fits is false where there is none even for
// those that always stand.
func keptPieces(pieces []headerPiece, w int) (kept []headerPiece, fits bool) {
	for {
		n, worst := 0, 0
		for i, p := range pieces {
			n += p.gap + p.line.LineWidth()
			if p.drop >= pieces[worst].drop {
				worst = i
			}
		}
		if n <= w || pieces[worst].drop == always {
			return pieces, n <= w
		}
		pieces = slices.Delete(slices.Clone(pieces), worst, worst+1)
	}
}

package widget

import "strings"

// Piece is a part of a line; the ones with the highest drop go first when there
// is no room.
type Piece struct {
	Line Line
	Drop int
}

// Fit joins the pieces with gaps, leaving out what has no room.
func Fit(pieces []Piece, w, gap int) Line {
	var out Line
	for i, p := range KeptPieces(pieces, w, gap) {
		if i > 0 {
			out = append(out, Span{Text: strings.Repeat(" ", gap)})
		}
		out = append(out, p.Line...)
	}
	return out
}

// KeptPieces are the pieces for which there is room with gaps between them.
func KeptPieces(pieces []Piece, w, gap int) []Piece {
	for {
		n := -gap
		for _, p := range pieces {
			n += p.Line.Width() + gap
		}
		if n <= w || len(pieces) <= 1 {
			return pieces
		}
		worst := 0
		for i, p := range pieces {
			if p.Drop >= pieces[worst].Drop {
				worst = i
			}
		}
		pieces = append(pieces[:worst:worst], pieces[worst+1:]...)
	}
}

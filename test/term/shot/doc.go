// Package shot makes pictures of a terminal's screen: SVG for documents, PNG
// where a fixed picture is wanted. Lines, blocks and marks are drawn as shapes, so
// that they join and look the same without any font; text is set in Go Mono,
// which comes as a Go module.
//
// Invariants: the same frame gives the same bytes; every cell stands exactly in
// its place; what cannot be drawn is named by Missing and shows as a hollow box.
//
// Only tests import it.
package shot

// Package convert is the view of policies written in another API: what became of each rule,
// with a sign and a word for exact, approximate and not expressible, below it why and a
// connection that shows it, beside it the text of what was made, and above all the proof that
// both sides decide alike, or what differs. From here it is copied, saved, or applied through
// the preview where the other API is enforced.
//
// Invariants: nothing is written here; conversion and proof are worked out beside the screen,
// and given up when the page is left.
//
// See package ui for the rules of views.
package convert

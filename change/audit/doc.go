// Package audit writes down every change that was made, that failed or that was refused: one
// line of JSON for each.
//
// Invariants: nothing is ever taken out; the line of a change is there before the change is made,
// with room for its outcome; a line that was torn still names the change.
//
// change/gate imports it; it imports change, model and sources/safefile.
package audit

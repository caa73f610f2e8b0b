// Package loop is the goroutine that owns what changes in an engine: it runs the
// functions that are sent to it one after the other and publishes a revision when
// something changed, so that a burst of changes becomes few revisions.
//
// Invariants: what the parts of an engine (zones, objects, Southbound databases …) keep
// without a lock is touched by functions of the loop alone; the loop waits for nobody.
// Every goroutine that Go starts, and every alarm, ends with Close.
//
// The engine and its parts import it; it imports revision and model.
package loop

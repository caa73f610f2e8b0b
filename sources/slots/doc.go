// Package slots bounds how much Rung computes at once beside the screen.
//
// Invariants: work in a slot waits for nobody who needs one; a slot is given back even
// when the work panics.
//
// It imports nothing of Rung. The engine makes the slots and hands them to connections,
// reconcilers and the sandbox.
package slots

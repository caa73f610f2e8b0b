// Package shell writes command lines that a POSIX shell reads back unchanged.
//
// Invariants: it is pure and imports nothing of Rung; what is printed never moves the cursor.
//
// Everything that shows commands imports it.
package shell

// Package changing is a small cluster whose revisions a test makes by hand, step by
// step and without an engine: for tests of what reads revisions or changes policies.
//
// Invariant: what a revision holds never changes; every step makes the next.
//
// Only tests import it.
package changing

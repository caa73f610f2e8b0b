// Package live makes the state of zones for tests of screens: live rows that a
// test has tampered with, joined with the desired ones by the real reconciler.
//
// Only tests import it.
package live

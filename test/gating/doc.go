// Package gating is a small cluster that changes as its own gate writes: for tests of what
// stands above the gate or writes for it.
//
// Only tests import it, and never those of change/gate, which have their own.
package gating

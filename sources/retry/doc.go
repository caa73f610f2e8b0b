// Package retry computes the waits before retries, and bounds how much Rung computes at once.
//
// Waits double from a first one up to a longest. A random part of each is cut off, so that simultaneous
// failures do not return together. k8s.io/apimachinery/pkg/util/wait does the counting.
//
// Invariants: a goroutine with a slot never waits for another that needs one; a slot is released even if the
// work panics.
//
// It imports nothing of Rung. The other sources, the reconciler and the engine import it. The engine makes the
// slots and hands them to connections, reconcilers and the sandbox.
package retry

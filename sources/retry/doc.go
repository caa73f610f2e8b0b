// Package retry says how long to wait before something is tried again: the one
// back-off of Rung.
//
// Waits double from a first one up to a longest, and each is cut short by chance, so
// that what failed together does not come back together. The counting is that of
// k8s.io/apimachinery/pkg/util/wait; this package holds the one form of it that is
// used, and the wait that ends with a context.
//
// It imports nothing of Rung. The other sources, the reconciler and the engine
// import it.
//
// It also bounds how much Rung computes at once beside the screen.
//
// Invariants: work in a slot waits for nobody who needs one; a slot is given back even
// when the work panics.
//
// It imports nothing of Rung. The engine makes the slots and hands them to connections,
// reconcilers and the sandbox.
package retry

// Package reconciler brings live rows to the desired ones: per zone it keeps the difference
// between the compiler's rows and the database's, and, where Rung owns the rows, turns it into
// the fewest OVSDB operations. Where it does not, the same difference is only reported.
//
// A zone has one loop (worker) over one memory (package tracker). The tracker follows desired
// and live rows step by step and knows per row how they differ; the loop sends the policies
// that are ready as one transaction, holds them until the rows show what it wrote, and
// publishes the joined state. Where more is ready than fits into one, the next goes out behind
// it, never more than two (flights). Conditions, events and activity are by-products of writing
// (reporter).
//
// Invariants: only rows of Rung's owner types are ever touched, known by their id or by owner
// and name, never those of an older release nor of a policy without desired rows, nor any
// before all objects were read once; a policy's change is never split over transactions; no
// insert is repeated before the outcome of the first is known, and of the transactions sent
// behind it; retries never end.
//
// It may import compiler, the model packages, its tracker and sources/retry; only engine imports
// it.
package reconciler

// Package reconciler brings live rows to the desired ones. It keeps per zone the difference
// between the compiler's rows and the database's. Where Rung owns the rows, it turns the difference
// into the fewest OVSDB operations; elsewhere it only reports the difference.
//
// A zone has one loop (worker) over one memory (Tracker). The Tracker follows desired and live rows
// step by step and knows how each row differs. The loop sends the policies that are ready as one
// transaction, holds them until the rows show the write, and publishes the joined state. If more is
// ready than fits, a second transaction goes out behind the first, never a third (flights).
// Conditions, events and activity are by-products of writing (reporter). A Differ runs a Tracker
// once, on rows that are not kept; OpsBuilder makes the operations.
//
// Invariants: only rows of Rung's owner types are touched, known by their id or by owner and name.
// Rows of an older release or of a policy without desired rows are never touched, nor any row before
// all objects were read once. A policy's change is never split over transactions. No insert is
// repeated before the outcome of the first is known, and of the transactions behind it. Retries
// never end. The differences after any sequence of steps are those of a Tracker that saw only the
// last state. A Tracker is plain memory, without clock and I/O.
//
// It may import compiler, the model packages and sources/retry; the engine imports it.
package reconciler

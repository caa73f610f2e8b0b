// Package reconciler turns live rows into the desired ones. Per zone it keeps the difference between the
// compiler's rows and the database's. Where Rung owns the rows, it turns the difference into the fewest OVSDB
// operations; elsewhere it only reports it.
//
// A zone has one loop (worker) and one Tracker. The Tracker follows desired and live rows step by step and
// knows how each row differs. The loop sends the ready policies as one transaction, holds them until the rows
// show the write, and publishes the state. If more is ready than fits, a second transaction follows the first,
// never a third (flights). Writing also yields conditions, events and activity (reporter). A ZoneDiffer runs a
// Tracker once, on rows that are not kept; OpsBuilder makes the operations.
//
// Invariants: only rows of Rung's owner types are touched, found by their id or by owner and name. Rows of an
// older release or of a policy without desired rows are never touched, nor is any row before all objects were
// read once. A policy's change is never split over transactions. No insert is repeated before the outcomes of
// the first one and of the transactions behind it are known. Retries never end. The differences after any
// sequence of steps are those of a Tracker that saw only the last state. A Tracker is plain memory, without
// clock and I/O.
//
// It may import compiler, the model packages and sources/retry; the engine imports it.
package reconciler

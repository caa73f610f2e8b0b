// Package diff says which connections get another verdict: by a change of the policies
// (DiffIndexes), by another priority of one of them (PriorityMoves), and among the connections of a log
// (LogConnections.DiffLines).
//
// Invariants: a Difference is complete: a connection it does not name stays as it was. A result
// is the same for the same two indexes, whatever the order in which classes were met.
package diff

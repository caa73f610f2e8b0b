// Package diff finds connections with another verdict: after a change of policies (DiffIndexes), for another
// priority of one policy (PriorityMoves), and among logged connections (LogConnections.DiffLines).
//
// Invariants: a Difference is complete: every other connection keeps its verdict. A result depends only on the
// two indexes, never on the order in which classes were visited.
package diff

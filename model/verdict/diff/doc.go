// Package diff says which connections become another verdict: by a change of the policies (Differ),
// by another priority of one of them (Moves), and of those that a log has (Log.Otherwise).
//
// Invariants: a Difference is complete: what it does not name stays as it was. A result is the same
// for the same two indexes, whatever the order in which classes were met.
package diff

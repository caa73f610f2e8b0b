// Package judge says who decides about a connection, written from
// docs/ovn-kubernetes.md alone: a second opinion for tests. It shares nothing with
// model/verdict, model/ovn/match, model/selectors or the compiler but the objects.
//
// It is naive on purpose: for one connection it goes through every policy, every rule
// and every pod, writes down the rows that match, and takes the highest. Its code
// can be checked by reading it beside the document. It is slow, and keeps nothing.
//
// Invariants: it imports model only; a disagreement with it is settled by the
// document, not by either of the two.
//
// Tests import it, and nothing else.
package judge

// Package effect works out what follows from a change, from the revision before it and the one
// after it: connections with another verdict, rows, fields, findings and notes. Compare does the
// same for two of anything that Rung reads: folders, revisions of a repository, a cluster.
//
// Invariants: it writes nothing and blocks nothing. A consequence is compared by what it is
// (Consequence.Identity), not by its words. Two equal inputs have no difference, and the way back
// is the mirror. The omissions of either side are part of the answer.
//
// It imports change, change/guard, revision and model; change/gate, change/planrun and pages
// import it.
package effect

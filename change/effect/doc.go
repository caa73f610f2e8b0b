// Package effect works out what follows from a change, from the revision before it and the one
// after it: connections that become another verdict, rows, fields, findings, and notes worth
// reading.
//
// Invariants: it writes nothing and blocks nothing; a consequence is compared by what it is
// (Consequence.Identity) and not by how it is said.
//
// change/gate and change/planrun import it; it imports change, change/guard, revision and model.
//
// Says what differs between two of anything that Rung reads: two folders, two
// revisions of a repository, a repository and a cluster. Policies that came, went, moved and
// changed, rule by rule; connections that are opened and closed, by workload; findings; rows; and
// the guard rails that the step from the first to the second meets.
//
// Invariants: of two equal inputs nothing differs, and there and back is the mirror. The omissions
// of either side are part of the answer.
//
// It imports revision and the questions beside it, change/effect and change/guard, and the model
// packages; pages and what stands above them import it.
package effect

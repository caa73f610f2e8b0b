// Package compare says what differs between two of anything that Rung reads: two folders, two
// revisions of a repository, a repository and a cluster. Policies that came, went, moved and
// changed, rule by rule; connections that are opened and closed, by workload; findings; rows; and
// the guard rails that the step from the first to the second meets.
//
// Invariants: of two equal inputs nothing differs, and there and back is the mirror. The omissions
// of either side are part of the answer.
//
// It imports revision and the questions beside it, change/effect and change/guard, and the model
// packages; pages and what stands above them import it.
package compare

// Package effect works out the consequences of a change from the revisions before and after it: connections
// with another verdict, rows, fields, findings and notes. Compare does the same for any two inputs that Rung
// reads: folders, revisions of a repository, a cluster.
//
// Invariants: it writes nothing and blocks nothing. Consequences are compared by Consequence.Identity, not by
// their texts. Equal inputs have no difference, and swapping the inputs mirrors it. The omissions of either
// side are part of the answer.
//
// It imports change, change/guard, revision and model; change/gate, change/planrun and pages import it.
package effect

// Package effect works out the consequences of a change from the revisions before and after it: connections
// with another verdict, rows, fields, findings and notes.
//
// Invariants: it writes nothing and blocks nothing. Consequences are compared by Consequence.Identity, not by
// their texts.
//
// It imports change, change/guard, revision and model; change/gate, change/planrun and pages import it.
package effect

// Package effect works out what follows from a change, from the revision before it and the one
// after it: connections that become another verdict, rows, fields, findings, and notes worth
// reading.
//
// Invariants: it writes nothing and blocks nothing; a consequence is compared by what it is
// (Consequence.Identity) and not by how it is said.
//
// change/gate and change/planrun import it; it imports change, change/guard, revision and model.
package effect

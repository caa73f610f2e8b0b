// Package standing says on which network pods and the ends of connections stand, and which ends do not
// reach each other.
//
// Invariants: it asks a revision and changes nothing; a connection is judged by one view of a revision.
//
// It imports revision and model; engine/trace and pages import it.
package standing

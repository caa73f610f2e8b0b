// Package convert writes policies of one API as equivalent policies of another, with a proof of equivalence:
// it compares the verdicts of both sides for every connection.
//
// Invariants: it applies nothing; it claims nothing beyond the proof; Kubernetes accepts the text unchanged.
//
// It imports revision, compiler, model and sources/manifests; cli and ui may import it.
package convert

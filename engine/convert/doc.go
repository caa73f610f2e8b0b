// Package convert writes policies of one API as equivalent policies of another, and proves
// it: the verdicts of both sides are compared for every connection.
//
// Invariants: nothing is applied here; nothing is claimed beyond the proof; Kubernetes
// takes the text as it is.
//
// It imports revision, compiler, model and sources/manifests; cli and ui may import it.
package convert

// Package convert writes policies of one API as those of another that say the same, and
// proves it: the verdicts of both sides are compared for every connection.
//
// Invariants: nothing is applied here; what the proof does not say is not claimed; the
// text is what Kubernetes takes.
//
// It imports revision, compiler, model and sources/manifests; cli and ui may import
// it.
package convert

// Package rewrite gives policies their next text: moved, with other annotations, merged with
// what somebody else wrote meanwhile.
//
// Invariants: what an author wrote stays, comments and order too, as far as it can be kept;
// nothing is written.
//
// change/gate and the command line import it; it imports change, model and sources/manifests.
package rewrite

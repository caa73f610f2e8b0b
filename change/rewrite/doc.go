// Package rewrite makes the next text of a policy: moved, with other annotations, or merged with a concurrent
// change.
//
// Invariants: the author's comments and field order are kept as far as possible; nothing is written.
//
// change/gate and the command line import it; it imports change, model and sources/manifests.
package rewrite

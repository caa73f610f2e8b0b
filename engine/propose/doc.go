// Package propose makes rules from log lines: what model/logline proposes, written into the
// text of a policy or as a new one, with what it covers more, what it leaves out and who
// decides against it, in sentences for console and command line alike.
//
// Invariants: nothing is applied here, the text goes through the edit flow and the gate; a
// policy that is there keeps its comments and its order; what is said of the outcome is said
// from verdicts.
//
// It imports revision, model and sources/manifests; ui and cli may import it.
package propose
